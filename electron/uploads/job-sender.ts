/** Sends one request of a job and applies its answer. */

import { writeDurably } from '../core/jobs/durable-write.ts';
import { receiptProblem } from '../core/jobs/receipt-check.ts';
import { classifyFailure, type SendOutcome } from '../core/jobs/send-outcome.ts';
import { isNoSizeLimit, namedLimit, noSizeLimitError } from '../core/jobs/size-rejection.ts';
import { batchTarget, countsOf } from '../core/jobs/upload-job.ts';
import type { StoredBatch, StoredJob, UploadStore } from '../db/upload-store.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { BatchState } from '../shared/upload-model.ts';
import { isHalf, mayHalve } from './halve-batch.ts';
import { isPastPolicy, policyError } from './rejection-policy.ts';
import { type ReadyBatch, sizeOf } from './stored-batches.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';

interface SenderDeps extends Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'logger'> {
  options: UploadOptions;
  ledger: UploadLedger;
  signal: AbortSignal;
}

/** The caller that releases batches and is notified of their progress. */
export interface SendCallbacks {
  /** Asked right before the batch is written as `sending`. */
  isWanted(): boolean;
  /** Called when the batch has been written as `sending`. */
  onWritten(): void;
  /** Called when the request leaves the queue. */
  onSend(): void;
  /**
   * Called when the batch was acknowledged. The outcome is written together with all other changes of this turn of the
   * event loop.
   */
  onAnswer(): void;
}

interface Answer {
  ids: string[];
  requestId: string;
  /** The reason why the ids are not a valid receipt; null if they are. */
  problem: AppError | null;
}

/** This many lost answers in a row mean that the connection to the service has a problem. */
const MAX_UNKNOWN_IN_A_ROW = 3;

export class JobSender {
  readonly #deps: SenderDeps;
  readonly #store: UploadStore;
  readonly #ledger: UploadLedger;
  #unknownInARow = 0;
  /** The first id of each receipt of this run, to detect an answer that is repeated for other rows. */
  readonly #firstIds = new Set<string>();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#ledger = deps.ledger;
  }

  /** Resolves to true if the batch was acknowledged. Never rejects: failures change the batch and the job. */
  async send({ batch, body, isNew }: ReadyBatch, callbacks: SendCallbacks): Promise<boolean> {
    let sending: StoredBatch | null;
    try {
      sending = await this.#markSending(batch, isNew, callbacks.isWanted);
    } catch (problem) {
      this.#pause(toAppError(problem));
      return false;
    }
    if (sending === null) return false;
    callbacks.onWritten();
    return this.#sendWritten(sending, body, callbacks);
  }

  async #sendWritten(sending: StoredBatch, body: Uint8Array, callbacks: SendCallbacks): Promise<boolean> {
    let isCommitted = false;
    let answer: Answer | null = null;
    let failure: AppError | null = null;
    try {
      answer = await this.#request(sending, body, callbacks.onSend);
    } catch (problem) {
      failure = toAppError(problem);
    }
    try {
      const write = async () => {
        if (isCommitted) await this.#ledger.reachDisk();
        else if (answer !== null) {
          const isWritten = this.#acknowledge(sending, answer, () => {
            isCommitted = true;
          });
          callbacks.onAnswer();
          await isWritten;
        } else if (failure !== null) this.#takeFailure(sending, failure);
      };
      await writeDurably(write, { ...this.#deps, onTrouble: (error) => this.#noteTrouble(error) });
    } catch (problem) {
      // The batch stays `sending` on disk. The next start treats it as unknown, which is safe.
      const error = toAppError(problem);
      this.#deps.logger.error('outcome of a batch not recorded', {
        batch: sending.batch,
        reason: error.message,
      });
      this.#pause(error);
    }
    return answer !== null;
  }

  /** Kept in memory until the disk accepts it. Nothing more is sent meanwhile. */
  #noteTrouble(error: AppError): void {
    this.#deps.logger.error('receipt not written', { job: this.#ledger.job.id, code: error.code });
    this.#pause(error);
  }

  /** Null if the batch is no longer wanted. */
  async #markSending(
    batch: StoredBatch,
    isNew: boolean,
    isWanted: () => boolean,
  ): Promise<StoredBatch | null> {
    const { job } = this.#ledger;
    const sending: StoredBatch = {
      ...batch,
      state: 'sending',
      attempts: batch.attempts + 1,
      sentAtMs: this.#deps.clock.nowMs(),
      evidence: null,
      answeredAtMs: null,
    };
    const isIsolation = !isNew && isHalf(this.#deps, batch);
    let isCommitted = false;
    const written = this.#ledger.applyShared({
      events: [{ type: 'batch', from: isNew ? null : 'pending', to: 'sending', rows: batch.rows }],
      changes: ({ requests, isolationRequests }) => ({
        requests: requests + 1,
        isolationRequests: isolationRequests + (isIsolation ? 1 : 0),
      }),
      also: () => {
        this.#store.batches.save(job.id, sending);
        if (isIsolation) this.#store.batches.addSplitRequest(job.id, batch.root);
      },
      isWanted,
      onCommitted: () => {
        isCommitted = true;
      },
    });
    try {
      return (await written) ? sending : null;
    } catch (problem) {
      // The batch was not sent. It is sent once the disk accepts writes.
      if (isCommitted) this.#move(sending, 'pending', { requestId: null, error: null });
      throw problem;
    }
  }

  async #request(batch: StoredBatch, body: Uint8Array, onSend: () => void): Promise<Answer> {
    const { id: jobId, plan } = this.#ledger.job;
    const operation = plan.mode === 'update' ? 'events.update' : 'events.publish';
    let sends = 0;
    let isTaken = false;
    const options = {
      priority: 'upload',
      group: `upload ${jobId}`,
      signal: this.#deps.signal,
      onSend: () => {
        sends += 1;
        onSend();
      },
      onBodyTaken: () => {
        isTaken = true;
      },
    } as const;
    const { value, requestId } = await this.#deps.client.call(operation, { bodyText: body }, options);
    if (sends === 1 && isTaken) free(body);
    const ids = value.event_ids?.map(String) ?? null;
    const problem = receiptProblem(ids, {
      thing: 'row',
      noun: 'event id',
      count: batch.rows,
      own: batch.ownIds,
      isTaken: (id) => this.#firstIds.has(id),
    });
    const [first = ''] = ids ?? [];
    if (first.trim() !== '') this.#firstIds.add(first);
    if (problem !== null) {
      const { reason } = problem.details;
      this.#deps.logger.warn('receipt in doubt', {
        job: jobId,
        batch: batch.batch,
        rows: batch.rows,
        reason,
      });
    }
    return { ids: ids ?? [], requestId, problem };
  }

  /** The service answered that it stored the rows, so they are never sent again, even if the receipt is invalid. */
  async #acknowledge(
    batch: StoredBatch,
    { ids, requestId, problem }: Answer,
    onCommitted: () => void,
  ): Promise<void> {
    this.#unknownInARow = 0;
    const { id: jobId } = this.#ledger.job;
    const isOneForEach = ids.length === batch.rows;
    const known = isOneForEach ? ids : batch.ownIds;
    const loose = isOneForEach || batch.ownIds !== null ? [] : ids;
    await this.#ledger.applyShared({
      events: [{ type: 'batch', from: 'sending', to: 'acknowledged', rows: batch.rows }],
      changes: ({ doubtfulBatches, doubtfulRows }) =>
        problem === null
          ? {}
          : { doubtfulBatches: doubtfulBatches + 1, doubtfulRows: doubtfulRows + batch.rows },
      also: () => {
        const error = problem?.toWire() ?? null;
        this.#store.batches.save(jobId, this.#answered(batch, 'acknowledged', { requestId, error }));
        this.#store.batches.saveReceipt(jobId, batch.batch, { eventIds: known, looseIds: loose });
      },
      onCommitted,
    });
  }

  #answered(
    batch: StoredBatch,
    state: BatchState,
    changes: Pick<StoredBatch, 'requestId' | 'error'>,
  ): StoredBatch {
    return { ...batch, ...changes, state, answeredAtMs: this.#deps.clock.nowMs() };
  }

  #takeFailure(batch: StoredBatch, error: AppError): void {
    const outcome = this.#safeOutcome(classifyFailure(error, sizeOf(batch)));
    const requestId = error.details.requestId ?? null;
    if (outcome.kind !== 'unknown') this.#unknownInARow = 0;
    switch (outcome.kind) {
      case 'unsent':
        this.#move(batch, 'pending', { requestId, error: null }, () => undefined, this.#notCounted(error));
        this.#follow(
          outcome.next,
          isNoSizeLimit(error, sizeOf(batch)) ? noSizeLimitError(error, sizeOf(batch)) : error,
        );
        return;
      case 'refused':
        this.#refuse(batch, error, requestId);
        return;
      case 'too-large':
        this.#shrink(batch, error, requestId);
        return;
      case 'unknown':
        this.#unknownInARow += 1;
        this.#move(batch, 'unknown', { requestId, error: error.toWire() });
        if (outcome.next === 'pause' || this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW) this.#pause(error);
    }
  }

  /** An update may be sent twice, because sending it again changes nothing. */
  #safeOutcome(outcome: SendOutcome): SendOutcome {
    if (outcome.kind !== 'unknown' || this.#ledger.job.plan.mode === 'publish') return outcome;
    return { kind: 'unsent', next: outcome.next === 'pause' ? 'pause' : 'wait' };
  }

  /** A request that was withdrawn while it waited is not counted. */
  #notCounted({ code }: AppError): Partial<StoredJob> {
    return code === 'CANCELLED' ? { requests: this.#ledger.job.requests - 1 } : {};
  }

  #refuse(batch: StoredBatch, error: AppError, requestId: string | null): void {
    const wire = error.toWire();
    const isHalved = mayHalve(this.#deps, this.#deps.options, batch, error.details.status);
    this.#move(batch, isHalved ? 'pending' : 'refused', { requestId, error: wire });
    if (countsOf(this.#ledger.core).unsent > 0 && isPastPolicy(this.#ledger))
      this.#pause(policyError(this.#ledger, error));
  }

  #shrink(batch: StoredBatch, error: AppError, requestId: string | null): void {
    const wire = error.toWire();
    if (batch.rows === 1) {
      this.#move(batch, 'refused', { requestId, error: wire });
      return;
    }
    const { job } = this.#ledger;
    const fewer = namedLimit(wire, sizeOf(batch)) ?? Math.ceil(batch.rows / 2);
    const batchRows = Math.min(job.batchRows, fewer);
    this.#move(
      batch,
      'pending',
      { requestId, error: wire },
      () => {
        this.#store.jobs.learnBatchRows(job.plan.modelId, batchRows, this.#deps.clock.nowMs());
      },
      { batchRows },
    );
  }

  #move(
    batch: StoredBatch,
    to: BatchState,
    changes: Pick<StoredBatch, 'requestId' | 'error'>,
    also: () => void = () => undefined,
    jobChanges: Partial<StoredJob> = {},
  ): void {
    const moved = this.#answered(batch, batchTarget(this.#ledger.core, to), changes);
    this.#ledger.apply([{ type: 'batch', from: 'sending', to, rows: batch.rows }], jobChanges, () => {
      this.#store.batches.save(this.#ledger.job.id, moved);
      also();
    });
  }

  #follow(next: 'wait' | 'pause', error: AppError): void {
    if (next === 'pause') this.#pause(error);
    else if (this.#ledger.isRunning) {
      this.#ledger.applyAnyhow([{ type: 'wait', reason: error.message, error: error.toWire() }]);
    }
  }

  #pause(error: AppError): void {
    const { state, isCancelling } = this.#ledger.core;
    if (isCancelling || (state !== 'running' && state !== 'waiting')) return;
    this.#ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
  }
}

/** Frees the memory of a body at once. Otherwise the garbage collector would run for each 32 MB that are sent. */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
