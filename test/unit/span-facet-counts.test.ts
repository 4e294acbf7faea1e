/** Counts of facets while a filter changes, even if the list without the chosen values is not stored. */
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
const [TYPE, STATUS, AGENT] = FACETS as [Facet, Facet, Facet];
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A fake main process that stores only the lists with these bodies. */
function mainOver(stored: readonly unknown[]) {
  const main = {
    rows: ROWS,
    hasFailed: false,
    invoke: async (_channel: string, { query, fields }: { query: ListQuery; fields: string[] }) => {
      await settle();
      if (main.hasFailed) throw new Error('The analysis process ended.');
      if (!stored.some((body) => JSON.stringify(body) === JSON.stringify(query.body))) return null;
      const { length } = main.rows;
      const about = { isSample: false, preparation: null, storedRows: length, matchingRows: length };
      const whole = { totalRows: length, isComplete: true };
      return { ...about, ...whole, columns: profileRows(main.rows, fields, []) } satisfies ListProfile;
    },
    on: () => () => undefined,
  };
  return main;
}

const facetsFrom = (main: ReturnType<typeof mainOver>) =>
  new SpanFacets('c', main as unknown as ConstructorParameters<typeof SpanFacets>[1]);
const facetsOver = (stored: readonly unknown[]) => facetsFrom(mainOver(stored));

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
async function show(facets: SpanFacets, filter: string | null, application = 'a'): Promise<void> {
  facets.want(wish(filter, application), FACETS, filter);
  for (let turn = 0; turn < 8; turn += 1) await settle();
}
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
  // The counts from before the choice remain until the counts of the alternatives are known.
  expect(countsOf(facets)).toEqual({ counts: ['llm 2', 'tool 1'], isBefore: false });
  await settle();
  await settle();
  expect(countsOf(facets)).toEqual({ counts: ['llm 2', 'tool 1'], isBefore: false });
  facets.want(wish(both), FACETS, both);
  await settle();
  await settle();
  expect(countsOf(facets)).toEqual({ counts: ['llm 2', 'tool 1'], isBefore: true });
});

test('the counts of a facet that is no longer chosen do not replace newer ones', async () => {
  const [llm, agent] = [choose(null, TYPE, 'llm'), choose(null, AGENT, 'a')];
  const both = choose(choose(agent, STATUS, 'OK'), TYPE, 'llm');
  const main = mainOver([body(null), body(llm), body(agent), body(both)]);
  const facets = facetsFrom(main);
  for (const filter of [null, llm, null]) await show(facets, filter);
  main.rows = ROWS.slice(0, 1);
  await show(facets, agent);
  expect(facets.countsOf(TYPE, false).profile?.tops).toMatchObject([{ value: 'llm', count: 1 }]);
  await show(facets, both);
  expect(countsOf(facets)).toEqual({ counts: ['llm 1'], isBefore: true });
});

test('after a failure a facet shows its last counts as earlier ones', async () => {
  const agent = choose(null, AGENT, 'a');
  const main = mainOver([body(null), body(agent), body(agent, 'b')]);
  const facets = facetsFrom(main);
  await show(facets, null);
  main.hasFailed = true;
  await show(facets, agent);
  expect(facets.countsOf(TYPE, false)).toMatchObject({ isBefore: true, about: { storedRows: 3 } });
  await show(facets, agent, 'b');
  // The spans of this application were not counted.
  for (const _ of ['first', 'again']) await show(facets, agent, 'b');
  expect(facets.countsOf(TYPE, false)).toEqual({ profile: undefined, about: null, isBefore: true });
  main.hasFailed = false;
  await show(facets, null);
  await show(facets, agent);
  expect(facets.countsOf(TYPE, false)).toMatchObject({ isBefore: false, about: { storedRows: 3 } });
});

test('does not keep the counts of other spans', async () => {
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
