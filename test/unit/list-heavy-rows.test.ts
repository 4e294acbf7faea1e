/** A list whose pages are too large for one message: which rows are shown, and when reading stops. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ListQuery, RowWindow } from '../../electron/shared/model.ts';
import { partOf } from '../../electron/shared/record-parts.ts';
import { CachedPages } from '../../renderer/state/cached-pages.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { readRows, rowAnswers } from '../../renderer/state/row-answers.ts';
import { freshRows } from '../helpers/freshness.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const ROWS = 1_000;
/** Number of rows in one message. */
const FEW = 10;
const query: ListQuery = { operation: 'spans.query', path: {}, query: {} };
const freshness = freshRows(ROWS);

/** A fake main process that answers `library:read-rows` with ten rows when the test tells it to. */
class HeavyMain {
  readonly asked: RowWindow[] = [];
  #waiting: (() => void)[] = [];
  isHeld = false;

  readonly client = numberedClient(async (channel, { window }: { window: RowWindow }) => {
    const state = { listKey: 'a', freshness };
    if (channel !== 'library:read-rows') return { state, page: null };
    this.asked.push(window);
    if (this.isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#page(window);
  }).client;

  #page({ offset, limit }: RowWindow) {
    const length = Math.min(FEW, limit, ROWS - offset);
    const rows = Array.from({ length }, (_, at) => ({
      position: offset + at,
      record: { name: `row ${offset + at}` },
    }));
    return { rows, matchingRows: ROWS, ...(limit > FEW ? { nextOffset: offset + FEW } : {}) };
  }

  /** Delivers the pending message and waits for its effects. */
  async answer(): Promise<void> {
    for (const letGo of this.#waiting.splice(0)) letGo();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

let main: HeavyMain;
let list: ListModel;
const shown = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => list.row(from + at)?.['name']);
const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `row ${from + at}`);

beforeEach(() => {
  main = new HeavyMain();
  list = new ListModel({
    connectionId: 'c',
    viewId: 'v',
    isOnline: () => true,
    client: main.client,
  });
});
afterEach(() => list.dispose());

test('a page is complete, however many messages it takes', async () => {
  await list.open(query);
  expect(main.asked.map(({ offset, limit }) => [offset, limit]).slice(0, 3)).toEqual([
    [0, 100],
    [10, 90],
    [20, 80],
  ]);
  expect(shown(0, 100)).toEqual(named(0, 100));
  expect(list.sample(100)).toHaveLength(100);
});

test('rows are shown as they arrive, and a loaded row does not disappear', async () => {
  await list.open(query);
  main.isHeld = true;
  list.ensure(200, 240);
  await main.answer();
  expect(shown(200, 211)).toEqual([...named(200, 210), undefined]);
  await main.answer();
  expect(shown(200, 221)).toEqual([...named(200, 220), undefined]);
  for (let left = 0; left < 8; left += 1) await main.answer();
  expect(shown(200, 300)).toEqual(named(200, 300));
});

test('a page that left the view is not read further, and is completed when it is in view again', async () => {
  await list.open(query);
  main.isHeld = true;
  list.ensure(200, 240);
  await main.answer();
  const before = main.asked.length;
  list.ensure(700, 740);
  for (let message = 0; message < 12; message += 1) await main.answer();
  const since = main.asked.slice(before).map(({ offset }) => offset);
  expect(since.filter((offset) => offset < 300)).toEqual([]);
  expect(shown(700, 740)).toEqual(named(700, 740));
  main.isHeld = false;
  list.ensure(200, 240);
  await main.answer();
  expect(shown(200, 300)).toEqual(named(200, 300));
});

test('rows to copy are read to the end, wherever the view is', async () => {
  await list.open(query);
  await list.load(300, 500);
  expect(shown(300, 500)).toEqual(named(300, 500));
});

test('reads all rows of a window at once for views that are not a grid', async () => {
  const window = { offset: 5, limit: 42, sort: null, narrow: null };
  const page = await readRows(main.client as never, { connectionId: 'c', query, window });
  expect(page.rows.map(({ position }) => position)).toEqual(Array.from({ length: 42 }, (_, at) => at + 5));
  expect(page.matchingRows).toBe(ROWS);
});

test('a long row arrives in parts, with the rows around it before and after', async () => {
  const record = { id: 'long', text: 'x'.repeat(70_000) };
  const json = JSON.stringify(record);
  const invoke = async (channel: string, { from }: { from: number }): Promise<unknown> =>
    channel === 'app:read-part'
      ? partOf(json, from)
      : {
          rows: [
            { position: 0, record: { id: 'before' } },
            { position: 1, record: { id: 'long' }, parts: { textId: 7, characters: json.length } },
            { position: 2, record: { id: 'after' } },
          ],
          matchingRows: 3,
        };
  const window = { offset: 0, limit: 10, sort: null, narrow: null };
  const answers = [];
  for await (const answer of rowAnswers({ invoke } as never, { connectionId: 'c', query, window }))
    answers.push(answer);
  expect(answers.map(({ rows }) => rows)).toEqual([
    [
      { position: 0, record: { id: 'before' } },
      { position: 1, record },
    ],
    [{ position: 2, record: { id: 'after' } }],
  ]);
  // A reader that needs no more rows can stop after the long one.
  expect(answers.map(({ nextOffset }) => nextOffset)).toEqual([2, undefined]);
});

test('cached pages are bounded by size; the least recently used are evicted first, and none in view', () => {
  const pages = new CachedPages<string>();
  const page = (messages: number) => ({ rows: ['row'], generation: 1, messages });
  for (let at = 0; at < 20; at += 1) pages.keep(at, page(50), (each) => each === 2);
  const kept = Array.from({ length: 20 }, (_, at) => at).filter((at) => pages.get(at) !== undefined);
  expect(kept).toEqual([2, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  for (let at = 100; at < 400; at += 1) pages.keep(at, page(1), () => false);
  expect(pages.get(279)).toBe(undefined);
  expect(pages.get(280)).toBeDefined();
});
