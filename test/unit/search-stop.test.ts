/** A search for which nobody waits any longer ends, even in its thread. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import { startSearchThread } from '../../electron/db/search-thread.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { storeRows } from '../helpers/stored-rows.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const NAMES = 3_000;
const all = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 50 };
const files = () => ({ libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') });

let folder: DataFolder;
let store: LibraryStore;
let index: SearchIndex;
beforeEach(() => {
  folder = new DataFolder();
  const options = { clock: new VirtualClock(), logger: silentLogger };
  store = openLibraryStore({ file: files().libraryFile, ...options });
  index = openSearchIndex({ ...files(), ...options });
  const query = { operation: 'catalog.list', path: { application_id: 'a' }, query: {} };
  const rowOf = (at: number) => ({ name: `n${at} common word` });
  storeRows(store, { key: JSON.stringify(query), query, rows: NAMES, rowOf });
  while (index.step(100_000));
  index.commit();
});
afterEach(() => {
  index.close();
  store.close();
  folder[Symbol.dispose]();
});

test('ends at the next look, however much time is left', () => {
  const countedUntil = (most: number) => {
    let looks = 0;
    const { groups, isCut } = index.find(
      { ...all, typed: 'word common' },
      Number.MAX_SAFE_INTEGER,
      () => ++looks > most,
    );
    return { found: groups.reduce((sum, { count }) => sum + count, 0), isCut };
  };
  expect(countedUntil(Number.POSITIVE_INFINITY)).toEqual({ found: 500, isCut: false });
  const cut = countedUntil(2);
  expect(cut.isCut).toBe(true);
  expect(cut.found).toBeLessThan(200);
});

test('rejects at once in its thread, which answers the next one', async () => {
  const none = () => undefined;
  const thread = startSearchThread({ ...files(), mostMs: 10_000, onTakenOver: none, onFailure: none });
  try {
    const stop = new AbortController();
    const stopped = thread.find({ ...all, typed: 'word common' }, stop.signal);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
    const late = thread.find({ ...all, typed: 'common' }, stop.signal);
    await expect(late).rejects.toMatchObject({ code: 'CANCELLED' });
    const { groups } = await thread.find({ ...all, typed: 'n17' }, new AbortController().signal);
    expect(groups.flatMap(({ hits }) => hits)[0]?.title).toBe('n17 common word');
  } finally {
    await thread.close();
  }
});
