/** One change of many records as memory and disk hold it. */
import {
  type BulkCore,
  type BulkEvent,
  bulkTransition,
  isBulkIdle,
  isBulkOver,
} from '../core/jobs/bulk-act.ts';
import type { BulkPart, PartChange, StoredBulkAct } from '../db/upload-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { BulkAct, BulkItemState } from '../shared/bulk-contract.ts';
import type { BulkDeps } from './types.ts';

export class BulkLedger extends JobLedger<BulkCore, BulkEvent, StoredBulkAct, BulkAct> {
  readonly #deps: BulkDeps;

  constructor(deps: BulkDeps, act: StoredBulkAct) {
    const { store } = deps;
    super(
      {
        ...deps,
        id: act.bulkId,
        what: 'change of many records',
        commit: (work) => store.commit(work),
        save: (stored) => store.bulk.save(stored),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      act,
      coreOf(act, store.bulk.counts(act.bulkId)),
    );
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return isBulkIdle(this.core.state);
  }

  protected step(core: BulkCore, event: BulkEvent): BulkCore {
    return bulkTransition(core, event);
  }

  protected merge(
    act: StoredBulkAct,
    { state, reason, error, startAtMs, lateStart }: BulkCore,
    changes: Partial<StoredBulkAct>,
  ): StoredBulkAct {
    const endedAtMs = isBulkOver(state) ? (act.endedAtMs ?? this.#deps.clock.nowMs()) : null;
    return { ...act, ...changes, state, reason, error, startAtMs, lateStart, endedAtMs };
  }

  /** Takes the next request: it is on the disk as being sent before it leaves. */
  claim(afterPart: number): BulkPart | null {
    const { bulk } = this.#deps.store;
    const part = bulk.next(this.id, 'waiting', afterPart);
    if (part === null) return null;
    this.apply([{ type: 'move', from: 'waiting', to: 'sending', count: part.records.length }], {}, () =>
      bulk.markSending(this.id, part.part),
    );
    return { ...part, attempts: part.attempts + 1 };
  }

  /** What came of a request, for all records that it named. What cannot be sent any more, as it was stopped, is left. */
  settlePart({ part, records }: BulkPart, from: BulkItemState, change: PartChange): void {
    const { bulk } = this.#deps.store;
    const count = records.length;
    const isLeft = change.state === 'waiting' && isBulkOver(this.core.state);
    const events: BulkEvent[] = [{ type: 'move', from, to: change.state, count }];
    if (isLeft) events.push({ type: 'move', from: 'waiting', to: 'left', count });
    this.apply(events, {}, () =>
      bulk.savePart(this.id, part, isLeft ? { ...change, state: 'left' } : change),
    );
  }

  /** Events that bring everything in some states to another one, and what does it on the disk. */
  moveAll(from: readonly BulkItemState[], to: BulkItemState): { events: BulkEvent[]; also: () => void } {
    const { counts } = this.core;
    const events = from.map((state): BulkEvent => ({ type: 'move', from: state, to, count: counts[state] }));
    const { bulk } = this.#deps.store;
    return { events, also: () => from.forEach((state) => void bulk.moveAll(this.id, state, to)) };
  }

  /** What was being sent when a program ended is not known until the service was asked. False: there was nothing. */
  interrupt(): boolean {
    if (this.isIdle && this.core.counts.sending === 0) return false;
    const { events, also } = this.moveAll(['sending'], 'unknown');
    this.apply(this.isIdle ? events : [{ type: 'interrupt' }, ...events], {}, also);
    return true;
  }

  view(): BulkAct {
    const { bulkId, request, words, total, createdAtMs, endedAtMs } = this.stored;
    const { state, reason, error, startAtMs, lateStart, counts } = this.core;
    const perRequest = request.ids.place === 'body' ? request.ids.most : 1;
    const requestsLeft = Math.ceil((counts.waiting + counts.sending) / perRequest);
    return {
      state,
      reason,
      error,
      startAtMs,
      lateStart,
      bulkId,
      connectionId: this.#deps.connectionId,
      operation: request.operation,
      words,
      counts: { ...counts },
      total,
      requestsLeft,
      etaMs: this.isIdle ? null : this.#deps.durationMs(request.operation, requestsLeft),
      createdAtMs,
      endedAtMs,
    };
  }
}

function coreOf(
  { state, reason, error, startAtMs, lateStart }: StoredBulkAct,
  counts: BulkCore['counts'],
): BulkCore {
  return { state, reason, error, startAtMs, lateStart, counts };
}
