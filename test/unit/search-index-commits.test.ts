/** Steps of the search index that are committed together: what other processes see, and what a failure undoes. */
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { storeRows } from '../helpers/stored-rows.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ROWS = 300;
/** Characters of about thirty rows. */
const STEP_CHARS = 3_000;
const QUERY = { operation: 'catalog.list', path: { application_id: 'a' }, query: {} };
const clock = new VirtualClock();
const shared = { clock, logger: silentLogger };

let folder: DataFolder;
let store: LibraryStore;
let index: SearchIndex;
beforeEach(() => {
  folder = new DataFolder();
  store = openLibraryStore({ file: folder.file('library.db'), ...shared });
  index = openSearchIndex({
    libraryFile: folder.file('library.db'),
    indexFile: folder.file('search.db'),
    ...shared,
  });
  storeRows(store, { key: 'names', query: QUERY, rows: ROWS, rowOf: (at) => ({ name: `refund ${at}` }) });
});
afterEach(() => {
  index.close();
  store.close();
  folder[Symbol.dispose]();
});

function follow(): void {
  while (index.step(STEP_CHARS));
}
const found = () => {
  const filters = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
  const { groups } = index.find({ typed: 'refund', ...filters, offset: 0, limit: 3 }, 60_000);
  return groups.flatMap(({ count, hits }) => (hits.length > 0 ? [count] : []));
};
/** Returns the rows and words that another process reads. */
function seen(): unknown {
  const db = new BetterSqlite(folder.file('search.db'), { readonly: true });
  const counts = db
    .prepare('SELECT (SELECT count(*) FROM doc_names) AS rows, (SELECT count(*) FROM word_names) AS words')
    .get();
  db.close();
  return counts;
}
/** Whether another process can start to write the index at once. */
function isFree(): boolean {
  const db = new BetterSqlite(folder.file('search.db'), { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE');
    db.exec('ROLLBACK');
    return true;
  } catch (problem) {
    expect(problem).toMatchObject({ code: 'SQLITE_BUSY' });
    return false;
  } finally {
    db.close();
  }
}
const WHOLE = { rows: ROWS, words: ROWS + 1 };

test('other processes see no row of the first steps, and all rows after the last step', () => {
  index.step(STEP_CHARS);
  index.step(STEP_CHARS);
  expect(seen()).toEqual({ rows: 0, words: 0 });
  expect(found()).toEqual([expect.any(Number)]);
  follow();
  expect(seen()).toEqual(WHOLE);
  expect(found()).toEqual([ROWS]);
});

test('other processes can write after a second and a half, and between two steps that are committed', () => {
  index.step(STEP_CHARS);
  expect(index.isHeld).toBe(true);
  expect(isFree()).toBe(false);
  clock.advance(1_500);
  expect(index.step(STEP_CHARS)).toBe(true);
  expect(index.isHeld).toBe(false);
  expect(isFree()).toBe(true);
  index.step(STEP_CHARS);
  index.commit();
  expect(isFree()).toBe(true);
});

test('a step while somebody searches holds nobody, even if it has no row to write', () => {
  follow();
  const query = { operation: 'alert-rules.records', path: { alert_rule_id: 'r' }, query: {} };
  storeRows(store, { key: 'records', query, rows: 3, rowOf: (at) => ({ id: at }) });
  while (index.stepNow(STEP_CHARS) === true) expect(isFree()).toBe(true);
  expect(isFree()).toBe(true);
});

test('a step while somebody searches is committed with the steps before it', () => {
  index.step(STEP_CHARS);
  index.stepNow(STEP_CHARS);
  expect(seen()).toMatchObject({ rows: ROWS - index.rowsLeft() });
  expect(index.rowsLeft()).toBeLessThan(ROWS);
});

test('an index that is closed between two steps keeps both', () => {
  index.step(STEP_CHARS);
  const left = index.rowsLeft();
  index.close();
  expect(seen()).toMatchObject({ rows: ROWS - left });
  index = openSearchIndex({
    libraryFile: folder.file('library.db'),
    indexFile: folder.file('search.db'),
    ...shared,
  });
  follow();
  expect(seen()).toEqual(WHOLE);
});

test('a failed step undoes the uncommitted ones, and all of them are done again', () => {
  index.step(STEP_CHARS);
  const other = new BetterSqlite(folder.file('library.db'));
  other.exec('ALTER TABLE list_row RENAME TO moved');
  expect(() => index.step(STEP_CHARS)).toThrow('list_row');
  expect(isFree()).toBe(true);
  expect(seen()).toEqual({ rows: 0, words: 0 });
  other.exec('ALTER TABLE moved RENAME TO list_row');
  other.close();
  follow();
  expect(seen()).toEqual(WHOLE);
  expect(found()).toEqual([ROWS]);
});
