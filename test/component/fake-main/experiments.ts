/** The comparison of the fake experiments, by the engine's own code. */
import { numbersIn, RunColumnsBuilder } from '../../../electron/core/items/run-columns.ts';
import { StoredComparisons } from '../../../electron/datasets/stored-comparison.ts';
import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import { parseExact } from '../../../electron/shared/exact-json.ts';
import { type ExperimentResult, fateOf, readResult } from '../../../electron/shared/experiment-result.ts';
import {
  type ComparedRun,
  type RunItem,
  type RunRef,
  type RunsComparison,
  runsQuery,
} from '../../../electron/shared/run-comparison.ts';
import { ITEMS, placeOf, RUNS, result } from './experiment-rows.ts';
import { DAMAGED } from './lists.ts';
import { NOW, scenario } from './scenario.ts';

const results = (at: number): ExperimentResult[] =>
  Array.from({ length: scenario.runsCompared === 'empty' ? 0 : ITEMS }, (_, item) =>
    readResult(result(at, item)),
  );
const holds = (value: unknown, words: string) =>
  JSON.stringify(value ?? '')
    .toLowerCase()
    .includes(words.toLowerCase());

const comparisons = new StoredComparisons(() => ({
  scoreRun: () => new RunColumnsBuilder().finish(),
  experiment: (at) => {
    const columns = new RunColumnsBuilder();
    for (const [position, each] of results(at).entries())
      columns.add({
        ...{ itemId: each.datasetItemId, position, fate: fateOf(each), durationMs: each.durationMs },
        ...{ scores: each.scores, measures: numbersIn(each.outputs ?? {}) },
      });
    return columns.finish();
  },
  scoreItems: () => [],
  results: (at, positions) =>
    positions.map((position) => ({ position, result: readResult(result(at, position)) })),
  scoreItemsWith: () => new Set(),
  resultsWith: (at, words) =>
    new Set(
      results(at)
        .filter(({ outputs }) => holds(outputs, words))
        .map(({ datasetItemId }) => datasetItemId),
    ),
  tracesOf: () => new Map([['item-1', 'trace-1']]),
  close: () => undefined,
}));

const sourcesOf = (runs: readonly RunRef[]) =>
  runs.map((ref) => ({
    ...{ ref, version: '1', isComplete: true, generationId: placeOf(ref.id), evaluator: '', inputs: [] },
  }));

export function compare({ connectionId: _, runs, ...query }: InvokeArgs<'runs:compare'>): RunsComparison {
  if (scenario.runsCompared === 'failed') throw DAMAGED;
  const asked = runsQuery.omit({ runs: true }).parse(query);
  const found = comparisons.answer({
    sources: sourcesOf(runs),
    datasetId: 'd',
    ask: { form: 'compare', query: asked },
  });
  if (found.form !== 'compare') throw DAMAGED;
  const named = found.answer.runs.map((counts, at): ComparedRun => {
    const ref = runs[at] ?? { kind: 'experiment', id: '' };
    return {
      ref,
      name: RUNS[placeOf(ref.id)]?.name ?? ref.id,
      isComplete: true,
      asOfMs: NOW - 60_000,
      ...counts,
    };
  });
  return { ...found.answer, runs: named };
}

export function itemsOf({ connectionId: _, runs, ...query }: InvokeArgs<'runs:items'>) {
  const { rows } = compare({ connectionId: '', runs, ...query });
  return rows.map(({ itemId }) => ({ itemId, traceId: null }));
}

export function item({ runs, itemId }: InvokeArgs<'runs:item'>): RunItem {
  const found = comparisons.answer({
    ...{ sources: sourcesOf(runs), datasetId: 'd', ask: { form: 'item', itemId } },
  });
  if (found.form !== 'item') throw DAMAGED;
  return parseExact(found.json) as RunItem;
}
