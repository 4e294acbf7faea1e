/** One score run of the first dataset, and its results. */
import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type { ComparedScore, ScoreComparison } from '../../../electron/shared/score-comparison.ts';
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
  counts: { items: 12, scored: 9, skipped: 1, failed: 2, unscored: 0 },
  scoreNames: ['is_concise'],
  ...{
    expectedItems: 12,
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

export function all(): ScoreRun[] {
  if (scenario.hasScores === 'two' || scenario.hasScores === 'incomparable') return [RUN, EARLIER];
  return scenario.hasScores === true ? [RUN] : [];
}

export function compare({ show, offset, limit }: InvokeArgs<'scores:compare'>): ScoreComparison {
  if (scenario.hasScores === 'incomparable') throw DAMAGED;
  const score = (value: number) => {
    const label = value > 0.5 ? 'yes' : 'no';
    return { name: 'is_concise', value, label, reasoning: `${Math.round(value * 40)} words.` };
  };
  const kinds = ['Wrong tone', null, 'Left out a step'];
  const every = Array.from({ length: 12 }, (_, at): ComparedScore => {
    const [before, after] = [0.9 - at * 0.06, 0.2 + at * 0.06];
    // The later run has no score for the last item.
    if (at === 11) {
      const only = { itemId: uuid(500 + at), before: score(before), after: null };
      return { ...only, change: 'missing', difference: null, failureKind: null };
    }
    const change = after < before ? 'worse' : 'better';
    return {
      ...{ itemId: uuid(500 + at), change, before: score(before), after: score(after) },
      ...{ difference: after - before, failureKind: kinds[at % 3] ?? null },
    };
  });
  const rows = every.filter(({ change }) => show === null || change === show);
  const counts = { worse: 6, better: 5, changed: 0, same: 0, missing: 1 };
  return {
    ...{ name: 'is_concise', names: ['is_concise'], counts },
    means: { before: 0.57, after: 0.53, items: 12 },
    bins: Array.from({ length: 20 }, (_, at) => {
      return { from: at / 20, to: (at + 1) / 20, before: (at * 7) % 5, after: (at * 3) % 5 };
    }),
    labels: [
      { before: 'yes', after: 'no', items: 6 },
      { before: 'no', after: 'yes', items: 4 },
    ],
    failureKinds: [{ name: 'Wrong tone', counts: { ...counts, worse: 3, better: 1 } }],
    ...{ rows: rows.slice(offset, offset + limit), total: rows.length },
  };
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
