/** Computations on this computer: answers that are derived, filtering, sorting; and what they cost. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ListQuery } from '../../electron/shared/model.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function rigWith(items: readonly unknown[]): Promise<{ rig: LibraryRig; server: ScriptedServer }> {
  const server = await ScriptedServer.start((request, response) => sendPage(response, items, request));
  cleanUps.push(async () => server[Symbol.asyncDispose]());
  const rig = new LibraryRig(server.baseUrl);
  cleanUps.push(async () => rig[Symbol.asyncDispose]());
  return { rig, server };
}

const catalog = (query: Record<string, string> = {}): ListQuery => ({
  operation: 'catalog.list',
  path: { application_id: 'app' },
  query: { entity_type: 'attribute', ...query },
});

const ENTITIES = [
  { name: 'user.ÄRGER', semantic_name: 'UNKNOWN', data_type: 'string', row_count: 30 },
  { name: 'gen_ai.model', semantic_name: 'model_name', data_type: 'string', row_count: null },
  { name: 'gen_ai.usage.input_tokens', semantic_name: 'input_tokens', data_type: 'numeric', row_count: 4 },
  { name: 'cost', data_type: 'numeric', row_count: 100 },
];

describe('a search of a completely stored list', () => {
  test('is answered here, says so, and is replaced by the answer of the service when it arrives', async () => {
    const { rig, server } = await rigWith(ENTITIES);
    await rig.read(catalog());
    server.answer((request, response) => sendPage(response, ENTITIES.slice(1, 3), request));
    const query = catalog({ search: 'GEN_ai' });
    const opened = await rig.library.openList({ viewId: 'v', query, refresh: 'if-stale' });
    expect(opened.freshness).toMatchObject({
      source: 'derived',
      storedRows: 2,
      totalRows: 2,
      searchedRows: 4,
      isComplete: true,
      isStale: false,
      refresh: { phase: 'loading' },
    });
    expect((await rig.rows(query)).rows.map(({ position, record }) => [position, record['name']])).toEqual([
      [0, 'gen_ai.model'],
      [1, 'gen_ai.usage.input_tokens'],
    ]);
    expect(await rig.settle(opened)).toMatchObject({
      source: 'stored',
      storedRows: 2,
      refresh: { phase: 'idle' },
    });
  });

  test.each<[Record<string, string>, string[]]>([
    [{ search: 'ärger' }, ['user.ÄRGER']],
    [{ search: 'A\u0308rger' }, ['user.ÄRGER']],
    [{ data_type: 'numeric' }, ['gen_ai.usage.input_tokens', 'cost']],
    [{ semantic_name: 'UNKNOWN' }, ['user.ÄRGER', 'cost']],
    [{ semantic_name: 'UNKNOWN,model_name', data_type: 'string' }, ['user.ÄRGER', 'gen_ai.model']],
    [{ search: 'zzz' }, []],
    [{ search: '%' }, []],
  ])('%j finds %j without the service', async (extra, names) => {
    const { rig, server } = await rigWith(ENTITIES);
    await rig.read(catalog());
    await server.stop();
    const freshness = await rig.read(catalog(extra));
    expect(freshness).toMatchObject({
      source: 'derived',
      storedRows: names.length,
      refresh: { phase: 'failed' },
    });
    expect(await rig.column(catalog(extra), 'name')).toEqual(names);
  });

  test('also for the values of an entity, including numbers', async () => {
    const { rig, server } = await rigWith([
      { value: 'Paris' },
      { value: 75 },
      { value: 'paris-2' },
      { value: null },
    ]);
    const values = (search: Record<string, string>): ListQuery => ({
      operation: 'catalog.values',
      path: { application_id: 'app' },
      query: { entity_type: 'attribute', name: 'city', ...search },
    });
    await rig.read(values({}));
    await server.stop();
    expect(await rig.read(values({ search: 'PARIS' }))).toMatchObject({ source: 'derived', storedRows: 2 });
    expect(await rig.column(values({ search: '75' }), 'value')).toEqual([75]);
  });

  test('is not answered here if only a part is stored, or for another list', async () => {
    const { rig, server } = await rigWith(
      ENTITIES.concat(ENTITIES.map((e) => ({ ...e, name: `${e.name}2` }))),
    );
    rig.settings.pageRows = 2;
    rig.settings.prefetchRows = 2;
    await rig.read(catalog());
    await server.stop();
    expect(await rig.read(catalog({ search: 'cost' }))).toMatchObject({ source: 'none', storedRows: 0 });
    const datasets: ListQuery = { operation: 'datasets.list', path: {}, query: { search: 'x' } };
    expect(await rig.read(datasets)).toMatchObject({ source: 'none' });
  });

  test('can be filtered and sorted like any other', async () => {
    const { rig, server } = await rigWith(ENTITIES);
    await rig.read(catalog());
    await server.stop();
    const query = catalog({ search: 'e' });
    await rig.read(query);
    const sort = { field: 'row_count', isDescending: true };
    expect(await rig.column(query, 'name', { sort })).toEqual([
      'user.ÄRGER',
      'gen_ai.usage.input_tokens',
      'gen_ai.model',
    ]);
    const narrowed = await rig.rows(query, { narrow: 'gen_', sort });
    expect(narrowed.rows.map(({ position }) => position)).toEqual([2, 1]);
  });
});

describe('filtering of stored rows', () => {
  test.each<[string, string[]]>([
    ['GEN', ['gen_ai.model', 'gen_ai.usage.input_tokens']],
    ['100', ['cost']],
    ['/^cost$/', ['cost']],
    ['/^GEN/i', ['gen_ai.model', 'gen_ai.usage.input_tokens']],
    ['/^(numeric|model_name)$/', ['gen_ai.model', 'gen_ai.usage.input_tokens', 'cost']],
    ['/', []],
    ['a.b', []],
  ])('%s leaves %j', async (narrow, names) => {
    const { rig } = await rigWith(ENTITIES);
    await rig.read(catalog());
    const page = await rig.rows(catalog(), { narrow });
    expect(page.rows.map(({ record }) => record['name'])).toEqual(names);
    expect(page.matchingRows).toBe(names.length);
  });

  test.each([
    ['/(/', /not valid: a closing \) is missing, at character 1/],
    ['/a/g', /flags "g"/],
  ])('%s is rejected with the reason', async (narrow, message) => {
    const { rig } = await rigWith(ENTITIES);
    await rig.read(catalog());
    await expect(rig.rows(catalog(), { narrow })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  test('an expression with catastrophic backtracking elsewhere is answered', async () => {
    const { rig } = await rigWith([{ name: 'a'.repeat(60) }, { name: `${'a'.repeat(60)}b` }]);
    await rig.read(catalog());
    expect((await rig.rows(catalog(), { narrow: '/^(a+)+b$/' })).matchingRows).toBe(1);
  });
});

describe('sorting of stored rows', () => {
  const MIXED = [
    { id: 'a', v: 10 },
    { id: 'b', v: '9' },
    { id: 'c', v: null },
    { id: 'd', v: 'beta' },
    { id: 'e', v: 'Alpha' },
    { id: 'f' },
    { id: 'g', v: -1.5 },
    { id: 'h', v: { k: 1 } },
    { id: 'i', v: 'alpha' },
  ].map((item) => ({ name: item.id, ...item }));
  const DATASETS: ListQuery = { operation: 'datasets.list', path: {}, query: {} };

  test('numbers by size, texts without case, missing ones last in both directions, ties in stored order', async () => {
    const { rig } = await rigWith(MIXED);
    await rig.read(DATASETS);
    const order = (isDescending: boolean) =>
      rig.column(DATASETS, 'id', { sort: { field: 'v', isDescending } });
    expect((await order(false)).join('')).toBe('gbaeidhcf');
    expect((await order(true)).join('')).toBe('hdeiabgcf');
  });

  test('by a field inside another, and by one whose name contains dots or quotes', async () => {
    const items = [
      { id: '1', name: '1', inputs: { 'a.b': 3 }, 'x.y': 2, 'q"': 1 },
      { id: '2', name: '2', inputs: { 'a.b': 1 }, 'x.y': 3, 'q"': 2 },
      { id: '3', name: '3', inputs: { 'a.b': 2 }, 'x.y': 1, 'q"': 3 },
    ];
    const { rig } = await rigWith(items);
    await rig.read(DATASETS);
    const by = async (field: string) =>
      (await rig.column(DATASETS, 'id', { sort: { field, isDescending: false } })).join('');
    expect(await by('inputs.a.b')).toBe('231');
    expect(await by('x.y')).toBe('312');
    expect(await by('q"')).toBe('123');
    expect(await by('no such field')).toBe('123');
  });

  test('of many rows agrees with the plain algorithm', async () => {
    const items = Array.from({ length: 9_000 }, (_, n) => ({
      name: `n${(n * 7_919) % 9_000}`,
      row_count: (n * 31) % 1_000,
    }));
    const { rig } = await rigWith(items);
    rig.settings.pageRows = 1_000;
    await rig.read(catalog());
    const sorted = await rig.column(catalog(), 'name', { sort: { field: 'row_count', isDescending: false } });
    const expected = items.toSorted((a, b) => a.row_count - b.row_count).map(({ name }) => name);
    expect(sorted).toEqual(expected);
  });

  test('equal values keep the order of a list that was ordered from stored rows', async () => {
    const { rig } = await rigWith(
      [3, 1, 4, 2].map((rank) => ({ id: String(rank), name: 'equal', rank, side: rank % 2 })),
    );
    await rig.read(DATASETS);
    const query = { ...DATASETS, query: { ordering: '-rank' } };
    expect((await rig.read(query, 'never')).source).toBe('assumed');
    const by = async (field: string, isDescending: boolean, narrow: string | null = null) =>
      (await rig.column(query, 'id', { sort: { field, isDescending }, narrow })).join('');
    expect([await by('name', false), await by('name', true)]).toEqual(['4321', '4321']);
    expect([await by('side', false), await by('side', true)]).toEqual(['4231', '3142']);
    expect(await by('nothing', false, 'equal')).toBe('4321');
  });

  test('follows the rows as they change', async () => {
    const { rig, server } = await rigWith(ENTITIES);
    await rig.read(catalog());
    const sort = { field: 'row_count', isDescending: true };
    expect((await rig.column(catalog(), 'name', { sort }))[0]).toBe('cost');
    server.answer((request, response) => sendPage(response, [{ name: 'only' }], request));
    await rig.read(catalog(), 'always');
    expect(await rig.column(catalog(), 'name', { sort })).toEqual(['only']);
  });
});

test('the sample workspace: a big catalog, its searches the same here as at the service', async () => {
  const service = await RawService.start();
  cleanUps.push(() => service.service.stop());
  const applicationId = await service.idOf('applications.list', 'Support assistant');
  const rig = new LibraryRig(service.service.baseUrl, { token: TOKEN });
  cleanUps.push(async () => rig[Symbol.asyncDispose]());
  rig.settings.pageRows = 1_000;
  const query = (extra: Record<string, string>): ListQuery => ({
    operation: 'catalog.list',
    path: { application_id: applicationId },
    query: extra,
  });
  const whole = await rig.read(query({}));
  expect(whole).toMatchObject({ isComplete: true, hasMovedWhileRead: false });
  expect(whole.storedRows).toBe(whole.totalRows);
  expect(whole.storedRows).toBeGreaterThan(1_000);
  for (const extra of [
    { search: 'TOKEN' },
    { data_type: 'numeric' },
    { semantic_name: 'UNKNOWN', search: 'a' },
    { search: 'ü' },
  ]) {
    await rig.library.openList({ viewId: 'v', query: query(extra), refresh: 'never' });
    const here = await rig.column(query(extra), 'name');
    expect((await rig.read(query(extra))).source).toBe('stored');
    expect(await rig.column(query(extra), 'name')).toEqual(here);
  }
});
