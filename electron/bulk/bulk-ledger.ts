/** One change of many records as memory and disk hold it. */
import { type BulkCore, type BulkEvent, bulkTransition, isBulkIdle, isBulkOver } from '../core/bulk-act.ts';
import { Notices } from '../core/notices.ts';
import type { BulkPart, PartChange, StoredBulkAct } from '../db/upload-store.ts';
import type { BulkAct, BulkItemState } from '../shared/bulk-contract.ts';
import { toAppError } from '../shared/errors.ts';
import type { BulkDeps } from './types.ts';

const NOTIFY_EVERY_MS = 250;

export class BulkLedger {
  readonly #deps: BulkDeps;
  readonly #notices: Notices;
  #act: StoredBulkAct;
  #counts: BulkCore['counts'];

  constructor(deps: BulkDeps, act: StoredBulkAct) {
    this.#deps = deps;
    this.#act = act;
    this.#counts = deps.store.bulk.counts(act.bulkId);
    this.#notices = new Notices(deps.clock, NOTIFY_EVERY_MS, () => deps.onChanged(this.view()));
  }

  get act(): StoredBulkAct {
    return this.#act;
  }

  get core(): BulkCore {
    const { state, reason, error, startAtMs, lateStart } = this.#act;
    return { state, reason, error, startAtMs, lateStart, counts: this.#counts };
  }

  /** Throws what `bulkTransition` throws, DISK_FULL and STORE_FAILED; then nothing has changed. */
  apply(events: readonly BulkEvent[], also: () => void = () => undefined): void {
    const { counts, ...rest } = events.reduce(bulkTransition, this.core);
    const endedAtMs = isBulkOver(rest.state) ? (this.#act.endedAtMs ?? this.#deps.clock.nowMs()) : null;
    const next = { ...this.#act, ...rest, endedAtMs };
    const { store } = this.#deps;
    store.commit(() => {
      also();
      store.bulk.save(next);
    });
    const isUrgent = next.state !== this.#act.state || next.startAtMs !== this.#act.startAtMs;
    this.#act = next;
    this.#counts = counts;
    this.#notices.note(isUrgent);
  }

  /** As `apply`, also where the disk does not take it: what runs has to rest all the same. */
  applyAnyhow(event: BulkEvent): void {
    try {
      this.apply([event]);
    } catch (problem) {
      const { code } = toAppError(problem);
      if (code !== 'DISK_FULL' && code !== 'STORE_FAILED') throw problem;
      const { counts, ...rest } = bulkTransition(this.core, event);
      this.#act = { ...this.#act, ...rest };
      this.#counts = counts;
      this.#notices.note(true);
    }
  }

  /** Takes the next request: it is on the disk as being sent before it leaves. */
  claim(afterPart: number): BulkPart | null {
    const { store } = this.#deps;
    const { bulkId } = this.#act;
    const part = store.bulk.next(bulkId, 'waiting', afterPart);
    if (part === null) return null;
    this.apply([{ type: 'move', from: 'waiting', to: 'sending', count: part.records.length }], () =>
      store.bulk.markSending(bulkId, part.part),
    );
    return { ...part, attempts: part.attempts + 1 };
  }

  /** What came of a request, for all records that it named. What cannot be sent any more, as it was stopped, is left. */
  settlePart({ part, records }: BulkPart, from: BulkItemState, change: PartChange): void {
    const { store } = this.#deps;
    const { bulkId, state } = this.#act;
    const count = records.length;
    const isLeft = change.state === 'waiting' && isBulkOver(state);
    const events: BulkEvent[] = [{ type: 'move', from, to: change.state, count }];
    if (isLeft) events.push({ type: 'move', from: 'waiting', to: 'left', count });
    this.apply(events, () =>
      store.bulk.savePart(bulkId, part, isLeft ? { ...change, state: 'left' } : change),
    );
  }

  /** Events that bring everything in some states to another one, and what does it on the disk. */
  moveAll(from: readonly BulkItemState[], to: BulkItemState): { events: BulkEvent[]; also: () => void } {
    const events = from.map(
      (state): BulkEvent => ({
        type: 'move',
        from: state,
        to,
        count: this.#counts[state],
      }),
    );
    const { bulk } = this.#deps.store;
    return { events, also: () => from.forEach((state) => void bulk.moveAll(this.#act.bulkId, state, to)) };
  }

  /** The last notice is given now, no timer is left. */
  close(): void {
    this.#notices.flush();
  }

  view(): BulkAct {
    const { bulkId, request, words, total, createdAtMs, endedAtMs } = this.#act;
    const { counts, ...core } = this.core;
    const perRequest = request.ids.place === 'body' ? request.ids.most : 1;
    const requestsLeft = Math.ceil((counts.waiting + counts.sending) / perRequest);
    return {
      ...core,
      bulkId,
      connectionId: this.#deps.connectionId,
      operation: request.operation,
      words,
      counts: { ...counts },
      total,
      requestsLeft,
      etaMs: isBulkIdle(core.state) ? null : this.#deps.durationMs(request.operation, requestsLeft),
      createdAtMs,
      endedAtMs,
    };
  }
}
