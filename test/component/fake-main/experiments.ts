/** The comparison of the fake experiments, computed by code of the engine. */
import { numbersIn, RunColumnsBuilder } from '../../../electron/core/items/run-columns.ts';
import { StoredComparisons } from '../../../electron/datasets/stored-comparison.ts';
import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import { parseExact } from '../../../electron/shared/exact-json.ts';
import { type ExperimentResult, fateOf, readResult } from '../../../electron/shared/experiment-result.ts';
import {
  type ComparedItem,
  type ComparedRun,
  type RunItem,
  type RunRef,
  type RunsComparison,
  runsQuery,
} from '../../../electron/shared/run-comparison.ts';
import type { RunsUsage } from '../../../electron/shared/run-usage.ts';
import * as builds from './builds.ts';
import { ITEMS, placeOf, RUNS, result } from './experiment-rows.ts';
import * as traces from './experiment-traces.ts';
import { DAMAGED } from './lists.ts';
import { NOW, scenario, uuid } from './scenario.ts';
import * as scores from './scores.ts';

const results = (at: number): ExperimentResult[] =>
  Array.from(
    { length: scenario.runsCompared === 'empty' ? 0 : (scenario.comparedItems ?? ITEMS) },
    (_, item) => readResult(result(at, item)),
  );
const holds = (value: unknown, words: string) =>
  JSON.stringify(value ?? '')
    .toLowerCase()
    .includes(words.toLowerCase());

const comparisons = new StoredComparisons(() => ({
  scoreRunState: () => ({ version: '1', isDone: true }),
  scoreRun: scores.columnsOf,
  experiment: (at) => {
    const columns = new RunColumnsBuilder();
    for (const [position, each] of results(at).entries())
      columns.add({
        ...{ itemId: each.datasetItemId, position, fate: fateOf(each), durationMs: each.durationMs },
        ...{ scores: each.scores, measures: numbersIn(each.outputs ?? {}), traceId: each.traceId },
      });
    return columns.finish();
  },
  scoreItems: scores.scoreItems,
  results: (at, positions) =>
    positions.map((position) => ({ position, result: readResult(result(at, position)) })),
  scoreItemsWith: () => new Set(),
  resultsWith: (at, words) =>
    new Set(
      results(at)
        .filter(({ outputs }) => holds(outputs, words))
        .map(({ datasetItemId }) => datasetItemId),
    ),
  tracesOf: () => new Map([['item-1', 'trace-1'], ...scores.traces()]),
  sourceOf: (_, itemId) =>
    itemId === 'item-1'
      ? {
          traceId: 'trace-1',
          addedMs: NOW - 86_400_000,
          application: { id: uuid(1), name: 'Support assistant' },
        }
      : null,
  tracesVersion: () => '1',
  originsOf: () => new Map(),
  spanLists: () => (scenario.hasTraces === true ? [traces.LIST] : []),
  spanListsVersion: () => String(scenario.hasTraces),
  spanRows: traces.rows,
  scoreTexts: () => [],
  resultTexts: () => [],
  failureKindsOf: scores.failureKinds,
  failureKindsVersion: () => '',
  close: () => undefined,
}));

const sourcesOf = (runs: readonly RunRef[]) =>
  runs.map((ref) => {
    const plan = scores.all().find(({ runId }) => runId === ref.id)?.plan;
    const { evaluator = '', inputs = [] } = plan ?? {};
    return { ref, version: '1', isComplete: true, generationId: placeOf(ref.id), evaluator, inputs };
  });

const nameOf = ({ kind, id }: RunRef) =>
  (kind === 'scores' ? scores.all().find(({ runId }) => runId === id)?.name : RUNS[placeOf(id)]?.name) ?? id;

export function compare({ connectionId: _, runs, ...query }: InvokeArgs<'runs:compare'>): RunsComparison {
  if (scenario.runsCompared === 'failed') throw DAMAGED;
  if (scenario.hasScores === 'incomparable' && runs.length > 1) throw DAMAGED;
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
      name: nameOf(ref),
      application: ref.kind === 'scores' ? null : { id: uuid(1), name: 'Support assistant' },
      isComplete: true,
      asOfMs: NOW - 60_000,
      ...counts,
    };
  });
  const { comparedTotal: total } = scenario;
  const repeated = total === undefined ? {} : { total, items: total, rows: titledRows(total, asked) };
  return { ...found.answer, ...repeated, dataset: { id: 'd', name: 'Refunds' }, runs: named };
}

/** A page of rows without results, whose titles are their numbers. */
const titledRows = (total: number, { offset, limit }: { offset: number; limit: number }): ComparedItem[] =>
  Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => ({
    ...{ itemId: `item-${offset + at}`, title: `Question ${offset + at + 1}`, titleRun: 0 },
    ...{ failureKind: null, sides: [null, null] },
  }));

const ORIGINS = 3;
let draftId: string | null = null;
/** Creates a draft with the spans of the first items. */
function draft(): string {
  if (draftId !== null) return draftId;
  const { buildId } = builds.create({
    ...{ applicationId: uuid(100), applicationName: 'Support assistant', name: 'Refund questions' },
  });
  draftId = buildId;
  const refs = Array.from({ length: ORIGINS }, (_, position) => {
    const record: Record<string, unknown> = builds.spans().make(position);
    return { trace_id: String(record['trace_id']), span_id: String(record['span_id']), position };
  });
  builds.pick(buildId, refs);
  return buildId;
}

export function itemsOf({ connectionId: _, runs, ...query }: InvokeArgs<'runs:items'>) {
  const { rows } = compare({ connectionId: '', runs, ...query });
  return rows.map(({ itemId }, position) => ({
    ...{ itemId, traceId: null },
    origin: scenario.hasOrigins === true && position < ORIGINS ? { buildId: draft(), position } : null,
  }));
}

export function usageOf({ runs, baseline }: InvokeArgs<'runs:usage'>): RunsUsage {
  for (;;) {
    const ask = { form: 'usage', baseline: baseline ?? 0 } as const;
    const found = comparisons.answer({ sources: sourcesOf(runs), datasetId: 'd', ask });
    if (found.form === 'usage' && found.usage !== null) return found.usage;
  }
}

export function item({ runs, itemId }: InvokeArgs<'runs:item'>): RunItem {
  const found = comparisons.answer({
    ...{ sources: sourcesOf(runs), datasetId: 'd', ask: { form: 'item', itemId } },
  });
  if (found.form !== 'item') throw DAMAGED;
  return parseExact(found.json) as RunItem;
}
