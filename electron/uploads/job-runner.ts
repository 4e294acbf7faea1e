/**
 * Sends one job: batch after batch, each written as `sending` before its request leaves, each receipt written
 * before anyone hears of it. Ends when the job is paused, has ended, or needs a person.
 */

import { isContentRefusal, isPassing } from '../core/jobs/send-outcome.ts';
import { isSizeRefusal } from '../core/jobs/size-refusal.ts';
import { isTerminal } from '../core/jobs/upload-job.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { distinctSize } from './evidence.ts';
import { fileChangedError } from './file-state.ts';
import { prepareJob } from './job-preparation.ts';
import { JobSender, sizeOf } from './job-sender.ts';
import type { Scans } from './scans.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';
import type { CutBatch } from './worker/batch-producer.ts';
import { startUploadWorker, type UploadWorker } from './worker/worker-client.ts';

interface RunnerDeps extends Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'random' | 'logger'> {
  options: UploadOptions;
  scans: Scans;
  /** Asks the service for the row count and stores what it says about unknown batches. */
  gatherEvidence: (ledger: UploadLedger) => Promise<void>;
}

/** As large as a body may get when one batch is made again as it was. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export class UploadRunner extends LedgerRunner<UploadLedger> {
  readonly #deps: RunnerDeps;
  readonly #store: UploadStore;
  readonly #sender: JobSender;
  readonly #flights = new Set<Promise<void>>();
  #worker: UploadWorker | null = null;
  #isAtEnd = false;
  #endReading: (() => void) | null = null;

  constructor(deps: RunnerDeps, ledger: UploadLedger) {
    super(deps, ledger);
    this.#deps = deps;
    this.#store = deps.store;
    this.#sender = new JobSender({ ...deps, ledger, signal: this.ending });
  }

  /** Whoever still reads the file looks whether it is wanted. */
  look(): void {
    if (!this.goesOn) this.#endReading?.();
  }

  /** One stretch of sending; returns when the job waits, is paused, or has nothing left. */
  async run(): Promise<void> {
    this.#worker ??= startUploadWorker();
    try {
      const onReading = (end: (() => void) | null) => {
        this.#endReading = end;
      };
      const isReady = await prepareJob({
        ...this.#deps,
        ledger: this.ledger,
        worker: this.#worker,
        onReading,
      });
      if (!isReady) return;
      this.#isAtEnd = false;
      while (this.goesOn) {
        if (this.#flights.size >= this.#deps.options.maxInFlight) await Promise.race(this.#flights);
        else if (!(await this.#sendNext())) break;
      }
      await this.#land();
      if (this.goesOn) await this.#settle();
    } catch (problem) {
      await this.#land();
      throw problem;
    } finally {
      this.#finishCancel();
      this.#endReading = null;
      await this.#worker?.close();
      this.#worker = null;
    }
  }

  /** False when nothing is left to send and nothing on its way can bring something back. */
  async #sendNext(): Promise<boolean> {
    const next = await this.#nextBatch();
    if (next === null) {
      if (this.#flights.size === 0) return false;
      await Promise.race(this.#flights);
      return true;
    }
    // Paused while the batch was read: it is cut again when the job goes on.
    if (!this.goesOn) return true;
    const flight = this.#sender.send(next.batch, next.bodyText, next.isNew).then((isFine) => {
      if (isFine) this.loop.succeed();
    });
    const landing: Promise<void> = flight.finally(() => this.#flights.delete(landing));
    this.#flights.add(landing);
    return true;
  }

  async #land(): Promise<void> {
    while (this.#flights.size > 0) await Promise.all(this.#flights);
  }

  async #nextBatch(): Promise<{ batch: StoredBatch; bodyText: string; isNew: boolean } | null> {
    const { id: jobId } = this.ledger.job;
    const pending = this.#store.batches.next(jobId, 'pending');
    if (pending !== null) return this.#remake(pending);
    if (this.#isAtEnd) return null;
    const cut = await this.#call('next', { limits: this.#limits() });
    if (cut === null) {
      this.#isAtEnd = true;
      return null;
    }
    const number = this.#store.batches.nextNumber(jobId);
    return { batch: newBatch(number, number, cut), bodyText: cut.bodyText, isNew: true };
  }

  #limits(): { maxRows: number; maxBytes: number } {
    const { job } = this.ledger;
    if (job.plan.mode === 'update') return { maxRows: job.batchRows, maxBytes: job.maxBatchBytes };
    const open = this.#store.batches.list(job.id, ['unknown', 'sending'], 0, 40);
    const maxRows = distinctSize(
      job.batchRows,
      open.map((batch) => batch.rows),
    );
    return { maxRows, maxBytes: job.maxBatchBytes };
  }

  /** Reads the rows of a stored batch again; where it was too much or had rows at fault, as two batches. */
  async #remake(batch: StoredBatch): Promise<{ batch: StoredBatch; bodyText: string; isNew: boolean }> {
    const { path, plan, schema, sizeBytes, mtimeMs } = this.ledger.job;
    const isRefused = isContentRefusal(batch.error?.details.status) || wasTooLarge(batch);
    const isHalved = batch.rows > 1 && isRefused;
    const maxRows = isHalved ? Math.ceil(batch.rows / 2) : batch.rows;
    const parts = await this.#call('remake', {
      path,
      plan,
      model: schema,
      start: { byteOffset: batch.byteStart, line: batch.firstLine, row: batch.firstRow },
      endByte: batch.byteEnd,
      state: { sizeBytes, mtimeMs },
      limits: { maxRows, maxBytes: NO_LIMIT },
    });
    const rows = parts.reduce((sum, part) => sum + part.span.rows, 0);
    const [first, second] = parts;
    const isSame = rows === batch.rows && parts.length === (isHalved ? 2 : 1);
    if (first === undefined || !isSame || (!isHalved && first.span.sha256 !== batch.sha256)) {
      throw fileChangedError(this.ledger.job.fileName);
    }
    if (second === undefined) return { batch, bodyText: first.bodyText, isNew: false };
    return { batch: this.#splitInto(batch, first, second), bodyText: first.bodyText, isNew: false };
  }

  #splitInto(batch: StoredBatch, first: CutBatch, second: CutBatch): StoredBatch {
    const { id: jobId } = this.ledger.job;
    const head: StoredBatch = { ...batch, ...first.span, error: null };
    const number = this.#store.batches.nextNumber(jobId);
    // Parts of a batch that was only too large are batches of their own: no search for rows at fault.
    const root = wasTooLarge(batch) ? number : batch.root;
    const tail = { ...newBatch(number, root, second), state: 'pending' as const };
    this.ledger.apply([{ type: 'split' }], {}, () => {
      this.#store.batches.save(jobId, head);
      this.#store.batches.save(jobId, tail);
    });
    return head;
  }

  #call: UploadWorker['call'] = (operation, input) => {
    if (this.#worker === null) throw new AppError('INTERNAL', 'The reading thread is not running.');
    return this.#worker.call(operation, input);
  };

  async #settle(): Promise<void> {
    if (this.ledger.core.tallies.unknown.batches > 0 && this.#isAtEnd) {
      await this.#deps.gatherEvidence(this.ledger).catch((problem: unknown) => {
        this.#deps.logger.warn('no evidence gathered', { reason: toAppError(problem).message });
      });
    }
    if (!this.goesOn) return;
    this.ledger.apply([{ type: 'settle' }]);
    if (this.ledger.isRunning) {
      throw new AppError(
        'INTERNAL',
        'The file gave fewer rows than were counted before. Start the upload again.',
      );
    }
  }

  /** A failure outside of a request: reading the file, the store, the checks before sending. */
  stumble(error: AppError): void {
    if (!this.ledger.isRunning) return;
    const isUnsent = error.details.outcome === 'unsent' && error.retry !== 'never';
    if (isUnsent || isPassing(error)) {
      this.ledger.applyAnyhow([{ type: 'wait', reason: error.message, error: error.toWire() }]);
    } else {
      this.#halt(error);
    }
  }

  #halt(error: AppError): void {
    const { state, isCancelling } = this.ledger.core;
    if (isTerminal(state) || state === 'paused' || isCancelling || this.loop.isStopping) return;
    this.#deps.logger.warn('upload paused', { job: this.ledger.job.id, code: error.code });
    this.ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
  }

  /** Where that cannot be written it rests, and says why. */
  override wakeUp(): void {
    try {
      super.wakeUp();
    } catch (problem) {
      this.#halt(toAppError(problem));
    }
  }

  #finishCancel(): void {
    if (!this.ledger.core.isCancelling) return;
    this.ledger.applyAnyhow([{ type: 'settle' }]);
  }
}

function wasTooLarge(batch: StoredBatch): boolean {
  return batch.error !== null && isSizeRefusal(batch.error, sizeOf(batch));
}

function newBatch(number: number, root: number, cut: CutBatch): StoredBatch {
  return {
    batch: number,
    root,
    ...cut.span,
    state: 'sending',
    attempts: 0,
    sentAtMs: null,
    answeredAtMs: null,
    requestId: null,
    error: null,
    evidence: null,
  };
}
