/** Starts, pauses, cancels and recovers jobs, and ensures that only one process sends a job. */
import { canBatchMove } from '../core/jobs/upload-job.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { USUAL_STEPS } from '../jobs/types.ts';
import { AppError } from '../shared/errors.ts';
import type { BatchState, UploadJob } from '../shared/upload-model.ts';
import { accessOf, gatherEvidence } from './gather-evidence.ts';
import { UploadRunner } from './job-runner.ts';
import { leaseProcess } from './lease-process.ts';
import { recoverUpload } from './recover-upload.ts';
import { isPastPolicy } from './rejection-policy.ts';
import type { Scans } from './scans.ts';
import type { Spools } from './spool/spools.ts';
import type { JobAction, UploadOptions, UploadsDeps } from './types.ts';
import { UploadLedger } from './upload-ledger.ts';

interface ControlDeps extends UploadsDeps {
  options: UploadOptions;
  scans: Scans;
  spools: Spools;
  /** Aborted when the connection is closed. */
  closing: AbortSignal;
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
  readonly jobs: Jobs<UploadLedger>;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
    const { store, options } = deps;
    this.#store = store;
    const process = leaseProcess(options);
    this.jobs = new Jobs(
      { ...deps, process },
      {
        what: 'upload',
        rows: store.jobs,
        load: (jobId) => new UploadLedger({ ...deps, onChanged: deps.onJobChanged }, store.jobs.load(jobId)),
        run: (ledger) =>
          new UploadRunner({ ...deps, gatherEvidence: (own) => gatherEvidence(deps, accessOf(own)) }, ledger),
        interrupt: (ledger) => recoverUpload(store, ledger, deps.clock.nowMs()),
        resume: (ledger) => {
          // If the job was being cancelled, its state is already `cancelled`, not `paused`.
          if (ledger.core.state === 'paused') ledger.apply([{ type: 'resume' }]);
        },
        due: (ledger, nowMs) => ledger.apply([{ type: 'due', nowMs }]),
        isOpen: USUAL_STEPS.isOpen,
        // Events of requests still in flight are stored once. The process that took over finds them by evidence.
        lost: (loop) => loop.stop(),
      },
    );
  }

  view(jobId: string): UploadJob {
    return this.jobs.ledger(jobId).view();
  }

  begin(jobId: string): void {
    this.jobs.start(jobId, (own) => own.apply([{ type: 'start' }]));
  }

  /** `startAtMs` is used by `schedule` only. */
  async act(jobId: string, action: JobAction, startAtMs: number | null = null): Promise<UploadJob> {
    const ledger = this.jobs.own(jobId);
    switch (action) {
      case 'start':
        this.begin(jobId);
        break;
      case 'resume':
        this.jobs.start(jobId, (own) => {
          // Repeating the request has no effect, even if the job is waiting.
          if (own.isRunning) return;
          own.apply([{ type: 'resume' }], isPastPolicy(own) ? { isPolicyLifted: true } : {});
        });
        break;
      case 'pause':
        ledger.apply([{ type: 'pause', reason: 'Paused.', error: null }]);
        this.jobs.runner(jobId)?.loop.wake();
        break;
      case 'cancel':
        this.#cancel(ledger);
        break;
      case 'schedule': {
        const nowMs = this.#deps.clock.nowMs();
        this.jobs.change(jobId, (own) => own.apply([{ type: 'schedule', startAtMs, nowMs }]));
        break;
      }
      case 'gather-evidence':
        await gatherEvidence(this.#deps, {
          read: () => this.jobs.ledger(jobId),
          write: (work) => void this.jobs.change(jobId, (own) => own.apply([], {}, work)),
        });
    }
    this.jobs.starts.changed(jobId);
    return this.view(jobId);
  }

  #cancel(ledger: UploadLedger): void {
    const { id } = ledger;
    ledger.apply([{ type: 'cancel' }], {}, () => this.#store.batches.moveAll(id, 'pending', 'cancelled'));
    const loop = this.jobs.runner(id)?.loop;
    if (loop === undefined) return;
    loop.wake();
    // Requests in flight may still be answered. Requests that are still queued when the timer fires are withdrawn.
    const stopTimer = this.#deps.clock.setTimer(
      () => loop.abort(),
      CANCEL_GRACE_MS,
      'ending a cancelled upload',
    );
    loop.done.then(stopTimer, stopTimer);
  }

  /** Applies a person's decision on a batch whose answer was lost. Sending it again starts the job. */
  async decide(jobId: string, number: number, decision: keyof typeof DECISIONS): Promise<UploadJob> {
    const to = DECISIONS[decision];
    const { core } = this.jobs.change(jobId, (ledger) => {
      const batch = this.#store.batches.get(jobId, number);
      if (batch === null || !canBatchMove(batch.state, to) || batch.state !== 'unknown') {
        throw new AppError(
          'INVALID_ARGUMENT',
          `Expected a batch of unknown outcome; batch ${number} is ${batch?.state ?? 'not there'}.`,
        );
      }
      const decided: StoredBatch = { ...batch, state: to, error: to === 'pending' ? null : batch.error };
      ledger.apply([{ type: 'batch', from: 'unknown', to, rows: batch.rows }], {}, () => {
        this.#store.batches.save(jobId, decided);
        if (to === 'acknowledged')
          this.#store.batches.saveReceipt(jobId, number, { eventIds: batch.ownIds, looseIds: [] });
      });
      if (ledger.core.state === 'needs-decision' && to !== 'pending') ledger.apply([{ type: 'settle' }]);
    });
    if (core.state === 'needs-decision' && to === 'pending') {
      this.jobs.start(jobId, (ledger) => ledger.apply([{ type: 'resume' }]));
    }
    return this.view(jobId);
  }

  /** Called after a start. Returns the uploads that an ended process left unfinished. */
  recover(continues: boolean): UploadJob[] {
    this.#store.scans.endInterrupted(this.#deps.scans.runningIds());
    return this.jobs.recover(continues).map((ledger) => ledger.view());
  }
}
