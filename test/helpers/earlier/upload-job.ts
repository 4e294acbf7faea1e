/**
 * States of an upload job and of its batches. A job changes only through `transition`; everything countable is
 * derived from the tallies, so rows = rejected + acknowledged + refused + unknown + unsent holds by construction.
 */

import { notNow } from '../../../electron/core/jobs/not-now.ts';
import { futureStart, lateStartOf } from '../../../electron/core/jobs/start-plan.ts';
import { counted, numberText } from '../../../electron/shared/count-text.ts';
import { AppError, type WireError } from '../../../electron/shared/errors.ts';
import type { BatchState, JobState, LateStart, UploadCounts } from '../../../electron/shared/upload-model.ts';

interface Tally {
  batches: number;
  rows: number;
}
type Tallies = Readonly<Record<BatchState, Tally>>;

export interface JobCore {
  state: JobState;
  /** Why it is where it is, in words; empty where that is plain. */
  reason: string;
  error: WireError | null;
  /** Data rows of the file; null until the whole file has been read once. */
  rows: number | null;
  /** Rows that validation keeps back. */
  rejected: number;
  /** Batches that were cut so far, and the rows in them, by state. */
  tallies: Tallies;
  /** Cancel was asked for while requests were on their way: it ends when the last one is answered. */
  isCancelling: boolean;
  /** Wall time at which a `scheduled` job begins by itself; null in every other state. */
  startAtMs: number | null;
  /** It began by itself, but later than planned. */
  lateStart: LateStart | null;
}

export type JobEvent =
  | { type: 'start' }
  | { type: 'resume' }
  /** Begins, or goes on, by itself at `startAtMs`, which is to be in the future. */
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  | { type: 'pause'; reason: string; error: WireError | null }
  /** The service cannot be reached: goes on by itself. */
  | { type: 'wait'; reason: string; error: WireError | null }
  | { type: 'wake' }
  /** The process that was sending it is gone. */
  | { type: 'interrupt'; reason: string }
  | { type: 'cancel' }
  | { type: 'fail'; error: WireError }
  | { type: 'scanned'; rows: number; rejected: number }
  /** A batch was cut from the file (`from` null) or changed its state. */
  | { type: 'batch'; from: BatchState | null; to: BatchState; rows: number }
  /** A pending batch became two. */
  | { type: 'split' }
  /** Nothing is on its way: is anything left to do? */
  | { type: 'settle' };

const TERMINAL: ReadonlySet<JobState> = new Set(['done', 'cancelled', 'failed']);

const NEXT_BATCH_STATES: Readonly<Record<BatchState, readonly BatchState[]>> = {
  pending: ['sending', 'cancelled'],
  sending: ['acknowledged', 'refused', 'unknown', 'pending'],
  // Only a person or evidence leads out of unknown.
  unknown: ['acknowledged', 'pending', 'cancelled'],
  acknowledged: [],
  refused: [],
  cancelled: [],
};

const NO_TALLY: Tally = { batches: 0, rows: 0 };
export const NO_TALLIES: Tallies = {
  pending: NO_TALLY,
  sending: NO_TALLY,
  acknowledged: NO_TALLY,
  refused: NO_TALLY,
  unknown: NO_TALLY,
  cancelled: NO_TALLY,
};

export const NEW_JOB: JobCore = {
  state: 'ready',
  reason: '',
  error: null,
  rows: null,
  rejected: 0,
  tallies: NO_TALLIES,
  isCancelling: false,
  startAtMs: null,
  lateStart: null,
};

export function isTerminal(state: JobState): boolean {
  return TERMINAL.has(state);
}

export function canBatchMove(from: BatchState, to: BatchState): boolean {
  return NEXT_BATCH_STATES[from].includes(to);
}

/** The counts a view shows. Before the file has been read once, `rows` is what has been cut so far. */
export function countsOf(job: JobCore): UploadCounts {
  const { acknowledged, refused, unknown } = job.tallies;
  const rows = job.rows ?? job.rejected + cutRows(job.tallies);
  return {
    rows,
    rejected: job.rejected,
    acknowledged: acknowledged.rows,
    refused: refused.rows,
    unknown: unknown.rows,
    unsent: rows - job.rejected - acknowledged.rows - refused.rows - unknown.rows,
  };
}

export function batchCounts(tallies: Tallies): {
  total: number;
  acknowledged: number;
  refused: number;
  unknown: number;
} {
  return {
    total: Object.values(tallies).reduce((sum, tally) => sum + tally.batches, 0),
    acknowledged: tallies.acknowledged.batches,
    refused: tallies.refused.batches,
    unknown: tallies.unknown.batches,
  };
}

function cutRows(tallies: Tallies): number {
  return Object.values(tallies).reduce((sum, tally) => sum + tally.rows, 0);
}

/** Nothing to cut, to send or to wait for. */
function isSettled(job: JobCore): boolean {
  const { pending, sending } = job.tallies;
  if (job.rows === null || pending.batches > 0 || sending.batches > 0) return false;
  return cutRows(job.tallies) >= job.rows - job.rejected;
}

function refuse({ state }: JobCore, action: string): never {
  throw notNow(action, 'this upload', state);
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the job's state. */
export function transition(job: JobCore, event: JobEvent): JobCore {
  const next = step(job, event);
  return next.state === 'scheduled' || next.startAtMs === null ? next : { ...next, startAtMs: null };
}

function step(job: JobCore, event: JobEvent): JobCore {
  switch (event.type) {
    case 'start':
      return job.state === 'ready' || job.state === 'scheduled' ? run(job) : refuse(job, 'start');
    case 'schedule':
      return schedule(job, event.startAtMs, event.nowMs);
    case 'due':
      return due(job, event.nowMs);
    case 'resume':
      return job.isCancelling || isTerminal(job.state) || job.state === 'running'
        ? refuse(job, 'resume')
        : run(job);
    case 'wake':
      return job.state === 'waiting' ? run(job) : refuse(job, 'continue');
    case 'pause':
      if (isTerminal(job.state) || job.isCancelling) return refuse(job, 'pause');
      return { ...job, state: 'paused', reason: event.reason, error: event.error };
    case 'wait':
      if (job.state !== 'running' && job.state !== 'waiting') return refuse(job, 'wait');
      return { ...job, state: 'waiting', reason: event.reason, error: event.error };
    case 'interrupt':
      if (job.state !== 'running' && job.state !== 'waiting' && !job.isCancelling)
        return refuse(job, 'interrupt');
      return { ...job, state: 'paused', reason: event.reason, error: null, isCancelling: false };
    case 'cancel':
      return isTerminal(job.state) ? refuse(job, 'cancel') : cancel(job);
    case 'fail':
      if (isTerminal(job.state)) return refuse(job, 'end as failed');
      return { ...job, state: 'failed', reason: event.error.message, error: event.error };
    case 'scanned':
      return scanned(job, event.rows, event.rejected);
    case 'batch':
      return moveBatch(job, event.from, event.to, event.rows);
    case 'split':
      return split(job);
    case 'settle':
      return settle(job);
  }
}

/** A batch that comes back unsent to a job that is being cancelled will not be sent any more. */
export function batchTarget(job: JobCore, to: BatchState): BatchState {
  return job.isCancelling && to === 'pending' ? 'cancelled' : to;
}

const PLANNABLE: ReadonlySet<JobState> = new Set(['ready', 'scheduled', 'paused']);

function schedule(job: JobCore, startAtMs: number | null, nowMs: number): JobCore {
  if (job.isCancelling || !PLANNABLE.has(job.state)) return refuse(job, 'start later');
  return { ...job, state: 'scheduled', startAtMs: futureStart(startAtMs, nowMs), reason: '', error: null };
}

function due(job: JobCore, nowMs: number): JobCore {
  const { startAtMs } = job;
  if (job.state !== 'scheduled' || startAtMs === null) return refuse(job, 'start at the planned time');
  if (nowMs < startAtMs) return job;
  return { ...run(job), lateStart: lateStartOf(startAtMs, nowMs) };
}

function run(job: JobCore): JobCore {
  return { ...job, state: 'running', reason: '', error: null };
}

function cancel(job: JobCore): JobCore {
  const { pending, cancelled, sending } = job.tallies;
  const tallies = {
    ...job.tallies,
    pending: NO_TALLY,
    cancelled: { batches: cancelled.batches + pending.batches, rows: cancelled.rows + pending.rows },
  };
  if (sending.batches === 0) return ended({ ...job, tallies });
  return {
    ...job,
    tallies,
    state: 'paused',
    isCancelling: true,
    reason: 'Cancelling: waiting for the answers of requests that are on their way.',
    error: null,
  };
}

function ended(job: JobCore): JobCore {
  const { acknowledged, refused, unknown, unsent } = countsOf(job);
  const parts = [`${counted(acknowledged, 'row')} sent`, `${numberText(unsent)} not sent`];
  if (refused > 0) parts.push(`${numberText(refused)} refused`);
  if (unknown > 0) parts.push(`${numberText(unknown)} unknown`);
  return {
    ...job,
    state: 'cancelled',
    isCancelling: false,
    reason: `Cancelled: ${parts.join(', ')}.`,
    error: null,
  };
}

function scanned(job: JobCore, rows: number, rejected: number): JobCore {
  if (isTerminal(job.state)) return refuse(job, 'count rows');
  if (rejected < 0 || rows < rejected + cutRows(job.tallies)) {
    throw new AppError('INTERNAL', 'Fewer rows were counted than have been cut into batches already.');
  }
  return { ...job, rows, rejected };
}

function moveBatch(job: JobCore, from: BatchState | null, to: BatchState, rows: number): JobCore {
  const isDecision = from === 'unknown' && to !== 'pending';
  if (isTerminal(job.state) && !isDecision) return refuse(job, 'change');
  if (from === null ? to !== 'pending' && to !== 'sending' : !canBatchMove(from, to)) {
    throw new AppError('INVALID_ARGUMENT', `A batch that is ${from ?? 'new'} cannot become ${to}.`);
  }
  const tallies = { ...job.tallies };
  if (from !== null) {
    const old = tallies[from];
    // A batch moves whole: the last one takes every row with it.
    if (old.batches < 1 || old.rows < rows || (old.batches === 1 && old.rows !== rows))
      throw new AppError('INTERNAL', `There is no such batch that is ${from}.`);
    tallies[from] = { batches: old.batches - 1, rows: old.rows - rows };
  } else if (job.rows !== null && cutRows(tallies) + rows > job.rows - job.rejected) {
    throw new AppError('INTERNAL', 'More rows were cut into batches than the file has.');
  }
  const target = batchTarget(job, to);
  tallies[target] = { batches: tallies[target].batches + 1, rows: tallies[target].rows + rows };
  return { ...job, tallies };
}

function split(job: JobCore): JobCore {
  const { pending } = job.tallies;
  if (isTerminal(job.state) || pending.batches === 0) return refuse(job, 'split batches');
  return { ...job, tallies: { ...job.tallies, pending: { ...pending, batches: pending.batches + 1 } } };
}

function settle(job: JobCore): JobCore {
  if (job.isCancelling) return job.tallies.sending.batches === 0 ? ended(job) : job;
  if (isTerminal(job.state) || !isSettled(job)) return job;
  if (job.state !== 'running' && job.state !== 'needs-decision') return job;
  const { unknown } = job.tallies;
  if (unknown.batches === 0) return { ...job, state: 'done', reason: '', error: null };
  return {
    ...job,
    state: 'needs-decision',
    reason: `${unknown.batches} ${unknown.batches === 1 ? 'batch was' : 'batches were'} sent and the answer was lost. Decide for each whether it was stored.`,
    error: null,
  };
}
