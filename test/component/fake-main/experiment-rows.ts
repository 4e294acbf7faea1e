/** Three experiments with 200 items each over one dataset, a fourth over another dataset, and any number of earlier ones. */
import { readResult } from '../../../electron/shared/experiment-result.ts';
import type { Json, Rows } from './records.ts';
import { iso, scenario, uuid } from './scenario.ts';

const DAY = 86_400_000;
export const ITEMS = 200;
export const RUNS = [
  { name: 'Prompt v1', description: 'The prompt in production.', quality: 0.6, dataset: 0 },
  { name: 'Prompt v2, shorter answers', description: 'At most two sentences.', quality: 0.72, dataset: 0 },
  {
    name: 'Larger model',
    description: 'Prompt v2 on a model of four times the price.',
    quality: 0.74,
    dataset: 0,
  },
  { name: 'Triage rules 2.2', description: 'Sends more claims to people.', quality: 0.5, dataset: 1 },
] as const;
const idOf = (at: number) => uuid(7_000 + at);
const DATASETS = [
  { id: uuid(100), name: 'Refund questions' },
  { id: uuid(101), name: 'Claims, edge cases' },
];

const COUNT = scenario.experiments ?? RUNS.length;
const DESCRIPTION = 'Another wording of the prompt.';
const runOf = (at: number) =>
  RUNS[at] ?? {
    ...{ name: `Prompt of night ${at}`, description: DESCRIPTION, quality: 0.4 + shareOf(3, at) * 0.3 },
    dataset: 0 as const,
  };

export function experiment(at: number): Json {
  const run = runOf(at);
  const daysAgo = at < RUNS.length ? 9 - at : 6 + at;
  return {
    ...{
      id: idOf(at),
      name: run.name,
      description: run.description,
      status: at === 2 ? 'FAILED' : 'COMPLETED',
    },
    ...{ dataset: DATASETS[run.dataset], application: { id: uuid(1), name: 'Support assistant' } },
    ...{
      created_at: iso(DAY * daysAgo),
      updated_at: iso(DAY * daysAgo),
      duration_ms: 340_000,
      metadata: {},
    },
    ...(at === 2 ? { error_reason: 'TimeoutError', error_message: 'The gateway did not answer.' } : {}),
  };
}

/** Returns the trace that a result refers to. */
export const traceOf = (at: number, item: number): string => `run-${at}-trace-${item}`;

/** Returns a fixed number in [0, 1) for an item of a run. */
const shareOf = (run: number, item: number) => ((run * 7_919 + item * 104_729 + 17) % 1_000) / 1_000;

export function result(at: number, item: number): Json {
  const run = runOf(at);
  const isFailed = at === 2 && item % 23 === 5;
  const isSkipped = at === 1 && item % 41 === 3;
  const isRegressed = at === 1 && item % 17 === 4;
  const noise = shareOf(0, item) * 0.5 - 0.25 + shareOf(at, item) * 0.3 - 0.15;
  const level = Math.min(1, Math.max(0, run.quality + noise - (isRegressed ? 0.45 : 0)));
  const relevance = level > 0.55 ? 1 : level > 0.3 ? 0.5 : 0;
  const days = 1 + (item % 5);
  const answer = `The money is back within ${days + (level > 0.5 ? 0 : 9)} working days${at === 0 ? ', as soon as the bank has booked it' : ''}.`;
  const score = (evaluator: string, name: string, value: number | null, label: string | null) => ({
    ...{ evaluator_name: evaluator, name, value, label, status: 'SUCCESS' },
    reasoning: value === 1 ? 'Answers the question.' : 'Leaves a part of the question open.',
  });
  const status = isFailed ? 'FAILED' : isSkipped ? 'SKIPPED' : 'SUCCESS';
  return {
    experiment_item: {
      ...{ id: `result-${at}-${item}`, dataset_item_id: `item-${item}`, status },
      outputs:
        status === 'SUCCESS'
          ? { answer, usage: { input_tokens: 200 + item, output_tokens: 40 - at * 8 } }
          : {},
      ...{ duration_ms: 600 + ((item * 37) % 900) + at * 180, timestamp: iso(DAY * (9 - at)) },
      ...(isFailed
        ? { error_reason: 'TimeoutError', error_message: 'The model did not answer within 30 s.' }
        : {}),
      ...(scenario.hasTraces === true ? { trace_id: traceOf(at, item) } : {}),
      ...(at === 1 && item === 0 ? { trace_id: 'trace-7' } : {}),
    },
    dataset_item: {
      ...{ id: `item-${item}`, inputs: { question: `Where is my refund for order ${10_000 + item}?` } },
      expected_outputs: { answer: `Within ${days} working days.` },
    },
    scores:
      status === 'SUCCESS'
        ? [
            score('Answer Relevance', 'relevance', relevance, ['low', 'medium', 'high'][relevance * 2] ?? ''),
            score('RAG Faithfulness', 'faithfulness', Number(level.toFixed(2)), null),
            score('Tone', 'tone', null, level > 0.4 ? 'polite' : 'curt'),
            // A result may contain a score twice.
            ...(isRegressed ? [score('Tone', 'tone', null, 'polite')] : []),
            ...(scenario.hasPeople === true && item < 60
              ? [score('Human', 'good', Number(level > 0.5 !== (item % 10 === 3)), null)]
              : []),
          ]
        : [],
  };
}

export const placeOf = (id: string) => Array.from({ length: COUNT }, (_, at) => idOf(at)).indexOf(id);

export const EXPERIMENT_ROWS: Readonly<Record<string, Rows>> = {
  'experiments.list': { total: COUNT, make: experiment },
};
export const resultRows = (experimentId: string): Rows => ({
  total: ITEMS,
  make: (item) => result(Math.max(0, placeOf(experimentId)), item),
});
/** Returns the mean of the numbers of a score. */
function meanOf(at: number, name: string): number {
  const values = Array.from({ length: ITEMS }, (_, item) => readResult(result(at, item))).flatMap(
    ({ scores }) => scores.find((score) => score.name === name)?.value ?? [],
  );
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
export const metricsOf = (experimentId: string): Json => ({
  evaluators: ['relevance', 'faithfulness'].map((name) => ({
    ...{ evaluator_name: name === 'relevance' ? 'Answer Relevance' : 'RAG Faithfulness', name },
    ...{ mean: meanOf(Math.max(0, placeOf(experimentId)), name), count: ITEMS },
  })),
});
