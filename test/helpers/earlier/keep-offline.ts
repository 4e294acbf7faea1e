/** States of a job that keeps something to be read offline. Pure. */

import { notNow } from '../../../electron/core/jobs/not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from '../../../electron/core/jobs/start-plan.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type { KeepState } from '../../../electron/shared/keep-model.ts';

/** At `startAtMs` everything is read anew; only what rests has one. */
export interface KeepCore extends StartPlan {
  state: KeepState;
  reason: string;
  error: WireError | null;
}

export type KeepEvent =
  | { type: 'pause'; reason: string; error: WireError | null }
  | { type: 'wait'; reason: string; error: WireError | null }
  | { type: 'interrupt' }
  | { type: 'wake' }
  /** Goes on, or reads everything anew. */
  | { type: 'resume' }
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  | { type: 'unschedule' }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  | { type: 'end' };

export function isKeepIdle(state: KeepState): boolean {
  return state === 'paused' || state === 'done';
}

const HALTS = { pause: 'paused', wait: 'waiting' } as const;

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the job's state. */
export function keepTransition(job: KeepCore, event: KeepEvent): KeepCore {
  const next = step(job, event);
  return next.startAtMs === null || isKeepIdle(next.state) ? next : { ...next, startAtMs: null };
}

function step(job: KeepCore, event: KeepEvent): KeepCore {
  const isIdle = isKeepIdle(job.state);
  switch (event.type) {
    case 'pause':
    case 'wait':
      if (isIdle) return refuse(job, event.type);
      return { ...job, state: HALTS[event.type], reason: event.reason, error: event.error };
    case 'interrupt':
      if (isIdle) return refuse(job, 'interrupt');
      return { ...job, state: 'paused', reason: 'It was interrupted: the program ended.', error: null };
    case 'wake':
      return job.state === 'waiting' ? goOn(job) : refuse(job, 'continue');
    case 'resume':
      return isIdle ? goOn(job) : refuse(job, 'resume');
    case 'schedule':
      return isIdle
        ? { ...job, startAtMs: futureStart(event.startAtMs, event.nowMs) }
        : refuse(job, 'start later');
    case 'unschedule':
      return { ...job, startAtMs: null };
    case 'due':
      return due(job, event.nowMs);
    case 'end':
      return job.state === 'running'
        ? { ...job, state: 'done', reason: '', error: null }
        : refuse(job, 'end');
  }
}

function due(job: KeepCore, nowMs: number): KeepCore {
  const { startAtMs } = job;
  if (startAtMs === null) return refuse(job, 'start at the planned time');
  return nowMs < startAtMs ? job : { ...goOn(job), lateStart: lateStartOf(startAtMs, nowMs) };
}

function goOn(job: KeepCore): KeepCore {
  return { ...job, state: 'running', reason: '', error: null };
}

function refuse({ state }: KeepCore, action: string): never {
  throw notNow(action, 'what is kept', state);
}
