/** Profiles of the columns of a list, which the real engine counts over the stored rows in its process. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSidecars } from '../../electron/analysis/sidecars.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ColumnFilter, ColumnProfile } from '../../electron/shared/analysis-model.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { WORD_TABLES } from '../../electron/shared/shown-words.ts';
import { readTyped } from '../../renderer/lib/grid/typed-filter.ts';
import { passes } from '../../renderer/lib/row-profiles.ts';
import { filtersOffered } from '../helpers/filters-offered.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { runs } from '../helpers/runs.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

type Row = Record<string, unknown>;

let items: readonly Row[] = [];
let server: ScriptedServer;
let rig: LibraryRig;
let made = 0;
beforeAll(async () => {
  server = await ScriptedServer.start((request, response) => sendPage(response, items, request));
  rig = new LibraryRig(server.baseUrl);
  rig.settings.pageRows = 1_000;
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function stored(rows: readonly Row[]): Promise<ListQuery> {
  items = rows.map((row, index) => ({ value: `row ${index}`, ...row }));
  made += 1;
  const query = {
    operation: 'catalog.values',
    path: { application_id: 'app' },
    query: { entity_type: 'attribute', name: `list ${made}` },
  };
  await rig.read(query);
  return query;
}

async function profiled(
  query: ListQuery,
  fields: readonly string[],
  filters: readonly ColumnFilter[] = [],
  narrow: string | null = null,
): Promise<ColumnProfile[]> {
  const profile = await rig.library.profile({ query, narrow, fields, filters });
  expect(profile?.isSample).toBe(false);
  return profile?.columns ?? [];
}

const only = (profiles: readonly ColumnProfile[]): ColumnProfile => {
  const [profile] = profiles;
  if (profile === undefined || profiles.length > 1)
    throw new Error(`Expected one profile, got ${profiles.length}.`);
  return profile;
};

/** Number of rows over all parts of a profile. */
function placed({ absent, nulls, empty, others, bars, tops }: ColumnProfile, of: 'total' | 'count'): number {
  return [absent, nulls, empty, others, ...bars, ...tops].reduce((sum, tally) => sum + tally[of], 0);
}

describe('kinds of columns', () => {
  test('integers, decimals, times, texts, true and false; absent, null and empty are distinguished', async () => {
    const query = await stored([
      { n: 1, d: 0.5, at: '2026-01-01T00:00:00Z', s: 'a', yes: true, deep: { k: 'x' }, mixed: 1 },
      { n: 2, d: 1.5, at: '2026-01-03T00:00:00Z', s: 'b', yes: false, deep: { k: 'y' }, mixed: 'x' },
      { n: null, d: 2.5, at: '', s: '', yes: null, deep: {}, mixed: [] },
      { n: 2, d: 3.5, at: '2026-01-02T00:00:00+02:00', s: 'a' },
    ]);
    const profiles = await profiled(query, ['n', 'd', 'at', 's', 'yes', 'deep.k', 'mixed', 'none']);
    expect(profiles.map(({ field, kind }) => [field, kind])).toEqual([
      ['n', 'integer'],
      ['d', 'number'],
      ['at', 'time'],
      ['s', 'text'],
      ['yes', 'boolean'],
      ['deep.k', 'text'],
      ['mixed', 'json'],
    ]);
    const [n, , at, s, yes, deep, mixed] = profiles;
    expect(n).toMatchObject({
      absent: { total: 0 },
      nulls: { total: 1 },
      bars: [
        { from: 1, to: 2, total: 1, includesTo: false },
        { from: 2, to: 3, total: 2 },
      ],
    });
    expect(at).toMatchObject({ empty: { total: 1 }, absent: { total: 0 } });
    expect(at?.bars[0]?.from).toBe(Date.UTC(2026, 0, 1));
    expect(at?.bars.at(-1)?.to).toBe(Date.UTC(2026, 0, 3));
    expect(s).toMatchObject({
      empty: { total: 1 },
      tops: [
        { value: 'a', total: 2 },
        { value: 'b', total: 1 },
      ],
    });
    expect(yes).toMatchObject({
      absent: { total: 1 },
      nulls: { total: 1 },
      tops: [{ total: 1 }, { total: 1 }],
    });
    expect(deep).toMatchObject({ absent: { total: 2 }, distinct: 2 });
    expect(mixed).toMatchObject({
      absent: { total: 1 },
      empty: { total: 1 },
      tops: [{ value: '"x"' }, { value: '1' }],
    });
  });

  test('the approximate number of distinct values is at most that of the values', async () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    const rows = Array.from({ length: 900 }, (_, minute) => ({
      at: at(minute),
      n: minute,
      t: `id ${minute}`,
    }));
    const found = await profiled(await stored(rows), ['at', 'n', 't']);
    for (const { distinct } of found) expect(distinct).toBeLessThanOrEqual(rows.length);
  });

  test('numbers beyond a double keep their digits; texts that are all numbers have an axis', async () => {
    const query = await stored(
      [
        '{"big":9007199254740993,"dec":12345678901234567.123456789,"t":"75"}',
        '{"big":9007199254740992,"dec":1.5,"t":"7.5"}',
      ].map((text) => parseExact(text) as Row),
    );
    const [big, dec, t] = await profiled(query, ['big', 'dec', 't']);
    expect([big?.kind, dec?.kind, t?.kind]).toEqual(['integer', 'decimal', 'numeric-text']);
    expect(t?.bars.at(-1)?.to).toBe(75);
    const dear: ColumnFilter = {
      kind: 'values',
      field: 'dec',
      values: ['12345678901234567.123456789'],
      excludes: false,
    };
    expect(only(await profiled(query, ['big'], [dear])).rows).toEqual({ total: 2, count: 1 });
  });

  test('an empty text among numbers, or among true and false, is counted as empty', async () => {
    const query = await stored([{ n: 0, yes: true }, { n: '', yes: '' }, { n: 2 }, { n: null }]);
    const profiles = await profiled(query, ['n', 'yes']);
    expect(profiles).toMatchObject([
      {
        ...{ kind: 'integer', empty: { total: 1 }, nulls: { total: 1 }, absent: { total: 0 } },
        bars: [
          { from: 0, total: 1 },
          { from: 1, total: 0 },
          { from: 2, total: 1 },
        ],
      },
      {
        ...{ kind: 'boolean', empty: { total: 1 }, absent: { total: 2 } },
        tops: [{ value: 'true', total: 1 }],
      },
    ]);
    const empty: ColumnFilter = { kind: 'emptiness', field: 'n', is: 'empty' };
    expect(only(await profiled(query, ['yes'], [empty])).rows).toEqual({ total: 4, count: 1 });
  });

  test('a list without rows has no columns, one that is not stored has no profile', async () => {
    expect(await profiled(await stored([]), ['a'])).toEqual([]);
    const never = { operation: 'datasets.list', path: {}, query: {} };
    expect(await rig.library.profile({ query: never, narrow: null, fields: ['a'], filters: [] })).toBeNull();
  });
});

test('a filter applies: the summary counts the shown rows', async () => {
  const query = await stored([
    { a: 'x', b: 1 },
    { a: 'xy', b: 2 },
    { a: 'z', b: 3 },
  ]);
  const profile = only(await profiled(query, ['b'], [], 'x'));
  expect(profile.rows).toEqual({ total: 3, count: 2 });
  const about = await rig.library.profile({ query, narrow: 'x', fields: ['b'], filters: [] });
  expect(about).toMatchObject({ storedRows: 3, matchingRows: 2, totalRows: 3 });
  const again = only(await profiled(query, ['b']));
  expect(again.rows).toEqual({ total: 3, count: 3 });
});

test('a find box finds the words that the list shows for constants, and no others', async () => {
  const list = [{ status: 'FAILURE' }, { status: 'ERROR' }, { status: 'REVOKED', about: 'SUCCESS' }];
  const tasks = { operation: 'jobs.list', path: {}, query: {} };
  const values = await stored(list);
  items = list.map((row, index) => ({ id: `task ${index}`, ...row }));
  await rig.read(tasks);
  const positions = async (query: ListQuery, narrow: string) => {
    const { rows: left } = await rig.rows(query, { narrow });
    expect(only(await profiled(query, ['status'], [], narrow)).rows.count).toBe(left.length);
    return left.map(({ position }) => position);
  };
  expect(await positions(tasks, 'failed')).toEqual([0]);
  expect(await positions(tasks, 'cancelled')).toEqual([2]);
  expect(await positions(values, 'FAILURE')).toEqual([0]);
  expect((await rig.rows(values, { narrow: 'failed' })).matchingRows).toBe(0);
});

const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'long text', "it's", '"', '2026-01-01T10:00:00Z', '12', '1.5'),
  fc.integer({ min: -5, max: 40 }),
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom([], {}, [1], { k: 1 }),
);
const column = fc.oneof(
  fc.array(scalar, { minLength: 1, maxLength: 6 }),
  fc.array(fc.integer({ min: -5, max: 40 }), { minLength: 1, maxLength: 6 }),
  fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 6 }),
  fc.array(fc.constantFrom('a', 'b', '', 'A'), { minLength: 1, maxLength: 6 }),
);
const rows = fc
  .tuple(
    column,
    column,
    column,
    fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5), fc.nat(7)), { maxLength: 40 }),
  )
  .map(([a, b, c, picks]) =>
    picks.map(([x, y, z, missing]) => ({
      ...(missing % 2 === 0 ? { a: a[x % a.length] } : {}),
      ...(missing < 6 ? { b: b[y % b.length] } : {}),
      'c.d': c[z % c.length],
    })),
  );

test('typed filters find the rows whose values match, for any column', async () => {
  const list = [
    { t: 'Refund asked', b: true, n: 4, m: 0.5, j: { k: 'Refund' }, w: '2026-03-01T10:00:00Z' },
    { t: 'no REFUND', b: false, n: 5, m: 5, j: [1], w: '2026-03-02T00:00:00Z' },
    { t: 'é', n: 6, m: 5.5, j: 'x', w: '2026-03-03T00:00:00Z' },
    { t: '', n: null, m: null, j: null, w: null },
    { t: null },
    { t: "it's 50 %", n: 5, m: 5, j: {}, w: '2026-03-02T12:00:00Z' },
    { t: 'ERROR', j: 'ERROR' },
    { t: 'an error', j: ['ERROR'] },
    { t: 'NOT_YET_SENT', j: 'UNSET' },
    { t: 'binary_classification', j: 'SUCCESS' },
    { t: 'success', j: 'no_model' },
  ];
  const query = await stored(list);
  const typed = [
    'refund',
    '!refund',
    'failed',
    '!Fail',
    'no status',
    'yet sent',
    'done',
    '!done',
    'binary class',
    'none',
    'yes',
    '!paused',
    'É',
    "'",
    '%',
    '=é',
    '!=é',
    '>5',
    '>=5',
    '<5',
    '<=5',
    '5',
    '4..5',
    '!=5',
  ];
  const days = ['2026-03-02', '>2026-03-01', '<2026-03-02', '2026-03-01..2026-03-02'];
  const filters = (['t', 'b', 'n', 'm', 'j', 'w'] as const).flatMap((field) =>
    [...typed, ...days, 'is null', 'is empty', 'is absent'].flatMap((text) => {
      const kind = field === 'n' || field === 'm' ? 'number' : field === 'w' ? 'time' : 'text';
      const tables = kind === 'text' ? [null, ...WORD_TABLES] : [null];
      return tables.flatMap((table) => {
        const read = readTyped(text, field, kind, table === null ? null : { table, known: [] });
        return 'problem' in read || read.filter === null ? [] : [read.filter];
      });
    }),
  );
  expect(filters.length).toBeGreaterThan(300);
  for (const filter of filters) {
    const page = await rig.rows(query, { filters: [filter] });
    const expected = list.flatMap((row, at) => (passes(filter)(row) ? [at] : []));
    expect([JSON.stringify(filter), page.rows.map(({ position }) => position)]).toEqual([
      JSON.stringify(filter),
      expected,
    ]);
  }
});

test('bars add up to their rows, and a filter by a bar finds its number of rows, under any filters', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.array(fc.nat(30), { maxLength: 2 }), async (list, chosen) => {
      const query = await stored(list);
      const fields = ['a', 'b', 'c.d'];
      const all = await profiled(query, fields);
      const offered = all.flatMap(filtersOffered).map(([filter]) => filter);
      const filters =
        offered.length === 0 ? [] : chosen.map((index) => offered[index % offered.length] ?? offered[0]);
      const set = filters.filter((filter) => filter !== undefined);
      for (const profile of await profiled(query, fields, set)) {
        expect(profile.rows.total).toBe(list.length);
        expect(placed(profile, 'total')).toBe(profile.rows.total);
        expect(placed(profile, 'count')).toBe(profile.rows.count);
        const rest = set.filter(({ field }) => field !== profile.field);
        for (const [filter, count] of filtersOffered(profile)) {
          const page = await rig.rows(query, { filters: [...rest, filter] });
          expect([filter, page.matchingRows]).toEqual([filter, count]);
        }
      }
    }),
    { numRuns: runs(12, 200) },
  );
});

describe('a long list', () => {
  const long = (count: number): Row[] =>
    Array.from({ length: count }, (_, index) => ({ n: index % 50, s: `word ${index % 7}`, x: index / 8 }));

  test('is counted over a sample until its columns are prepared, then exactly', async () => {
    const query = await stored(long(6_000));
    const ask = () => rig.library.profile({ query, narrow: null, fields: ['n', 's', 'x'], filters: [] });
    const first = await ask();
    expect(first).toMatchObject({ isSample: true, storedRows: 6_000, preparation: { totalRows: 6_000 } });
    const sampled = first?.columns[0]?.rows.total ?? 0;
    expect(sampled).toBeGreaterThan(900);
    expect(sampled).toBeLessThan(6_001);
    const seven: ColumnFilter = { kind: 'values', field: 's', values: ['word 0'], excludes: false };
    // Waits until the list is prepared.
    expect((await rig.rows(query, { filters: [seven] })).matchingRows).toBe(858);
    const then = await ask();
    expect(then).toMatchObject({ isSample: false, preparation: null });
    expect(then?.columns.map(({ rows: { total } }) => total)).toEqual([6_000, 6_000, 6_000]);
    expect(then?.columns[1]?.tops[0]).toEqual({ value: 'word 0', total: 858, count: 858 });
  });

  test('that was read again is prepared again, and the previous preparation is deleted', async () => {
    const query = await stored(long(3_000));
    await rig.rows(query, { filters: [{ kind: 'emptiness', field: 'n', is: 'null' }] });
    const files = () => readdirSync(rig.folder.file('analysis'));
    const before = files();
    items = [...items, { value: 'one more', n: null }];
    await rig.read(query, 'always');
    const page = await rig.rows(query, { filters: [{ kind: 'emptiness', field: 'n', is: 'null' }] });
    expect(page.rows.map(({ record }) => record['value'])).toEqual(['one more']);
    expect(files()).toHaveLength(before.length);
    expect(files().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('whose preparation failed is prepared again on the next request', async () => {
    await stored(long(3_000));
    const shown = rig.library.storedLists().find(({ shown: { rowCount } }) => rowCount === 3_000)?.shown;
    if (shown === undefined) throw new Error('Expected a stored list of 3,000 rows.');
    // A file is in the place of the folder, so the folder cannot be created.
    const folder = rig.folder.file('not-yet-a-folder');
    writeFileSync(folder, '');
    let ended = Promise.withResolvers<void>();
    const sidecars = createSidecars({
      ...{ folder, libraryFile: rig.folder.file('library.db') },
      ...{ startChild: startNodeChild, clock: systemClock, logger: silentLogger },
      mostRowsInMemory: 1_000,
      onPrepared: () => ended.resolve(),
    });
    const ask = () => sidecars.profile({ generation: shown, within: null, fields: ['n'], filters: [] });
    expect(await ask()).toMatchObject({ isSample: true });
    await ended.promise;
    await expect(ask()).rejects.toThrow();
    rmSync(folder);
    ended = Promise.withResolvers();
    expect(await ask()).toMatchObject({ isSample: true });
    await sidecars.positions(shown, []);
    expect(await ask()).toMatchObject({ isSample: false });
    await sidecars.stop();
  });
});
