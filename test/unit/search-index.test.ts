/** The search index: order of hits, marks, filters, deleted rows, a damaged file. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foundLine } from '../../electron/cli/search-command.ts';
import { readableJson } from '../../electron/core/search/documents.ts';
import { snippetOf } from '../../electron/core/search/fold.ts';
import { parseTerms } from '../../electron/core/search/terms.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SearchGroup, SearchRequest } from '../../electron/shared/search-contract.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

class OpenIndex implements Disposable {
  readonly #db: BetterSqlite.Database;

  constructor(file: string) {
    this.#db = new BetterSqlite(file, { readonly: true });
  }

  words(): unknown[] {
    return this.#db.prepare('SELECT text FROM word_names').pluck().all();
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Another program that writes to the index until `end` is called. */
class OtherWriter implements Disposable {
  readonly #db: BetterSqlite.Database;

  constructor(file: string) {
    this.#db = new BetterSqlite(file);
    this.#db.exec('BEGIN IMMEDIATE');
  }

  end(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }

  [Symbol.dispose](): void {
    this.end();
    this.#db.close();
  }
}

let folder: DataFolder;
let store: LibraryStore;
let index: SearchIndex;
const open = (leastGone?: number) => {
  const files = { libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') };
  const more = leastGone === undefined ? {} : { leastGone };
  return openSearchIndex({ ...files, clock: new VirtualClock(), logger: silentLogger, ...more });
};
beforeEach(() => {
  folder = new DataFolder();
  const file = folder.file('library.db');
  store = openLibraryStore({ file, clock: new VirtualClock(), logger: silentLogger });
  index = open();
});
afterEach(() => {
  index.close();
  store.close();
  folder[Symbol.dispose]();
});

const catalogOf = (application_id: string): ListQuery => ({
  operation: 'catalog.list',
  path: { application_id },
  query: {},
});

function put(
  query: ListQuery,
  records: readonly Record<string, unknown>[],
  offset = 0,
  isEnd = true,
): number {
  const list = store.lists.open(JSON.stringify(query), JSON.stringify(query));
  const generation = list.shown ?? store.lists.begin(list.id, true);
  const rows = records.map((record) => ({
    identity: String(record['span_id'] ?? record['id'] ?? record['name']),
    shownText: null,
    record: JSON.stringify(record),
    textId: null,
  }));
  const page = { offset, rows, total: null, receivedAtMs: 5, requestId: 'r' };
  if (isEnd) store.lists.append(generation.id, page, true);
  else store.lists.putAhead(generation.id, page);
  return generation.id;
}

function follow(): void {
  while (index.step(1_000));
}

function find(typed: string, more: Partial<SearchRequest> = {}): readonly SearchGroup[] {
  follow();
  const filters = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
  return index.find({ typed, ...filters, offset: 0, limit: 50, ...more }, 1_000).groups;
}
const hitsOf = (groups: readonly SearchGroup[]) => groups.flatMap(({ hits }) => hits);
const titles = (typed: string, more: Partial<SearchRequest> = {}) =>
  hitsOf(find(typed, more)).map(({ title }) => title);

test('writes the log of the library into its file, which main leaves to it', () => {
  const bytes = () => statSync(folder.file('library.db')).size;
  const before = bytes();
  const text = 'x'.repeat(2_000);
  // More rows than the limit at which SQLite would shrink the log itself, so that main would wait for the disk.
  for (let offset = 0; offset < 4_000; offset += 500)
    put(
      catalogOf('a'),
      Array.from({ length: 500 }, (_, at) => ({ name: `n${offset + at}`, text })),
      offset,
      false,
    );
  expect(bytes()).toBe(before);
  index.checkpointLibrary();
  expect(bytes()).toBeGreaterThan(4_000 * text.length);
});

describe('counts while the index does not yet contain changes of the stored rows', () => {
  const filters = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
  const names = (typed: string) => {
    const { groups } = index.find({ typed, ...filters, offset: 0, limit: 50 }, 1_000);
    return groups.filter(({ count }) => count > 0).map(({ count, hits }) => [count, hits.length]);
  };

  test('no row is counted by a text that it no longer has', () => {
    put(
      catalogOf('a'),
      Array.from({ length: 30 }, (_, at) => ({ name: `refund${at}` })),
      0,
      false,
    );
    follow();
    put(
      catalogOf('a'),
      Array.from({ length: 30 }, (_, at) => ({ name: at < 12 ? `voucher${at}` : `refund${at}` })),
      0,
      false,
    );
    expect(names('refund')).toEqual([[18, 18]]);
    follow();
    expect(names('refund')).toEqual([[18, 18]]);
    expect(names('voucher')).toEqual([[12, 12]]);
  });

  test('while another program writes the index, the old one is searched, and counts are lower bounds', () => {
    put(catalogOf('a'), [{ name: 'refund0' }, { name: 'refund1' }], 0, false);
    follow();
    using writer = new OtherWriter(folder.file('search.db'));
    const all = { typed: 'refund', ...filters, offset: 0, limit: 50 };
    expect(index.find(all, 1_000)).toMatchObject({ isCut: false });
    put(catalogOf('a'), [{ name: 'voucher0' }, { name: 'refund1' }, { name: 'refund2' }], 0, false);
    expect(names('refund')).toEqual([[1, 1]]);
    expect(index.find(all, 1_000)).toMatchObject({ isCut: true });
    expect(index.rowsLeft()).toBe(3);
    expect(index.stepNow(1_000)).toBeNull();
    writer.end();
    expect(index.stepNow(1_000)).toBe(true);
    follow();
    expect(names('refund')).toEqual([[2, 2]]);
    expect(index.find(all, 1_000)).toMatchObject({ isCut: false });
  });

  test('a record that moved within its list is counted once', () => {
    const records = Array.from({ length: 10 }, (_, at) => ({ name: `refund${at}` }));
    put(catalogOf('a'), records, 0, false);
    follow();
    put(catalogOf('a'), [{ name: 'refund7' }, ...records.filter(({ name }) => name !== 'refund7')], 0, false);
    expect(names('refund')).toEqual([[10, 10]]);
  });
});

test('hits are ordered by exact name, start of the name, start of a word and other places, short names first', () => {
  const names = ['xrefundx', 'to_refund', 'refund_share_of_all', 'Refund', 'refunds', 'other'];
  put(
    catalogOf('a'),
    names.map((name) => ({ name })),
  );
  expect(titles('refund')).toEqual(['Refund', 'refunds', 'refund_share_of_all', 'to_refund', 'xrefundx']);
});

test('an exact name is first even if more names match than are counted', () => {
  const many = Array.from({ length: 700 }, (_, at) => ({ name: `x_age_${at}` }));
  put(catalogOf('a'), [...many, { name: 'age' }]);
  const [group] = find('age', { kind: 'names', limit: 1 });
  expect(group).toMatchObject({ count: 500, hasMore: true, hits: [{ title: 'age' }] });
});

test('finds text that is escaped as JSON inside a text, in spans and in items', () => {
  const messages = String.raw`[{"role": "user", "content": "Wo gibt es Gr\u00fcnkohl?\nUnd \u8c46\u8150 \ud83d\udc4b \"frisch\""}]`;
  const body = { application_id: 'a' };
  const nested = JSON.stringify(JSON.stringify({ note: '\u00dcberall' })).replaceAll(
    '\u00dc',
    String.raw`\\u00dc`,
  );
  put({ operation: 'spans.query', path: {}, query: {}, body }, [
    { span_id: 's', name: 'one', span_attributes: { 'gen_ai.input.messages': messages, nested } },
  ]);
  put({ operation: 'datasets.items', path: { dataset_id: 'd' }, query: {} }, [
    { id: 'i', inputs: { q: 'x', messages } },
  ]);
  for (const typed of ['Grünkohl', '豆腐', '👋', '"frisch"'])
    expect(hitsOf(find(typed)), typed).toHaveLength(2);
  expect(titles('überall')).toEqual(['one']);
  const [hit] = hitsOf(find('Grünkohl', { kind: 'spans' }));
  expect(hit?.found?.text).toContain('Wo gibt es Grünkohl? Und 豆腐');
  const line = foundLine(hit?.found ?? null);
  expect(line).toMatch(/messages: .*Grünkohl/);
  expect(line.length).toBeLessThanOrEqual(48);
  // In other texts, a backslash does not start an escape sequence.
  expect(readableJson(String.raw`C:\new\u00fc`)).toBe(String.raw`C:\new\u00fc`);
});

test('text inside a span is found with its field, and marked', () => {
  const body = { application_id: 'a' };
  const query: ListQuery = { operation: 'spans.query', path: {}, query: {}, body };
  const span = { span_id: 's', trace_id: 't', name: 'draft', start_time: '2026-01-02T00:00:00Z' };
  put(query, [{ ...span, input: 'Please send the VOUCHER again', span_attributes: { 'llm.model': 'gpt' } }]);
  const [hit] = hitsOf(find('voucher'));
  expect(hit).toMatchObject({ kind: 'spans', title: 'draft', found: { field: 'input', ranges: [[16, 23]] } });
  expect(hit?.target).toMatchObject({ applicationId: 'a', traceId: 't', spanId: 's' });
  expect(titles('llm.model')).toEqual(['draft']);
  expect(titles('voucher -again')).toEqual([]);
  expect(titles('"send the" vou')).toEqual(['draft']);
  expect(titles('voucher', { sinceMs: Date.UTC(2026, 0, 3) })).toEqual([]);
  expect(titles('voucher', { sinceMs: Date.UTC(2026, 0, 1), applicationId: 'a' })).toEqual(['draft']);
  expect(titles('voucher', { applicationId: 'b' })).toEqual([]);
});

test('suggests similar spellings if nothing is found, and only ones with hits', () => {
  const near = (typed: string) => {
    follow();
    const ask = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 0 };
    return index.find({ ...ask, typed }, 1_000).near;
  };
  const names = [
    'app.refund_voucher',
    'refunds',
    'gen_ai.completion_tokens',
    'Заказ.сумма',
    'age',
    'row.40712',
  ];
  put(
    catalogOf('a'),
    names.map((name) => ({ name })),
  );
  // One letter is missing, added, replaced, or swapped with the next one.
  for (const typed of ['refnd', 'refuund', 'refumd', 'refnud', 'REFNUD'])
    expect(`${typed} ${near(typed)[0]}`).toBe(`${typed} refund`);
  expect(near('refunts')).toEqual(['refunds', 'refund']);
  expect(near('app.refnud_voucher')).toEqual(['app.refund_voucher']);
  expect(near('complettion_toknes')).toEqual([]);
  expect(near('complettion')).toEqual(['completion']);
  expect(near('закаы')).toEqual(['заказ']);
  // Nothing is suggested for a word that is found as typed, is too short, has no similar word or is a number, or for
  // two words that never occur together.
  for (const typed of ['refund', 'agf', 'something', '40721', 'voucher tokens'])
    expect(near(typed)).toEqual([]);
  // The row was deleted. Its word is still in the index, but would find nothing.
  const id = put(catalogOf('b'), [{ name: 'merchant' }]);
  expect(near('merhcant')).toEqual(['merchant']);
  store.lists.discard(id);
  expect(near('merhcant')).toEqual([]);
});

test('a record in two lists is found once; entities of two applications are two', () => {
  put(catalogOf('a'), [{ name: 'country' }]);
  put({ ...catalogOf('a'), query: { search: 'cou' } }, [{ name: 'country' }]);
  put(catalogOf('b'), [{ name: 'country' }]);
  expect(find('country', { kind: 'names' })[0]).toMatchObject({ count: 2 });
});

test('an entity in the list of all types and in that of its own type is found once', () => {
  const names = ['country', 'county', 'counter'].map((name) => ({ name }));
  put(catalogOf('a'), names);
  for (const entity_type of ['attribute', 'span_name'])
    put({ ...catalogOf('a'), query: { entity_type } }, entity_type === 'attribute' ? names : []);
  expect(find('cou', { kind: 'names' })[0]).toMatchObject({
    count: 3,
    reach: { storedRows: 3, totalRows: 3, isComplete: true },
  });
  // Entities of two types may have the same name.
  put({ ...catalogOf('a'), query: { entity_type: 'agent_name' } }, [
    { name: 'country', semantic_name: 'agent_name' },
  ]);
  expect(find('country', { kind: 'names' })[0]).toMatchObject({ count: 2 });
});

test('a row that moves to another position is found once, and a replaced list is not found', () => {
  const first = put(catalogOf('a'), [{ name: 'moved' }], 5, false);
  follow();
  put(catalogOf('a'), [{ name: 'moved' }], 7, false);
  expect(find('moved', { kind: 'names' })[0]).toMatchObject({ count: 1, hits: [{ title: 'moved' }] });
  store.lists.discard(first);
  const list = store.lists.open(JSON.stringify(catalogOf('a')), JSON.stringify(catalogOf('a')));
  const next = store.lists.begin(list.id, false);
  const row = { identity: 'new', shownText: null, record: '{"name":"renewed"}', textId: null };
  store.lists.append(next.id, { offset: 0, rows: [row], total: 1, receivedAtMs: 5, requestId: 'r' }, true);
  follow();
  expect(titles('renewed')).toEqual([]);
  store.lists.show(next.id);
  expect(titles('renewed')).toEqual(['renewed']);
  expect(titles('moved')).toEqual([]);
});

test("digits beyond JavaScript's precision are found", () => {
  put({ operation: 'models.list', path: {}, query: {} }, [{ id: 'm', name: 'Churn' }]);
  const query: ListQuery = { operation: 'datasets.items', path: { dataset_id: 'd' }, query: {} };
  const list = store.lists.open('items', JSON.stringify(query));
  const record = '{"id":"i","inputs":{"account":9007199254740993}}';
  const rows = [{ identity: 'i', shownText: null, record, textId: null }];
  const { id } = store.lists.begin(list.id, true);
  store.lists.append(id, { offset: 0, rows, total: 1, receivedAtMs: 5, requestId: 'r' }, true);
  expect(titles('9007199254740993')).toEqual(['9007199254740993']);
});

test('a damaged index is rebuilt from the stored rows', () => {
  put(catalogOf('a'), [{ name: 'country' }]);
  expect(titles('country')).toEqual(['country']);
  store.searchChanges.clear(index.takenOver());
  index.close();
  for (const end of ['', '-wal', '-shm']) writeFileSync(folder.file(`search.db${end}`), 'no index');
  index = open();
  expect(titles('country')).toEqual(['country']);
});

describe('an index whose pages are damaged after it was opened', () => {
  /** Overwrites each page after the first, like another program. */
  const damage = () => {
    const file = folder.file('search.db');
    const db = new BetterSqlite(file);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0x55, 4_096);
    writeFileSync(file, bytes);
  };
  const fill = () =>
    put(
      catalogOf('a'),
      Array.from({ length: 3_000 }, (_, at) => ({ name: `country ${at}`, text: `words of ${at}` })),
    );

  test('is rebuilt from the stored rows by the search that finds it', () => {
    fill();
    follow();
    index.close();
    index = open();
    damage();
    const { groups } = index.find(
      {
        typed: 'country 7',
        kind: null,
        applicationId: null,
        sinceMs: null,
        untilMs: null,
        offset: 0,
        limit: 50,
      },
      1_000,
    );
    expect(groups).toBeDefined();
    expect(titles('country 7')[0]).toBe('country 7');
  });

  test('is rebuilt by the following of changes', () => {
    fill();
    follow();
    index.close();
    index = open();
    damage();
    put(catalogOf('b'), [{ name: 'continent' }]);
    follow();
    expect(titles('continent')).toEqual(['continent']);
    expect(titles('country 7')[0]).toBe('country 7');
  });

  test('is rebuilt once only: damage that stays is in the stored lists, and is reported', () => {
    fill();
    index.checkpointLibrary();
    const file = folder.file('library.db');
    const bytes = readFileSync(file);
    bytes.fill(0x55, 8 * 4_096);
    writeFileSync(file, bytes);
    const steps = () => {
      for (let step = 0; step < 1_000; step += 1) if (!index.step(1_000)) return 'followed';
      return 'endless';
    };
    expect(steps).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    expect(steps).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
  });
});

test('words are deleted from the index once their rows are deleted and outnumber the rest', () => {
  index.close();
  index = open(3);
  put(catalogOf('a'), [{ name: 'kept_name' }, { name: 'other' }]);
  const gone = put(catalogOf('b'), [
    { name: 'secret_one' },
    { name: 'secret_two' },
    { name: 'secret_three' },
  ]);
  expect(titles('secret')).toHaveLength(3);
  const words = () => {
    using db = new OpenIndex(folder.file('search.db'));
    return db.words();
  };
  expect(words()).toContain('secret_');
  store.lists.discard(gone);
  expect(titles('secret')).toEqual([]);
  expect(titles('kept_na')).toEqual(['kept_name']);
  expect(words().sort()).toEqual(['kept_', 'name', 'other']);
});

test('a row with the typed words in another order is not counted', () => {
  put(catalogOf('a'), [{ name: 'aa.bb' }, { name: 'bb.aa.c' }]);
  expect(find('a.b', { kind: 'names' })[0]).toMatchObject({ count: 1, hits: [{ title: 'aa.bb' }] });
});

test('a part that occurs in many words finds rows that other words select, and lists its rows in order', () => {
  const many = Array.from({ length: 1_200 }, (_, at) => ({ name: `part${at}x.tail${at % 7}_y${at}` }));
  put(catalogOf('a'), [...many, { name: 'part.needle' }, { name: 'needle.part' }]);
  expect(titles('part needle').sort()).toEqual(['needle.part', 'part.needle']);
  expect(titles('part.nee')).toEqual(['part.needle']);
  expect(titles('art needle -part.nee')).toEqual(['needle.part']);
  expect(find('x.tail', { kind: 'names' })[0]).toMatchObject({ count: 500, hasMore: true });
  expect(find('_y', { kind: 'names' })[0]).toMatchObject({ count: 500, hasMore: true });
  put(
    catalogOf('b'),
    many.map((_, at) => ({ name: `q${at}w.v${at}` })),
  );
  expect(find('w.v', { kind: 'names' })[0]).toMatchObject({ count: 500, hasMore: true });
  const [left] = find('"w.v" -v1 -v2 -v3 -v4 -v5 -v6', { kind: 'names', applicationId: 'b' });
  // q0w.v0; then 7, 70 to 79 and 700 to 799, and the same for 8 and 9.
  expect(left?.count).toBe(1 + 3 * 111);
  expect(
    titles('7x.tail1 part1', { limit: 100 }).every((title) => /^part1\d*7x\.tail1_y\d+$/.test(title)),
  ).toBe(true);
});

test('shows how much is stored and searched, and since when', () => {
  put(catalogOf('a'), [{ name: 'country' }]);
  expect(find('zzz', { kind: 'names' })[0]?.reach).toEqual({
    ...{ storedRows: 1, isAtLeast: false, totalRows: 1, isComplete: true, oldestMs: 5 },
  });
});

describe('typed text', () => {
  test.each([
    ['Refund  VOUCHER', ['refund', 'voucher'], []],
    ['"two words" -test', ['two words'], ['test']],
    ['-5', ['-5'], []],
    ['ΟΔΟΣ', ['οδοσ'], []],
    ['"open', ['open'], []],
  ])('%s', (typed, wanted, unwanted) => {
    expect(parseTerms(typed)).toEqual({ wanted, unwanted });
  });
  test('empty text finds nothing', () => {
    expect(parseTerms('  ')).toBeNull();
  });
});

test('the part of a long text around a match is one line, marked, and splits no character', () => {
  const text = `${'🙂'.repeat(40)}\nneedle\n${'🙂'.repeat(200)}`;
  const { text: shown, ranges } = snippetOf(text, ['needle']);
  expect(shown.isWellFormed()).toBe(true);
  expect(ranges.map(([from, to]) => shown.slice(from, to))).toEqual(['needle']);
  expect(shown).not.toContain('\n');
});
