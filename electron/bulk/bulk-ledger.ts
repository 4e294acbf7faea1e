/** Holds the state of one bulk change, in memory and on disk. */
import {
  type BulkCore,
  type BulkEvent,
  bulkTransition,
  isBulkIdle,
  isBulkOver,
  NO_ITEMS,
} from '../core/jobs/bulk-act.ts';
import { ageOf } from '../core/moments.ts';
import type { BulkPart, StoredBulkAct } from '../db/upload-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { BulkAct, BulkItem, BulkItemState, BulkRequest } from '../shared/bulk-contract.ts';
import { AppError } from '../shared/errors.ts';
import type { BulkDeps } from './types.ts';

/**
 * Age of a change that was never planned, in milliseconds, from which each record is read and compared before it is
 * changed. Reading doubles the requests, so a long change that started at once does it only late.
 */
const SEEN_AGE_MS = 600_000;

/** The outcome for the records of one request. */
export interface PartChange extends Pick<BulkItem, 'state' | 'error' | 'job'> {
  /** True if the request certainly had no effect, so it does not count as an attempt. */
  isUnsent?: boolean;
}

export class BulkLedger extends JobLedger<BulkCore, BulkEvent, StoredBulkAct, BulkAct> {
  readonly #deps: BulkDeps;
  readonly #heldReason: () => string;

  /** `heldReason`: why the change was not started although it was due; empty if it was not due. */
  constructor(deps: BulkDeps, act: StoredBulkAct, heldReason: () => string) {
    const { store } = deps;
    super(
      {
        ...deps,
        id: act.id,
        what: 'change of many records',
        commit: (work) => store.commit(work),
        save: (stored) => store.bulk.save(stored),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      act,
      coreOf(act, countsOf(store, act.id)),
    );
    this.#deps = deps;
    this.#heldReason = heldReason;
  }

  get isIdle(): boolean {
    return isBulkIdle(this.core.state);
  }

  protected step(core: BulkCore, event: BulkEvent): BulkCore {
    return bulkTransition(core, event);
  }

  protected isOver({ state }: BulkCore): boolean {
    return isBulkOver(state);
  }

  /** The time of a planned start is deleted when it comes. That there was one stays stored. */
  protected override kept(core: BulkCore): Partial<StoredBulkAct> {
    return this.stored.startAtMs === null && core.startAtMs === null ? {} : { isPlanned: true };
  }

  /**
   * Claims a request that waits. It is stored as being sent before it is sent. Null if it waits no more, e.g. because a
   * person stopped the change.
   */
  claim(number: number): BulkPart | null {
    const { bulkParts } = this.#deps.store;
    const part = this.#waiting(number);
    if (part === null) return null;
    this.apply([{ type: 'move', from: 'waiting', to: 'sending', count: part.records.length }], {}, () =>
      bulkParts.change(this.id, part.part, { state: 'sending', error: null }, 1),
    );
    return { ...part, attempts: part.attempts + 1 };
  }

  /** The part as it is stored now, because a person may have stopped the change and resumed it since it was read. */
  #waiting(number: number): BulkPart | null {
    const part = this.#deps.store.bulkParts.get(this.id, number);
    return part?.state === 'waiting' ? part : null;
  }

  /** Stores that a record is not changed, because it cannot be read. Does nothing if it waits no more. */
  failUnread(number: number, error: AppError): void {
    const part = this.#waiting(number);
    if (part !== null)
      this.settlePart(part, 'waiting', { state: 'failed', error: error.toWire(), job: null });
  }

  /**
   * The operation that reads each record before it is changed; null if none does. `isPlanned`: whether the change is
   * planned.
   */
  readingOperation(isPlanned: boolean): string | null {
    const { request, createdAtMs } = this.stored;
    if (request.seenFields === undefined) return null;
    if (!isPlanned && ageOf(createdAtMs, this.#deps.clock.nowMs()) < SEEN_AGE_MS) return null;
    return this.#deps.readOf(request.operation);
  }

  /** Stores the outcome of a request for all records that it named, except those that were stopped. */
  settlePart({ part, records }: BulkPart, from: BulkItemState, change: PartChange): void {
    const { bulkParts } = this.#deps.store;
    const count = records.length;
    const isLeft = change.state === 'waiting' && isBulkOver(this.core.state);
    const events: BulkEvent[] = [{ type: 'move', from, to: change.state, count }];
    if (isLeft) events.push({ type: 'move', from: 'waiting', to: 'left', count });
    const { error, job, isUnsent = false } = change;
    this.apply(events, {}, () => {
      bulkParts.change(this.id, part, { state: isLeft ? 'left' : change.state, error }, isUnsent ? -1 : 0);
      if (job !== null) bulkParts.saveReceipt(this.id, part, job);
    });
  }

  /**
   * Stores that a record is not changed, because it is no longer as the person saw it. A retry then expects it as it is
   * now, with this mark. Does nothing if the record waits no more.
   */
  refuseChanged(number: number, mark: string): void {
    const { bulkParts } = this.#deps.store;
    const part = this.#waiting(number);
    if (part === null) return;
    const { request, words } = this.stored;
    const outcome = isDeletion(request) ? 'it was not deleted' : 'your change was not made to it';
    const error = new AppError(
      'CONFLICT',
      `Somebody else changed this ${words.noun} meanwhile, so ${outcome}. Look at it, and retry if you still want this.`,
      { outcome: 'unsent' },
    );
    const records = part.records.map((record) => ({ ...record, seen: mark }));
    this.apply([{ type: 'move', from: 'waiting', to: 'changed', count: records.length }], {}, () =>
      bulkParts.save(this.id, { ...part, records, state: 'changed', error: error.toWire() }),
    );
  }

  /** The events, and the change of the store, that move all records in some states to another state. */
  moveAll(from: readonly BulkItemState[], to: BulkItemState): { events: BulkEvent[]; also: () => void } {
    const { counts } = this.core;
    const events = from.map((state): BulkEvent => ({ type: 'move', from: state, to, count: counts[state] }));
    const { bulkParts } = this.#deps.store;
    const also = () => from.forEach((state) => void bulkParts.moveAll(this.id, state, to, to === 'waiting'));
    return { events, also };
  }

  /**
   * Requests that were in flight when a program ended stay unknown until the service was asked. Returns false if there
   * were none.
   */
  interrupt(): boolean {
    if (this.isIdle && this.core.counts.sending === 0) return false;
    const { events, also } = this.moveAll(['sending'], 'unknown');
    this.apply(this.isIdle ? events : [{ type: 'interrupt' }, ...events], {}, also);
    return true;
  }

  view(): BulkAct {
    const { id: bulkId, request, words, total, createdAtMs, endedAtMs, isPlanned = false } = this.stored;
    const { state, reason, error, startAtMs, lateStart, counts } = this.core;
    const requestsLeft = Math.ceil((counts.waiting + counts.sending) / recordsPerRequest(request));
    const { operation } = request;
    const readsBy = this.readingOperation(isPlanned);
    const isDue = startAtMs !== null && startAtMs <= this.#deps.clock.nowMs();
    const reads = readsBy === null ? [] : [{ operation: readsBy, count: counts.waiting }];
    return {
      state,
      reason: isDue && reason === '' ? this.#heldReason() : reason,
      error,
      startAtMs,
      lateStart,
      bulkId,
      connectionId: this.#deps.connectionId,
      operation,
      words,
      counts: { ...counts },
      total,
      requestsLeft,
      readsIfPlannedBy: this.readingOperation(true),
      etaMs: this.isIdle ? null : this.#deps.durationMs([...reads, { operation, count: requestsLeft }]),
      createdAtMs,
      endedAtMs,
    };
  }
}

export const isDeletion = ({ operation }: BulkRequest): boolean => operation.endsWith('.delete');

export function recordsPerRequest({ ids }: BulkRequest): number {
  return ids.place === 'body' ? ids.most : 1;
}

export function countsOf({ bulkParts }: BulkDeps['store'], bulkId: string): BulkCore['counts'] {
  const counts = [...bulkParts.tallies(bulkId)].map(([state, { weight }]) => [state, weight]);
  return { ...NO_ITEMS, ...Object.fromEntries(counts) };
}

function coreOf(
  { state, reason, error, startAtMs, lateStart }: StoredBulkAct,
  counts: BulkCore['counts'],
): BulkCore {
  return { state, reason, error, startAtMs, lateStart, counts };
}
