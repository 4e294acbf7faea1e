/**
 * Generations of a list that several processes read, each with its own connection to the same file, and evicted rows.
 */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const KEY = 'projects';
const PAGE = {
  offset: 0,
  rows: [{ identity: 'p-1', shownText: 'first', record: '{"id":"p-1"}', textId: null }],
  total: 1,
  receivedAtMs: 1,
  requestId: 'r-1',
};

let folder: DataFolder;
let window: LibraryStore;
let commandLine: LibraryStore;
let clock: VirtualClock;
beforeEach(() => {
  folder = new DataFolder();
  clock = new VirtualClock();
  const open = () =>
    openLibraryStore({
      file: folder.file('library.db'),
      clock,
      logger: silentLogger,
    });
  window = open();
  commandLine = open();
});
afterEach(() => {
  window.close();
  commandLine.close();
  folder[Symbol.dispose]();
});

test('of two processes that read a list for the first time, the later one does not hide the rows of the other', () => {
  // Both processes found that the list is missing before either of them began.
  const [listOfOne, listOfOther] = [window, commandLine].map((store) => store.lists.open(KEY, '{}'));
  expect([listOfOne?.shown, listOfOther?.shown]).toEqual([null, null]);
  const first = window.lists.begin(listOfOne?.id ?? 0, true);
  window.lists.append(first.id, PAGE, true);

  const second = commandLine.lists.begin(listOfOther?.id ?? 0, true);
  expect(commandLine.lists.find(KEY)?.shown).toMatchObject({ id: first.id, isComplete: true });

  commandLine.lists.append(second.id, PAGE, true);
  commandLine.lists.show(second.id);
  expect(window.lists.find(KEY)?.shown).toMatchObject({ id: second.id, isComplete: true });
});

test('the records read longest ago are evicted beyond a number, but none that is shown', () => {
  const { records } = window;
  for (const [fetchedAtMs, key] of ['a', 'b', 'c', 'd'].entries())
    records.save(key, '{}', { record: '{}', textId: null, fetchedAtMs, requestId: 'r-1' });
  expect(records.prune(2, ['a'])).toBe(1);
  expect(['a', 'b', 'c', 'd'].filter((key) => records.find(key) !== null)).toEqual(['a', 'c', 'd']);
});

test('opening a list again writes its time at most once a minute, and the list opened last is evicted last', () => {
  const other = new Database(folder.file('library.db'), { readonly: true });
  const changes = () => other.pragma('data_version', { simple: true });
  for (const key of [KEY, 'models']) {
    const { id } = window.lists.open(key, '{}');
    window.lists.append(window.lists.begin(id, true).id, PAGE, true);
    clock.advance(1);
  }
  const before = changes();
  clock.advance(30_000);
  window.lists.open(KEY, '{}');
  expect(changes()).toBe(before);
  clock.advance(40_000);
  window.lists.open(KEY, '{}');
  expect(changes()).not.toBe(before);
  other.close();
  window.lists.prune({ mostBytes: 1_000_000, mostLists: 1, openKeys: new Set(), openTabIds: [] });
  expect([KEY, 'models'].map((key) => window.lists.find(key)?.shown === null)).toEqual([false, true]);
});
