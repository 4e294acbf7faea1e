/** States of a score run, and what an evaluator is given of an item. Pure. */

import type { ItemBuckets } from '../../shared/dataset-model.ts';
import { RUN_STATES } from '../../shared/job-of.ts';
import type { ScoreInput, ScoreRun, ScoreValue } from '../../shared/score-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';
import { notNow } from './not-now.ts';

type State = ScoreRun['state'];

export interface RunCore extends JobCore<State> {
  /** Items are still to be read before all of them can be scored. */
  isReading: boolean;
}

export type RunEvent = JobEvent | { type: 'read' };

const RULES: JobRules<State, RunCore> = {
  subject: 'this score run',
  phases: RUN_STATES,
  // What failed in one that is done can be asked for again.
  resumable: ['paused', 'failed', 'done'],
  left: ({ state, isReading }) => (state === 'running' && !isReading ? 'nothing' : 'something'),
};

export function isRunIdle(state: State): boolean {
  return state === 'paused' || state === 'stopped' || state === 'done';
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the run's state. */
export function runTransition(run: RunCore, event: RunEvent): RunCore {
  if (event.type === 'read') {
    if (run.state !== 'reading') throw notNow('read', RULES.subject, run.state);
    return { ...run, state: 'running', isReading: false };
  }
  const next = transition(RULES, run, event);
  return next.state === 'running' && next.isReading ? { ...next, state: 'reading' } : next;
}

/** What the evaluator is given; the fields that the item lacks, as `inputs.question`. */
export function scoreInputsOf(
  item: ItemBuckets,
  inputs: readonly ScoreInput[],
): { inputs: Record<string, unknown>; missing: string[] } {
  const missing: string[] = [];
  const pairs = inputs.flatMap(({ input, from }): [string, unknown][] => {
    if (from.kind === 'text') return [[input, from.text]];
    const bucket = item[from.bucket];
    if (Object.hasOwn(bucket, from.field)) return [[input, bucket[from.field]]];
    missing.push(`${from.bucket}.${from.field}`);
    return [];
  });
  return { inputs: Object.fromEntries(pairs), missing };
}

interface RawScore {
  name: string;
  value?: number | null | undefined;
  label?: string | null | undefined;
  reasoning?: string | null | undefined;
}

/** Scores as they are kept; one that has neither value nor label counts as failed (SERVICE.md F3.4). */
export function readScores(scores: readonly RawScore[]): { scores: ScoreValue[]; failed: string[] } {
  const kept = scores.map(({ name, value, label, reasoning }) => ({
    name,
    value: value ?? null,
    label: label ?? null,
    reasoning: reasoning ?? null,
  }));
  const failed = kept.filter(({ value, label }) => value === null && label === null).map(({ name }) => name);
  return { scores: kept, failed };
}
