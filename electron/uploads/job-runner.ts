/**
 * Sends one job: batch after batch, each written as `sending` before its request leaves, each receipt written
 * before anyone hears of it. Ends when the job is paused, has ended, or needs a person.
 */

import { isPassing } from '../core/jobs/send-outcome.ts';
import { isTerminal, uncutRows } from '../core/jobs/upload-job.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { areToldApart, distinctSize, isJudged } from './evidence.ts';
import { prepareJob } from './job-preparation.ts';
import { JobSender, type ReadyBatch } from './job-sender.ts';
import { ReadAhead } from './read-ahead.ts';
import type { RowPosition } from './readers/row-source.ts';
import type { Scans } from './scans.ts';
import { endOf, newBatch, remakeBatch } from './stored-batches.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';
import type { BatchLimits } from './worker/batch-producer.ts';
import { startUploadWorker, type UploadWorker } from './worker/worker-client.ts';

interface RunnerDeps extends Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'random' | 'logger'> {
  options: UploadOptions;
  scans: Scans;
  /** Asks the service for the row count and stores what it says about unknown batches. */
  gatherEvidence: (ledger: UploadLedger) => Promise<void>;
}

/** What is on its way, from when it is taken up until its outcome is written. */
interface Flight {
  rows: number;
  isNew: boolean;
  /** `leaving`: it is being written as `sending`. `answered`: acknowledged, which is being written. */
  state: 'leaving' | 'queued' | 'sent' | 'answered';
  landed: Promise<void>;
}

/** A request that leaves the queue within so long did not wait for a limit. */
const AT_ONCE_MS = 50;

export class UploadRunner extends LedgerRunner<UploadLedger> {
  readonly #deps: RunnerDeps;
  readonly #store: UploadStore;
  readonly #sender: JobSender;
  readonly #flights = new Set<Flight>();
  #worker: UploadWorker | null = null;
  #ahead: ReadAhead | null = null;
  /** Taken up, and waiting until it can be told from what is on its way. */
  #held: ReadyBatch | null = null;
  /** Where the last batch ends that left; null: none did. */
  #end: RowPosition | null = null;
  #nextNumber = 0;
  /** A batch that was taken up did not leave: reading goes on behind the last one that is stored. */
  #isBehind = false;
  /** The unknown batches that a count was last asked for. */
  #asked = '';
  /** Requests that may be on their way at once: more while all goes well, one after trouble. */
  #width = 1;
  /** So many of them may be in the queue: more while none of them waits there, one where limits make them wait. */
  #depth = 1;
  #news = Promise.withResolvers<void>();
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
    this.#tell();
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
      await this.#begin();
      while (this.goesOn) {
        // Before looking, so that nothing is missed.
        const { promise: news } = this.#news;
        if (!(await this.#launchNext())) {
          if (this.#flights.size > 0 || !this.#isAtEnd) await news;
          else if (await this.#settle()) break;
        }
        // It may be resumed before its last request is answered.
        if (!this.goesOn) await this.#land();
      }
    } catch (problem) {
      await this.#land();
      throw problem;
    } finally {
      this.#finishCancel();
      this.#endReading = null;
      // Cut again from where the last stored batch ends.
      this.#ahead = null;
      this.#held = null;
      await this.#worker?.close();
      this.#worker = null;
    }
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

  /** Reads on from where the last batch ends that left. */
  async #open(): Promise<void> {
    const { path, plan, schema, sizeBytes, mtimeMs } = this.ledger.job;
    const state = { sizeBytes, mtimeMs };
    await this.#call('open', { path, plan, model: schema, start: this.#end, state });
    this.#ahead = new ReadAhead({ call: this.#call, onNews: () => this.#tell() });
  }

  /** Whoever waits looks again. */
  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** Two updates of one event are to arrive in the order of the file. */
  get #mostInFlight(): number {
    return this.#isUpdate ? 1 : this.#deps.options.maxInFlight;
  }

  /**
   * While one waits for the limits of the service, no other is begun: killed, its outcome would be unknown as well.
   * What is acknowledged has made room, although that is not on the disk yet: the next one is written with it.
   */
  get #hasRoom(): boolean {
    const waiting = [...this.#flights].filter(({ state }) => state === 'leaving' || state === 'queued');
    return this.#undecided().length < this.#width && waiting.length < this.#depth;
  }

  get #isLeaving(): boolean {
    return [...this.#flights].some(({ state }) => state === 'leaving');
  }

  #undecided(): Flight[] {
    return [...this.#flights].filter(({ state }) => state !== 'answered');
  }

  /** Nothing is left to take up. */
  get #isAtEnd(): boolean {
    if (this.#isBehind || this.#held !== null || this.ledger.core.tallies.pending.batches > 0) return false;
    return this.#ahead === null || this.#ahead.isOver || (this.#ahead.sizes.length === 0 && this.#left <= 0);
  }

  /** Rows that no batch was cut from yet, as far as is known. */
  get #left(): number {
    const uncut = uncutRows(this.ledger.core) ?? Number.POSITIVE_INFINITY;
    const leaving = [...this.#flights].filter(({ isNew, state }) => isNew && state === 'leaving');
    const held = this.#held?.isNew === true ? this.#held.batch.rows : 0;
    return uncut - held - sumOf(leaving.map(({ rows }) => rows)) - sumOf(this.#ahead?.sizes ?? []);
  }

  /** False where something has to happen first. */
  async #launchNext(): Promise<boolean> {
    if (this.#isBehind) {
      if (this.#isLeaving) return false;
      await this.#begin();
    }
    this.#readAhead();
    if (!this.#hasRoom) return false;
    this.#held ??= await this.#take();
    // Paused meanwhile: it is cut again when the job goes on.
    if (!this.goesOn) return true;
    const next = this.#held;
    if (next === null) return false;
    if (this.#isOutdated(next)) {
      await this.#cutAgain();
      return true;
    }
    if (!this.#isToldApart(next.batch.rows)) {
      if (this.#undecided().length > 0) return false;
      await this.#judge();
      if (!this.goesOn) return true;
    }
    this.#held = null;
    this.#launch(next);
    return true;
  }

  #launch(ready: ReadyBatch): void {
    const { clock } = this.#deps;
    if (ready.isNew) this.#end = endOf(ready.batch);
    let queuedAtMs = 0;
    const landed = this.#sender
      .send(ready, {
        isWanted: () => this.goesOn,
        onWritten: () => {
          flight.state = 'queued';
          queuedAtMs = clock.monotonicMs();
          this.#tell();
        },
        onSend: () => {
          // Sent again after a 429 or the like, it tells nothing of the queue.
          if (flight.state !== 'queued') return;
          flight.state = 'sent';
          const isAtOnce = clock.monotonicMs() - queuedAtMs <= AT_ONCE_MS;
          this.#depth = isAtOnce ? Math.min(this.#depth + 1, this.#mostInFlight) : 1;
          this.#tell();
        },
        onAnswer: () => {
          flight.state = 'answered';
          this.#width = Math.min(this.#width + 1, this.#mostInFlight);
          this.#tell();
        },
      })
      .then((isFine) => {
        if (isFine) this.loop.succeed();
        else this.#width = 1;
        if (flight.state === 'leaving') this.#isBehind = true;
        this.#flights.delete(flight);
        this.#tell();
      });
    const flight: Flight = { rows: ready.batch.rows, isNew: ready.isNew, state: 'leaving', landed };
    this.#flights.add(flight);
  }

  #readAhead(): void {
    const ahead = this.#ahead;
    if (ahead === null || !this.goesOn) return;
    while (ahead.hasRoom) {
      const left = this.#left;
      if (left <= 0) return;
      ahead.ask(this.#limits(left));
    }
  }

  async #land(): Promise<void> {
    while (this.#flights.size > 0) await Promise.all([...this.#flights].map(({ landed }) => landed));
  }

  /** The next batch that is ready, or null. */
  async #take(): Promise<ReadyBatch | null> {
    if (this.ledger.core.tallies.pending.batches > 0) {
      // One that is being written is still stored as `pending`.
      if ([...this.#flights].some(({ isNew, state }) => !isNew && state === 'leaving')) return null;
      const pending = this.#store.batches.next(this.ledger.id, 'pending');
      if (pending !== null) return this.#remake(pending);
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
    const flying = this.#undecided().map(({ rows }) => rows);
    const before = [
      ...flying,
      ...(this.#held === null ? [] : [this.#held.batch.rows]),
      ...(this.#ahead?.sizes ?? []),
    ];
    // Those that are on their way when this one leaves.
    const others = this.#mostInFlight === 1 ? [] : before.slice(1 - this.#mostInFlight);
    return { maxRows: this.#distinct(others, left) ?? batchRows, maxBytes: maxBatchBytes };
  }

  /** Rows for a batch beside these; null where the batch waits for the others. */
  #distinct(others: readonly number[], left: number): number | null {
    const { batchRows } = this.ledger.job;
    return this.#isUpdate ? batchRows : distinctSize(batchRows, [...others, ...this.#unjudged()], left);
  }

  /** Would a row count tell which of this one and the open ones were stored, should their answers be lost? */
  #isToldApart(rows: number): boolean {
    if (this.#isUpdate) return true;
    return areToldApart([rows, ...this.#undecided().map((flight) => flight.rows), ...this.#unjudged()]);
  }

  /** It was cut before the service refused as much, or before an answer was lost that it is not told apart from. */
  #isOutdated({ batch: { rows }, isNew }: ReadyBatch): boolean {
    if (!isNew) return false;
    if (rows > this.ledger.job.batchRows) return true;
    if (this.#undecided().length > 0 || this.#isToldApart(rows)) return false;
    const size = this.#distinct([], this.#left + rows + sumOf(this.#ahead?.sizes ?? []));
    return size !== null && size < rows;
  }

  async #cutAgain(): Promise<void> {
    if (this.#held?.isNew === true) this.#nextNumber -= 1;
    this.#held = null;
    await this.#open();
  }

  /** Asks what became of the unknown ones, once for the same: then they leave later ones to be told apart. */
  async #judge(): Promise<void> {
    const open = JSON.stringify(this.#unknown().map(({ batch, attempts }) => [batch, attempts]));
    if (open === this.#asked) return;
    this.#asked = open;
    await this.#gatherEvidence();
  }

  /** It may be sent twice: it then says the same twice. */
  get #isUpdate(): boolean {
    return this.ledger.job.plan.mode === 'update';
  }

  /** Rows of what has an unknown outcome that no count has told yet. */
  #unjudged(): number[] {
    return this.#unknown().map(({ rows }) => rows);
  }

  #unknown(): StoredBatch[] {
    const { job, core } = this.ledger;
    if (core.tallies.unknown.batches === 0) return [];
    return this.#store.batches.list(job.id, ['unknown'], 0, 1_000).filter((batch) => !isJudged(batch));
  }

  #remake(batch: StoredBatch): Promise<ReadyBatch> {
    return remakeBatch({ call: this.#call, ledger: this.ledger, store: this.#store }, batch, () =>
      this.#newNumber(),
    );
  }

  #call: UploadWorker['call'] = (operation, input) => {
    if (this.#worker === null) throw new AppError('INTERNAL', 'The reading thread is not running.');
    return this.#worker.call(operation, input);
  };

  /** True once the job has ended or waits for a person. */
  async #settle(): Promise<boolean> {
    if (this.ledger.core.tallies.unknown.batches > 0) await this.#gatherEvidence();
    // While the service was asked, a person may have decided that a batch is sent again.
    if (!this.goesOn || !this.#isAtEnd) return false;
    this.ledger.apply([{ type: 'settle' }]);
    if (this.ledger.isRunning) {
      throw new AppError(
        'INTERNAL',
        'The file gave fewer rows than were counted before. Start the upload again.',
      );
    }
    return true;
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

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
