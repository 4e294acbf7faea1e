/** One request of a job and what follows from its answer. */

import { writeDurably } from '../core/jobs/durable-write.ts';
import { receiptProblem } from '../core/jobs/receipt-check.ts';
import { classifyFailure, isContentRefusal, type SendOutcome } from '../core/jobs/send-outcome.ts';
import { namedLimit, type SentSize } from '../core/jobs/size-refusal.ts';
import { batchTarget, countsOf } from '../core/jobs/upload-job.ts';
import type { StoredBatch, StoredJob, UploadStore } from '../db/upload-store.ts';
import { counted } from '../shared/count-text.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { mostBadRows, policyText } from '../shared/row-policy.ts';
import type { BatchState } from '../shared/upload-model.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';

interface SenderDeps extends Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'logger'> {
  options: UploadOptions;
  ledger: UploadLedger;
  signal: AbortSignal;
}

/** A batch with its request body. */
export interface ReadyBatch {
  batch: StoredBatch;
  bodyText: string;
  /** It was not sent before. */
  isNew: boolean;
}

interface Answer {
  ids: string[];
  requestId: string;
  /** Why the ids are no receipt; null where they are. */
  problem: AppError | null;
}

const TIMEOUT_MS = 120_000;
/** So many lost answers in a row mean that something is wrong with the way to the service. */
const MOST_UNKNOWN_IN_A_ROW = 3;

export class JobSender {
  readonly #deps: SenderDeps;
  readonly #store: UploadStore;
  readonly #ledger: UploadLedger;
  #unknownInARow = 0;
  /** The first id of each receipt of this run: an answer that is given again for other rows has one of them. */
  readonly #firstIds = new Set<string>();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#ledger = deps.ledger;
  }

  /**
   * True when the batch was acknowledged. Never rejects: what goes wrong changes batch and job. `onSend` is called when
   * the request leaves the queue.
   */
  async send({ batch, bodyText, isNew }: ReadyBatch, onSend: () => void): Promise<boolean> {
    let sending: StoredBatch;
    try {
      sending = this.#markSending(batch, isNew);
    } catch (problem) {
      this.#pause(toAppError(problem));
      return false;
    }
    let answer: Answer | null = null;
    let failure: AppError | null = null;
    try {
      answer = await this.#request(sending, bodyText, onSend);
    } catch (problem) {
      failure = toAppError(problem);
    }
    try {
      const write = () => {
        if (answer !== null) this.#acknowledge(sending, answer);
        else if (failure !== null) this.#takeFailure(sending, failure);
      };
      await writeDurably(write, { ...this.#deps, onTrouble: (error) => this.#noteTrouble(error) });
    } catch (problem) {
      // The batch stays `sending` on the disk, which the next start takes as unknown: the safe reading.
      const error = toAppError(problem);
      this.#deps.logger.error('outcome of a batch not recorded', {
        batch: batch.batch,
        reason: error.message,
      });
      this.#pause(error);
    }
    return answer !== null;
  }

  /** Known only in memory until the disk takes it: nothing more is sent meanwhile. */
  #noteTrouble(error: AppError): void {
    this.#deps.logger.error('receipt not written', { job: this.#ledger.job.id, code: error.code });
    this.#pause(error);
  }

  #markSending(batch: StoredBatch, isNew: boolean): StoredBatch {
    const { job } = this.#ledger;
    const sending: StoredBatch = {
      ...batch,
      state: 'sending',
      attempts: batch.attempts + 1,
      sentAtMs: this.#deps.clock.nowMs(),
      evidence: null,
      answeredAtMs: null,
    };
    const isIsolation = !isNew && this.#isPart(job, batch);
    const changes = {
      requests: job.requests + 1,
      isolationRequests: job.isolationRequests + (isIsolation ? 1 : 0),
    };
    this.#ledger.apply(
      [{ type: 'batch', from: isNew ? null : 'pending', to: 'sending', rows: batch.rows }],
      changes,
      () => {
        this.#store.batches.save(job.id, sending);
        if (isIsolation) this.#store.batches.addSplitRequest(job.id, batch.root);
      },
    );
    return sending;
  }

  /** Is this batch a part of one that was halved for rows at fault? */
  #isPart(job: StoredJob, batch: StoredBatch): boolean {
    return batch.batch !== batch.root || this.#store.batches.wasSplit(job.id, batch.root);
  }

  async #request(batch: StoredBatch, bodyText: string, onSend: () => void): Promise<Answer> {
    const { id: jobId, plan } = this.#ledger.job;
    const operation = plan.mode === 'update' ? 'events.update' : 'events.publish';
    const options = {
      priority: 'upload',
      group: `upload ${jobId}`,
      signal: this.#deps.signal,
      timeoutMs: TIMEOUT_MS,
      onSend,
    } as const;
    const { value, requestId } = await this.#deps.client.call(operation, { bodyText }, options);
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

  /** The service said that it stored the rows: they are never sent again for what its receipt looks like. */
  #acknowledge(batch: StoredBatch, { ids, requestId, problem }: Answer): void {
    this.#unknownInARow = 0;
    const { id: jobId, doubtfulBatches, doubtfulRows } = this.#ledger.job;
    const isOneForEach = ids.length === batch.rows;
    const known = isOneForEach ? ids : batch.ownIds;
    const loose = isOneForEach || batch.ownIds !== null ? [] : ids;
    const doubtful =
      problem === null
        ? {}
        : { doubtfulBatches: doubtfulBatches + 1, doubtfulRows: doubtfulRows + batch.rows };
    const also = () =>
      this.#store.batches.saveReceipt(jobId, batch.batch, { eventIds: known, looseIds: loose });
    this.#move(batch, 'acknowledged', { requestId, error: problem?.toWire() ?? null }, also, doubtful);
  }

  #takeFailure(batch: StoredBatch, error: AppError): void {
    const outcome = this.#safeOutcome(classifyFailure(error, sizeOf(batch)));
    const requestId = error.details.requestId ?? null;
    if (outcome.kind !== 'unknown') this.#unknownInARow = 0;
    switch (outcome.kind) {
      case 'unsent':
        this.#move(batch, 'pending', { requestId, error: null });
        this.#follow(outcome.next, error);
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
        if (outcome.next === 'pause' || this.#unknownInARow >= MOST_UNKNOWN_IN_A_ROW) this.#pause(error);
    }
  }

  /** An update may be sent twice: it then says the same twice. */
  #safeOutcome(outcome: SendOutcome): SendOutcome {
    if (outcome.kind !== 'unknown' || this.#ledger.job.plan.mode === 'publish') return outcome;
    return { kind: 'unsent', next: outcome.next === 'pause' ? 'pause' : 'wait' };
  }

  #refuse(batch: StoredBatch, error: AppError, requestId: string | null): void {
    const wire = error.toWire();
    const canHalve = batch.rows > 1 && isContentRefusal(error.details.status) && this.#maySpend(batch);
    this.#move(batch, canHalve ? 'pending' : 'refused', { requestId, error: wire });
    if (countsOf(this.#ledger.core).unsent > 0 && isPastPolicy(this.#ledger))
      this.#pause(policyError(this.#ledger, error));
  }

  #maySpend(batch: StoredBatch): boolean {
    const { isolatesRefusedRows, isolationRequests } = this.#deps.options;
    const { id: jobId, isolationRequests: spent } = this.#ledger.job;
    if (!isolatesRefusedRows || spent >= isolationRequests.perJob) return false;
    return this.#store.batches.splitRequests(jobId, batch.root) < isolationRequests.perBatch;
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
    const state = batchTarget(this.#ledger.core, to);
    const moved: StoredBatch = { ...batch, ...changes, state, answeredAtMs: this.#deps.clock.nowMs() };
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

/** More rows were refused, here and by the service, than the upload may leave out. */
export function isPastPolicy({ core, job }: UploadLedger): boolean {
  const { refused } = core.tallies;
  if (refused.rows === 0 || job.isPolicyLifted === true) return false;
  return core.rejected + refused.rows > mostBadRows(job.plan.onBadRow, core.rows ?? 0);
}

function policyError({ core, job }: UploadLedger, { code, message, details }: AppError): AppError {
  const refused = counted(core.tallies.refused.rows, 'row');
  return new AppError(
    code,
    `The service refused ${refused}, and this upload ${policyText(job.plan.onBadRow)}. ${message}`,
    { ...details, nextStep: 'Resume it to leave refused rows out, or cancel it.' },
  );
}

/** In bytes of the file: about as many as those of the request. */
export function sizeOf({ rows, byteStart, byteEnd }: StoredBatch): SentSize {
  return { rows, bytes: byteEnd - byteStart };
}
