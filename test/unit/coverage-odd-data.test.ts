/** Coverage of a dataset with unusual catalogs and spans, such as overlapping lists and missing fields. */
import { expect, test } from 'vitest';
import { Facets } from '../../electron/core/coverage/facets.ts';
import { measureCoverage } from '../../electron/core/coverage/measure.ts';
import type { CoverageSources } from '../../electron/core/coverage/sources.ts';

const APPLICATION = 'a';
type Rows = Record<string, unknown>[];
type Given = CoverageSources['lists'][number] & { rows: Rows };

const list = (query: Partial<Given['query']>, rows: Rows, more: Partial<Given> = {}): Given => ({
  query: { operation: 'catalog.list', path: { application_id: APPLICATION }, query: {}, ...query },
  ...{ rowCount: rows.length, totalRows: rows.length, isComplete: true, oldestMs: 5 },
  rows,
  ...more,
});
const ofType = (type: string, rows: Rows, more: Partial<Given> = {}) =>
  list({ query: { entity_type: type } }, rows, more);
const valuesOf = (name: string, rows: Rows) =>
  list({ operation: 'catalog.values', query: { entity_type: 'attribute', name } }, rows);
const itemsOf = (rows: Rows) => list({ operation: 'datasets.items', path: { dataset_id: 'd' } }, rows);
const spansOf = (rows: Rows) =>
  list({ operation: 'spans.query', path: {}, body: { application_id: APPLICATION } }, rows);

function measure(
  lists: Given[],
  {
    basket = [],
    dimensions = null,
    hasAllValues = false,
  }: { basket?: Rows; dimensions?: string[] | null; hasAllValues?: boolean } = {},
) {
  const sources: CoverageSources<Given> = {
    lists,
    *rowsOf({ rows }) {
      for (const [position, row] of rows.entries()) yield { position, json: JSON.stringify(row) };
    },
    spansOfItems: () => [],
    spansOfBuild: () => basket.map((row) => JSON.stringify(row)),
  };
  const asked = {
    datasetId: 'd',
    applicationId: APPLICATION,
    dimensions,
    spanType: null,
    size: 2,
    hasAllValues,
  };
  const found = measureCoverage(sources, { ...asked, buildId: 'b' });
  return { ...found, of: (key: string) => found.dimensions.find((each) => each.key === key) };
}

const span = (id: string, agent: string) => ({
  ...{ trace_id: `t${id}`, span_id: id, agent_name: agent, span_type: 'llm', start_time: '2026-01-01' },
});
const agents = ofType('agent_name', [
  { name: 'Router', row_count: 50 },
  { name: 'Writer', row_count: 50 },
]);

test('shows the values with the largest differences, or all of them if that is asked for', () => {
  const many = ofType(
    'agent_name',
    Array.from({ length: 30 }, (_, at) => ({ name: `agent ${at}`, row_count: at + 1 })),
  );
  const shown = (hasAllValues: boolean) => measure([many], { hasAllValues }).of('agent_name')?.values;
  expect(shown(false)).toHaveLength(24);
  expect(shown(false)?.[0]?.value).toBe('agent 29');
  expect(shown(true)).toHaveLength(30);
});

test('two items made from one span count twice, and a span that is an item already is not counted in the basket', () => {
  const made = itemsOf([
    { source_id: '1', inputs: {} },
    { source_id: '1', inputs: {} },
  ]);
  const { items, inBasket, of } = measure(
    [agents, made, spansOf([span('1', 'Router'), span('2', 'Writer')])],
    {
      basket: [span('1', 'Router'), span('2', 'Writer')],
    },
  );
  expect(items).toMatchObject({ stored: 2, withSpan: 2 });
  expect(inBasket).toBe(1);
  expect(of('agent_name')?.items).toBe(2);
});

test('a span without a type or a start can be proposed, one without an identity cannot', () => {
  const bare = { trace_id: 't1', span_id: '1', agent_name: 'Router' };
  const { fill, spanTypes } = measure([agents, itemsOf([]), spansOf([bare, { agent_name: 'Writer' }])]);
  expect(spanTypes).toEqual([]);
  expect(fill.picks[0]?.spans).toEqual([{ trace_id: 't1', span_id: '1', position: 0, start_time: null }]);
});

test('an attribute whose values have no rows does not count, and values that are missing are none', () => {
  const empty = valuesOf('tone', [
    { value: 'warm', row_count: 0 },
    { value: null, row_count: 5 },
    { row_count: 5 },
  ]);
  const { of, fill } = measure([empty, itemsOf([]), spansOf([span('1', 'Router')])]);
  expect(of('attribute tone')).toMatchObject({ rows: 0, isCounted: false });
  expect(of('attribute tone')?.values.map(({ value }) => value)).toEqual(['warm']);
  expect(fill).toMatchObject({ candidates: 1, picked: 0, blind: null });
});

test('a row count that is missing or negative is none', () => {
  const { of } = measure([
    valuesOf('tone', [{ value: 'warm', row_count: 3 }, { value: 'cold' }, { value: 'rude', row_count: -4 }]),
  ]);
  const rows = of('attribute tone')?.values.map(({ value, rows: count }) => [value, count]);
  expect(rows?.toSorted()).toEqual([
    ['cold', 0],
    ['rude', 0],
    ['warm', 3],
  ]);
});

test('lists of all types add what lists of one type lack; of two lists of one attribute, the first counts', () => {
  const all = list({}, [
    { name: 'Router', entity_type: 'agent_name', row_count: 999 },
    { name: 'search', entity_type: 'span_name', row_count: 7 },
  ]);
  const { of } = measure([
    { ...agents, isComplete: false },
    ofType('agent_name', [
      { name: 'Writer', row_count: 1 },
      { name: 'Critic', row_count: 2 },
    ]),
    all,
    valuesOf('tone', [{ value: 'warm', row_count: 3 }]),
    valuesOf('tone', [{ value: 'warm', row_count: 100 }]),
  ]);
  const counts = (key: string) =>
    Object.fromEntries((of(key)?.values ?? []).map(({ value, rows }) => [value, rows]));
  expect(counts('agent_name')).toEqual({ Router: 50, Writer: 50, Critic: 2 });
  expect(counts('span_name')).toEqual({ search: 7 });
  expect(counts('attribute tone')).toEqual({ warm: 3 });
});

test('names that are known only from a filtered list have no total, and its age', () => {
  const filtered = list(
    { query: { entity_type: 'agent_name', search: 'rou' } },
    [{ name: 'Router', row_count: 5 }],
    {
      oldestMs: 3,
    },
  );
  expect(measure([filtered]).of('agent_name')).toMatchObject({
    totalValues: null,
    oldestMs: 3,
    storedValues: 1,
  });
  expect(measure([{ ...filtered, oldestMs: null }]).of('agent_name')?.oldestMs).toBeNull();
});

test('values of a dimension that was not chosen propose no span', () => {
  const names = ofType('attribute', [{ name: 'tone', row_count: 4, data_type: 'string' }]);
  const tones = valuesOf('tone', [{ value: 'warm', row_count: 4 }]);
  const warm = { ...span('1', 'Nobody'), span_attributes: { tone: 'warm' } };
  const lists = [agents, names, tones, itemsOf([]), spansOf([warm, span('2', 'Router')])];
  const picked = (dimensions: string[] | null) =>
    measure(lists, { dimensions }).fill.picks.flatMap(({ spans }) => spans.map(({ span_id: id }) => id));
  expect(picked(['agent_name'])).toEqual(['2']);
  expect(picked(null).toSorted()).toEqual(['1', '2']);
});

test('two attributes with the same short name both count under it', () => {
  const all = new Facets();
  const [long, short] = [all.addDimension(), all.addDimension()];
  all.addAttribute('fiddler.span.user.country', { dimension: long, concept: null });
  all.addAttribute('user.country', { dimension: short, concept: null });
  const found = all.ofItem({ metadata: { country: 'DE' } });
  expect(found.map((facet) => [all.dimensions[facet], all.values[facet]])).toEqual([
    [long, 'DE'],
    [short, 'DE'],
  ]);
});
