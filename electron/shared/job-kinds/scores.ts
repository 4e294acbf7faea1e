/** Score runs: scores of items of a dataset. Pure. */
import { SCORE_ITEM_STATES, type ScoreRun, scorePlan } from '../score-model.ts';
import * as z from '../zod.ts';
import { ifPlanned, type JobKind, type JobOf, type JobPhase, RUNNING } from './job-kind.ts';

export const scoresKind = {
  id: 'scores',
  storedAs: 'score',
  damaged: { noun: 'score run', goes: 'with its scores' },
  plan: z.strictObject({
    scores: scorePlan,
    /** The dataset's total number of items, as far as the window knows. */
    expectedItems: z.int().min(0).nullish(),
  }),
  noRepeat:
    'whether the service stores what evaluators are asked is not known, which needs a person each time. Start it again by hand',
  actions: [...RUNNING, 'retry'],
  parts: SCORE_ITEM_STATES,
  files: ['results', 'experiment'],
} as const satisfies JobKind;

export const RUN_STATES: Readonly<Record<ScoreRun['state'], JobPhase>> = {
  reading: 'running',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  done: 'done',
};

export function scoresAsJob(own: ScoreRun): JobOf<'scores', ScoreRun> {
  const { runId: id, plan, state, reason, error, counts, expectedItems } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  // Reading the items takes one request for each page, which is few compared with one for each item.
  const count = () => counts.unscored || (expectedItems ?? 1);
  return {
    ...{ kind: 'scores', id, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: own.name,
    state: RUN_STATES[state],
    progress: { done: counts.items - counts.unscored, total: counts.items === 0 ? null : counts.items },
    unknown: 0,
    requests: ifPlanned(own, () =>
      plan.check === undefined ? [{ operation: 'evaluators.score', count: count() }] : [],
    ),
    of: { id: plan.datasetId, name: plan.datasetName },
  };
}
