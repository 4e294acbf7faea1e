/** Row counts: a stopped count leaves no timer and sends no more requests, and an unfinished list gives no number. */
import { expect, test } from 'vitest';
import type { ServiceClient } from '../../electron/api/types.ts';
import { pause } from '../../electron/core/pause.ts';
import { readRowCount, readSteadyRowCount } from '../../electron/uploads/row-counts.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

test('a pause ends after its time or when it is stopped, and leaves no timer', async () => {
  const clock = new VirtualClock();
  const work = new AbortController();
  const whole = pause(clock, work.signal, 1_000);
  clock.advance(1_000);
  await whole;
  const stopped = pause(clock, work.signal, 1_000);
  expect(clock.pending).toBe(1);
  work.abort();
  await stopped;
  expect(clock.pending).toBe(0);
  await pause(clock, work.signal, 1_000);
  expect(clock.pending).toBe(0);
});

test('a stop between two counts cancels the second one and leaves no timer', async () => {
  const clock = new VirtualClock();
  const closing = new AbortController();
  const asked: unknown[] = [];
  const list = async (...request: unknown[]) => {
    asked.push(request);
    return { value: { items: [{ type: 'PRODUCTION', row_count: 7 }], itemCount: 1, total: 1 } };
  };
  const client = { list } as unknown as ServiceClient;
  const target = { modelId: 'm', envType: 'PRODUCTION', envName: null };
  const reading = { client, clock, pauseMs: 2_000, signal: closing.signal };
  const counted = readSteadyRowCount(reading, target, 'undo');
  await expect.poll(() => clock.pending).toBe(1);
  closing.abort();
  clock.advance(2_000);
  await expect(counted).rejects.toMatchObject({ code: 'CANCELLED' });
  expect([asked.length, clock.pending]).toEqual([1, 0]);
});

test('the rows of a list of environments that does not end are not known', async () => {
  const list = async () => ({
    value: { items: [{ type: 'PRODUCTION', row_count: 7 }], itemCount: 1, total: null },
  });
  const target = { modelId: 'm', envType: 'PRODUCTION', envName: null };
  expect(await readRowCount({ list } as unknown as ServiceClient, target, 'undo')).toEqual({
    rowCount: null,
    reason: 'the list of environments did not end after 20 pages',
  });
});
