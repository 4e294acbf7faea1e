/** Starts, pauses, cancels and recovers jobs, and keeps two processes from sending the same one. */
import { canBatchMove } from '../core/upload-job.ts';
import type { Lease, StoredBatch, UploadStore } from '../db/upload-store.ts';
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

const HEARTBEAT_MS = 3_000;
/** A holder that has not said anything for so long is taken to be gone. */
const STALE_LEASE_MS = 20_000;
const CANCEL_GRACE_MS = 5_000;
const DECISIONS = {
  stored: 'acknowledged',
  resend: 'pending',
  'give-up': 'cancelled',
} as const satisfies Record<string, BatchState>;

export class JobControl {
  readonly #deps: ControlDeps;
  readonly #store: UploadStore;
  readonly #owner: string;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#owner = deps.random.uuid();
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
    this.#checkLease(jobId);
  }

  #checkLease(jobId: string): void {
    const lease = this.#store.jobs.lease(jobId);
    if (lease === null || lease.owner === this.#owner || this.#isStale(lease)) return;
    throw new AppError(
      'CONFLICT',
      'Another Spandeck (a window or a command line) is sending this upload. Control it there, or wait until it has ended.',
    );
  }

  #isStale = (lease: Lease): boolean => {
    const { options, clock } = this.#deps;
    // One process opens a connection once: the same id means that a program before this one had it.
    if (lease.processId === options.processId || !options.isProcessAlive(lease.processId)) return true;
    return clock.nowMs() - lease.atMs > STALE_LEASE_MS;
  };

  async act(jobId: string, action: JobAction): Promise<UploadJob> {
    const active = this.#active.get(jobId);
    if (active === undefined) this.#checkLease(jobId);
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
      case 'gather-evidence':
        await gatherEvidence(this.#deps, ledger);
    }
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
    const { options, clock } = this.#deps;
    const lease = { owner: this.#owner, processId: options.processId, atMs: clock.nowMs() };
    if (!this.#store.jobs.takeLease(jobId, lease, this.#isStale)) {
      const reason = 'Another Spandeck began to send this upload at the same moment.';
      throw new AppError('CONFLICT', reason);
    }
    ledger.holdsLease = () => this.#store.jobs.lease(jobId)?.owner === this.#owner;
    const runner = new JobRunner(
      { ...this.#deps, gatherEvidence: (own) => gatherEvidence(this.#deps, own) },
      ledger,
    );
    const stopHeartbeat = this.#beat(jobId, runner);
    const ended = runner.done.then(() => {
      stopHeartbeat();
      this.#active.delete(jobId);
      ledger.holdsLease = null;
      this.#release(jobId);
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

  #release(jobId: string): void {
    try {
      this.#store.jobs.releaseLease(jobId, this.#owner);
    } catch (problem) {
      // It becomes free by age.
      this.#deps.logger.warn('lease not released', { job: jobId, reason: toAppError(problem).message });
    }
  }

  #beat(jobId: string, runner: JobRunner): () => void {
    const { clock, logger } = this.#deps;
    let cancel: () => void = () => undefined;
    const beat = () => {
      try {
        if (!this.#store.jobs.renewLease(jobId, this.#owner, clock.nowMs())) {
          logger.error('upload taken over by another process', { job: jobId });
          runner.stop();
          return;
        }
      } catch (problem) {
        logger.warn('lease not renewed', { job: jobId, reason: toAppError(problem).message });
      }
      cancel = clock.setTimer(beat, HEARTBEAT_MS);
    };
    cancel = clock.setTimer(beat, HEARTBEAT_MS);
    return () => cancel();
  }

  /** A person's decision on a batch whose answer was lost. Sending it again starts the job. */
  async decide(jobId: string, number: number, decision: keyof typeof DECISIONS): Promise<UploadJob> {
    if (!this.#active.has(jobId)) this.#checkLease(jobId);
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
      const lease = this.#store.jobs.lease(jobId);
      const isElsewhere = lease !== null && lease.owner !== this.#owner && !this.#isStale(lease);
      return (
        !isElsewhere &&
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
  }

  async whenIdle(jobId: string): Promise<UploadJob> {
    for (let active = this.#active.get(jobId); active !== undefined; active = this.#active.get(jobId)) {
      await active.ended;
    }
    return this.view(jobId);
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#active.values()];
    for (const { runner } of all) runner.stop();
    const abort = () => {
      for (const { runner } of all) runner.abort();
    };
    const stopTimer = this.#deps.clock.setTimer(abort, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    stopTimer();
  }
}
