/** How much of a kind is stored, and can therefore be searched, if several lists contain the same records. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SearchGroup } from '../../electron/shared/search-contract.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let store: LibraryStore;
let index: SearchIndex;
beforeEach(() => {
  folder = new DataFolder();
  const shared = { clock: new VirtualClock(), logger: silentLogger };
  store = openLibraryStore({ file: folder.file('library.db'), ...shared });
  const files = { libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') };
  index = openSearchIndex({ ...files, ...shared });
});
afterEach(() => {
  index.close();
  store.close();
  folder[Symbol.dispose]();
});

const PAGE = 5_000;

/** Stores a list of spans with these ids, filtered by `type`. */
function putSpans(type: string, ids: readonly string[], isComplete = true): void {
  const query: ListQuery = { operation: 'spans.query', path: {}, query: {}, body: { filter: { type } } };
  const { id } = store.lists.begin(store.lists.open(type, JSON.stringify(query)).id, true);
  for (let offset = 0; offset < ids.length; offset += PAGE) {
    const rows = ids.slice(offset, offset + PAGE).map((span_id) => ({
      ...{ identity: span_id, shownText: null, textId: null },
      record: JSON.stringify({ span_id, name: 'answer' }),
    }));
    const page = { offset, rows, total: null, receivedAtMs: 5, requestId: 'r' };
    if (isComplete) store.lists.append(id, page, offset + PAGE >= ids.length);
    else store.lists.putAhead(id, page);
  }
}

function findSpans(): SearchGroup | undefined {
  const filters = { kind: 'spans', applicationId: null, sinceMs: null, untilMs: null } as const;
  return index.find({ typed: 'answer', ...filters, offset: 0, limit: 50 }, 1_000).groups[0];
}

test('a span that several lists hold is counted once', () => {
  putSpans('any', ['one', 'two', 'three']);
  putSpans('llm', ['two', 'three']);
  expect(findSpans()?.reach).toMatchObject({ storedRows: 3, totalRows: 3, isComplete: true });
});

test('the total is unknown if one of several lists is incomplete', () => {
  putSpans('any', ['one', 'two', 'three']);
  putSpans('tool', ['four', 'one'], false);
  expect(findSpans()?.reach).toMatchObject({ storedRows: 4, totalRows: null, isComplete: false });
});

test('the extent is a lower bound if there are too many rows to compare', () => {
  const ids = Array.from({ length: 26_000 }, (_, at) => `span ${at}`);
  putSpans('any', ids);
  putSpans('llm', ids.slice(1_000));
  expect(findSpans()?.reach).toMatchObject({ storedRows: 26_000, isAtLeast: true, totalRows: null });
});
