/** States of a score run, and what an evaluator is given of an item. Pure. */
import type { ItemBuckets } from '../shared/dataset-model.ts';
import { AppError, type WireError } from '../shared/errors.ts';
import type { ScoreInput, ScoreRun, ScoreValue } from '../shared/score-model.ts';

export interface RunCore {
  state: ScoreRun['state'];
  reason: string;
  error: WireError | null;
  /** Items are still to be read before all of them can be scored. */
  isReading: boolean;
}

export type RunEvent =
  | { type: 'pause'; reason: string; error: WireError | null }
  | { type: 'wait'; reason: string; error: WireError | null }
  | { type: 'stop'; reason: string; error: WireError | null }
  | { type: 'interrupt' }
  | { type: 'wake' }
  | { type: 'resume' }
  | { type: 'read' }
  | { type: 'end' };

export function isRunIdle(state: ScoreRun['state']): boolean {
  return state === 'paused' || state === 'stopped' || state === 'done';
}

const HALTS = { pause: 'paused', wait: 'waiting', stop: 'stopped' } as const;

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the run's state. */
export function runTransition(run: RunCore, event: RunEvent): RunCore {
  const isIdle = isRunIdle(run.state);
  switch (event.type) {
    case 'pause':
    case 'wait':
    case 'stop':
      if (isIdle) return refuse(run, HALTS[event.type]);
      return { ...run, state: HALTS[event.type], reason: event.reason, error: event.error };
    case 'interrupt':
      if (isIdle) return refuse(run, 'interrupted');
      return { ...run, state: 'paused', reason: 'It was interrupted: the program ended.', error: null };
    case 'wake':
      return run.state === 'waiting' ? goOn(run) : refuse(run, 'woken');
    case 'resume':
      return isIdle ? goOn(run) : refuse(run, 'resumed');
    case 'read':
      return run.state === 'reading' ? { ...run, state: 'running', isReading: false } : refuse(run, 'read');
    case 'end':
      return run.state === 'running'
        ? { ...run, state: 'done', reason: '', error: null }
        : refuse(run, 'ended');
  }
}

function goOn(run: RunCore): RunCore {
  return { ...run, state: run.isReading ? 'reading' : 'running', reason: '', error: null };
}

function refuse(run: RunCore, what: string): never {
  throw new AppError('INVALID_ARGUMENT', `A score run that is ${run.state} cannot be ${what}.`);
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

/** Scores as they are kept; one that has neither value nor label counts as failed (API_FACTS 3.4). */
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
