/** Records that were read only before a moment are found among many, in small steps. */
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../electron/core/ports.ts';
import { createFormerReads } from '../../electron/db/former-reads.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ROWS = 5_000;
const LISTS = 3;
const [BEFORE, MOVED, SINCE, NOW] = [100, 200, 300, 400];
let folder: DataFolder;
let store: LibraryStore;
let db: BetterSqlite.Database;
/** Number of times that other tasks could run. */
let rests = 0;
const clock: Clock = {
  ...systemClock,
  // Each look at the clock is late, so that every step ends with a rest.
  monotonicMs: (
    (atMs) => () =>
      (atMs += 10)
  )(0),
  setTimer: (callback) => {
    rests += 1;
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

beforeEach(() => {
  rests = 0;
  folder = new DataFolder();
  store = openLibraryStore({
    file: folder.file('library.db'),
    clock: new VirtualClock(),
    logger: silentLogger,
  });
  db = new BetterSqlite(folder.file('library.db'));
});
afterEach(() => {
  db.close();
  store.close();
  folder[Symbol.dispose]();
});

const rowsOf = (names: readonly string[]) =>
  names.map((name) => ({ identity: name, shownText: name, record: '{}', textId: null }));

function fill(list: string, names: readonly string[], receivedAtMs: number, query = '{}'): number {
  const { id } = store.lists.begin(store.lists.open(list, query).id, true);
  for (let offset = 0; offset < names.length; offset += 1_000)
    store.lists.append(
      id,
      {
        ...{ offset, rows: rowsOf(names.slice(offset, offset + 1_000)), total: null },
        ...{ receivedAtMs, requestId: 'r' },
      },
      offset + 1_000 >= names.length,
    );
  return id;
}
const namesIn = (list: number) => Array.from({ length: ROWS }, (_, at) => `${list} record ${at}`);
const fillAll = () => {
  for (let list = 0; list < LISTS; list += 1) fill(`list ${list}`, namesIn(list), BEFORE);
};
const find = (ids: readonly string[]) => createFormerReads(db, clock).notReadSince(ids, MOVED, NOW);

test('the first asked id that was only read before is found, at any place of any list', async () => {
  fillAll();
  fill('later', ['2 record 4999', '0 record 7'], SINCE);
  expect(await find(['unknown'])).toBeNull();
  expect(await find(['0 record 7', '2 record 4999', '1 record 3210', '0 record 1'])).toBe('1 record 3210');
  expect(await find(['0 record 7', 'unknown', '2 record 4999'])).toBeNull();
  expect(await find(Array.from({ length: 3_000 }, (_, at) => `none ${at}`).concat('2 record 17'))).toBe(
    '2 record 17',
  );
});

test('a row that a later reading only took over from the one before was not read since', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `row ${at}`);
  const before = fill('kept', names, BEFORE);
  const { id } = store.lists.begin(store.lists.open('kept', '{}').id, false);
  const page = { offset: 0, rows: rowsOf(names.slice(1)), total: null, receivedAtMs: SINCE, requestId: 'r' };
  store.lists.append(id, page, true);
  store.lists.carry(id, { generationId: before, position: 0 }, NOW);
  expect(await find(['row 1', 'row 39'])).toBeNull();
  expect(await find(['row 39', 'row 0'])).toBe('row 0');
});

test('rows of earlier versions, and records that are named in a path, are found, too', async () => {
  fillAll();
  db.exec('DELETE FROM row_place');
  fill('of a parent', ['child'], BEFORE, '{"path":{"dataset_id":"parent"}}');
  const record = { record: '{}', textId: null, requestId: 'r' };
  for (let at = 0; at < 1_000; at += 1)
    store.records.save(`key ${at}`, `{"path":{"model_id":"model ${at}"}}`, {
      ...record,
      fetchedAtMs: at === 500 ? SINCE : BEFORE,
    });
  for (const id of ['1 record 4321', 'parent', 'child', 'model 0', 'model 999'])
    expect(await find(['model 500', id])).toBe(id);
});

test('no list is walked for each id, and other tasks run in between', async () => {
  fillAll();
  const prepare = vi.spyOn(db, 'prepare');
  await find(Array.from({ length: 200 }, (_, at) => `none ${at}`));
  const texts = prepare.mock.calls.map(([text]) => text);
  prepare.mockRestore();
  const steps = texts.flatMap((text) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/\?|@\w+/g, '1')}`)
      .all()
      .map((row) => JSON.stringify(row)),
  );
  const ofRows = steps.filter((step) => /(SCAN|SEARCH) (list_row|other)\b/.test(step));
  expect(ofRows.length).toBeGreaterThan(0);
  // Only the end of a list is looked up without a position; its index gives it at once.
  const walks = ofRows.filter((step) => !/position[=>]/.test(step) && !step.includes('COVERING INDEX'));
  expect(walks).toEqual([]);
  expect(rests).toBeGreaterThan((LISTS * ROWS) / 1_000);
});
