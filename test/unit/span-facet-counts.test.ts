/** Counts of facets while a filter changes, also if the list without a choice is not stored. */
import { expect, test } from 'vitest';
import type { ListProfile } from '../../electron/shared/analysis-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { withChosenValues } from '../../renderer/lib/filter/chosen-values.ts';
import { SPAN_FILTERS } from '../../renderer/lib/filter/language.ts';
import { profileRows } from '../../renderer/lib/row-profiles.ts';
import { type Facet, facetsOf } from '../../renderer/lib/span-facets.ts';
import { filterOfParam } from '../../renderer/lib/span-query.ts';
import { SpanFacets } from '../../renderer/views/spans/span-facets.svelte.ts';

const ROWS = [{ span_type: 'llm' }, { span_type: 'llm' }, { span_type: 'tool' }];
const FACETS = facetsOf(null, []);
const [TYPE, , AGENT] = FACETS as [Facet, Facet, Facet];
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Facets of a main process that stores only the lists with these bodies. */
function facetsOver(stored: readonly unknown[]): SpanFacets {
  const client = {
    invoke: async (_channel: string, { query, fields }: { query: ListQuery; fields: string[] }) => {
      await settle();
      if (!stored.some((body) => JSON.stringify(body) === JSON.stringify(query.body))) return null;
      const length = ROWS.length;
      const about = { isSample: false, preparation: null, storedRows: length, matchingRows: length };
      return { ...about, totalRows: length, columns: profileRows(ROWS, fields, []) } satisfies ListProfile;
    },
    on: () => () => undefined,
  };
  return new SpanFacets('c', client as unknown as ConstructorParameters<typeof SpanFacets>[1]);
}

const body = (filter: string | null, application = 'a') => {
  const tree = filterOfParam(filter ?? undefined);
  return { application_id: application, ...(tree === null ? {} : { filter: tree }) };
};
const wish = (filter: string | null, application = 'a') => ({
  query: { operation: 'spans.search', path: {}, query: {}, body: body(filter, application) } as ListQuery,
  ...{ narrow: null, filters: [], rows: '3', isLoading: false },
});
const choose = (filter: string | null, { field }: Facet, value: string) =>
  withChosenValues(filter, field, [value], SPAN_FILTERS) ?? null;
const countsOf = (facets: SpanFacets) => {
  const { profile, isBefore } = facets.countsOf(TYPE, true);
  return { counts: profile?.tops.map(({ value, count }) => `${value} ${count}`), isBefore };
};

test('without a stored list of the alternatives, a facet keeps its last counts as earlier ones', async () => {
  const llm = choose(null, TYPE, 'llm');
  const both = choose(llm, AGENT, 'a');
  const facets = facetsOver([body(null), body(llm), body(both)]);
  facets.want(wish(null), FACETS, null);
  await settle();
  await settle();
  facets.want(wish(llm), FACETS, llm);
  // The counts before the choice stay until those of the alternatives are known.
  expect(countsOf(facets)).toEqual({ counts: ['llm 2', 'tool 1'], isBefore: false });
  await settle();
  await settle();
  expect(countsOf(facets)).toEqual({ counts: ['llm 2', 'tool 1'], isBefore: false });
  facets.want(wish(both), FACETS, both);
  await settle();
  await settle();
  expect(countsOf(facets)).toEqual({ counts: ['llm 2', 'tool 1'], isBefore: true });
});

test('counts of other spans are not kept', async () => {
  const llm = choose(null, TYPE, 'llm');
  const facets = facetsOver([body(null), body(llm)]);
  facets.want(wish(null), FACETS, null);
  await settle();
  await settle();
  for (const _ of ['first', 'again']) facets.want(wish(llm, 'b'), FACETS, llm);
  await settle();
  await settle();
  expect(countsOf(facets)).toEqual({ counts: undefined, isBefore: true });
  expect(facets.countsOf(TYPE, true).about).toBeNull();
});
