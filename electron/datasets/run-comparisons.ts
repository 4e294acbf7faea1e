/** Compares runs over one dataset: score runs made here and experiments whose results are stored here. */
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import {
  type ComparedRun,
  isSameRun,
  type NamedApplication,
  type RunItem,
  type RunRef,
  type RunsComparison,
  type RunsQuery,
  type StoredExperiment,
  type UsageQuery,
} from '../shared/run-comparison.ts';
import type { RunsUsage } from '../shared/run-usage.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import type { RunSource } from './run-source.ts';
import type { StoredAnswer, StoredRequest } from './stored-comparison.ts';
import type { Comparisons } from './types.ts';

interface ComparisonsDeps {
  /** Throws NOT_FOUND. */
  scoreRun: (runId: string) => ScoreRun;
  experiment: (experimentId: string) => Promise<StoredExperiment>;
  /** Asks the thread that compares runs. */
  ask: (request: StoredRequest) => Promise<StoredAnswer>;
}

type Facts = Pick<ComparedRun, 'ref' | 'name' | 'application' | 'isComplete' | 'asOfMs'> & {
  source: RunSource;
  datasetId: string | null;
  datasetName: string;
};

export function createComparisons(deps: ComparisonsDeps): Comparisons {
  const factsOf = async (ref: RunRef): Promise<Facts> =>
    ref.kind === 'scores'
      ? factsOfScores(ref, deps.scoreRun(ref.id))
      : factsOfExperiment(ref, await deps.experiment(ref.id));
  const ask = async <F extends StoredRequest['ask']['form']>(
    facts: readonly Facts[],
    asked: StoredRequest['ask'] & { form: F },
  ) => {
    const answer = await deps.ask({
      sources: facts.map(({ source }) => source),
      datasetId: facts.find(({ datasetId }) => datasetId !== null)?.datasetId ?? null,
      ask: asked,
    });
    return answer as StoredAnswer & { form: F };
  };
  const allFacts = async (runs: readonly RunRef[]) => {
    checkRuns(runs);
    const facts = await Promise.all(runs.map(factsOf));
    checkDataset(facts);
    return facts;
  };
  let usageBefore: Promise<unknown> = Promise.resolve();
  const usageOf = async ({ runs, baseline }: UsageQuery): Promise<RunsUsage> => {
    checkPlace('the baseline', baseline, runs);
    const facts = await allFacts(runs);
    for (;;) {
      const { usage } = await ask(facts, { form: 'usage', baseline });
      if (usage !== null) return usage;
    }
  };
  return {
    compare: async ({ runs, ...query }: RunsQuery): Promise<RunsComparison> => {
      checkPlaces(query, runs);
      const facts = await allFacts(runs);
      const { answer } = await ask(facts, { form: 'compare', query });
      if (query.score !== null && answer.score !== query.score && answer.scores.length > 0)
        throw new AppError(
          'INVALID_ARGUMENT',
          `Expected a score of these runs, got ${query.score}. They have ${answer.scores.map(({ key }) => key).join(', ')}.`,
        );
      const { datasetId = null, datasetName = '' } = facts.find((one) => one.datasetId !== null) ?? {};
      return {
        ...answer,
        dataset: datasetId === null ? null : { id: datasetId, name: datasetName },
        runs: answer.runs.map((counts, at) => {
          const { ref, name = '', application = null, isComplete = false, asOfMs = null } = facts[at] ?? {};
          return {
            ...{ ref: ref ?? { kind: 'experiment', id: '' }, name, application, isComplete, asOfMs },
            ...counts,
          };
        }),
      };
    },
    items: async ({ runs, ...query }: Omit<RunsQuery, 'hasShape'>) => {
      checkPlaces(query, runs);
      return (await ask(await allFacts(runs), { form: 'ids', query })).items;
    },
    item: async (runs: readonly RunRef[], itemId: string): Promise<RunItem> => {
      const { json } = await ask(await allFacts(runs), { form: 'item', itemId });
      // The cast is safe, because the thread wrote this JSON.
      return parseExact(json) as RunItem;
    },
    usage: (query: UsageQuery) => {
      // Readings of traces run one after the other, because each would start again after a step of another one.
      const mine = usageBefore.then(() => usageOf(query));
      usageBefore = mine.catch(() => undefined);
      return mine;
    },
    prepare: async (run: RunRef) => {
      const facts = await factsOf(run);
      if (facts.isComplete) await ask([facts], { form: 'prepare' });
    },
  };
}

function factsOfScores(ref: RunRef, { name, plan, counts }: ScoreRun): Facts {
  const { evaluator, inputs, datasetId, datasetName } = plan;
  const checked = plan.experiment === undefined ? {} : { checkedExperimentId: plan.experiment.id };
  return {
    ...{
      ref,
      name,
      application: null,
      datasetId,
      datasetName,
      isComplete: counts.unscored === 0,
      asOfMs: null,
    },
    source: {
      ...{ ref, version: '', isComplete: false, generationId: 0, evaluator, inputs, ...checked },
    },
  };
}

function factsOfExperiment(ref: RunRef, { record, results }: StoredExperiment): Facts {
  const dataset = referenceIn(record, 'dataset');
  const application = referenceIn(record, 'application');
  const name = record?.['name'];
  return {
    ref,
    name: typeof name === 'string' ? name : ref.id,
    application,
    datasetId: dataset?.id ?? null,
    datasetName: dataset?.name ?? '',
    isComplete: results?.isComplete ?? false,
    asOfMs: results?.oldestMs ?? null,
    source: {
      ...{ ref, version: results?.version ?? '', generationId: results?.generationId ?? 0 },
      ...{ isComplete: results?.isComplete ?? false, total: results?.total ?? null },
      ...{ evaluator: '', inputs: [] },
    },
  };
}

function referenceIn(record: StoredExperiment['record'], field: string): NamedApplication | null {
  const value = record?.[field];
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  const id = String(value.id);
  return { id, name: 'name' in value ? String(value.name) : id };
}

function checkRuns(runs: readonly RunRef[]): void {
  const twice = runs.find((run, at) => runs.findIndex((other) => isSameRun(run, other)) !== at);
  if (twice !== undefined)
    throw new AppError('INVALID_ARGUMENT', `Expected different runs, got ${twice.id} twice.`);
}

function checkPlaces(
  { baseline, filter }: Pick<RunsQuery, 'baseline' | 'filter'>,
  runs: readonly RunRef[],
): void {
  checkPlace('the baseline', baseline, runs);
  if (filter.run !== null) checkPlace('the run of the filter', filter.run, runs);
}

function checkPlace(what: string, place: number, runs: readonly RunRef[]): void {
  if (place < runs.length) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected ${what} to be one of ${runs.length} runs, got number ${place + 1}.`,
  );
}

function checkDataset(facts: readonly Facts[]): void {
  const known = facts.filter(({ datasetId }) => datasetId !== null);
  const [first] = known;
  const other = known.find(({ datasetId }) => datasetId !== first?.datasetId);
  if (first === undefined || other === undefined) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected runs over one dataset, got ${first.name} over ${first.datasetName} and ${other.name} over ${other.datasetName}.`,
  );
}
