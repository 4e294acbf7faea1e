/**
 * A process that only reads, such as the process for agents, uses stores, limits, search and columns without changing a
 * file.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSidecars } from '../../electron/analysis/sidecars.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import type { Migration } from '../../electron/db/migrate.ts';
import { readOnlyFromNow } from '../../electron/db/only-reads.ts';
import { openStore } from '../../electron/db/open.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { BudgetRig, grant, KEY } from '../helpers/budget-rig.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger, VirtualWorld } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let endReading = (): void => undefined;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => {
  endReading();
  folder[Symbol.dispose]();
});
const onlyRead = () => {
  endReading = readOnlyFromNow();
};
/** Contents of all files except those that every reader of a store creates. */
const contents = () =>
  readdirSync(folder.path)
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(folder.file(name)))
        .digest('hex'),
    ]);

const FIRST: Migration = { number: 10, name: 'notes', sql: 'CREATE TABLE note (text TEXT NOT NULL) STRICT' };
const SECOND: Migration = { number: 20, name: 'more notes', sql: 'CREATE TABLE other (text TEXT) STRICT' };
const options = { clock: new VirtualClock(), logger: silentLogger };
const openNotes = (...migrations: Migration[]) =>
  openStore({ file: folder.file('notes.db'), migrations, synchronous: 'FULL', ...options });

test('a store rejects writes, one of an earlier version is refused, and a missing one is empty', () => {
  const first = openNotes(FIRST);
  first.exec("INSERT INTO note VALUES ('kept')");
  first.close();
  const before = contents();
  onlyRead();
  using notes = { db: openNotes(FIRST), [Symbol.dispose]: () => notes.db.close() };
  expect(notes.db.prepare('SELECT text FROM note').pluck().all()).toEqual(['kept']);
  expect(() => notes.db.exec("INSERT INTO note VALUES ('new')")).toThrow('readonly');
  expect(() => openNotes(FIRST, SECOND)).toThrow('written by an earlier version');
  const other = openStore({
    file: folder.file('other.db'),
    migrations: [FIRST],
    synchronous: 'FULL',
    ...options,
  });
  expect(other.prepare('SELECT text FROM note').all()).toEqual([]);
  other.close();
  expect(contents()).toEqual(before);
});

test('what other processes used of a limit is read, and neither a lane nor a process is added', () => {
  const rig = new BudgetRig();
  try {
    const world = new VirtualWorld();
    const sender = rig.open(world);
    const { lane } = sender.lane(KEY);
    const id = grant(sender, lane.id);
    const unused = { ...KEY, operation: 'projects.list' };
    onlyRead();
    const reader = rig.open(world);
    expect(reader.lane(KEY).permits.map((permit) => permit.id)).toEqual([id]);
    expect(reader.lane(unused)).toMatchObject({ lane: { key: unused, learned: null }, permits: [] });
    expect(reader.nowMs()).toBe(sender.nowMs());
    const next = grant(sender, lane.id);
    expect(reader.refresh().permits).toMatchObject([{ id: next }]);
    reader.close();
    endReading();
    const later = rig.open(world);
    expect(later.lane(unused).lane.id).toBe(lane.id + 1);
  } finally {
    rig.close();
  }
});

const queryOf = (application_id: string): ListQuery => ({
  operation: 'catalog.list',
  path: { application_id },
  query: {},
});
const QUERY = queryOf('a');

/** Stores a list with this number of names. The last one is "refund". */
function putNames(rows: number, application = 'a'): void {
  const store = openLibraryStore({ file: folder.file('library.db'), ...options });
  const key = JSON.stringify(queryOf(application));
  const list = store.lists.open(key, key);
  const generation = store.lists.begin(list.id, true);
  const names = Array.from({ length: rows }, (_, at) => (at === rows - 1 ? 'refund' : `name ${at}`));
  store.lists.append(
    generation.id,
    {
      ...{ offset: 0, total: null, receivedAtMs: 5, requestId: 'r' },
      rows: names.map((name) => ({
        identity: name,
        shownText: null,
        record: JSON.stringify({ name }),
        textId: null,
      })),
    },
    true,
  );
  store.close();
}

const openIndex = () =>
  openSearchIndex({
    libraryFile: folder.file('library.db'),
    indexFile: folder.file('search.db'),
    ...options,
  });

/** Updates the search as far as the process may. Returns the number of found rows and of rows that are not searched. */
function searched(): [found: number, left: number] {
  const index = openIndex();
  try {
    return foundIn(index);
  } finally {
    index.close();
  }
}

function foundIn(index: SearchIndex): [found: number, left: number] {
  while (!index.isFixed && index.step(100_000));
  const filters = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
  const { groups } = index.find({ typed: 'refund', ...filters, offset: 0, limit: 5 }, 1_000);
  return [groups.reduce((sum, { count }) => sum + count, 0), index.rowsLeft()];
}

function follow(index: SearchIndex): void {
  while (index.step(100_000));
}

function clearChanges(seq: number): void {
  const store = openLibraryStore({ file: folder.file('library.db'), ...options });
  store.searchChanges.clear(seq);
  store.close();
}

test('a short list without an index is searched in memory', () => {
  putNames(50);
  onlyRead();
  const before = contents();
  expect(searched()).toEqual([1, 0]);
  expect(contents()).toEqual(before);
});

test('a long list without an index is not searched, and its rows are counted', () => {
  putNames(20_001);
  onlyRead();
  expect(searched()).toEqual([0, 20_001]);
});

test('an index that is behind follows in memory', () => {
  putNames(50);
  const index = openIndex();
  follow(index);
  index.close();
  putNames(60);
  onlyRead();
  const before = contents();
  expect(searched()).toEqual([1, 0]);
  expect(contents()).toEqual(before);
});

test('changes that another process indexed and cleared are found, after an index was read into memory', () => {
  putNames(50);
  const window = openIndex();
  follow(window);
  onlyRead();
  const agent = openIndex();
  try {
    expect(foundIn(agent)).toEqual([1, 0]);
    endReading();
    putNames(60, 'b');
    follow(window);
    clearChanges(window.takenOver());
    onlyRead();
    expect(foundIn(agent)).toEqual([2, 0]);
    endReading();
    putNames(70, 'c');
    follow(window);
    clearChanges(window.takenOver());
    // This change is still recorded.
    putNames(80, 'd');
    onlyRead();
    expect(foundIn(agent)).toEqual([4, 0]);
    endReading();
    // The file does not contain this change yet.
    putNames(90, 'e');
    clearChanges(Number.MAX_SAFE_INTEGER);
    onlyRead();
    expect(foundIn(agent)).toEqual([5, 0]);
  } finally {
    agent.close();
    endReading();
    window.close();
  }
});

test('prepares no columns: a short list is read by the query, a long one is refused with what to do', async () => {
  onlyRead();
  const sidecars = createSidecars({
    ...{ folder: folder.file('analysis'), libraryFile: folder.file('library.db') },
    startChild: () => {
      throw new Error('Expected no process.');
    },
    ...{ ...options, onPrepared: () => undefined },
  });
  const spans = (rowCount: number) => ({
    name: 'spans',
    parts: [{ generationId: 1, revision: 1, rowCount, query: QUERY, added: {} }],
  });
  expect(await sidecars.rows(spans(100_000))).toMatchObject({
    source: { libraryFile: folder.file('library.db') },
  });
  await expect(sidecars.rows(spans(100_001))).rejects.toMatchObject({
    code: 'NOT_STORED',
    details: { nextStep: expect.stringContaining('SELECT count(*) FROM spans') },
  });
  await expect(sidecars.file(spans(10))).rejects.toMatchObject({ code: 'NOT_STORED' });
  expect(readdirSync(folder.path)).toEqual([]);
  await sidecars.stop();
});
