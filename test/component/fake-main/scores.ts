/** One score run of the first dataset, and what it gave. */
import type { ScoreResult, ScoreRun } from '../../../electron/shared/score-model.ts';
import { UNREACHABLE } from './lists.ts';
import { CONNECTION_ID, NOW, scenario, uuid } from './scenario.ts';

const RUN: ScoreRun = {
  ...{ runId: 'run-1', connectionId: CONNECTION_ID, state: 'done', reason: '', error: null },
  plan: {
    ...{ datasetId: uuid(100), datasetName: 'Refund questions', evaluator: 'conciseness', parameters: {} },
    inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } }],
  },
  counts: { items: 12, scored: 9, failed: 3, unscored: 0 },
  scoreNames: ['is_concise'],
  ...{
    expectedItems: 12,
    startAtMs: null,
    lateStart: null,
    createdAtMs: NOW - 90_000,
    endedAtMs: NOW - 60_000,
  },
};

export const all = (): ScoreRun[] => (scenario.hasScores === true ? [RUN] : []);

export function results(states: readonly string[] | null): { parts: ScoreResult[]; total: number } {
  const parts = Array.from({ length: RUN.counts.items }, (_, at): ScoreResult => {
    const own = {
      itemId: uuid(500 + at),
      runId: RUN.runId,
      evaluator: RUN.plan.evaluator,
      atMs: NOW - 70_000,
    };
    if (at % 4 === 3) return { ...own, state: 'failed', scores: [], error: UNREACHABLE };
    const score = { name: 'is_concise', value: at % 2, label: at % 2 === 0 ? 'no' : 'yes' };
    return { ...own, state: 'scored', scores: [{ ...score, reasoning: `${20 + at} words.` }], error: null };
  }).filter(({ state }) => states === null || states.includes(state));
  return { parts, total: parts.length };
}
