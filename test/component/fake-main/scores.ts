/** Score runs of the first dataset, and their results in the form that the comparison reads. */
import { type RunColumns, RunColumnsBuilder } from '../../../electron/core/items/run-columns.ts';
import type { StoredScoreItem } from '../../../electron/db/build-store.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type {
  ScoreItemState,
  ScoreResult,
  ScoreRun,
  ScoreValue,
} from '../../../electron/shared/score-model.ts';
import { UNREACHABLE } from './lists.ts';
import { CONNECTION_ID, NOW, scenario, uuid } from './scenario.ts';

const RUN: ScoreRun = {
  ...{
    runId: 'run-1',
    name: 'conciseness · answer',
    connectionId: CONNECTION_ID,
    state: 'done',
    reason: '',
    error: null,
  },
  plan: {
    ...{ datasetId: uuid(100), datasetName: 'Refund questions', evaluator: 'conciseness', parameters: {} },
    inputs: [
      { input: 'prompt', from: { kind: 'field', bucket: 'inputs', field: 'question' } },
      { input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } },
    ],
  },
  counts: { items: 62, scored: 60, skipped: 1, failed: 1, unscored: 0 },
  scoreNames: ['is_concise'],
  ...{
    expectedItems: 62,
    startAtMs: null,
    lateStart: null,
    createdAtMs: NOW - 90_000,
    endedAtMs: NOW - 60_000,
  },
};

const LACKS_FIELD: WireError = {
  ...{ code: 'INVALID_ARGUMENT', title: 'Not possible', retry: 'never', details: {} },
  message: 'The item lacks the field expected_outputs.answer that the evaluator needs.',
};

/** A run of the same evaluator one day earlier. */
const EARLIER: ScoreRun = {
  ...RUN,
  runId: 'run-0',
  name: 'conciseness · draft',
  createdAtMs: RUN.createdAtMs - 86_400_000,
  endedAtMs: NOW - 86_400_000,
};

/** Another evaluator of the same answers, which gives two scores. */
const JUDGE: ScoreRun = {
  ...{ ...EARLIER, runId: 'run-j', name: 'Human · answer', scoreNames: ['is_concise', 'is_polite'] },
  plan: { ...RUN.plan, evaluator: 'Human' },
};

export function all(): ScoreRun[] {
  if (scenario.hasScores === 'judges') return [{ ...RUN, scoreNames: JUDGE.scoreNames }, JUDGE];
  if (scenario.hasScores === 'two' || scenario.hasScores === 'incomparable') return [RUN, EARLIER];
  return scenario.hasScores === true ? [RUN] : [];
}

const QUESTIONS = [
  'Where is my refund for order',
  'How long does the bank take for order',
  'Who pays to send back',
];
const SCORED = 60;
const ITEMS = SCORED + 2;
const CONCISE = 'It arrives in five days.';
const WORDY = 'Banks differ, weekends do not count, and holidays may add to it.';
const conciseness = (value: number): ScoreValue => {
  const reasoning = `${20 + Math.round(value * 40)} words, of at most 40.`;
  return { name: 'is_concise', value, label: value === 1 ? 'yes' : 'no', reasoning };
};
const politeness = (value: number): ScoreValue => {
  return { name: 'is_polite', value, label: value === 1 ? 'yes' : 'no', reasoning: null };
};

/** The first 14 items got worse and the next 4 got better. The last two items have no score in the later run. */
function itemOf(runId: string, at: number): StoredScoreItem {
  const isLater = runId === RUN.runId;
  const first = at < 14 ? 1 : at < 18 ? 0 : at % 3 === 0 ? 0 : 1;
  const value = isLater && at < 18 ? 1 - first : first;
  const state: ScoreItemState = !isLater || at < SCORED ? 'scored' : at === SCORED ? 'skipped' : 'failed';
  const scores = [
    conciseness(value),
    ...(scenario.hasScores === 'judges' ? [politeness(at % (isLater ? 20 : 10) === 0 ? 0 : 1)] : []),
  ];
  return {
    ...{ position: at, itemId: uuid(500 + at), state, scores: state === 'scored' ? scores : [] },
    inputs:
      state === 'skipped'
        ? null
        : {
            prompt: `${QUESTIONS[at % 3]} ${10_000 + at}?`,
            text: `The payment left on Monday. ${value === 1 ? CONCISE : WORDY}`,
          },
    error: state === 'scored' ? null : state === 'skipped' ? LACKS_FIELD : UNREACHABLE,
    atMs: NOW - 70_000,
  };
}
const itemsIn = (runId: string) => Array.from({ length: ITEMS }, (_, at) => itemOf(runId, at));

export function columnsOf(runId: string): RunColumns {
  const builder = new RunColumnsBuilder();
  for (const { itemId, position, state, scores } of itemsIn(runId))
    builder.add({
      ...{ itemId, position, fate: state === 'scored' ? 'good' : state, durationMs: null },
      scores: scores.map((score) => ({ evaluator: RUN.plan.evaluator, ...score })),
    });
  return builder.finish();
}

export const scoreItems = (runId: string, itemIds: readonly string[]): StoredScoreItem[] =>
  itemsIn(runId).filter(({ itemId }) => itemIds.includes(itemId));

/** Items of one trace count as a group only in the scenario `judges`. */
export const traces = (): Map<string, string> =>
  new Map(
    scenario.hasScores === 'judges'
      ? Array.from({ length: ITEMS }, (_, at) => {
          const trace = at < 6 ? Math.floor(at / 2) : at < 18 ? at : `late ${at % 20}`;
          return [uuid(500 + at), `trace ${trace}`];
        })
      : [],
  );

const KINDS = ['Wrong tone', null, 'Left out a step'];
export const failureKinds = (): Map<string, string> =>
  new Map(
    Array.from({ length: 9 }, (_, at) => [uuid(500 + at), KINDS[at % 3]] as const).flatMap(([id, name]) =>
      name == null ? [] : [[id, name]],
    ),
  );

export function results(states: readonly string[] | null): { parts: ScoreResult[]; total: number } {
  const parts = Array.from({ length: RUN.counts.items }, (_, at): ScoreResult => {
    const own = {
      itemId: uuid(500 + at),
      runId: RUN.runId,
      evaluator: RUN.plan.evaluator,
      atMs: NOW - 70_000,
    };
    if (at === 11) return { ...own, state: 'skipped', scores: [], error: LACKS_FIELD };
    if (at % 4 === 3) return { ...own, state: 'failed', scores: [], error: UNREACHABLE };
    const score = { name: 'is_concise', value: at % 2, label: at % 2 === 0 ? 'no' : 'yes' };
    return { ...own, state: 'scored', scores: [{ ...score, reasoning: `${20 + at} words.` }], error: null };
  }).filter(({ state }) => states === null || states.includes(state));
  return { parts, total: parts.length };
}
