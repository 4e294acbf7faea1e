import { expect, test } from 'vitest';
import { createLogFeed } from '../../electron/engine/log-feed.ts';
import type { RequestLogRow } from '../../electron/shared/traffic-model.ts';
import { aRequest } from '../helpers/traffic.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

const row = (seq: number): RequestLogRow => {
  const { tries: _, origin: __, body: ___, bodyKept: ____, error: _____, ...listed } = aRequest();
  return { ...listed, seq };
};

test('events are sent newest first, at most four times a second, in bounded batches', async () => {
  const world = new VirtualWorld();
  const told: { atMs: number; first: number | undefined; count: number; skipped: number }[] = [];
  const feed = createLogFeed(world.process(), ({ rows, skipped }) => {
    told.push({ atMs: world.trueMs, first: rows[0]?.seq, count: rows.length, skipped });
  });
  let seq = 0;
  for (let atMs = 0; atMs < 1_000; atMs += 2) world.at(atMs, () => feed.add(row(++seq)));
  await world.run();
  expect(told.length).toBeLessThanOrEqual(5);
  expect(told.reduce((sum, { count, skipped }) => sum + count + skipped, 0)).toBe(500);
  for (const { count } of told) expect(count).toBeLessThanOrEqual(100);
  expect(told.at(-1)?.first).toBe(500);
  feed.add(row(501));
  feed.stop();
  await world.run();
  expect(told.at(-1)?.first).toBe(500);
});
