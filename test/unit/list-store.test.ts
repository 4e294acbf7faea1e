/** Readings of one list by several processes: each has a connection of its own to the same file. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { openStore } from '../../electron/db/open.ts';
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
beforeEach(() => {
  folder = new DataFolder();
  const open = () =>
    openLibraryStore({
      file: folder.file('library.db'),
      clock: new VirtualClock(),
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
  // Both found that nothing was stored before either began.
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

test('the sizes of lists that an older version stored are known, and so is what was removed', () => {
  const file = folder.file('older.db');
  const options = { file, clock: new VirtualClock(), logger: silentLogger };
  const older = openStore({
    ...options,
    migrations: LIBRARY_MIGRATIONS.filter(({ number }) => number < 50),
    synchronous: 'NORMAL',
  });
  older.exec(`
    INSERT INTO list (list_key, query, opened_at_ms) VALUES ('old', '{"operation":"projects.list"}', 1);
    INSERT INTO generation (list_id, touched_at_ms, row_count) VALUES (1, 1, 1);
    UPDATE list SET shown_generation_id = 1;
    INSERT INTO list_row (generation_id, position, identity, shown_text, record)
      VALUES (1, 0, 'p-é', NULL, '{"id":"p-é"}');`);
  older.close();
  const store = openLibraryStore(options);
  const limits = { mostLists: 9, openKeys: new Set<string>(), openTabIds: [] };
  expect(store.lists.prune({ ...limits, mostBytes: 77 })).toEqual([]);
  expect(store.lists.prune({ ...limits, mostBytes: 76 })).toEqual([
    { query: '{"operation":"projects.list"}', sizeBytes: 77 },
  ]);
  expect(store.lists.find('old')).toMatchObject({ shown: null, removed: { to: '0 MB' } });
  store.close();
});
