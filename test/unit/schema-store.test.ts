/** The stored schema of a list: its size, the changes that can be accepted, and the compared rows. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ShapeCount } from '../../electron/core/snapshots/schema-shapes.ts';
import { SNAPSHOT_MIGRATIONS } from '../../electron/db/migrations/snapshots/index.ts';
import { createSchemaStore } from '../../electron/db/schema-store.ts';
import { countNewRows } from '../../electron/library/schema-rows.ts';
import type { WatchedList } from '../../electron/shared/schema-model.ts';

const LIST: WatchedList = { kind: 'spans', id: 'an-application' };
const NOW_MS = Date.parse('2026-03-20T12:00:00Z');

function stored() {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of SNAPSHOT_MIGRATIONS) db.exec(sql);
  const store = createSchemaStore(db);
  let atMs = 0;
  /** Counts rows of one trace each. Returns the number of changes that began or ended. */
  const take = (
    rows: number,
    fields: (at: number) => Record<string, string>,
    { group = 'llm', id = LIST.id } = {},
  ) => {
    const count = new ShapeCount();
    for (let at = 0; at < rows; at += 1) {
      atMs += 1;
      count.add(fields(at), `trace ${atMs}`, group, atMs);
    }
    return store.take({ ...LIST, id }, { count }, [], NOW_MS);
  };
  const size = () => db.prepare('SELECT length(state_json) FROM watched_list').pluck().get();
  const open = () => store.changes().filter(({ state }) => state === 'open');
  return { db, store, take, size, open };
}
const wide = (fields: number, type: string) => () =>
  Object.fromEntries(Array.from({ length: fields }, (_, at) => [`field ${at}`, type]));

test('keys that hold ids, of any number and length, keep the state below 200 KB and a lasting field watched', () => {
  const { take, size, open } = stored();
  for (let day = 0; day < 6; day += 1) {
    take(1_000, (at) => ({ [`id ${day} ${at}`]: 'string', question: 'string' }));
    // Fields with ids in too few traces to be compared.
    take(5, () => ({ ...wide(800, 'number')(), question: 'string' }));
    take(30, (at) => ({ question: 'string', [`${'long '.repeat(500)}${at}`]: 'string' }), {
      group: `type ${day} ${'x'.repeat(500)}`,
    });
    take(30, wide(800, 'string'), { group: `type ${day}` });
  }
  take(5, wide(4_000, 'number'));
  expect(size()).toBeLessThan(200_000);
  take(1_000, (at) => ({ [`id ${at}`]: 'string', question: 'number' }));
  expect(open()).toMatchObject([{ path: 'question', kind: 'type' }]);
});

test('every open change is listed and can be accepted, however many fields changed', () => {
  const { store, take, size, open } = stored();
  take(30, wide(600, 'number'));
  take(30, wide(600, 'string'));
  expect(open().length).toBeGreaterThan(30);
  expect(size()).toBeLessThan(200_000);
  const seen = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    for (const { changeId, path } of open()) {
      seen.add(path);
      store.accept(changeId);
    }
    take(30, wide(600, 'string'));
    if (open().length === 0) break;
  }
  // Later readings found the fields for which there was no room at first.
  expect(seen.size).toBe(600);
  expect(take(30, wide(600, 'string'))).toBe(0);
});

test('open changes of many lists are all listed', () => {
  const { take, open } = stored();
  const lists = Array.from({ length: 8 }, (_, at) => ({ id: `application ${at}` }));
  for (const list of lists) take(30, wide(60, 'number'), list);
  const found = lists.map((list) => take(30, wide(60, 'string'), list));
  expect(open()).toHaveLength(found.reduce((sum, changes) => sum + changes, 0));
  expect(open().length).toBeGreaterThan(200);
});

test('a change that was deleted before it could be accepted is found again', () => {
  const { db, take, open } = stored();
  take(30, wide(1, 'number'));
  expect(take(30, wide(1, 'string'))).toBe(1);
  db.exec('DELETE FROM schema_change');
  expect(take(30, wide(1, 'string'))).toBe(1);
  expect(open()).toHaveLength(1);
});

test('a change that has ended is reported like a current one', () => {
  const { take, open } = stored();
  take(30, wide(1, 'number'));
  expect([take(30, wide(1, 'string')), take(30, wide(1, 'string'))]).toEqual([1, 0]);
  expect(take(30, wide(1, 'number'))).toBe(1);
  expect(open()).toEqual([]);
});

/** Reads and compares the rows that are new at this time. */
function reading(
  store: ReturnType<typeof createSchemaStore>,
  rows: readonly object[],
  nowMs: number,
): string[] {
  const reads: Parameters<typeof countNewRows>[0] = {
    valuesFrom: (_, from, limit, [field = '']) => {
      const page = rows.slice(from, from + limit);
      return {
        positions: page.map((_row, at) => from + at),
        columns: [page.map((row) => Object.entries(row).find(([name]) => name === field)?.[1])],
      };
    },
    identitiesFrom: (_, from, limit) => {
      const page = rows.slice(from, from + limit);
      const idOf = (row: object) => ('span_id' in row ? String(row.span_id) : null);
      return { positions: page.map((_row, at) => from + at), texts: page.map(idOf) };
    },
    recordsFrom: (_, from, limit) =>
      rows.slice(from, from + limit).map((row, at) => ({ position: from + at, json: JSON.stringify(row) })),
  };
  const found = countNewRows(reads, { generationId: 1, rows: Number.MAX_SAFE_INTEGER }, LIST, {
    ...store.compared(LIST, nowMs),
    nowMs,
  });
  if (found.count.rows > 0) store.take(LIST, found, [], nowMs);
  return store.changes().map(({ path }) => path);
}
const DAY_MS = 86_400_000;
const day = (of: number, score: unknown, traceOf: (at: number) => string | null = (at) => `${of} ${at}`) =>
  Array.from({ length: 30 }, (_, at) => ({
    ...{ trace_id: traceOf(at), span_type: 'llm', span_attributes: { score } },
    start_time: new Date(NOW_MS + of * DAY_MS + at).toISOString(),
  }));

test('a span with a time in the future does not keep later ones from being compared', () => {
  const { store } = stored();
  const rows = [...day(0, 1), ...day(3_650, 1).slice(0, 1)];
  expect(reading(store, rows, NOW_MS + DAY_MS / 2)).toEqual([]);
  expect(reading(store, [...rows, ...day(1, 'text')], NOW_MS + 1.5 * DAY_MS)).toEqual([
    'span_attributes.score',
  ]);
});

test('a stored time in the future is replaced by that of the next reading', () => {
  const { db, store } = stored();
  reading(store, day(0, 1), NOW_MS + DAY_MS / 2);
  db.exec(
    `UPDATE watched_list SET state_json = json_set(state_json, '$.newestMs', ${NOW_MS + 3_650 * DAY_MS})`,
  );
  reading(store, [...day(0, 1), ...day(1, 1)], NOW_MS + 1.5 * DAY_MS);
  expect(store.compared(LIST, NOW_MS + 2 * DAY_MS).afterMs).toBe(NOW_MS + DAY_MS + 29);
});

test('spans that arrive a few minutes after newer ones are compared', () => {
  const { store } = stored();
  reading(store, day(0, 1), NOW_MS + DAY_MS / 2);
  const nowMs = NOW_MS + DAY_MS + 300_000;
  const newer = day(1, 1).map((row) => ({ ...row, start_time: new Date(nowMs).toISOString() }));
  expect(reading(store, [...day(0, 1), ...newer], nowMs)).toEqual([]);
  expect(reading(store, [...day(0, 1), ...newer, ...day(1, 'late')], nowMs + DAY_MS / 2)).toEqual([
    'span_attributes.score',
  ]);
});

test('spans without a trace count one by one', () => {
  const { store } = stored();
  const rows = day(0, 1, () => null);
  reading(store, rows, NOW_MS + DAY_MS / 2);
  expect(reading(store, [...rows, ...day(1, 'text', () => null)], NOW_MS + 1.5 * DAY_MS)).toEqual([
    'span_attributes.score',
  ]);
});

test('spans that arrive hours or days after newer ones are compared once, and those before them not again', () => {
  const { store } = stored();
  const spans = (from: number, count: number, score: unknown, startMs: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{
        span_id: `s${from + at}`,
        trace_id: `t${from + at}`,
        span_type: 'llm',
        span_attributes: { score },
      },
      start_time: new Date(startMs + at).toISOString(),
    }));
  const first = [...spans(0, 40, 1, NOW_MS), ...spans(100, 40, 1, NOW_MS + DAY_MS / 2)];
  expect(reading(store, first, NOW_MS + DAY_MS)).toEqual([]);
  // These spans started between the two groups, but a queue sent them six hours later.
  const late = spans(200, 40, 'high', NOW_MS + DAY_MS / 4);
  expect(reading(store, [...first, ...late], NOW_MS + DAY_MS)).toEqual(['span_attributes.score']);
  const [change] = store.changes();
  expect(change?.after.rows).toBe(40);
  expect(reading(store, [...first, ...late], NOW_MS + 2 * DAY_MS)).toEqual(['span_attributes.score']);
  expect(store.changes()[0]?.after.rows).toBe(40);
  // These spans started before all spans that were read.
  const lost = spans(300, 40, 'low', NOW_MS - DAY_MS);
  reading(store, [...first, ...late, ...lost], NOW_MS + 2 * DAY_MS);
  expect(store.changes()[0]?.after.rows).toBe(40);
});

test('spans that arrive five days late are compared, and a reading of a shorter range compares nothing twice', () => {
  const { store } = stored();
  const spans = (from: number, score: unknown, startMs: number) =>
    Array.from({ length: 40 }, (_, at) => ({
      ...{
        span_id: `s${from + at}`,
        trace_id: `t${from + at}`,
        span_type: 'llm',
        span_attributes: { score },
      },
      start_time: new Date(startMs + at).toISOString(),
    }));
  const [week, today] = [spans(0, 1, NOW_MS), spans(100, 1, NOW_MS + 6 * DAY_MS)];
  expect(reading(store, [...week, ...today], NOW_MS + 7 * DAY_MS)).toEqual([]);
  const late = spans(200, 'high', NOW_MS + DAY_MS);
  expect(reading(store, [...week, ...late, ...today], NOW_MS + 7 * DAY_MS)).toEqual([
    'span_attributes.score',
  ]);
  expect(store.changes()[0]?.after.rows).toBe(40);
  reading(store, today, NOW_MS + 7 * DAY_MS);
  reading(store, [...week, ...late, ...today], NOW_MS + 7 * DAY_MS);
  expect(store.changes()[0]?.after.rows).toBe(40);
});
