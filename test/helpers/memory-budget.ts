/** A budget without a file, for tests and for a session that stores nothing. Several ledgers may share it. */
import type {
  BudgetLedger,
  LaneKey,
  LaneRecord,
  LedgerChanges,
  LedgerWriter,
  PermitRecord,
} from '../../electron/core/limits/budget-ledger.ts';
import { mergeLearned, movedLearned } from '../../electron/core/limits/learned-state.ts';
import type { ServiceTime, UnseenTime } from '../../electron/core/limits/service-clock.ts';

interface Changed {
  sequence: number;
  holder: number;
}

type Permit = PermitRecord & Changed & { keepUntilMs: number };

const PRUNE_EVERY_MS = 30_000;
const NO_CHANGES: LedgerChanges = { permits: [], lanes: [] };

export class MemoryBudget {
  readonly permits = new Map<number, Permit>();
  readonly lanes = new Map<string, LaneRecord & Changed>();
  readonly times = new Map<string, ServiceTime>();
  sequence = 0;
  holders = 0;
  lastId = 0;
  readonly #nowMs: () => number;

  /** `nowMs` never decreases. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  open(): BudgetLedger {
    return new MemoryLedger(this, this.#nowMs);
  }
}

class MemoryLedger implements BudgetLedger {
  readonly nowMs: () => number;
  readonly #shared: MemoryBudget;
  readonly #holder: number;
  #seen: number;
  #prunedAtMs = 0;
  readonly #used = new Set<number>();
  #pending: (() => void)[] = [];
  /** Answers that are not written yet: permit, time, and expiry, one after another. */
  #finished: number[] = [];
  readonly #writer: LedgerWriter = {
    permit: (laneId, openUntilMs, keepUntilMs) => this.#add(laneId, openUntilMs, keepUntilMs),
    saveLearned: (laneId, learned) => this.#storeLearned(laneId, learned),
  };
  readonly readyAtMs = 0;

  constructor(shared: MemoryBudget, nowMs: () => number) {
    this.#shared = shared;
    this.nowMs = nowMs;
    this.#holder = ++shared.holders;
    this.#seen = shared.sequence;
  }

  lane(key: LaneKey): { lane: LaneRecord; permits: PermitRecord[]; unknownBeforeMs: null } {
    const { lanes, permits } = this.#shared;
    const name = JSON.stringify([key.origin, key.tokenId, key.operation]);
    let lane = lanes.get(name);
    if (lane === undefined) {
      lane = { id: lanes.size + 1, key, learned: null, sequence: 0, holder: this.#holder };
      lanes.set(name, lane);
    }
    const { id } = lane;
    const kept = [...permits.values()].filter((permit) => permit.laneId === id && !permit.isReleased);
    return { lane: { ...lane }, permits: kept.map((permit) => ({ ...permit })), unknownBeforeMs: null };
  }

  lastToken(origin: string): string | null {
    let last: (LaneRecord & Changed) | null = null;
    for (const lane of this.#shared.lanes.values()) {
      if (lane.key.origin !== origin || lane.key.tokenId === 'none' || lane.sequence === 0) continue;
      if (last === null || lane.sequence > last.sequence) last = lane;
    }
    return last?.key.tokenId ?? null;
  }

  refresh(): LedgerChanges {
    if (this.#shared.sequence === this.#seen) return NO_CHANGES;
    // A process that moved one of our permits did not know about an answer that is not written yet.
    this.flush();
    const { permits, lanes, sequence } = this.#shared;
    const isNew = (row: Changed) => row.sequence > this.#seen && row.holder !== this.#holder;
    const changes = {
      permits: [...permits.values()].filter(isNew).map((permit) => ({ ...permit })),
      lanes: [...lanes.values()].filter(isNew).map((lane) => ({ ...lane })),
    };
    this.#seen = sequence;
    return changes;
  }

  /** Whether another ledger was ever opened on the same budget. */
  get isShared(): boolean {
    return this.#shared.holders > 1;
  }

  /** All ledgers belong to this process. */
  holdersOf = () => [];

  transact: BudgetLedger['transact'] = (_isDurable, work) => {
    const changes = this.refresh();
    this.flush();
    return work(changes, this.#writer);
  };

  /** Without a file, permits cost nothing: a ledger that is alone always gets one. */
  take(laneId: number, openUntilMs: number, keepUntilMs: number): number | null {
    if (this.isShared) return null;
    return this.#add(laneId, openUntilMs, keepUntilMs);
  }

  #add(laneId: number, openUntilMs: number, keepUntilMs: number): number {
    if (!this.#used.has(laneId)) {
      this.#used.add(laneId);
      for (const lane of this.#shared.lanes.values())
        if (lane.id === laneId) Object.assign(lane, this.#stamp());
    }
    const id = ++this.#shared.lastId;
    this.#shared.permits.set(id, {
      id,
      laneId,
      openUntilMs,
      doneAtMs: null,
      isReleased: false,
      keepUntilMs,
      sequence: this.#nextSequence(),
      holder: this.#holder,
    });
    return id;
  }

  finish(permitId: number, doneAtMs: number, keepUntilMs: number): void {
    this.#finished.push(permitId, doneAtMs, keepUntilMs);
  }

  release(permitId: number): void {
    this.#change(permitId, () => ({ isReleased: true }));
  }

  extend(permitId: number, openUntilMs: number): void {
    this.#change(permitId, (known) => ({
      openUntilMs,
      keepUntilMs: known.keepUntilMs + openUntilMs - known.openUntilMs,
    }));
  }

  saveLearned(laneId: number, learned: string): void {
    this.#pending.push(() => this.#storeLearned(laneId, learned));
  }

  serviceTime(origin: string): ServiceTime | null {
    return this.#shared.times.get(origin) ?? null;
  }

  saveServiceTime(time: ServiceTime): void {
    this.#pending.push(() => {
      this.#shared.times.set(time.origin, time);
    });
  }

  shiftBack(origin: string, unseen: UnseenTime, isKnown: (stored: ServiceTime | null) => boolean): boolean {
    const { untilMs, byMs } = unseen;
    const isWanted = !isKnown(this.serviceTime(origin));
    this.flush();
    if (!isWanted) return false;
    const ids = new Set<number>();
    for (const lane of this.#shared.lanes.values()) {
      if (lane.key.origin !== origin) continue;
      ids.add(lane.id);
      const learned = movedLearned(lane.learned, unseen);
      if (learned !== null) Object.assign(lane, { learned }, this.#stamp());
    }
    for (const permit of this.#shared.permits.values()) {
      if (!ids.has(permit.laneId) || (permit.doneAtMs ?? permit.openUntilMs) > untilMs) continue;
      if (permit.doneAtMs === null) permit.openUntilMs -= byMs;
      else permit.doneAtMs -= byMs;
      Object.assign(permit, this.#stamp());
    }
    return true;
  }

  flush(): void {
    const finished = this.#finished;
    for (let index = 0; index < finished.length; index += 3) {
      const permit = this.#shared.permits.get(finished[index] ?? 0);
      if (permit === undefined) continue;
      permit.doneAtMs = finished[index + 1] ?? null;
      permit.keepUntilMs = finished[index + 2] ?? permit.keepUntilMs;
      permit.sequence = this.#nextSequence();
      permit.holder = this.#holder;
    }
    finished.length = 0;
    for (const write of this.#pending) write();
    if (this.#pending.length > 0) this.#pending = [];
    this.#prune();
  }

  close(): void {
    this.flush();
  }

  #storeLearned(laneId: number, learned: string): void {
    for (const lane of this.#shared.lanes.values()) {
      if (lane.id !== laneId) continue;
      // Limits that another ledger learned since the last read are not overwritten.
      const isNews = lane.sequence > this.#seen && lane.holder !== this.#holder && lane.learned !== null;
      const text = isNews ? mergeLearned(lane.learned ?? learned, learned) : learned;
      Object.assign(lane, { learned: text }, this.#stamp());
    }
  }

  #change(permitId: number, change: (known: Permit) => Partial<Permit>): void {
    this.#pending.push(() => {
      const permit = this.#shared.permits.get(permitId);
      if (permit === undefined) return;
      Object.assign(permit, change(permit));
      permit.sequence = this.#nextSequence();
      permit.holder = this.#holder;
    });
  }

  /** Marks a change. It counts as seen by this ledger only if no other ledger changed anything in between. */
  #stamp(): Changed {
    return { sequence: this.#nextSequence(), holder: this.#holder };
  }

  #nextSequence(): number {
    const sequence = ++this.#shared.sequence;
    if (this.#seen === sequence - 1) this.#seen = sequence;
    return sequence;
  }

  #prune(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#prunedAtMs < PRUNE_EVERY_MS) return;
    this.#prunedAtMs = nowMs;
    const { permits } = this.#shared;
    // The oldest permits come first. One with a late expiry keeps later ones as long, which is harmless.
    for (const permit of permits.values()) {
      if (permit.keepUntilMs >= nowMs) return;
      permits.delete(permit.id);
    }
  }
}
