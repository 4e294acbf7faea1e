/**
 * Sends one job batch by batch. Each batch is written as `sending` before its request leaves, and each receipt is
 * written before anyone is notified. Ends when the job is paused, has ended, or needs a person.
 */

import { canPass, isPassing } from '../core/jobs/send-outcome.ts';
import { isTerminal, uncutRows } from '../core/jobs/upload-job.ts';
import type { UploadStore } from '../db/upload-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { areDistinguishable, distinctSize } from './evidence.ts';
import { rebuildBatch } from './halve-batch.ts';
import { InFlightBatches } from './in-flight-batches.ts';
import { prepareJob } from './job-preparation.ts';
import { JobSender } from './job-sender.ts';
import { ReadAhead } from './read-ahead.ts';
import type { RowPosition } from './readers/row-source.ts';
import type { Scans } from './scans.ts';
import type { Spool } from './spool/spool-file.ts';
import type { Spools } from './spool/spools.ts';
import { endOf, newBatch, type ReadyBatch } from './stored-batches.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import { UnknownBatches } from './unknown-batches.ts';
import type { UploadLedger } from './upload-ledger.ts';
import type { BatchLimits } from './worker/batch-producer.ts';
import { startUploadWorker, type UploadWorker } from './worker/worker-client.ts';

interface RunnerDeps extends Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'random' | 'logger'> {
  options: UploadOptions;
  scans: Scans;
  spools: Spools;
  /** Asks the service for the row count and stores the verdict on unknown batches. */
  gatherEvidence: (ledger: UploadLedger) => Promise<void>;
}

export class UploadRunner extends LedgerRunner<UploadLedger> {
  readonly #deps: RunnerDeps;
  readonly #store: UploadStore;
  readonly #sender: JobSender;
  readonly #inFlight: InFlightBatches;
  readonly #unknown: UnknownBatches;
  #worker: UploadWorker | null = null;
  #ahead: ReadAhead | null = null;
  /** A batch that is ready, but waits until a row count could distinguish it from the batches in flight. */
  #held: ReadyBatch | null = null;
  /** The events stored by the check of the file, while this runner reads them. */
  #spool: Spool | null = null;
  /** Position after the last batch that was sent; null if none was sent. */
  #end: RowPosition | null = null;
  #nextNumber = 0;
  /** True if a batch was taken but not sent. Reading then continues after the last stored batch. */
  #isBehind = false;
  #news = Promise.withResolvers<void>();
  #endReading: (() => void) | null = null;

  constructor(deps: RunnerDeps, ledger: UploadLedger) {
    super(deps, ledger);
    this.#deps = deps;
    this.#store = deps.store;
    this.#sender = new JobSender({ ...deps, ledger, signal: this.ending });
    this.#inFlight = new InFlightBatches({
      clock: deps.clock,
      most: this.#mostInFlight,
      onNews: () => this.#notify(),
    });
    this.#unknown = new UnknownBatches({ ...deps, ledger });
  }

  /** Makes the code that is still reading the file check whether to continue. */
  override look(): void {
    super.look();
    if (!this.shouldContinue) this.#endReading?.();
    this.#notify();
  }

  /** Sends batches until the job waits, is paused, or has nothing left. */
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
        signal: this.ending,
      });
      if (!isReady) return;
      this.#spool = this.#deps.spools.borrow(this.ledger.job.scanId);
      await this.#begin();
      while (this.shouldContinue) {
        // Taken before the check, so that no wake-up in between is missed.
        const { promise: news } = this.#news;
        if (!(await this.#launchNext())) {
          if (!this.#inFlight.isEmpty || !this.#isAtEnd) await news;
          else if (await this.#settle()) break;
        }
        // The job may be resumed before its last request is answered.
        if (!this.shouldContinue) await this.#inFlight.settle();
      }
    } catch (problem) {
      await this.#inFlight.settle();
      throw problem;
    } finally {
      this.#finishCancel();
      this.#endReading = null;
      // Batches are built again from the end of the last stored batch.
      this.#ahead = null;
      this.#held = null;
      await this.#worker?.close();
      this.#worker = null;
      this.#giveBackSpool();
    }
  }

  /** Returns the spool, and deletes it if the upload has ended. */
  #giveBackSpool(): void {
    const { scanId } = this.ledger.job;
    if (scanId === null) return;
    if (this.#spool !== null) this.#deps.spools.giveBack(scanId);
    this.#spool = null;
    if (isTerminal(this.ledger.core.state)) this.#deps.spools.drop(scanId);
  }

  async #begin(): Promise<void> {
    const { batches } = this.#store;
    this.#isBehind = false;
    this.#held = null;
    const last = batches.last(this.ledger.id);
    this.#end = last === null ? null : endOf(last);
    this.#nextNumber = batches.nextNumber(this.ledger.id);
    await this.#open();
  }

  /** Continues reading at the end of the last batch that was sent. */
  async #open(): Promise<void> {
    const { path, plan, schema, sizeBytes, mtimeMs } = this.ledger.job;
    const state = { sizeBytes, mtimeMs };
    await this.#call('open', { path, plan, model: schema, start: this.#end, state, spool: this.#spool });
    this.#ahead = new ReadAhead({ call: this.#call, onNews: () => this.#notify() });
  }

  /** Wakes up the code that waits for news. */
  #notify(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** Two updates of one event must arrive in file order, so updates are sent one batch at a time. */
  get #mostInFlight(): number {
    return this.#isUpdate ? 1 : this.#deps.options.maxInFlight;
  }

  /** True if no further batch can be taken up. */
  get #isAtEnd(): boolean {
    if (this.#isBehind || this.#held !== null || this.ledger.core.tallies.pending.batches > 0) return false;
    return this.#ahead === null || this.#ahead.isOver || (this.#ahead.sizes.length === 0 && this.#left <= 0);
  }

  /** Estimated number of rows that are not yet in a batch. */
  get #left(): number {
    const uncut = uncutRows(this.ledger.core) ?? Number.POSITIVE_INFINITY;
    const leaving = this.#inFlight.leaving.filter(({ isNew }) => isNew);
    const held = this.#held?.isNew === true ? this.#held.batch.rows : 0;
    return uncut - held - sumOf(leaving.map(({ rows }) => rows)) - sumOf(this.#ahead?.sizes ?? []);
  }

  /** Sends the next batch. Returns false if it has to wait for something else. */
  async #launchNext(): Promise<boolean> {
    if (this.#isBehind) {
      if (this.#inFlight.leaving.length > 0) return false;
      await this.#begin();
    }
    this.#readAhead();
    if (!this.#inFlight.hasRoom) return false;
    this.#held ??= await this.#take();
    // The job was paused meanwhile. The batch is built again when it continues.
    if (!this.shouldContinue) return true;
    const next = this.#held;
    if (next === null) return false;
    if (this.#isOutdated(next)) {
      await this.#cutAgain();
      return true;
    }
    if (!this.#isDistinguishable(next.batch.rows)) {
      // The service already counts acknowledged batches whose outcome is not written here yet.
      if (!this.#inFlight.isEmpty) return false;
      await this.#unknown.judge();
      if (!this.shouldContinue) return true;
    }
    this.#held = null;
    this.#launch(next);
    return true;
  }

  #launch(ready: ReadyBatch): void {
    if (ready.isNew) this.#end = endOf(ready.batch);
    this.#inFlight.launch(
      ready,
      (news) => this.#sender.send(ready, { isWanted: () => this.shouldContinue, ...news }),
      (isFine, hasLeft) => {
        if (isFine) this.loop.succeed();
        if (!hasLeft) this.#isBehind = true;
      },
    );
  }

  #readAhead(): void {
    const ahead = this.#ahead;
    if (ahead === null || !this.shouldContinue) return;
    ahead.fill(() => {
      const left = this.#left;
      return left <= 0 ? null : this.#limits(left);
    });
  }

  /** The next batch that is ready, or null. */
  async #take(): Promise<ReadyBatch | null> {
    if (this.ledger.core.tallies.pending.batches > 0) {
      // A batch that is being written is still stored as `pending`.
      if (this.#inFlight.leaving.some(({ isNew }) => !isNew)) return null;
      const pending = this.#store.batches.next(this.ledger.id, 'pending');
      const deps = { call: this.#call, ledger: this.ledger, store: this.#store };
      if (pending !== null) return rebuildBatch(deps, pending, () => this.#newNumber());
    }
    const cut = this.#ahead?.next() ?? null;
    if (cut === null) return null;
    const number = this.#newNumber();
    return { batch: newBatch(number, number, cut), body: cut.body, isNew: true };
  }

  #newNumber(): number {
    this.#nextNumber += 1;
    return this.#nextNumber - 1;
  }

  #limits(left: number): BatchLimits {
    const { batchRows, maxBatchBytes } = this.ledger.job;
    const before = [
      ...this.#inFlight.undecided,
      ...(this.#held === null ? [] : [this.#held.batch.rows]),
      ...(this.#ahead?.sizes ?? []),
    ];
    // The batches that will be in flight when this one is sent.
    const others = this.#mostInFlight === 1 ? [] : before.slice(1 - this.#mostInFlight);
    return { maxRows: this.#distinct(others, left) ?? batchRows, maxBytes: maxBatchBytes };
  }

  /** Row limit for a batch sent together with `others`; null if it must wait until their outcome is known. */
  #distinct(others: readonly number[], left: number): number | null {
    const { batchRows } = this.ledger.job;
    if (this.#isUpdate) return batchRows;
    const beside = (rows: readonly number[]) => distinctSize(batchRows, [...others, ...rows], left);
    // Prefers a size that is also distinguishable from batches that an early count missed.
    return beside(this.#unknown.doubtfulRows) ?? beside(this.#unknown.rows);
  }

  /** True if, after lost answers, a row count would show which of this batch and the open ones were stored. */
  #isDistinguishable(rows: number): boolean {
    if (this.#isUpdate) return true;
    return areDistinguishable([rows, ...this.#inFlight.undecided, ...this.#unknown.rows]);
  }

  /**
   * True if the batch was built before the service refused that size, or before another batch lost its answer from
   * which it cannot be distinguished.
   */
  #isOutdated({ batch: { rows }, isNew }: ReadyBatch): boolean {
    if (!isNew) return false;
    if (rows > this.ledger.job.batchRows) return true;
    if (this.#inFlight.undecided.length > 0 || this.#isDistinguishable(rows)) return false;
    const size = this.#distinct([], this.#left + rows + sumOf(this.#ahead?.sizes ?? []));
    return size !== null && size < rows;
  }

  async #cutAgain(): Promise<void> {
    if (this.#held?.isNew === true) this.#nextNumber -= 1;
    this.#held = null;
    await this.#open();
  }

  /** An update may be sent twice, because sending it again changes nothing. */
  get #isUpdate(): boolean {
    return this.ledger.job.plan.mode === 'update';
  }

  #call: UploadWorker['call'] = (operation, input) => {
    if (this.#worker === null) throw new AppError('INTERNAL', 'The reading thread is not running.');
    return this.#worker.call(operation, input);
  };

  /** True if the job has ended or waits for a person. */
  async #settle(): Promise<boolean> {
    if (this.ledger.core.tallies.unknown.batches > 0) await this.#unknown.gatherEvidence();
    // During the request a person may have decided to send a batch again.
    if (!this.shouldContinue || !this.#isAtEnd) return false;
    this.ledger.apply([{ type: 'settle' }]);
    if (this.ledger.isRunning) {
      throw new AppError(
        'INTERNAL',
        'The file gave fewer rows than were counted before. Start the upload again.',
      );
    }
    return true;
  }

  /** Handles a failure outside a request: reading the file, the store, the checks before sending. */
  handleFailure(error: AppError): void {
    if (!this.ledger.isRunning) return;
    const isUnsent = error.details.outcome === 'unsent' && canPass(error);
    if (isUnsent || isPassing(error)) {
      this.ledger.applyAnyhow([{ type: 'wait', reason: error.message, error: error.toWire() }]);
    } else {
      this.#suspend(error);
    }
  }

  #suspend(error: AppError): void {
    const { state, isCancelling } = this.ledger.core;
    if (isTerminal(state) || state === 'paused' || isCancelling || this.loop.isStopping) return;
    this.#deps.logger.warn('upload paused', { job: this.ledger.job.id, code: error.code });
    this.ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
  }

  /** If the failure cannot be written, the job pauses and shows the reason. */
  override wakeUp(): void {
    try {
      super.wakeUp();
    } catch (problem) {
      this.#suspend(toAppError(problem));
    }
  }

  #finishCancel(): void {
    if (!this.ledger.core.isCancelling) return;
    this.ledger.applyAnyhow([{ type: 'settle' }]);
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
