/**
 * Sends one job: batch after batch, each written as `sending` before its request leaves, each receipt written
 * before anyone hears of it. Ends when the job is paused, has ended, or needs a person.
 */

import { isContentRefusal, isPassing } from '../core/jobs/send-outcome.ts';
import { isSizeRefusal } from '../core/jobs/size-refusal.ts';
import { isTerminal, uncutRows } from '../core/jobs/upload-job.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { areToldApart, distinctSize, isJudged } from './evidence.ts';
import { fileChangedError } from './file-state.ts';
import { prepareJob } from './job-preparation.ts';
import { JobSender, type ReadyBatch, sizeOf } from './job-sender.ts';
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

interface Flight {
  rows: number;
  /** It has left the queue. */
  isSent: boolean;
  sent: Promise<void>;
  landed: Promise<void>;
}

export class UploadRunner extends LedgerRunner<UploadLedger> {
  readonly #deps: RunnerDeps;
  readonly #store: UploadStore;
  readonly #sender: JobSender;
  readonly #flights = new Set<Flight>();
  #worker: UploadWorker | null = null;
  #isAtEnd = false;
  /** The unknown batches that a count was last asked for. */
  #asked = '';
  /** The next batch, read while others are on their way. */
  #ahead: Promise<CutBatch | null> | null = null;
  /** Requests that may be on their way at once: more while all goes well, one after trouble. */
  #width = 1;
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
        if (!this.#hasRoom) await this.#nextNews();
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
      // Cut again from where the last stored batch ends.
      this.#ahead = null;
      await this.#worker?.close();
      this.#worker = null;
    }
  }

  /** Two updates of one event are to arrive in the order of the file. */
  get #mostInFlight(): number {
    return this.#isUpdate ? 1 : this.#deps.options.maxInFlight;
  }

  /** While one waits for the limits of the service, no other is begun: killed, its outcome would be unknown as well. */
  get #hasRoom(): boolean {
    return this.#flights.size < this.#width && [...this.#flights].every(({ isSent }) => isSent);
  }

  /** Resolves when a request has left the queue, or its answer was written. */
  async #nextNews(): Promise<void> {
    await Promise.race([...this.#flights].map(({ isSent, sent, landed }) => (isSent ? landed : sent)));
  }

  /** False when nothing is left to send and nothing on its way can bring something back. */
  async #sendNext(): Promise<boolean> {
    const next = await this.#nextBatch();
    if (next === null) {
      if (this.#flights.size === 0) return false;
      await this.#nextNews();
      return true;
    }
    if (!this.#isToldApart(next.batch.rows)) {
      await this.#land();
      if (this.goesOn && !this.#isToldApart(next.batch.rows)) await this.#judge();
    }
    // Paused while the batch was read, or while others landed: it is cut again when the job goes on.
    if (!this.goesOn) return true;
    this.#launch(next);
    this.#readAhead();
    return true;
  }

  #launch(ready: ReadyBatch): void {
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    const onSend = () => {
      flight.isSent = true;
      resolve();
    };
    const landed = this.#sender.send(ready, onSend).then((isFine) => {
      this.#width = isFine ? Math.min(this.#width + 1, this.#mostInFlight) : 1;
      if (isFine) this.loop.succeed();
      this.#flights.delete(flight);
      resolve();
    });
    const flight: Flight = { rows: ready.batch.rows, isSent: false, sent, landed };
    this.#flights.add(flight);
  }

  #readAhead(): void {
    if (this.#ahead !== null || this.#isAtEnd || this.#mostInFlight === 1) return;
    this.#ahead = this.#call('next', { limits: this.#limits() });
    // Whoever takes it hears of the failure; where nobody does, the reading was given up.
    this.#ahead.catch(() => undefined);
  }

  async #land(): Promise<void> {
    while (this.#flights.size > 0) await Promise.all([...this.#flights].map(({ landed }) => landed));
  }

  async #nextBatch(): Promise<ReadyBatch | null> {
    const { id: jobId } = this.ledger.job;
    const pending = this.#store.batches.next(jobId, 'pending');
    if (pending !== null) return this.#remake(pending);
    if (this.#isAtEnd) return null;
    const ahead = this.#ahead ?? this.#call('next', { limits: this.#limits() });
    this.#ahead = null;
    const cut = await ahead;
    if (cut === null) {
      this.#isAtEnd = true;
      return null;
    }
    const number = this.#store.batches.nextNumber(jobId);
    return { batch: newBatch(number, number, cut), bodyText: cut.bodyText, isNew: true };
  }

  #limits(): { maxRows: number; maxBytes: number } {
    const { batchRows, maxBatchBytes } = this.ledger.job;
    const left = uncutRows(this.ledger.core) ?? Number.POSITIVE_INFINITY;
    const maxRows = this.#isUpdate ? batchRows : distinctSize(batchRows, this.#openSizes(), left);
    // Where no size is left, the batch waits for the others.
    return { maxRows: maxRows ?? batchRows, maxBytes: maxBatchBytes };
  }

  /** Would a row count tell which of this one and the open ones were stored, should their answers be lost? */
  #isToldApart(rows: number): boolean {
    return this.#isUpdate || areToldApart([rows, ...this.#openSizes()]);
  }

  /** Asks what became of the unknown ones, once for the same: then they leave later ones to be told apart. */
  async #judge(): Promise<void> {
    const open = JSON.stringify(this.#unjudged().map(({ batch, attempts }) => [batch, attempts]));
    if (open === this.#asked) return;
    this.#asked = open;
    await this.#gatherEvidence();
  }

  /** It may be sent twice: it then says the same twice. */
  get #isUpdate(): boolean {
    return this.ledger.job.plan.mode === 'update';
  }

  /** Rows of what is on its way, and of what has an unknown outcome that no count has told yet. */
  #openSizes(): number[] {
    return [...this.#flights, ...this.#unjudged()].map(({ rows }) => rows);
  }

  #unjudged(): StoredBatch[] {
    const { job, core } = this.ledger;
    if (core.tallies.unknown.batches === 0) return [];
    return this.#store.batches.list(job.id, ['unknown'], 0, 1_000).filter((batch) => !isJudged(batch));
  }

  /** Reads the rows of a stored batch again; where it was too much or had rows at fault, as two batches. */
  async #remake(batch: StoredBatch): Promise<ReadyBatch> {
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
    if (this.ledger.core.tallies.unknown.batches > 0 && this.#isAtEnd) await this.#gatherEvidence();
    if (!this.goesOn) return;
    this.ledger.apply([{ type: 'settle' }]);
    if (this.ledger.isRunning) {
      throw new AppError(
        'INTERNAL',
        'The file gave fewer rows than were counted before. Start the upload again.',
      );
    }
  }

  /** Without it the job goes on, and a person can ask again. */
  async #gatherEvidence(): Promise<void> {
    await this.#deps.gatherEvidence(this.ledger).catch((problem: unknown) => {
      this.#deps.logger.warn('no evidence gathered', { reason: toAppError(problem).message });
    });
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
