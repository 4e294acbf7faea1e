/**
 * Experiments of the sample workspace: ten runs over two datasets, with regressions, failed and skipped items,
 * repetitions, and one run in progress. Their results are generated when they are first read.
 */
import { CALLER, idOfReference, ORGANIZATION, referenceTo } from '../record-parts.ts';
import type { JsonRecord } from '../store.ts';
import type { DatasetItemStore } from '../store-datasets.ts';
import type { StoredResult } from '../store-experiments.ts';
import type { Stores } from '../stores.ts';
import { SeededRandom } from './seeded-random.ts';

const SUPPORT_DATASET = 'Support answers, golden set';
const CLAIMS_DATASET = 'Claims triage, edge cases';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Run {
  name: string;
  dataset: string;
  description: string | null;
  status: 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  metadata: JsonRecord;
  /** Hours from the start of the run until now. */
  ageHours: number;
  /** Quality of the answers, from 0 to 1. */
  quality: number;
  /** Share of items with results much worse than their difficulty explains. */
  regressed?: number;
  failed?: number;
  skipped?: number;
  /** Number of the first items of the dataset that the run includes; default: all. */
  items?: number;
  repetitions?: number;
  /** Milliseconds from one result to the next. */
  paceMs?: number;
  failure?: { error_reason: string; error_message: string; traceback: string };
}

const RUNS: readonly Run[] = [
  {
    name: 'Baseline, prompt v1',
    dataset: SUPPORT_DATASET,
    description: 'The prompt in production since June.',
    status: 'COMPLETED',
    metadata: { prompt: 'v1', model: 'openmix-small', temperature: 0 },
    ...{ ageHours: 620, quality: 0.62, failed: 0.01 },
  },
  {
    name: 'Prompt v2, shorter answers',
    dataset: SUPPORT_DATASET,
    description: 'Asks for at most two sentences.',
    status: 'COMPLETED',
    metadata: { prompt: 'v2', model: 'openmix-small', temperature: 0, parent: 'Baseline, prompt v1' },
    ...{ ageHours: 450, quality: 0.7, regressed: 0.08, failed: 0.01 },
  },
  {
    name: 'Prompt v3, eight repetitions',
    dataset: SUPPORT_DATASET,
    description: 'Each item eight times, to see how much one answer varies.',
    status: 'COMPLETED',
    metadata: {
      prompt: 'v3',
      model: 'openmix-small',
      temperature: 0.7,
      sampling: { repetitions: 8, seed: 11 },
    },
    ...{ ageHours: 260, quality: 0.76, repetitions: 8, paceMs: 250 },
  },
  {
    name: 'Larger model',
    dataset: SUPPORT_DATASET,
    description: 'Prompt v3 on a model of four times the price. The gateway was overloaded for a while.',
    status: 'COMPLETED',
    metadata: { prompt: 'v3', model: 'towerworks-large', temperature: 0 },
    ...{ ageHours: 96, quality: 0.84, failed: 0.12, skipped: 0.08, items: 600 },
  },
  {
    name: 'Nightly run',
    dataset: SUPPORT_DATASET,
    description: null,
    status: 'IN_PROGRESS',
    metadata: { prompt: 'v3', schedule: 'nightly' },
    ...{ ageHours: 0.4, quality: 0.75, paceMs: 6_000 },
  },
  {
    name: 'Strict JSON answers',
    dataset: SUPPORT_DATASET,
    description: 'Stopped at the first answer that was not JSON.',
    status: 'FAILED',
    metadata: { prompt: 'v4-json' },
    ...{ ageHours: 30, quality: 0.5, items: 37 },
    failure: {
      error_reason: 'JSONDecodeError',
      error_message: 'Expecting value: line 1 column 1 (char 0)',
      traceback:
        'Traceback (most recent call last):\n  File "run.py", line 41, in task\n    return json.loads(answer)\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    },
  },
  {
    name: 'Triage rules 2.1',
    dataset: CLAIMS_DATASET,
    description: 'Rules before the change of August.',
    status: 'COMPLETED',
    metadata: { rules: '2.1' },
    ...{ ageHours: 700, quality: 0.66 },
  },
  {
    name: 'Triage rules 2.2',
    dataset: CLAIMS_DATASET,
    description: 'Adds the photo check; sends more claims to people.',
    status: 'COMPLETED',
    metadata: { rules: '2.2', parent: 'Triage rules 2.1' },
    ...{ ageHours: 340, quality: 0.68, regressed: 0.15, skipped: 0.03 },
  },
  {
    name: 'Triage rules 2.3, first look',
    dataset: CLAIMS_DATASET,
    description: null,
    status: 'CANCELLED',
    metadata: {},
    ...{ ageHours: 52, quality: 0.7, items: 90 },
  },
  {
    name: 'Triage rules 2.3',
    dataset: CLAIMS_DATASET,
    description: 'Waits for the new photo model.',
    status: 'PENDING',
    metadata: { rules: '2.3' },
    ...{ ageHours: 3, quality: 0.7, items: 0 },
  },
];

/** Adds the records of experiments, and a plan for the results of each. */
export function generateExperiments(stores: Stores, random: SeededRandom, baseMs: number): void {
  const datasets = stores.resources.list('dataset');
  for (const run of RUNS) {
    const dataset = datasets.find(({ name }) => name === run.dataset);
    const applicationId = dataset === undefined ? null : idOfReference(dataset, 'application');
    if (dataset === undefined || applicationId === null) continue;
    const id = random.uuid();
    const startMs = baseMs - run.ageHours * HOUR_MS;
    const paceMs = run.paceMs ?? 900;
    const all = run.items ?? stores.items.count(String(dataset['id']));
    const durationMs = all * (run.repetitions ?? 1) * paceMs;
    const isOver = run.status === 'COMPLETED' || run.status === 'FAILED';
    const { failure = { error_reason: null, error_message: null, traceback: null } } = run;
    stores.resources.add('experiment', id, applicationId, {
      id,
      name: run.name,
      description: run.description,
      metadata: run.metadata,
      status: run.status,
      ...failure,
      duration_ms: isOver ? durationMs : null,
      organization: ORGANIZATION,
      project: dataset['project'],
      dataset: referenceTo(dataset),
      application: dataset['application'],
      created_at: new Date(startMs).toISOString(),
      updated_at: new Date(startMs + (isOver ? durationMs : 0)).toISOString(),
      created_by: CALLER,
      updated_by: CALLER,
    });
    const { quality, regressed = 0, failed = 0, skipped = 0, repetitions = 1 } = run;
    const shares = { quality, regressed, failed, skipped, repetitions };
    stores.experiments.addPlan(id, {
      ...{ name: run.name, dataset_id: dataset['id'], items: all, start_ms: startMs, pace_ms: paceMs },
      ...{ ...shares, grows: run.status === 'IN_PROGRESS', seed: random.int(1, 1_000_000) },
    });
  }
}

const number = (plan: JsonRecord, field: string): number => Number(plan[field] ?? 0);

/** A number in [0, 1) derived from a text, so that an item is equally hard in each run. */
function shareOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return new SeededRandom(hash).next();
}

/** The results for a plan that `generateExperiments` stored. */
export function plannedResults(items: DatasetItemStore, plan: JsonRecord): StoredResult[] {
  const random = new SeededRandom(number(plan, 'seed'));
  const chosen = items.all(String(plan['dataset_id']), number(plan, 'items'));
  const rounds = Array.from({ length: number(plan, 'repetitions') }, (_, round) => round);
  return rounds.flatMap((round) =>
    chosen.map((item, index) => resultOf(random, plan, item, round * chosen.length + index)),
  );
}

function resultOf(random: SeededRandom, plan: JsonRecord, item: JsonRecord, at: number): StoredResult {
  const datasetItemId = String(item['id']);
  const timestampMs = number(plan, 'start_ms') + at * number(plan, 'pace_ms');
  const timestamp = new Date(timestampMs).toISOString();
  const isRegressed = shareOf(`${String(plan['name'])} ${datasetItemId}`) < number(plan, 'regressed');
  const noise = random.next() * 0.3 - 0.15;
  const level =
    number(plan, 'quality') + 0.3 - shareOf(datasetItemId) * 0.75 + noise - (isRegressed ? 0.5 : 0);
  const chance = random.next();
  const status =
    chance < number(plan, 'failed')
      ? 'FAILED'
      : chance < number(plan, 'failed') + number(plan, 'skipped')
        ? 'SKIPPED'
        : 'SUCCESS';
  const isDone = status === 'SUCCESS';
  const durationMs = random.int(350, 2_400) + (isRegressed ? random.int(500, 3_000) : 0);
  return {
    item: {
      id: random.uuid(),
      dataset_item_id: datasetItemId,
      outputs: isDone ? outputsOf(random, item, level) : {},
      duration_ms: status === 'SKIPPED' ? 0 : durationMs,
      timestamp,
      status,
      ...(status === 'FAILED' ? failureOf(random) : { error_reason: null, error_message: null }),
    },
    scores: isDone ? scoresOf(random, level) : [],
    createdAt: timestamp,
    updatedAt: timestamp,
    timestampMs,
    visibleMs: plan['grows'] === true ? timestampMs : 0,
  };
}

function failureOf(random: SeededRandom): JsonRecord {
  return random.chance(0.7)
    ? { error_reason: 'TimeoutError', error_message: 'The model did not answer within 30 s.' }
    : { error_reason: 'RateLimitError', error_message: '429 Too Many Requests from the gateway' };
}

/** The expected answer, shortened or replaced depending on how well the run did on this item. */
function outputsOf(random: SeededRandom, item: JsonRecord, level: number): JsonRecord {
  const expected = Object(item['expected_outputs']) as JsonRecord;
  const words = String(expected['answer'] ?? '').split(' ');
  const kept = words.slice(0, Math.max(3, Math.ceil(words.length * Math.min(1, level + 0.35))));
  const answer =
    level < 0.15 ? 'I am sorry, I cannot help with that. Please contact the service desk.' : kept.join(' ');
  const [input, output] = [random.int(180, 900), Math.max(8, Math.round(answer.length / 4))];
  return {
    answer,
    intent: level > 0.3 ? expected['intent'] : 'other',
    usage: { input_tokens: input, output_tokens: output },
    cost_usd: Number((input * 0.000_000_5 + output * 0.000_001_5).toFixed(7)),
  };
}

function score(evaluator: string, name: string, rest: JsonRecord): JsonRecord {
  const plain = { value: null, label: null, reasoning: null, status: 'SUCCESS' };
  return { evaluator_name: evaluator, name, ...plain, error_reason: null, error_message: null, ...rest };
}

/** Scores: a relevance of three grades, a faithfulness between 0 and 1, and a tone without a number. */
function scoresOf(random: SeededRandom, level: number): JsonRecord[] {
  const relevance = level > 0.55 ? 1 : level > 0.25 ? 0.5 : 0;
  const faithfulness = Math.min(1, Math.max(0, level + random.next() * 0.2));
  const isUnscored = random.chance(0.004);
  return [
    score('Answer Relevance', 'relevance', {
      value: relevance,
      label: ['low', 'medium', 'high'][relevance * 2],
      reasoning: relevance === 1 ? 'Answers the question.' : 'Leaves a part of the question open.',
    }),
    isUnscored
      ? score('RAG Faithfulness', 'faithfulness', {
          status: 'FAILED',
          error_reason: 'EvaluatorError',
          error_message: 'The judge returned no number.',
        })
      : score('RAG Faithfulness', 'faithfulness', { value: Number(faithfulness.toFixed(3)) }),
    score('Tone', 'tone', { label: random.chance(0.8 + level * 0.1) ? 'polite' : 'curt' }),
  ];
}
