/** The search finds exactly the rows that a scan of their case-folded texts finds, after any writes and changes. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documentOf, searchedText } from '../../electron/core/search/documents.ts';
import { foldForSearch, rangesOf } from '../../electron/core/search/fold.ts';
import { matchesTerms, parseTerms } from '../../electron/core/search/terms.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import type { SearchRequest } from '../../electron/shared/search-contract.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let store: LibraryStore;
let index: SearchIndex;
beforeEach(() => {
  folder = new DataFolder();
  const files = { libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') };
  const options = { clock: new VirtualClock(), logger: silentLogger };
  store = openLibraryStore({ file: files.libraryFile, ...options });
  index = openSearchIndex({ ...files, ...options });
});
afterEach(() => {
  index.close();
  store.close();
  folder[Symbol.dispose]();
});

const ASK: SearchRequest = {
  typed: '',
  kind: 'names',
  applicationId: null,
  sinceMs: null,
  untilMs: null,
  offset: 0,
  limit: 100,
};
const QUERY = { operation: 'catalog.list', path: { application_id: 'app' }, query: {} };

/**
 * Few letters, so that many texts match. They are from several scripts; some change their length when folded, and some
 * consist of two code units.
 */
const letter = fc.constantFrom(
  ...'aAbBßİıéÉжЖяΣσςقم漢字가ㄱ"-*_. ',
  'e\u0301',
  '\u1100\u1161\u11a8',
  '👩‍🚀',
  '🙂',
  '\ud800',
  '\u0000',
  '\u0001',
);
const text = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));
/** The same names occur on other pages as well. */
const name = fc.oneof(text, fc.constantFrom('aa', 'bb'));
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      names: fc.array(name, { minLength: 1, maxLength: 5 }),
      isEnd: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('ahead' as const),
      names: fc.array(name, { maxLength: 4 }),
      by: fc.nat(4),
    }),
  },
  fc.record({ kind: fc.constant('refresh' as const), isShown: fc.boolean() }),
  fc.record({ kind: fc.constant('show' as const) }),
  fc.record({ kind: fc.constant('sweep' as const) }),
  fc.record({ kind: fc.constant('index' as const), chars: fc.nat(200) }),
);

const rowOf = (name: string, identities: boolean) => ({
  identity: identities ? name.toWellFormed() : null,
  shownText: name,
  record: JSON.stringify({ name, data_type: 'string' }),
  textId: null,
});

function catchUp(): void {
  while (index.step(1_000));
}

test('the index finds exactly the rows that a scan finds, for random rows in many scripts and random changes', () => {
  let run = 0;
  const property = fc.property(
    fc.array(change, { maxLength: 14 }),
    fc.array(fc.tuple(text, fc.nat(12)), { minLength: 1, maxLength: 6 }),
    fc.boolean(),
    (changes, typed, hasIdentities) => {
      run += 1;
      const query = { ...QUERY, path: { application_id: `app ${run}` } };
      const list = store.lists.open(`list ${run}`, JSON.stringify(query));
      let generation = store.lists.begin(list.id, true);
      for (const each of changes) {
        const now = store.lists.generation(generation.id);
        const offset = now?.frontOffset ?? 0;
        if (each.kind === 'append' || each.kind === 'ahead') {
          const at = each.kind === 'append' ? offset : offset + each.by;
          const rows = each.names.map((name) => rowOf(name, hasIdentities));
          const page = { offset: at, rows, total: null, receivedAtMs: 1, requestId: 'r' };
          if (each.kind === 'append') store.lists.append(generation.id, page, each.isEnd);
          else store.lists.putAhead(generation.id, page);
        } else if (each.kind === 'refresh') generation = store.lists.begin(list.id, each.isShown);
        else if (each.kind === 'show') store.lists.show(generation.id);
        else if (each.kind === 'sweep') store.lists.sweep(3);
        else index.step(each.chars);
      }
      catchUp();
      expect(index.rowsLeft()).toBe(0);
      const shown = store.lists.find(`list ${run}`)?.shown;
      const rows = shown ? [...store.lists.rowsFrom(shown.id, 0, 1_000)] : [];
      const records = rows.map(({ record }) => JSON.parse(record) as Record<string, unknown>);
      const texts = records.map((record) => searchedText(documentOf('names', query, record).fields));
      // Includes texts that are or were stored, because random texts are rarely found. Deleted texts must not be found.
      const names = changes.flatMap((each) => ('names' in each ? each.names : []));
      for (const [part, from] of typed) {
        const some = names.at(-1 - from) ?? '';
        // Not only from the beginning, which is looked up differently.
        const slices = [[0, 2], [-1], [1], [1, -1], [2, 4]].map((range) =>
          [...some].slice(...range).join(''),
        );
        for (const asked of [part, some, ...slices, `"${slices[2] ?? ''}"`, `"${slices[4] ?? ''}" ${part}`]) {
          const terms = parseTerms(asked);
          const wanted = terms === null ? [] : texts.filter((each) => matchesTerms(each, terms));
          const request = { ...ASK, typed: asked, applicationId: `app ${run}` };
          const [group] = index.find(request, Number.POSITIVE_INFINITY).groups;
          const found = (group?.hits ?? []).map(({ title }) => foldForSearch(title)).sort();
          // Rows that have the same identity are found once, all others each time.
          const expected = wanted.map((each) => each.slice(0, -2)).sort();
          expect(found, JSON.stringify(asked)).toEqual(expected);
          expect(group?.count ?? 0, JSON.stringify(asked)).toBe(expected.length);
        }
      }
    },
  );
  fc.assert(property, { numRuns: runs(60) });
});

test('each marked range is the typed text, however folding changes its length', () => {
  const property = fc.property(text, text, (whole, part) => {
    const term = foldForSearch(part);
    for (const [from, to] of rangesOf(whole, [term])) {
      expect(foldForSearch(whole.slice(from, to))).toContain(term);
      expect(to).toBeGreaterThan(from);
    }
    const isFound = term !== '' && foldForSearch(whole).includes(term);
    expect(rangesOf(whole, [term]).length > 0).toBe(isFound);
  });
  fc.assert(property, { numRuns: runs(300) });
});
