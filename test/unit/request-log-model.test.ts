/** The request log is read page by page while the user scrolls, jumps and copies. */
import { expect, test } from 'vitest';
import type { RequestLogRow } from '../../electron/shared/traffic-model.ts';
import { readSelection } from '../../renderer/components/grid/row-source.ts';
import { RequestLogModel } from '../../renderer/state/request-log.svelte.ts';
import { aRequest } from '../helpers/traffic.ts';

const ROWS = 1_000;
const TITLES = { [aRequest().operation]: 'Catalog' };

/** A log whose pages arrive when the test tells it to. */
function heldLog() {
  const waiting: (() => void)[] = [];
  const invoke = async (channel: string, argument: unknown): Promise<unknown> => {
    if (channel !== 'traffic:get-log') return null;
    const { beforeSeq, limit } = argument as { beforeSeq: number | null; limit: number };
    if (beforeSeq !== null) await new Promise<void>((resolve) => waiting.push(resolve));
    const newest = (beforeSeq ?? ROWS + 1) - 1;
    const length = Math.min(limit, newest);
    const rows: RequestLogRow[] = Array.from({ length }, (_, at) => ({ ...aRequest(), seq: newest - at }));
    return { rows, matchingRows: ROWS, storedRows: ROWS, keptRows: 10_000, operations: [], titles: TITLES };
  };
  const log = new RequestLogModel('c', { invoke, on: () => () => undefined } as never);
  const answer = async () => {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { log, waiting, answer };
}

test('a jump to the end while a page is in flight is completed', async () => {
  const { log, waiting, answer } = heldLog();
  await log.open();
  log.ensure(150, 180);
  log.ensure(ROWS - 30, ROWS);
  for (let page = 0; page < 4; page += 1) {
    expect(waiting).toHaveLength(1);
    await answer();
  }
  expect(waiting).toEqual([]);
  expect(log.row(ROWS - 1)).toMatchObject({ seq: 1 });
});

test('rows to copy are complete, even if a page was in flight when they were requested', async () => {
  const { log, answer } = heldLog();
  await log.open();
  log.ensure(150, 180);
  const copied = readSelection(log, [{ from: 0, to: ROWS - 1 }]);
  for (let page = 0; page < 4; page += 1) await answer();
  expect((await copied).map((row) => row['seq'])).toEqual(Array.from({ length: ROWS }, (_, at) => ROWS - at));
});

test('a page of the previous filter does not block reading with the new one', async () => {
  const { log, waiting, answer } = heldLog();
  await log.open();
  log.ensure(150, 180);
  await log.open();
  log.ensure(150, 180);
  expect(waiting).toHaveLength(2);
  await answer();
  await answer();
  expect(log.rows).toHaveLength(400);
});

test('a request is named in words even if no such request was sent since the start', async () => {
  const { log } = heldLog();
  await log.open();
  expect(log.titleOf(aRequest())).toBe('Catalog');
  expect(log.titleOf({ operation: 'GET /v3/new' })).toBe('GET /v3/new');
});
