/** One upload job as memory and disk hold it. Every change is a transition, on the disk before anyone hears of it. */

import { Notices } from '../core/notices.ts';
import {
  batchCounts,
  countsOf,
  isTerminal,
  type JobCore,
  type JobEvent,
  transition,
} from '../core/upload-job.ts';
import { etaMs, observeRows, type RateState, rowsPerSecond, startRate } from '../core/upload-rate.ts';
import type { StoredJob, UploadStore } from '../db/upload-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { UploadJob } from '../shared/upload-model.ts';
import { deletionsOf } from './deletions-of.ts';
import type { UploadsDeps } from './types.ts';

export type LedgerDeps = Pick<UploadsDeps, 'connectionId' | 'store' | 'clock' | 'plan' | 'logger'> & {
  onChanged: (job: UploadJob) => void;
};

/** Views hear of a job at most this often, and of a new state at once. */
const NOTIFY_EVERY_MS = 150;

export class JobLedger {
  readonly #deps: LedgerDeps;
  readonly #store: UploadStore;
  #job: StoredJob;
  #core: JobCore;
  #rate: RateState;
  readonly #notices: Notices;
  /** The hash of the file was compared in this process. */
  isFileProven = false;
  /** While it is being sent: does this process still hold the lease? Looked at inside every transaction. */
  holdsLease: (() => boolean) | null = null;

  constructor(deps: LedgerDeps, job: StoredJob) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#job = job;
    this.#notices = new Notices(deps.clock, NOTIFY_EVERY_MS, () => deps.onChanged(this.view()));
    const { state, reason, error, rows, rejected, isCancelling, startAtMs, lateStart } = job;
    this.#core = {
      state,
      reason,
      error,
      rows,
      rejected,
      isCancelling,
      startAtMs,
      lateStart,
      tallies: this.#store.jobs.tallies(job.jobId),
    };
    this.#rate = startRate(deps.clock.monotonicMs());
  }

  get job(): StoredJob {
    return this.#job;
  }

  get core(): JobCore {
    return this.#core;
  }

  get isRunning(): boolean {
    return this.#core.state === 'running';
  }

  /**
   * Applies events and writes job and `also` in one transaction. Throws what `transition` throws, DISK_FULL and
   * STORE_FAILED; then nothing has changed, in memory neither.
   */
  apply(
    events: readonly JobEvent[],
    changes: Partial<StoredJob> = {},
    also: () => void = () => undefined,
  ): void {
    const core = events.reduce(transition, this.#core);
    const job = this.#merged(core, changes);
    this.#store.commit(() => {
      if (this.holdsLease?.() === false) throw takenOverError();
      also();
      this.#store.jobs.save(job);
    });
    this.#accept(job, core);
  }

  /** As `apply`, but a full disk or a lost lease does not stop it: the state then holds in memory only. */
  applyAnyhow(events: readonly JobEvent[]): void {
    try {
      this.apply(events);
    } catch (problem) {
      const error = toAppError(problem);
      if (!['DISK_FULL', 'STORE_FAILED', 'CONFLICT'].includes(error.code)) throw error;
      this.#deps.logger.error('job state not written', { job: this.#job.jobId, code: error.code });
      const core = events.reduce(transition, this.#core);
      this.#accept(this.#merged(core, {}), core);
    }
  }

  /** Says what it is doing, for the view only. */
  note(reason: string): void {
    this.#core = { ...this.#core, reason };
    this.#notices.note(true);
  }

  #merged(core: JobCore, changes: Partial<StoredJob>): StoredJob {
    const { tallies: _, ...stored } = core;
    const { state } = core;
    const hasEnded = isTerminal(state) && this.#job.endedAtMs === null;
    const endedAtMs = hasEnded ? this.#deps.clock.nowMs() : this.#job.endedAtMs;
    return { ...this.#job, ...changes, ...stored, endedAtMs };
  }

  #accept(job: StoredJob, core: JobCore): void {
    const isNewState = core.state !== this.#core.state || core.isCancelling !== this.#core.isCancelling;
    const before = answered(this.#core);
    const nowMs = this.#deps.clock.monotonicMs();
    // The clock of the speed starts with the first request, not with the reading before it.
    const isFirstOnItsWay = this.#core.tallies.sending.batches === 0 && core.tallies.sending.batches > 0;
    const isResumed = core.state === 'running' && this.#core.state !== 'running';
    if (isResumed || (isFirstOnItsWay && this.#rate.rowsPerMs === null && this.#rate.heldRows === 0))
      this.#rate = startRate(nowMs);
    const rows = answered(core) - before;
    if (rows > 0) this.#rate = observeRows(this.#rate, rows, nowMs);
    this.#job = job;
    this.#core = core;
    this.#notices.note(isNewState);
  }

  /** Ends the timer of a delayed notice. */
  close(): void {
    this.#notices.flush();
  }

  view(): UploadJob {
    const { jobId, fileName, sizeBytes, plan, requests, createdAtMs, endedAtMs } = this.#job;
    const { doubtfulBatches, doubtfulRows } = this.#job;
    const { state, reason, error, startAtMs, lateStart } = this.#core;
    const counts = countsOf(this.#core);
    const isMoving = state === 'running' || state === 'waiting';
    const operation = plan.mode === 'update' ? 'events.update' : 'events.publish';
    const left = this.#core.rows === null ? null : counts.unsent;
    const plannedMs =
      left === null ? null : this.#deps.plan(operation, Math.ceil(left / this.#job.batchRows));
    return {
      jobId,
      connectionId: this.#deps.connectionId,
      fileName,
      sizeBytes,
      plan,
      state,
      reason,
      error,
      counts,
      batches: batchCounts(this.#core.tallies),
      doubtful: { batches: doubtfulBatches, rows: doubtfulRows },
      deletions: deletionsOf(this.#store, jobId),
      requests,
      rowsPerSecond: state === 'running' ? rowsPerSecond(this.#rate) : null,
      etaMs: isMoving && left !== null ? etaMs(this.#rate, left, plannedMs) : null,
      createdAtMs,
      endedAtMs,
      startAtMs,
      lateStart,
    };
  }
}

function takenOverError(): AppError {
  return new AppError('CONFLICT', 'Another Spandeck has taken this upload over. Control it there.', {
    outcome: 'unsent',
  });
}

function answered(core: JobCore): number {
  return core.tallies.acknowledged.rows + core.tallies.refused.rows;
}

/** Loads a job. Throws INVALID_ARGUMENT for one that is not there. */
export function loadJob(store: UploadStore, jobId: string): StoredJob {
  const job = store.jobs.get(jobId);
  if (job === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected an upload of this connection; there is none with the id ${jobId}.`,
    );
  }
  return job;
}
