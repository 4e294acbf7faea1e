/** Starts, pauses, cancels and recovers jobs, and keeps two processes from sending the same one. */
import { LeaseKeeper } from '../core/lease.ts';
import { PlannedStarts } from '../core/planned-starts.ts';
import { canBatchMove } from '../core/upload-job.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BatchState, UploadJob } from '../shared/upload-model.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { JobLedger, loadJob } from './job-ledger.ts';
import { JobRunner } from './job-runner.ts';
import type { Scans } from './scans.ts';
import type { JobAction, UploadOptions, UploadsDeps } from './types.ts';

export interface ControlDeps extends UploadsDeps {
  options: UploadOptions;
  scans: Scans;
}

interface Active {
  ledger: JobLedger;
  runner: JobRunner;
  /** Resolves when the runner has ended and the lease is free again. */
  ended: Promise<void>;
}

/** A lease, and the runner that is to stop when it is lost. */
interface Held {
  runner: JobRunner | null;
  release: () => void;
}

const CANCEL_GRACE_MS = 5_000;
const DECISIONS = {
  stored: 'acknowledged',
  resend: 'pending',
  'give-up': 'cancelled',
} as const satisfies Record<string, BatchState>;

export class JobControl {
  readonly #deps: ControlDeps;
  readonly #store: UploadStore;
  readonly #leases: LeaseKeeper;
  readonly starts: PlannedStarts;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    const { options, store, clock, logger } = deps;
    this.#leases = new LeaseKeeper({
      table: store.jobs.leases,
      what: 'upload',
      owner: deps.random.uuid(),
      clock,
      logger,
      process: { pid: options.processId, isRunning: options.isProcessAlive },
    });
    this.starts = new PlannedStarts({
      clock,
      logger,
      what: 'upload',
      planned: () => store.jobs.scheduled(),
      begin: (jobId, nowMs) => this.#startPlanned(jobId, nowMs),
    });
  }

  #ledger(jobId: string): JobLedger {
    const active = this.#active.get(jobId);
    if (active !== undefined) return active.ledger;
    return new JobLedger({ ...this.#deps, onChanged: this.#deps.onJobChanged }, loadJob(this.#store, jobId));
  }

  view(jobId: string): UploadJob {
    return this.#ledger(jobId).view();
  }

  /** Throws CONFLICT while the job is being sent, here or by another process. */
  checkIdle(jobId: string): void {
    if (this.#active.has(jobId))
      throw new AppError('CONFLICT', 'This upload is being sent. Pause or cancel it first.');
    this.#leases.checkFree(jobId);
  }

  /** `startAtMs` belongs to `schedule`. */
  async act(jobId: string, action: JobAction, startAtMs: number | null = null): Promise<UploadJob> {
    const active = this.#active.get(jobId);
    if (active === undefined) this.#leases.checkFree(jobId);
    const ledger = this.#ledger(jobId);
    if (active === undefined) this.#recoverOne(ledger);
    switch (action) {
      case 'start':
        ledger.apply([{ type: 'start' }]);
        this.#start(ledger);
        break;
      case 'resume':
        // Asked for twice, or while it waits: the wish is the same.
        if (active === undefined || !ledger.isRunning) ledger.apply([{ type: 'resume' }]);
        this.#start(ledger);
        break;
      case 'pause':
        ledger.apply([{ type: 'pause', reason: 'Paused.', error: null }]);
        active?.runner.wake();
        break;
      case 'cancel':
        this.#cancel(ledger, active);
        break;
      case 'schedule':
        ledger.apply([{ type: 'schedule', startAtMs, nowMs: this.#deps.clock.nowMs() }]);
        break;
      case 'gather-evidence':
        await gatherEvidence(this.#deps, ledger);
    }
    this.starts.changed(jobId);
    return ledger.view();
  }

  #cancel(ledger: JobLedger, active: Active | undefined): void {
    const { jobId } = ledger.job;
    ledger.apply([{ type: 'cancel' }], {}, () => this.#store.batches.cancelPending(jobId));
    if (active === undefined) return;
    active.runner.wake();
    // What is on its way may still be answered; what has not left by then is withdrawn.
    const stopTimer = this.#deps.clock.setTimer(() => active.runner.abort(), CANCEL_GRACE_MS);
    active.ended.then(stopTimer);
  }

  #start(ledger: JobLedger): void {
    const { jobId } = ledger.job;
    const active = this.#active.get(jobId);
    if (active !== undefined) {
      // Its last requests are landing; it goes on by itself, or is started anew when it has ended.
      active.runner.wake();
      return;
    }
    this.#run(ledger, this.#takeLease(jobId));
  }

  #takeLease(jobId: string): Held {
    const held: Held = { runner: null, release: () => undefined };
    held.release = this.#leases.take(jobId, () => held.runner?.stop());
    return held;
  }

  #run(ledger: JobLedger, held: Held): void {
    const { jobId } = ledger.job;
    ledger.holdsLease = () => this.#leases.holds(jobId);
    const runner = new JobRunner(
      { ...this.#deps, gatherEvidence: (own) => gatherEvidence(this.#deps, own) },
      ledger,
    );
    held.runner = runner;
    const ended = runner.done.then(() => {
      this.#active.delete(jobId);
      ledger.holdsLease = null;
      held.release();
      this.#startAgain(ledger);
    });
    this.#active.set(jobId, { ledger, runner, ended });
  }

  /** It was resumed while its last requests were landing. */
  #startAgain(ledger: JobLedger): void {
    const { state } = ledger.core;
    if (this.#isStopping || (state !== 'running' && state !== 'waiting')) return;
    try {
      this.#start(ledger);
    } catch (problem) {
      const error = toAppError(problem);
      ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
    }
  }

  /** The time of a planned start has come. Another process on the same folder may be quicker. */
  #startPlanned(jobId: string, nowMs: number): void {
    if (this.#isStopping || this.#active.has(jobId) || this.#leases.isElsewhere(jobId)) return;
    const held = this.#takeLease(jobId);
    try {
      // Read only now: whoever held the lease before may have begun it.
      const ledger = this.#ledger(jobId);
      if (ledger.core.state !== 'scheduled') return;
      ledger.apply([{ type: 'due', nowMs }]);
      if (ledger.isRunning) this.#run(ledger, held);
    } finally {
      if (held.runner === null) held.release();
    }
  }

  /** A person's decision on a batch whose answer was lost. Sending it again starts the job. */
  async decide(jobId: string, number: number, decision: keyof typeof DECISIONS): Promise<UploadJob> {
    if (!this.#active.has(jobId)) this.#leases.checkFree(jobId);
    const ledger = this.#ledger(jobId);
    const batch = this.#store.batches.get(jobId, number);
    const to = DECISIONS[decision];
    if (batch === null || !canBatchMove(batch.state, to) || batch.state !== 'unknown') {
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a batch of unknown outcome; batch ${number} is ${batch?.state ?? 'not there'}.`,
      );
    }
    const decided: StoredBatch = { ...batch, state: to, error: to === 'pending' ? null : batch.error };
    ledger.apply([{ type: 'batch', from: 'unknown', to, rows: batch.rows }], {}, () => {
      this.#store.batches.save(jobId, decided);
      if (to === 'acknowledged') this.#store.batches.saveReceipt(jobId, number, batch.ownIds);
    });
    if (ledger.core.state === 'needs-decision') {
      if (to === 'pending') {
        ledger.apply([{ type: 'resume' }]);
        this.#start(ledger);
      } else {
        ledger.apply([{ type: 'settle' }]);
      }
    }
    return ledger.view();
  }

  /** Batches that a process left on their way: nobody knows what became of them. */
  #recoverOne(ledger: JobLedger): void {
    const { jobId, plan } = ledger.job;
    const left = this.#store.batches.list(jobId, ['sending'], 0, 1_000);
    const { state, isCancelling } = ledger.core;
    const isInterrupted = state === 'running' || state === 'waiting' || isCancelling;
    if (left.length === 0 && !isInterrupted) return;
    const to: BatchState = plan.mode === 'publish' ? 'unknown' : 'pending';
    const reason = 'It was interrupted: the program that was sending it ended.';
    const error = new AppError('CONNECTION_LOST', 'The program ended before the answer came.', {
      outcome: 'unknown',
    }).toWire();
    ledger.apply(
      [
        ...left.map((batch) => ({ type: 'batch' as const, from: 'sending' as const, to, rows: batch.rows })),
        ...(isInterrupted ? [{ type: 'interrupt' as const, reason }] : []),
        ...(isCancelling ? [{ type: 'cancel' as const }] : []),
      ],
      {},
      () => {
        const target = isCancelling && to === 'pending' ? 'cancelled' : to;
        for (const batch of left) {
          this.#store.batches.save(jobId, {
            ...batch,
            state: target,
            error: to === 'unknown' ? error : null,
          });
        }
        if (isCancelling) this.#store.batches.cancelPending(jobId);
      },
    );
  }

  /** Looks after every job that no living process is sending. */
  recover(continues: boolean): UploadJob[] {
    const running = this.#store.jobs.list().filter(({ jobId, state, isCancelling }) => {
      if (this.#active.has(jobId)) return false;
      return (
        !this.#leases.isElsewhere(jobId) &&
        (state === 'running' || state === 'waiting' || isCancelling || this.#hasSending(jobId))
      );
    });
    this.#store.scans.endInterrupted(this.#deps.scans.runningIds());
    return running.map(({ jobId, state }) => {
      const ledger = this.#ledger(jobId);
      this.#recoverOne(ledger);
      if (continues && (state === 'running' || state === 'waiting') && ledger.core.state === 'paused') {
        ledger.apply([{ type: 'resume' }]);
        this.#start(ledger);
      }
      return ledger.view();
    });
  }

  #hasSending(jobId: string): boolean {
    return this.#store.batches.first(jobId, 'sending') !== null;
  }

  wake(): void {
    for (const { runner, ledger } of this.#active.values())
      if (ledger.core.state === 'waiting') runner.wake();
    this.starts.wake();
  }

  /** Waits for a planned start, too, where this process looks after it. */
  async whenIdle(jobId: string): Promise<UploadJob> {
    for (;;) {
      const active = this.#active.get(jobId);
      if (active !== undefined) await active.ended;
      else if (this.#isStopping || !(await this.starts.wait(jobId))) return this.view(jobId);
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.starts.stop();
    const all = [...this.#active.values()];
    for (const { runner } of all) runner.stop();
    const stopTimer = this.#deps.clock.setTimer(() => {
      for (const { runner } of all) runner.abort();
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    stopTimer();
  }
}
