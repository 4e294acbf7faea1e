/** A repeated row is recognized by its identity at any distance in the list. */
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let store: LibraryStore;
const open = () =>
  openLibraryStore({ file: folder.file('library.db'), clock: new VirtualClock(), logger: silentLogger });
beforeEach(() => {
  folder = new DataFolder();
  store = open();
});
afterEach(() => {
  store.close();
  folder[Symbol.dispose]();
});

const pageOf = (offset: number, names: readonly string[], text = '1') => ({
  offset,
  rows: names.map((name) => ({ identity: name, shownText: name, record: `{"is":"${text}"}`, textId: null })),
  total: null,
  receivedAtMs: 1,
  requestId: 'r',
});
const namesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => `entity ${first + at}`);
const begin = () => store.lists.begin(store.lists.open('entities', '{}').id, true).id;

test('a repeated row of any earlier page stays in its place and is updated', () => {
  const id = begin();
  // Pages of 700 rows. Some pages share a block of positions.
  for (let offset = 0; offset < 7_000; offset += 700)
    store.lists.append(id, pageOf(offset, namesFrom(offset, 700)), false);
  store.lists.append(id, pageOf(7_000, ['new 1', 'entity 5', 'entity 6999', 'new 2', 'new 2'], '2'), false);

  expect(store.lists.generation(id)).toMatchObject({ frontPosition: 7_002, rowCount: 7_002, hasMoved: true });
  const [rows] = [[...store.lists.rowsAt(id, [5, 6_999, 7_000, 7_001])]];
  expect(rows.map(({ record }) => record)).toEqual(Array(4).fill('{"is":"2"}'));
  expect(store.lists.identitiesFrom(id, 6_999, 9).texts).toEqual(['entity 6999', 'new 1', 'new 2']);
});

test('a row fetched ahead is recognized at its old and at its new position', () => {
  const id = begin();
  store.lists.putAhead(id, pageOf(10, ['far', 'farther']));
  store.lists.append(id, pageOf(0, ['first', 'farther']), false);
  expect(store.lists.identitiesFrom(id, 0, 9)).toEqual({
    positions: [0, 1, 10],
    texts: ['first', 'farther', 'far'],
  });
  expect(['first', 'far', 'farther', 'none'].map((name) => store.lists.hasIdentity(id, name))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('names with equal hashes are two rows', () => {
  const id = begin();
  store.lists.append(id, pageOf(0, ['costarring']), false);
  expect(store.lists.hasIdentity(id, 'liquid')).toBe(false);
  store.lists.append(id, pageOf(1, ['liquid', 'costarring']), false);
  expect(store.lists.identitiesFrom(id, 0, 9).texts).toEqual(['costarring', 'liquid']);
});

test('rows stored by an older version, or rescued by a repair, are recognized as well', () => {
  const id = begin();
  store.lists.append(id, pageOf(0, namesFrom(0, 1_500)), false);
  store.lists.putAhead(id, pageOf(3_000, ['ahead']));
  store.close();
  const db = new BetterSqlite(folder.file('library.db'));
  db.exec('DELETE FROM row_place');
  db.close();
  store = open();
  expect(store.lists.hasIdentity(id, 'ahead')).toBe(true);
  store.lists.append(id, pageOf(1_500, ['entity 1200', 'last']), false);
  expect(store.lists.generation(id)).toMatchObject({ frontPosition: 1_501, hasMoved: true });
});

test('rows that another process writes meanwhile are recognized: in the same block, in new ones, and ahead', () => {
  using other = Object.assign(open(), {
    [Symbol.dispose](this: LibraryStore) {
      this.close();
    },
  });
  const id = begin();
  const isKnown = (name: string) => store.lists.hasIdentity(id, name);
  store.lists.append(id, pageOf(0, ['mine']), false);
  expect(isKnown('theirs')).toBe(false);
  other.lists.append(id, pageOf(1, ['theirs']), false);
  expect(isKnown('theirs')).toBe(true);
  other.lists.append(id, pageOf(2, namesFrom(0, 1_500)), false);
  other.lists.putAhead(id, pageOf(5_000, ['far']));
  expect(['mine', 'theirs', 'entity 0', 'entity 1499', 'far', 'nobody'].map(isKnown)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
});

test('each of more generations than fit in memory finds its own rows', () => {
  const ids = Array.from(
    { length: 7 },
    (_, at) => store.lists.begin(store.lists.open(`list ${at}`, '{}').id, true).id,
  );
  for (const round of [0, 1])
    for (const id of ids) store.lists.append(id, pageOf(round, [`row ${round} of ${id}`]), false);
  for (const id of ids) {
    expect(store.lists.hasIdentity(id, `row 0 of ${id}`)).toBe(true);
    expect(store.lists.hasIdentity(id, `row 1 of ${id}`)).toBe(true);
    expect(store.lists.hasIdentity(id, `row 0 of ${id + 1}`)).toBe(false);
  }
});

test('positions removed by a repair are rebuilt, with rows written since', () => {
  const id = begin();
  // Two blocks of 700 rows, which are rebuilt as blocks of 1,000 and of 400.
  for (const offset of [0, 700]) store.lists.append(id, pageOf(offset, namesFrom(offset, 700)), false);
  expect(store.lists.hasIdentity(id, 'entity 3')).toBe(true);
  const db = new BetterSqlite(folder.file('library.db'));
  db.exec('DELETE FROM row_place');
  db.close();
  store.lists.append(id, pageOf(1_400, ['late']), false);
  expect(
    ['entity 3', 'entity 800', 'entity 1399', 'late', 'none'].map((name) =>
      store.lists.hasIdentity(id, name),
    ),
  ).toEqual([true, true, true, true, false]);
});
