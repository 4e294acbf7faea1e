/** Sends one bulk change: resolves unknown outcomes first, then sends request after request. */
import { type AfterFailure, afterBulkFailure, suspensionOf } from '../core/jobs/bulk-act.ts';
import { writeDurably } from '../core/jobs/durable-write.ts';
import { bindSendPermission } from '../core/jobs/send-permission.ts';
import type { BulkPart, StoredBulkAct } from '../db/upload-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import type { ActRequest } from '../resources/types.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json-body.ts';
import { isSameValue } from '../shared/outbox-model.ts';
import { seenMark } from '../shared/seen-record.ts';
import { type BulkLedger, isDeletion, type PartChange } from './bulk-ledger.ts';
import type { BulkDeps } from './types.ts';

/** Maximum number of requests in flight: enough to use the rate limits, and few enough to stop soon. */
export const MAX_SENDING = 4;
/**
 * Maximum number of requests for the same records. Each repetition requires proof that the previous one was not done.
 */
const MAX_ATTEMPTS = 3;
/**
 * If the rate limit is exhausted for longer than this, the job itself waits, because its wait is visible and can be
 * stopped.
 */
const LONG_WAIT_MS = 10_000;
/**
 * Time for requests in flight to be answered after the job was halted. Requests that are still queued then are
 * withdrawn.
 */
const GRACE_MS = 5_000;

export class BulkRunner extends LedgerRunner<BulkLedger> {
  readonly #deps: BulkDeps;
  #failuresInARow = 0;
  /** Number of the last taken request. */
  #taken = -1;
  /** Requests that still wait, and whose records are being read. */
  readonly #reading = new Set<number>();
  /** Requests whose outcome cannot be determined. */
  readonly #undecided = new Set<number>();
  #stretch = new AbortController();
  #cancelGrace: () => void = () => undefined;

  constructor(deps: BulkDeps, ledger: BulkLedger) {
    super(deps, ledger);
    this.#deps = deps;
  }

  handleFailure(error: AppError): void {
    this.suspend(suspensionOf(error), error);
  }

  /** Called when the job was halted. Queued requests must not be sent later. */
  recall(): void {
    this.#giveGrace();
    this.loop.wake();
  }

  #giveGrace(): void {
    this.#cancelGrace();
    const stretch = this.#stretch;
    this.#cancelGrace = this.#deps.clock.setTimer(
      () => stretch.abort(),
      GRACE_MS,
      'ending a change of many records',
    );
  }

  resume(): void {
    this.#undecided.clear();
    this.#cancelGrace();
    this.loop.wake();
  }

  suspend(how: 'wait' | 'pause', error: AppError): void {
    // Another request or a person has halted the job before.
    if (this.phase() !== 'running') return;
    const { id: bulkId } = this.ledger;
    this.#deps.logger.warn('change of many records halted', { bulk: bulkId, code: error.code, how });
    this.ledger.applyAnyhow([{ type: how, reason: error.message, error: error.toWire() }]);
    this.#giveGrace();
  }

  async run(ending: AbortSignal): Promise<void> {
    this.#stretch = new AbortController();
    const signal = AbortSignal.any([ending, this.#stretch.signal]);
    bindSendPermission(this.sendPermission, signal);
    try {
      this.#takeUp();
      await this.#decideUnknown(signal);
      await this.#sendAll(signal);
      await this.#decideUnknown(signal);
    } finally {
      this.#cancelGrace();
    }
    if (this.shouldContinue && this.ledger.core.counts.waiting === 0) this.ledger.apply([{ type: 'settle' }]);
  }

  /**
   * The outcome is unknown for requests in flight when a program ended, and for requests whose outcome could not be
   * stored.
   */
  #takeUp(): void {
    this.#taken = -1;
    if (this.ledger.core.counts.sending === 0) return;
    const { events, also } = this.ledger.moveAll(['sending'], 'unknown');
    this.ledger.apply(events, {}, also);
  }

  /**
   * When it returns or throws, all lanes have ended, so a request that is still marked as being sent is not in flight.
   */
  async #sendAll(signal: AbortSignal): Promise<void> {
    const lanes = Array.from({ length: MAX_SENDING }, () => this.#lane(signal));
    const [failed] = (await Promise.allSettled(lanes)).filter(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Checks requests without an answer. Each was done, must be repeated, or cannot be determined. */
  async #decideUnknown(signal: AbortSignal): Promise<void> {
    const { store, resources } = this.#deps;
    const { id: bulkId } = this.ledger;
    for (let after = -1; this.shouldContinue; ) {
      const part = store.bulkParts.next(bulkId, 'unknown', after);
      if (part === null) return;
      after = part.part;
      if (this.#undecided.has(part.part)) continue;
      const found = await resources
        .look(requestOf(this.ledger.stored, part), this.#callOptions(signal))
        .catch((thrown: unknown) => {
          const problem = toAppError(thrown);
          // If the service is unreachable, the check is repeated later. Records that the service refuses to show stay
          // unknown.
          if (suspensionOf(problem) === 'wait' || problem.code === 'CANCELLED') throw problem;
          return 'unknown' as const;
        });
      const isDone = found === 'done';
      if (isDone || (found === 'undone' && part.attempts < MAX_ATTEMPTS)) {
        this.ledger.settlePart(part, 'unknown', {
          state: isDone ? 'done' : 'waiting',
          error: null,
          job: null,
        });
      } else this.#undecided.add(part.part);
    }
  }

  async #lane(signal: AbortSignal): Promise<void> {
    while (this.shouldContinue && this.ledger.core.counts.waiting > 0) {
      this.#checkConnection();
      if (!this.shouldContinue) return;
      const next = this.#next();
      if (next === null) return;
      const part = await this.#claim(next, signal);
      if (part !== null) await this.#send(part, signal);
    }
  }

  /** The next request that waits and that no lane is reading for. */
  #next(): BulkPart | null {
    const { bulkParts } = this.#deps.store;
    const { id } = this.ledger;
    let part = bulkParts.next(id, 'waiting', this.#taken);
    while (part !== null && this.#reading.has(part.part)) part = bulkParts.next(id, 'waiting', part.part);
    if (part !== null) this.#taken = part.part;
    return part;
  }

  /** A request that waits will be taken again, by this run if it continues, otherwise by the next one. */
  #giveBack({ part }: BulkPart): null {
    this.#taken = Math.min(this.#taken, part - 1);
    return null;
  }

  /**
   * Claims a request to be sent. Its record is read before, because a claimed request counts as sent if the program ends.
   * Null if it must not be sent now.
   */
  async #claim(part: BulkPart, signal: AbortSignal): Promise<BulkPart | null> {
    const seen = part.records[0]?.seen;
    if (seen === undefined || this.#readingOperation === null) return this.ledger.claim(part.part);
    this.#reading.add(part.part);
    try {
      const otherMark = await this.#otherMark(part, seen, signal).catch(toAppError);
      if (otherMark instanceof AppError) {
        await this.#takeUnread(part, otherMark);
        return null;
      }
      if (!this.shouldContinue) return this.#giveBack(part);
      if (otherMark !== null) {
        await this.#write(() => this.ledger.refuseChanged(part.part, otherMark));
        return null;
      }
      // The limit of the change may have been used up meanwhile.
      this.#checkConnection();
      return this.shouldContinue ? this.ledger.claim(part.part) : this.#giveBack(part);
    } finally {
      this.#reading.delete(part.part);
    }
  }

  get #readingOperation(): string | null {
    return this.ledger.readingOperation(this.ledger.stored.isPlanned ?? false);
  }

  /** Halts the job if a request would wait in the queue for long, because its wait is then visible. */
  #checkConnection(): void {
    const blockingError = this.#deps.blockingError();
    if (blockingError !== null) {
      this.handleFailure(blockingError);
      return;
    }
    const { operation } = this.ledger.stored.request;
    const reading = this.#readingOperation;
    const waitMs = Math.max(this.#deps.waitMs(operation), reading === null ? 0 : this.#deps.waitMs(reading));
    if (waitMs <= LONG_WAIT_MS) return;
    const error = new AppError(
      'RATE_LIMITED',
      'The limit of this operation is used up for now. It continues automatically when the limit resets.',
      { outcome: 'unsent', retryAfterMs: waitMs },
    );
    this.suspend('wait', error);
  }

  async #send(part: BulkPart, signal: AbortSignal): Promise<void> {
    const sent = await this.#deps.resources
      .act(requestOf(this.ledger.stored, part), this.#callOptions(signal))
      .then(
        ({ job }) => ({ job }),
        (thrown: unknown) => toAppError(thrown),
      );
    if (sent instanceof AppError) {
      await this.#takeFailure(part, sent);
      return;
    }
    await this.#settleSent(part, { state: 'done', error: null, job: sent.job });
    this.#failuresInARow = 0;
    this.loop.succeed();
  }

  /**
   * Reads the record again. Returns its mark if it is no longer as the person saw it; otherwise null. Rejects with the
   * errors of reading.
   */
  async #otherMark(part: BulkPart, seen: string, signal: AbortSignal): Promise<string | null> {
    const { seenFields = [], body } = this.ledger.stored.request;
    const { resources } = this.#deps;
    const target = await resources.readTarget(requestOf(this.ledger.stored, part), this.#callOptions(signal));
    if (target.kind !== 'record' || (body !== null && hasAll(target.record, body))) return null;
    const mark = seenMark(target.record, seenFields);
    return mark === seen ? null : mark;
  }

  /** The answer stays in memory until the disk accepts it; nothing more is sent meanwhile. */
  #settleSent(part: BulkPart, change: PartChange): Promise<void> {
    return this.#write(() => this.ledger.settlePart(part, 'sending', change));
  }

  async #write(write: () => void): Promise<void> {
    await writeDurably(write, {
      clock: this.#deps.clock,
      signal: this.ending,
      onTrouble: (error) => this.suspend('pause', error),
    });
  }

  /** The record could not be read, so nothing was sent for it, and it still waits. */
  async #takeUnread(part: BulkPart, { code, message, details }: AppError): Promise<void> {
    const error = new AppError(code, message, { ...details, outcome: 'unsent' });
    const after = this.#afterFailure(error, false);
    if (after.to === 'waiting') this.#giveBack(part);
    else await this.#write(() => this.ledger.failUnread(part.part, error));
    if (after.suspension !== null && !this.loop.isStopping) this.suspend(after.suspension, error);
  }

  async #takeFailure(part: BulkPart, error: AppError): Promise<void> {
    const { request } = this.ledger.stored;
    const isOneDeleted = request.ids.place === 'path' && isDeletion(request);
    // The deletion was repeated, either here after a lost request was checked, or by the client within one call.
    const isSentAgain = isOneDeleted && (part.attempts > 1 || error.details.isSentAgain === true);
    const after = this.#afterFailure(error, isSentAgain);
    if (after.to === 'waiting') this.#giveBack(part);
    await this.#settleSent(part, {
      state: after.to,
      error: after.to === 'waiting' || after.to === 'done' ? null : error.toWire(),
      job: null,
      isUnsent: after.to === 'waiting' && error.details.isSentAgain !== true,
    });
    if (after.suspension !== null && !this.loop.isStopping) this.suspend(after.suspension, error);
  }

  #afterFailure(error: AppError, isSentAgain: boolean): AfterFailure {
    const { done } = this.ledger.core.counts;
    const after = afterBulkFailure(error, { isSentAgain, done, failuresInARow: this.#failuresInARow });
    const isRefused = after.to === 'failed' || after.to === 'unknown';
    this.#failuresInARow = isRefused ? this.#failuresInARow + 1 : 0;
    return after;
  }

  #callOptions(signal: AbortSignal) {
    return { signal, priority: 'outbox' as const, group: `bulk ${this.ledger.id}` };
  }
}

/** Whether the record already has all values of the change. */
function hasAll(record: JsonObject, body: JsonObject): boolean {
  return Object.entries(body).every(([field, wanted]) => isSameValue(record[field], wanted));
}

function requestOf({ request }: StoredBulkAct, { records }: BulkPart): ActRequest {
  const { operation, path, query, body, ids } = request;
  if (ids.place === 'body')
    return { operation, path, query, body: { ...body, [ids.name]: records.map(({ id }) => id) } };
  const [record] = records;
  if (record === undefined) throw new AppError('INTERNAL', 'A request names no record.');
  return { operation, path: { ...path, [ids.name]: record.id }, query, body };
}
