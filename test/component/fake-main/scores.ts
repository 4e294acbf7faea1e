/** One score run of the first dataset, and its results. */
import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type { ScoreComparison, ScoreDetail, ShownScore } from '../../../electron/shared/score-comparison.ts';
import type { ScoreResult, ScoreRun } from '../../../electron/shared/score-model.ts';
import { DAMAGED, UNREACHABLE } from './lists.ts';
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
    inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } }],
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

/** The same evaluator one day earlier. */
const EARLIER: ScoreRun = {
  ...RUN,
  runId: 'run-0',
  name: 'conciseness · draft',
  createdAtMs: RUN.createdAtMs - 86_400_000,
  endedAtMs: NOW - 86_400_000,
};

/** Another evaluator of the same answers, with two scores. */
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
const scoreOf = (value: number) => {
  const reasoning = `${20 + Math.round(value * 40)} words, of at most 40.`;
  return { name: 'is_concise', value, label: value === 1 ? 'yes' : 'no', reasoning };
};

/** The first 14 items got worse and the next 4 better; the last two have no score in the later run. */
function rowOf(at: number, isSingle: boolean): ShownScore {
  const [before, after] = at < 14 ? [1, 0] : at < 18 ? [0, 1] : [at % 3 === 0 ? 0 : 1, at % 3 === 0 ? 0 : 1];
  const state = at < SCORED ? 'scored' : at === SCORED ? 'skipped' : 'failed';
  const change =
    state === 'scored' ? (after < before ? 'worse' : after > before ? 'better' : 'same') : 'missing';
  const kinds = ['Wrong tone', null, 'Left out a step'];
  return {
    ...{ itemId: uuid(500 + at), change: isSingle ? 'missing' : change },
    before: isSingle ? null : scoreOf(before),
    after: state === 'scored' ? scoreOf(after) : null,
    states: { before: isSingle ? null : 'scored', after: state },
    difference: isSingle || state !== 'scored' ? null : after - before,
    failureKind: at < 9 ? (kinds[at % 3] ?? null) : null,
    title: `${QUESTIONS[at % 3]} ${10_000 + at}?`,
    judged: `The payment left on Monday. ${after === 1 ? 'It arrives in five days.' : 'Banks differ, weekends do not count, and holidays may add to it.'}`,
    problem: state === 'scored' ? null : state === 'skipped' ? LACKS_FIELD.message : UNREACHABLE.message,
  };
}

export function compare({
  before,
  show,
  only,
  offset,
  limit,
}: InvokeArgs<'scores:compare'>): ScoreComparison {
  if (scenario.hasScores === 'incomparable' && before !== null) throw DAMAGED;
  const isSingle = before === null;
  const every = Array.from({ length: SCORED + 2 }, (_, at) => rowOf(at, isSingle));
  const rows = every
    .filter(({ change, states }) => show === null || change === show || states.after === show)
    .filter(
      (row) =>
        only?.by !== 'labels' ||
        (row.after?.label === only.after && (only.before === null || row.before?.label === only.before)),
    )
    .toSorted((one, other) => (isSingle ? (one.after?.value ?? 2) - (other.after?.value ?? 2) : 0));
  const counts = { worse: 14, better: 4, changed: 0, same: 42, missing: 2 };
  const share = (value: number, interval: [number, number]) => ({ value, items: SCORED, interval });
  const after = share(32 / 60, [0.41, 0.65]);
  const isOfJudges = scenario.hasScores === 'judges' && !isSingle;
  const about = { kind: 'share', label: 'yes', after, clusters: isOfJudges ? 24 : null } as const;
  const worse = { verdict: 'worse', more: null, smallest: 0.19, probability: 0.02 } as const;
  const compared = { ...share(-10 / 60, [-0.3, -0.03]), ...worse };
  const polite = {
    ...{ ...about, label: null, before: share(0.9, [0.8, 0.95]), after: share(0.95, [0.86, 0.98]) },
    difference: {
      ...share(0.05, [-0.04, 0.14]),
      ...({ verdict: 'unsure', more: 340, smallest: 0.1, probability: 0.3 } as const),
    },
  };
  const kindCounts = { ...counts, worse: 3, better: 0, same: 0, missing: 0 };
  return {
    ...{ name: 'is_concise', names: isOfJudges ? JUDGE.scoreNames : ['is_concise'], counts },
    means: isSingle ? null : { before: 42 / 60, after: 32 / 60, items: SCORED },
    figures: isSingle
      ? { ...about, before: null, difference: null }
      : { ...about, before: share(42 / 60, [0.57, 0.8]), difference: compared },
    bins: [],
    all: isOfJudges
      ? [
          {
            ...{ name: 'is_concise', adjusted: 0.06 },
            figures: { ...about, before: share(42 / 60, [0.57, 0.8]), difference: compared },
          },
          { name: 'is_polite', adjusted: 0.3, figures: polite },
        ]
      : [],
    agreement: isOfJudges
      ? {
          ...{ items: SCORED, share: 0.7, interval: [0.575, 0.801] },
          kappa: { value: 0.362, interval: [0.13, 0.594] },
          rates: [
            { label: 'yes', before: 0.7, after: 32 / 60 },
            { label: 'no', before: 0.3, after: 28 / 60 },
          ],
        }
      : null,
    labels: isSingle
      ? [
          { before: null, after: 'yes', items: 32 },
          { before: null, after: 'no', items: 28 },
        ]
      : [
          { before: 'yes', after: 'yes', items: 28 },
          { before: 'yes', after: 'no', items: 14 },
          { before: 'no', after: 'no', items: 14 },
          { before: 'no', after: 'yes', items: 4 },
        ],
    failureKinds: [
      { name: 'Left out a step', counts: kindCounts },
      { name: 'Wrong tone', counts: kindCounts },
    ],
    ...{ rows: rows.slice(offset, offset + limit), total: rows.length },
  };
}

export function detail({ itemId, runIds }: InvokeArgs<'scores:item'>): (ScoreDetail | null)[] {
  const at = Array.from({ length: SCORED + 2 }, (_, index) => index).find(
    (index) => uuid(500 + index) === itemId,
  );
  return runIds.map((runId, side): ScoreDetail | null => {
    if (at === undefined) return null;
    const row = rowOf(at, false);
    const score = side === runIds.length - 1 ? row.after : row.before;
    const state = score === null ? (row.states.after ?? 'failed') : 'scored';
    const given = (input: string, bucket: 'inputs' | 'expected_outputs', field: string, value: string) => {
      return { input, from: { kind: 'field' as const, bucket, field }, value, isCut: false };
    };
    const answer = `The payment left on Monday. ${score?.value === 1 ? 'It arrives in five days.' : 'Banks differ, weekends do not count, and holidays may add to it.'}`;
    return {
      result: {
        ...{ itemId, runId, evaluator: RUN.plan.evaluator, state, scores: score === null ? [] : [score] },
        error: state === 'scored' ? null : state === 'skipped' ? LACKS_FIELD : UNREACHABLE,
        atMs: NOW - 70_000,
      },
      inputs:
        state === 'skipped'
          ? null
          : [
              given('prompt', 'inputs', 'question', row.title ?? ''),
              given('text', 'expected_outputs', 'answer', answer),
            ],
    };
  });
}

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
