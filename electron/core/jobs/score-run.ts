/** States of a score run, and what an evaluator is given of an item. Pure. */
import type { ItemBuckets } from '../../shared/dataset-model.ts';
import type { WireError } from '../../shared/errors.ts';
import type { ScoreInput, ScoreRun, ScoreValue } from '../../shared/score-model.ts';
import { notNow } from './not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from './start-plan.ts';

/** Planned to begin, or go on, by itself only while it is paused or stopped. */
export interface RunCore extends StartPlan {
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
  /** Begins, or goes on, by itself at `startAtMs`, which is to be in the future. */
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  | { type: 'unschedule' }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  | { type: 'read' }
  | { type: 'end' };

export function isRunIdle(state: ScoreRun['state']): boolean {
  return state === 'paused' || state === 'stopped' || state === 'done';
}

const HALTS = { pause: 'paused', wait: 'waiting', stop: 'stopped' } as const;

/** Can it begin, or go on, by itself later? */
export function isRunPlannable(state: ScoreRun['state']): boolean {
  return state === 'paused' || state === 'stopped';
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the run's state. */
export function runTransition(run: RunCore, event: RunEvent): RunCore {
  const next = step(run, event);
  return next.startAtMs === null || isRunPlannable(next.state) ? next : { ...next, startAtMs: null };
}

function step(run: RunCore, event: RunEvent): RunCore {
  const isIdle = isRunIdle(run.state);
  switch (event.type) {
    case 'pause':
    case 'wait':
    case 'stop':
      if (isIdle) return refuse(run, event.type);
      return { ...run, state: HALTS[event.type], reason: event.reason, error: event.error };
    case 'interrupt':
      if (isIdle) return refuse(run, 'interrupt');
      return { ...run, state: 'paused', reason: 'It was interrupted: the program ended.', error: null };
    case 'wake':
      return run.state === 'waiting' ? goOn(run) : refuse(run, 'continue');
    case 'resume':
      return isIdle ? goOn(run) : refuse(run, 'resume');
    case 'schedule':
      if (!isRunPlannable(run.state)) return refuse(run, 'start later');
      return { ...run, startAtMs: futureStart(event.startAtMs, event.nowMs) };
    case 'unschedule':
      if (run.startAtMs === null) return refuse(run, 'cancel the start');
      return { ...run, startAtMs: null, reason: 'Cancelled.', error: null };
    case 'due':
      return due(run, event.nowMs);
    case 'read':
      return run.state === 'reading' ? { ...run, state: 'running', isReading: false } : refuse(run, 'read');
    case 'end':
      return run.state === 'running'
        ? { ...run, state: 'done', reason: '', error: null }
        : refuse(run, 'end');
  }
}

function due(run: RunCore, nowMs: number): RunCore {
  const { startAtMs } = run;
  if (startAtMs === null) return refuse(run, 'start at the planned time');
  return nowMs < startAtMs ? run : { ...goOn(run), lateStart: lateStartOf(startAtMs, nowMs) };
}

function goOn(run: RunCore): RunCore {
  return { ...run, state: run.isReading ? 'reading' : 'running', reason: '', error: null };
}

function refuse({ state }: RunCore, action: string): never {
  throw notNow(action, 'this score run', state);
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
