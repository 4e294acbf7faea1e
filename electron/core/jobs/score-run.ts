/** States of a score run, and the evaluator's inputs for an item. Pure. */

import { RUN_STATES } from '../../shared/job-kinds/scores.ts';
import type { ScoreBucket, ScoreInput, ScoreRun, ScoreValue } from '../../shared/score-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';
import { notNow } from './not-now.ts';

type State = ScoreRun['state'];

export interface RunCore extends JobCore<State> {
  /** True while items still have to be read. */
  isReading: boolean;
}

export type RunEvent = JobEvent | { type: 'read' };

const RULES: JobRules<State, RunCore> = {
  subject: 'this score run',
  phases: RUN_STATES,
  // Failed items of a finished run can be scored again.
  resumable: ['paused', 'failed', 'done'],
  left: ({ state, isReading }) => (state === 'running' && !isReading ? 'nothing' : 'something'),
};

export function isRunIdle(state: State): boolean {
  return state === 'paused' || state === 'stopped' || state === 'done';
}

/** Returns the state after an event. Throws INVALID_ARGUMENT if the run's state does not allow the event. */
export function runTransition(run: RunCore, event: RunEvent): RunCore {
  if (event.type === 'read') {
    if (run.state !== 'reading') throw notNow('read', RULES.subject, run.state);
    return { ...run, state: 'running', isReading: false };
  }
  const next = transition(RULES, run, event);
  return next.state === 'running' && next.isReading ? { ...next, state: 'reading' } : next;
}

/** The evaluator's inputs, and the fields that the item lacks, e.g. `inputs.question`. */
export function scoreInputsOf(
  item: Readonly<Partial<Record<ScoreBucket, Readonly<Record<string, unknown>>>>>,
  inputs: readonly ScoreInput[],
): { inputs: Record<string, unknown>; missing: string[] } {
  const missing: string[] = [];
  const pairs = inputs.flatMap(({ input, from }): [string, unknown][] => {
    if (from.kind === 'text') return [[input, from.text]];
    const bucket = item[from.bucket] ?? {};
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

/**
 * Scores to store, and the names of those that count as failed because they have neither value nor label (SERVICE.md
 * F3.4).
 */
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
