/**
 * Holds the state of one upload job, in memory and on disk. Every change is a transition that is on disk before anyone
 * is notified.
 */

import {
  batchCounts,
  countsOf,
  isTerminal,
  NO_TALLIES,
  type UploadCore,
  type UploadEvent,
  uploadTransition,
} from '../core/jobs/upload-job.ts';
import {
  etaMs,
  isUnobserved,
  observeRows,
  type RateState,
  rowsPerSecond,
  startRate,
} from '../core/jobs/upload-rate.ts';
import type { StoredJob, UploadStore } from '../db/upload-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { UploadDeletion, UploadJob } from '../shared/upload-model.ts';
import type { UploadsDeps } from './types.ts';

type LedgerDeps = Pick<UploadsDeps, 'connectionId' | 'store' | 'clock' | 'plan' | 'logger'> & {
  onChanged: (job: UploadJob) => void;
};

/** Minimum interval of notifications to views; a new state is reported at once. */
const NOTIFY_EVERY_MS = 150;

export class UploadLedger extends JobLedger<UploadCore, UploadEvent, StoredJob, UploadJob> {
  readonly #deps: LedgerDeps;
  readonly #store: UploadStore;
  #rate: RateState;
  /** True if the hash of the file was compared in this process. */
  isFileProven = false;
  /** Wall time at which this process found that the file fits the model; null before. */
  modelReadAtMs: number | null = null;

  constructor(deps: LedgerDeps, job: StoredJob) {
    const { store, clock } = deps;
    super(
      {
        ...deps,
        id: job.id,
        what: 'upload',
        notifyEveryMs: NOTIFY_EVERY_MS,
        commit: (work) => store.commit(work),
        commitSoon: (work) => store.commitSoon(work),
        reachDisk: () => store.reachDisk(),
        save: (stored) => store.jobs.save(stored),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      job,
      coreOf(job, talliesOf(store, job.id)),
    );
    this.#deps = deps;
    this.#store = store;
    this.#rate = startRate(clock.monotonicMs());
  }

  get job(): StoredJob {
    return this.stored;
  }

  get isRunning(): boolean {
    return this.core.state === 'running';
  }

  get isIdle(): boolean {
    return !this.isRunning && this.core.state !== 'waiting';
  }

  /** Shows the current activity; for the view only. */
  note(reason: string): void {
    this.show({ ...this.core, reason });
  }

  protected step(core: UploadCore, event: UploadEvent): UploadCore {
    return uploadTransition(core, event);
  }

  protected isOver({ state }: UploadCore): boolean {
    return isTerminal(state);
  }

  protected override kept({ rows, rejected, isCancelling }: UploadCore): Partial<StoredJob> {
    return { rows, rejected, isCancelling };
  }

  protected override onChange(before: UploadCore): void {
    const { core } = this;
    const nowMs = this.#deps.clock.monotonicMs();
    // The speed is measured from the first request, not from the reading before it.
    const isFirstOnItsWay = before.tallies.sending.batches === 0 && core.tallies.sending.batches > 0;
    const isResumed = core.state === 'running' && before.state !== 'running';
    if (isResumed || (isFirstOnItsWay && isUnobserved(this.#rate))) this.#rate = startRate(nowMs);
    const rows = answered(core) - answered(before);
    if (rows > 0) this.#rate = observeRows(this.#rate, rows, nowMs);
  }

  protected override isUrgent(before: UploadCore, stood: StoredJob): boolean {
    return super.isUrgent(before, stood) || this.core.isCancelling !== before.isCancelling;
  }

  view(): UploadJob {
    const { id: jobId, fileName, sizeBytes, plan, requests, createdAtMs, endedAtMs } = this.stored;
    const { doubtfulBatches, doubtfulRows, baseline, undoCounts } = this.stored;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    const counts = countsOf(this.core);
    const isMoving = state === 'running' || state === 'waiting';
    const operation = plan.mode === 'update' ? 'events.update' : 'events.publish';
    const left = this.core.rows === null ? null : counts.unsent;
    const plannedMs =
      left === null ? null : this.#deps.plan(operation, Math.ceil(left / this.stored.batchRows));
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
      batches: batchCounts(this.core.tallies),
      doubtful: { batches: doubtfulBatches, rows: doubtfulRows },
      deletions: deletionsOf(this.#store, jobId),
      rowCounts: {
        beforeUpload: baseline,
        beforeUndo: undoCounts?.before ?? null,
        afterUndo: undoCounts?.after ?? null,
      },
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

function coreOf(job: StoredJob, tallies: UploadCore['tallies']): UploadCore {
  const { state, reason, error, rows, rejected, isCancelling, startAtMs, lateStart } = job;
  return { state, reason, error, rows, rejected, isCancelling, startAtMs, lateStart, tallies };
}

function answered(core: UploadCore): number {
  return core.tallies.acknowledged.rows + core.tallies.refused.rows;
}

function talliesOf({ batches }: UploadStore, jobId: string): UploadCore['tallies'] {
  const found = [...batches.tallies(jobId)].map(([state, { parts, weight }]) => [
    state,
    { batches: parts, rows: weight },
  ]);
  return { ...NO_TALLIES, ...Object.fromEntries(found) };
}

const WITHOUT_EFFECT = new Set([
  'FAILURE',
  'REVOKED',
  'scheduled',
  'not-sent',
  'paused',
  'cancelled',
  'refused',
]);

const OUTCOMES: ReadonlyMap<string, UploadDeletion['outcome']> = new Map([
  ['SUCCESS', 'deleted'],
  ['accepted', 'accepted'],
  ['unknown', 'unknown'],
]);

/** Deletions that named events of this upload, except failed and rejected ones, whose events still exist. */
function deletionsOf(store: UploadStore, jobId: string): UploadDeletion[] {
  return store.deletions
    .ofUpload(jobId)
    .filter(({ status }) => !WITHOUT_EFFECT.has(status))
    .map(({ deletionId, atMs, status, rows }) => ({
      deletionId,
      rows,
      atMs,
      outcome: OUTCOMES.get(status) ?? 'going-on',
    }));
}
