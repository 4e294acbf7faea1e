/**
 * States of an upload job and of its batches. A job changes only through `transition`. All counts are derived from the
 * tallies, so rows = rejected + acknowledged + refused + unknown + unsent always holds.
 */
import { counted, numberText } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';
import { UPLOAD_STATES } from '../../shared/job-kinds/upload.ts';
import type { BatchState, JobState, UploadCounts } from '../../shared/upload-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';
import { notNow } from './not-now.ts';
import { NO_START } from './start-plan.ts';

interface Tally {
  batches: number;
  rows: number;
}
type Tallies = Readonly<Record<BatchState, Tally>>;

/** `startAtMs` is set only in the state `scheduled`. */
export interface UploadCore extends JobCore<JobState> {
  /** Data rows of the file; null until the whole file has been read once. */
  rows: number | null;
  /** Rows rejected by validation. */
  rejected: number;
  /** Number of batches created so far and their rows, by state. */
  tallies: Tallies;
  /** True if the job was cancelled while requests were in flight. It ends when the last one is answered. */
  isCancelling: boolean;
}

export type UploadEvent =
  | JobEvent
  | { type: 'scanned'; rows: number; rejected: number }
  /** A batch was created from the file (`from` null) or changed its state. */
  | { type: 'batch'; from: BatchState | null; to: BatchState; rows: number }
  /** A pending batch was split in two. */
  | { type: 'split' };

const TERMINAL: ReadonlySet<JobState> = new Set(['done', 'cancelled', 'failed']);

const NEXT_BATCH_STATES: Readonly<Record<BatchState, readonly BatchState[]>> = {
  pending: ['sending', 'cancelled'],
  sending: ['acknowledged', 'refused', 'unknown', 'pending'],
  // Only a person or evidence ends the unknown state.
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

export const NEW_UPLOAD: UploadCore = {
  state: 'ready',
  reason: '',
  error: null,
  rows: null,
  rejected: 0,
  tallies: NO_TALLIES,
  isCancelling: false,
  ...NO_START,
};

export function isTerminal(state: JobState): boolean {
  return TERMINAL.has(state);
}

export function canBatchMove(from: BatchState, to: BatchState): boolean {
  return NEXT_BATCH_STATES[from].includes(to);
}

/** The counts shown in views. Before the file has been read once, `rows` counts the rows in batches so far. */
export function countsOf(job: UploadCore): UploadCounts {
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

/** Number of rows that are in no batch yet; null until the whole file has been read once. */
export function uncutRows({ rows, rejected, tallies }: UploadCore): number | null {
  return rows === null ? null : rows - rejected - cutRows(tallies);
}

function cutRows(tallies: Tallies): number {
  return Object.values(tallies).reduce((sum, tally) => sum + tally.rows, 0);
}

/** True if nothing is left to split, send or wait for. */
function isSettled(job: UploadCore): boolean {
  const { pending, sending } = job.tallies;
  if (job.rows === null || pending.batches > 0 || sending.batches > 0) return false;
  return cutRows(job.tallies) >= job.rows - job.rejected;
}

const RULES: JobRules<JobState, UploadCore> = {
  subject: 'this upload',
  actions: { cancel: 'cancel', fail: 'end as failed' },
  phases: UPLOAD_STATES,
  resumable: ['ready', 'waiting', 'paused', 'needs-decision'],
  plannable: ['ready', 'paused'],
  isReadyWhenPlanned: true,
  pausable: ['ready', 'paused', 'needs-decision'],
  left: (job) => {
    if ((job.state !== 'running' && job.state !== 'needs-decision') || !isSettled(job)) return 'something';
    const { batches } = job.tallies.unknown;
    return batches === 0 ? 'nothing' : { state: 'needs-decision', reason: unknownText(batches) };
  },
};

function unknownText(batches: number): string {
  return `${batches} ${batches === 1 ? 'batch was' : 'batches were'} sent and the answer was lost. Decide for each whether it was stored.`;
}

function refuse({ state }: UploadCore, action: string): never {
  throw notNow(action, RULES.subject, state);
}

/** Returns the state after an event. Throws INVALID_ARGUMENT if the upload's state does not allow the event. */
export function uploadTransition(job: UploadCore, event: UploadEvent): UploadCore {
  switch (event.type) {
    case 'scanned':
      return scanned(job, event.rows, event.rejected);
    case 'batch':
      return moveBatch(job, event.from, event.to, event.rows);
    case 'split':
      return split(job);
    case 'cancel':
      return isTerminal(job.state) ? refuse(job, 'cancel') : cancel(job);
    default:
      return job.isCancelling ? whileCancelling(job, event) : transition(RULES, job, event);
  }
}

/** The job waits for the answers to requests in flight, and starts nothing else. */
function whileCancelling(job: UploadCore, event: JobEvent): UploadCore {
  switch (event.type) {
    case 'resume':
      return refuse(job, 'resume');
    case 'pause':
      return refuse(job, 'pause');
    case 'schedule':
      return refuse(job, 'start later');
    case 'interrupt':
      return { ...job, reason: event.reason ?? '', error: null, isCancelling: false };
    case 'settle':
      return job.tallies.sending.batches === 0 ? ended(job) : job;
    default:
      return { ...transition(RULES, job, event), isCancelling: false };
  }
}

/** If the job is cancelled, a batch that returns unsent is not sent any more. */
export function batchTarget(job: UploadCore, to: BatchState): BatchState {
  return job.isCancelling && to === 'pending' ? 'cancelled' : to;
}

function cancel(job: UploadCore): UploadCore {
  const { pending, cancelled, sending } = job.tallies;
  const tallies = {
    ...job.tallies,
    pending: NO_TALLY,
    cancelled: { batches: cancelled.batches + pending.batches, rows: cancelled.rows + pending.rows },
  };
  if (sending.batches === 0) return ended({ ...job, tallies });
  const reason = 'Cancelling: waiting for the answers of requests that are on their way.';
  const paused = transition(RULES, job, { type: 'pause', reason, error: null });
  return { ...paused, tallies, isCancelling: true };
}

function ended(job: UploadCore): UploadCore {
  const { acknowledged, refused, unknown, unsent } = countsOf(job);
  const parts = [`${counted(acknowledged, 'row')} sent`, `${numberText(unsent)} not sent`];
  if (refused > 0) parts.push(`${numberText(refused)} refused`);
  if (unknown > 0) parts.push(`${numberText(unknown)} unknown`);
  const reason = `Cancelled: ${parts.join(', ')}.`;
  return { ...transition(RULES, job, { type: 'cancel' }), isCancelling: false, reason };
}

function scanned(job: UploadCore, rows: number, rejected: number): UploadCore {
  if (isTerminal(job.state)) return refuse(job, 'count rows');
  if (rejected < 0 || rows < rejected + cutRows(job.tallies)) {
    throw new AppError('INTERNAL', 'Fewer rows were counted than have been cut into batches already.');
  }
  return { ...job, rows, rejected };
}

function moveBatch(job: UploadCore, from: BatchState | null, to: BatchState, rows: number): UploadCore {
  const isDecision = from === 'unknown' && to !== 'pending';
  if (isTerminal(job.state) && !isDecision) return refuse(job, 'change');
  if (from === null ? to !== 'pending' && to !== 'sending' : !canBatchMove(from, to)) {
    throw new AppError('INVALID_ARGUMENT', `A batch that is ${from ?? 'new'} cannot become ${to}.`);
  }
  const tallies = { ...job.tallies };
  if (from !== null) {
    const old = tallies[from];
    // A batch moves as a whole, so the last batch must take all remaining rows.
    if (old.batches < 1 || old.rows < rows || (old.batches === 1 && old.rows !== rows))
      throw new AppError('INTERNAL', `Expected a batch that is ${from}, got none.`);
    tallies[from] = { batches: old.batches - 1, rows: old.rows - rows };
  } else if (job.rows !== null && cutRows(tallies) + rows > job.rows - job.rejected) {
    throw new AppError('INTERNAL', 'More rows were cut into batches than the file has.');
  }
  const target = batchTarget(job, to);
  tallies[target] = { batches: tallies[target].batches + 1, rows: tallies[target].rows + rows };
  return { ...job, tallies };
}

function split(job: UploadCore): UploadCore {
  const { pending } = job.tallies;
  if (isTerminal(job.state) || pending.batches === 0) return refuse(job, 'split batches');
  return { ...job, tallies: { ...job.tallies, pending: { ...pending, batches: pending.batches + 1 } } };
}
