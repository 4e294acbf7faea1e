import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Facets } from '../../electron/core/coverage/facets.ts';
import { drawBlindly, fillGap, meanOverlap, Tally } from '../../electron/core/coverage/fill.ts';
import { measureCoverage } from '../../electron/core/coverage/measure.ts';
import type { CoverageSources } from '../../electron/core/coverage/sources.ts';
import { plantedCandidates } from '../helpers/planted-coverage.ts';

const APPLICATION = 'a';
type Rows = Record<string, unknown>[];
type Given = CoverageSources['lists'][number] & { rows: Rows };

const list = (query: Partial<Given['query']>, rows: Rows, more: Partial<Given> = {}): Given => ({
  query: { operation: '', path: { application_id: APPLICATION }, query: {}, ...query },
  ...{ rowCount: rows.length, totalRows: rows.length, isComplete: true, oldestMs: 5 },
  rows,
  ...more,
});

function sources(lists: Given[], ofItems: Rows = [], ofBuild: Rows = []): CoverageSources<Given> {
  return {
    lists,
    *rowsOf({ rows }) {
      for (const [position, row] of rows.entries()) yield { position, json: JSON.stringify(row) };
    },
    spansOfItems: () => ofItems.map((row) => JSON.stringify(row)),
    spansOfBuild: () => ofBuild.map((row) => JSON.stringify(row)),
  };
}

const QUESTION = {
  ...{ datasetId: 'd', applicationId: APPLICATION, buildId: null, dimensions: null, spanType: null },
  size: 2,
};
const agents = list({ operation: 'catalog.list', query: { entity_type: 'agent_name' } }, [
  { name: 'Router', semantic_name: 'agent_name', row_count: 50 },
  { name: 'Writer', semantic_name: 'agent_name', row_count: 50 },
]);
const attributes = list({ operation: 'catalog.list', query: { entity_type: 'attribute' } }, [
  { name: 'fiddler.span.user.country', semantic_name: 'country', data_type: 'string', row_count: 90 },
  { name: 'gen_ai.model', semantic_name: 'UNKNOWN', data_type: 'string', row_count: 10 },
  { name: 'gen_ai.tokens', semantic_name: 'tokens', data_type: 'numeric', row_count: 100 },
]);
const countries = list(
  { operation: 'catalog.values', query: { entity_type: 'attribute', name: 'fiddler.span.user.country' } },
  [
    { value: 'DE', row_count: 3 },
    { value: 'FR', row_count: 1 },
  ],
  { totalRows: 9, isComplete: false, oldestMs: 7 },
);
const span = (id: string, agent: string, country?: string) => ({
  ...{ trace_id: `t${id}`, span_id: id, agent_name: agent, span_type: 'llm', start_time: '2026-01-01' },
  span_attributes: country === undefined ? {} : { 'user.country': country },
});
const spans = (rows: Rows) =>
  list({ operation: 'spans.query', path: {}, body: { application_id: APPLICATION } }, rows);
const items = (rows: Rows) =>
  list({ operation: 'datasets.items', path: { dataset_id: 'd' } }, rows, { totalRows: 4, isComplete: false });

test('production is the catalog; items count by their span, or by their own fields', () => {
  const given = sources([
    agents,
    attributes,
    countries,
    items([
      { source_name: 'span', source_id: '1', inputs: {} },
      { source_id: '', metadata: { country: 'FR', agent_name: 'Writer' } },
      { source_id: 'gone', metadata: { 'user.country': 'DE' } },
    ]),
    spans([span('1', 'Router', 'DE'), span('2', 'Writer'), span('2', 'Writer'), span('3', 'Router', 'FR')]),
    // Spans of another application are not counted.
    list({ operation: 'spans.query', path: {}, body: { application_id: 'b' } }, [span('9', 'Writer')]),
  ]);
  const { items: found, spans: stored, dimensions, unread, fill } = measureCoverage(given, QUESTION);
  expect(found).toEqual({ stored: 3, total: 4, oldestMs: 5, fromSpans: 2, withSpan: 1 });
  expect(stored).toMatchObject({ stored: 3, inDataset: 1 });
  const byKey = new Map(dimensions.map((dimension) => [dimension.key, dimension]));
  expect(byKey.get('agent_name')).toMatchObject({
    coverage: 1,
    rows: 100,
    items: 2,
    storedValues: 2,
    totalValues: 2,
  });
  const country = byKey.get('attribute fiddler.span.user.country');
  expect(country).toMatchObject({ storedValues: 2, totalValues: 9, oldestMs: 7, items: 3 });
  expect(country?.values).toContainEqual({ value: 'DE', rows: 3, items: 2, afterFill: 2 });
  expect(country?.coverage).toBeCloseTo(2 / 3 + 1 / 4);
  // Both concepts miss their share by the same amount. No attribute without a concept is listed.
  const concepts = byKey.get('concept')?.values.toSorted((one, other) => one.rows - other.rows);
  expect(concepts).toEqual([
    { value: 'country', rows: 90, items: 3, afterFill: 4 },
    { value: 'tokens', rows: 100, items: 0, afterFill: 0 },
  ]);
  expect(unread).toEqual({ names: ['gen_ai.model'], count: 1 });
  expect(fill.candidates).toBe(2);
});

test('spans of the basket count as items and are not proposed again; a type filters the proposed spans', () => {
  const given = sources(
    [
      agents,
      items([]),
      spans([span('1', 'Router'), span('2', 'Writer'), { ...span('3', 'Writer'), span_type: 'tool' }]),
    ],
    [],
    [span('1', 'Router')],
  );
  const { fill, inBasket, spanTypes } = measureCoverage(given, { ...QUESTION, buildId: 'b', size: 1 });
  expect(inBasket).toBe(1);
  expect(spanTypes).toEqual(['llm', 'tool']);
  expect(fill).toMatchObject({ candidates: 2, picked: 1, before: 0.5, after: 1 });
  expect(fill.picks[0]?.spans).toEqual([
    { trace_id: 't2', span_id: '2', position: 1, start_time: '2026-01-01' },
  ]);
  const tools = measureCoverage(given, { ...QUESTION, buildId: 'b', spanType: 'tool' });
  expect(tools.fill.picks[0]?.spans.map(({ span_id: id }) => id)).toEqual(['3']);
});

test('a dimension of many values counts if it is chosen, and one that is not chosen does not', () => {
  const many = list(
    { operation: 'catalog.values', query: { entity_type: 'attribute', name: 'order' } },
    Array.from({ length: 201 }, (_, at) => ({ value: `o${at}`, row_count: 1 })),
  );
  const counted = (dimensions: string[] | null) =>
    measureCoverage(sources([agents, many]), { ...QUESTION, dimensions })
      .dimensions.filter(({ isCounted }) => isCounted)
      .map(({ key }) => key);
  expect(counted(null)).toEqual(['agent_name']);
  expect(counted(['attribute order'])).toEqual(['attribute order']);
});

test('an empty store is not a failure', () => {
  const { dimensions, fill, items: found } = measureCoverage(sources([]), QUESTION);
  expect({ dimensions, fill, found }).toMatchObject({
    dimensions: [],
    fill: { candidates: 0, picked: 0, before: null, after: null, blind: null },
    found: { stored: 0, total: null },
  });
});

describe('the spans that fill the gap', () => {
  test('improve coverage more than the same number of random spans, at every size', () => {
    for (const seed of [1, 2, 3]) {
      const { facets, tally, dimensions, candidates } = plantedCandidates(seed, 2_000);
      for (const size of [1, 5, 20, 100, 500]) {
        const of = (places: readonly number[]) => {
          const filled = tally.copy();
          for (const place of places) filled.add(candidates[place] ?? []);
          return meanOverlap(facets, filled, dimensions) ?? 0;
        };
        const greedy = of(fillGap({ facets, tally, dimensions, candidates, size }));
        expect(greedy).toBeGreaterThan(of(drawBlindly(candidates.length, size, seed)));
      }
    }
  });

  test('are unique, none if nothing is missing, and at most as many as requested', () => {
    const facts = fc.record({
      rows: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 }),
      spans: fc.array(fc.nat({ max: 5 }), { maxLength: 40 }),
      size: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(facts, ({ rows, spans: given, size }) => {
        const facets = new Facets();
        const dimension = facets.addDimension();
        for (const [value, count] of rows.entries())
          facets.rows[facets.facetOf(dimension, `${value}`)] = count;
        const candidates = given.map((value) => [facets.facetOf(dimension, `${value}`)]);
        const question = { facets, tally: new Tally(facets), dimensions: [dimension], candidates, size };
        const places = fillGap(question);
        expect(new Set(places).size).toBe(places.length);
        expect(places.length).toBeLessThanOrEqual(size);
        for (const place of places) expect(facets.rows[candidates[place]?.[0] ?? 0]).toBeGreaterThan(0);
        expect(fillGap({ ...question, dimensions: [] })).toEqual([]);
      }),
    );
  });

  test('are none for a dimension without rows in production', () => {
    const facets = new Facets();
    const dimension = facets.addDimension();
    const candidates = [[facets.facetOf(dimension, 'only here')]];
    const question = { facets, tally: new Tally(facets), dimensions: [dimension], candidates, size: 1 };
    expect(fillGap(question)).toEqual([]);
  });

  test('are the same as by comparing every span each time', () => {
    for (const seed of [1, 2, 3, 4]) {
      const { facets, tally, dimensions, candidates } = plantedCandidates(seed, 120);
      const size = 25;
      const question = { facets, tally, dimensions, candidates, size };
      const fast = fillGap(question);
      const gainOf = (places: readonly number[]) => {
        const filled = tally.copy();
        for (const place of places) filled.add(candidates[place] ?? []);
        return meanOverlap(facets, filled, dimensions) ?? 0;
      };
      // Each span has one value of every dimension, so the final coverage is the sum of the gains of all spans.
      const slow: number[] = [];
      const targets = dimensions.map((dimension) => tally.totalOf(dimension) + size);
      const counts = facets.rows.map((_, facet) => tally.countOf(facet));
      while (slow.length < size) {
        const gains = candidates.map((own, place) =>
          slow.includes(place)
            ? 0
            : own.reduce((sum, facet) => {
                const dimension = facets.dimensions[facet] ?? 0;
                const at = dimensions.indexOf(dimension);
                const all = facets.of(dimension).reduce((rows, each) => rows + (facets.rows[each] ?? 0), 0);
                const target = targets[at] ?? 1;
                const missing = ((facets.rows[facet] ?? 0) / all) * target - (counts[facet] ?? 0);
                return sum + Math.max(0, Math.min(1, missing)) / target;
              }, 0),
        );
        const best = gains.indexOf(Math.max(...gains));
        if ((gains[best] ?? 0) <= 1e-9) break;
        slow.push(best);
        for (const facet of candidates[best] ?? []) counts[facet] = (counts[facet] ?? 0) + 1;
      }
      expect(gainOf(fast)).toBeCloseTo(gainOf(slow), 2);
    }
  });
});
