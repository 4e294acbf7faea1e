/**
 * The budget file: one small SQLite store at the root of the data folder, shared by the app and any number of command
 * lines. A permit is committed before its request is sent, and every process reads the permits of the others. A process
 * that is alone commits some permits of busy lanes in advance: see `take`.
 */
import type { Transaction } from 'better-sqlite3';
import {
  type BudgetLedger,
  type LaneKey,
  type LaneRecord,
  type LedgerChanges,
  type LedgerWriter,
  LOOK_ALONE_MS,
  type OtherHolder,
  type PermitRecord,
} from '../core/limits/budget-ledger.ts';
import { mergeLearned, movedLearned } from '../core/limits/learned-state.ts';
import type { ServiceTime, UnseenTime } from '../core/limits/service-clock.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import { toAppError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { latestDone, OwnBlocks, permitsOf, RELEASED, shifted } from './budget-blocks.ts';
import { dropDamaged } from './budget-damage.ts';
import { closeDead, holdersOn, join, LATE_ARRIVAL_MS, lookAt, othersOn } from './budget-processes.ts';
import { type BudgetStatements, budgetStatements, toBlock, toLane, toServiceTime } from './budget-rows.ts';
import { BUDGET_MIGRATIONS } from './migrations/budget/index.ts';
import { onlyReads } from './only-reads.ts';
import { type Database, openFailure, openStore } from './open.ts';
import { type ProcessIdentity, bootMs as systemBootMs, systemIdentity } from './process-identity.ts';

interface BudgetStoreOptions {
  /** Absolute path of `budget.db`. */
  file: string;
  /** Clock whose wall time is recorded as the start of ledger time, and used for nothing else. */
  clock: Clock;
  logger: Logger;
  /**
   * Whether requests were sent with this data folder before. If the file is missing then, the use of the limits is
   * unknown.
   */
  wasUsed?: boolean;
  /** Milliseconds since boot, equal in all processes; replaceable in tests. */
  bootMs?: () => number;
  /** How other processes identify this one; replaceable in tests. */
  identity?: ProcessIdentity;
}

/** Maximum wait for a lock, short because a process may have been stopped in the middle of a commit. */
const BUSY_TIMEOUT_MS = 500;
const PRUNE_EVERY_MS = 30_000;
/** Maximum blocks in one commit; their ids lie between two sequence numbers. */
const BLOCKS_PER_COMMIT = 1_000;
const LOOK_FOR_DEAD_EVERY_MS = 2_000;
/** Maximum time between reading the file and the send that follows. */
const JOIN_SLACK_MS = 50;

const NO_CHANGES: LedgerChanges = { permits: [], lanes: [] };

/** Changes by other processes that this process has not processed yet. */
class OthersChanges {
  #unseen: LedgerChanges = NO_CHANGES;

  /** Reads changes after `sequence` by anybody but `holder`, and updates pending writes accordingly. */
  read(sql: BudgetStatements, sequence: number, holder: number, pending: PendingWrites): void {
    const blocks = readable(sql.changedBlocks.all(sequence, holder), (row) =>
      pending.blocks.adopt(toBlock(row)),
    );
    const lanes = readable(sql.changedLanes.all(sequence, holder), toLane);
    pending.merge(lanes);
    this.#unseen = {
      permits: [...this.#unseen.permits, ...blocks.flatMap(permitsOf)],
      lanes: [...this.#unseen.lanes, ...lanes],
    };
  }

  add(permits: readonly PermitRecord[]): void {
    this.#unseen = { ...this.#unseen, permits: [...this.#unseen.permits, ...permits] };
  }

  take(): LedgerChanges {
    const changes = this.#unseen;
    this.#unseen = NO_CHANGES;
    return changes;
  }
}

/** Writes postponed to the next commit. Until then, other processes see a state that allows fewer requests. */
class PendingWrites {
  readonly blocks = new OwnBlocks();
  readonly #learned = new Map<number, string>();
  readonly #times = new Map<string, ServiceTime>();

  get isEmpty(): boolean {
    return this.blocks.isWritten && this.#learned.size === 0 && this.#times.size === 0;
  }

  learned(laneId: number, learned: string): void {
    this.#learned.set(laneId, learned);
  }

  time(time: ServiceTime): void {
    this.#times.set(time.origin, time);
  }

  /** Merges what other processes have learned about lanes into the pending values, which would overwrite it. */
  merge(lanes: LedgerChanges['lanes']): void {
    if (this.#learned.size === 0) return;
    for (const { id, learned: theirs } of lanes) {
      const ours = this.#learned.get(id);
      if (ours !== undefined && theirs !== null) this.#learned.set(id, mergeLearned(theirs, ours));
    }
  }

  /** Call inside a transaction, and `clear` after its commit. */
  write(sql: BudgetStatements, sequence: number, holder: number): void {
    for (const { id, slots, openUntilMs, keepUntilMs } of this.blocks.changed()) {
      const done = latestDone(slots);
      sql.saveBlock.run(JSON.stringify(slots), openUntilMs, done, keepUntilMs, sequence, holder, id);
    }
    for (const [id, learned] of this.#learned) sql.saveLearned.run(learned, sequence, holder, id);
    for (const { origin, dateMs, sentAtMs, receivedAtMs, wallMs } of this.#times.values()) {
      sql.saveTime.run(origin, dateMs, sentAtMs, receivedAtMs, wallMs);
    }
  }

  /** Writes the blocks of the current transaction. */
  writeFresh(sql: BudgetStatements, sequence: number, holder: number): void {
    for (const { id, laneId, slots, openUntilMs, keepUntilMs } of this.blocks.fresh()) {
      const text = JSON.stringify(slots);
      sql.addBlock.run(id, laneId, text, openUntilMs, keepUntilMs, sequence, holder, holder);
    }
  }

  /**
   * Moves back the times of a service's blocks, and what was learned about its lanes, also in the blocks cached here.
   * Call after `write`.
   */
  move(origin: string, unseen: UnseenTime, sql: BudgetStatements, sequence: number, holder: number): void {
    for (const stored of readable(sql.originBlocks.all(origin), toBlock)) {
      const block = shifted(stored, unseen.untilMs, unseen.byMs);
      if (block === stored) continue;
      const { id, slots, openUntilMs } = block;
      sql.moveBlock.run(JSON.stringify(slots), openUntilMs, latestDone(slots), sequence, holder, id);
      this.blocks.adopt(block);
    }
    for (const { id, learned } of readable(sql.originLanes.all(origin), toLane)) {
      const moved = movedLearned(learned, unseen);
      if (moved !== null) sql.saveLearned.run(moved, sequence, holder, id);
    }
  }

  clear(): void {
    this.blocks.wasWritten();
    this.#learned.clear();
    this.#times.clear();
  }
}

const nothing = () => undefined;

/** Opens or creates the budget file. Throws the AppErrors of `openStore`. */
export function openBudgetStore(options: BudgetStoreOptions): BudgetLedger {
  const db = openStore({ ...options, migrations: BUDGET_MIGRATIONS, synchronous: 'NORMAL' });
  try {
    return new BudgetStore(db, options);
  } catch (problem) {
    db.close();
    throw openFailure(options.file, problem);
  }
}

class BudgetStore implements BudgetLedger {
  readonly readyAtMs: number;
  readonly #db: Database;
  readonly #sql: BudgetStatements;
  readonly #bootMs: () => number;
  readonly #logger: Logger;
  readonly #identity: ProcessIdentity;
  /** A process that only reads sends nothing, and reads what the others used. */
  readonly #onlyReads = onlyReads();
  /** Ledger time minus time since boot. */
  readonly #aheadMs: number;
  /** Distinguishes this process's rows from those of others. */
  readonly #holder: number;
  #isShared = true;
  #sequence = 0;
  /** Number of lanes that no process has used and that this process may not add, because it only reads. */
  #unusedLanes = 0;
  #prunedAtMs = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  readonly #unseen = new OthersChanges();
  readonly #pending = new PendingWrites();
  /** Created only once, because creating it costs more than a short transaction. */
  readonly #inOne: Transaction<(work: () => void) => void>;
  /** Lanes that were given a permit by this process. The token of the latest permit counts as the last used one. */
  readonly #used = new Set<number>();
  #blocksInCommit = 0;
  readonly #newBlockId = (): number => {
    if (++this.#blocksInCommit === BLOCKS_PER_COMMIT) throw new RangeError('Too many permits in one commit.');
    return this.#sequence * BLOCKS_PER_COMMIT + this.#blocksInCommit;
  };
  readonly #writer: LedgerWriter = {
    permit: (laneId, openUntilMs, keepUntilMs, mostSpare = 0) => {
      if (!this.#used.has(laneId)) this.#sql.useLane.run(this.#sequence, this.#holder, laneId);
      this.#used.add(laneId);
      return this.#pending.blocks.add(laneId, openUntilMs, keepUntilMs, mostSpare, this.#newBlockId);
    },
    saveLearned: (laneId, learned) => {
      this.#sql.saveLearned.run(learned, this.#sequence, this.#holder, laneId);
    },
  };

  constructor(db: Database, options: BudgetStoreOptions) {
    this.#db = db;
    this.#logger = options.logger;
    this.#sql = budgetStatements(db);
    this.#inOne = db.transaction((work: () => void) => work());
    this.#bootMs = options.bootMs ?? systemBootMs;
    this.#identity = options.identity ?? systemIdentity();
    const isUsed = options.wasUsed ?? false;
    const enter = db.transaction(() => {
      const removed = dropDamaged(db);
      return { ...join(this.#sql, this.#identity, this.#bootMs(), options.clock.nowMs(), isUsed), removed };
    });
    const start = this.#onlyReads
      ? { ...lookAt(this.#sql, this.#identity, this.#bootMs()), removed: [] }
      : enter.immediate();
    if (start.removed.length > 0)
      this.#logger.warn('damaged rows removed from the budget', { rows: start.removed.join(', ') });
    this.#aheadMs = start.aheadMs;
    this.#holder = start.holder;
    this.#sequence = start.sequence;
    this.#isShared = othersOn(this.#sql, this.#identity, this.#holder).isShared;
    this.readyAtMs = this.#isShared ? this.nowMs() + LOOK_ALONE_MS + JOIN_SLACK_MS : 0;
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  nowMs(): number {
    return this.#bootMs() + this.#aheadMs;
  }

  lane(key: LaneKey): { lane: LaneRecord; permits: PermitRecord[]; unknownBeforeMs: number | null } {
    return guard(() => {
      const found = this.#sql.findLane.get(key.origin, key.tokenId, key.operation);
      if (found === undefined && this.#onlyReads) {
        this.#unusedLanes += 1;
        const unused = { id: -this.#unusedLanes, key, learned: null };
        return { lane: unused, permits: [], unknownBeforeMs: this.#unknownBeforeMs() };
      }
      if (found === undefined) {
        // Adding a lane that was only read does not change the sequence, because other processes need not know it.
        this.#sql.addLane.run(key.origin, key.tokenId, key.operation, this.#holder);
      }
      const row = found ?? this.#sql.findLane.get(key.origin, key.tokenId, key.operation);
      const lane = toLane(row);
      const permits = readable(this.#sql.laneBlocks.all(lane.id), toBlock).flatMap(permitsOf);
      const used = permits.filter(({ isReleased }) => !isReleased);
      return { lane, permits: used, unknownBeforeMs: this.#unknownBeforeMs() };
    });
  }

  #unknownBeforeMs(): number | null {
    return z.number().nullish().parse(this.#sql.unknownUse.get()) ?? null;
  }

  lastToken(origin: string): string | null {
    return guard(() => z.string().nullish().parse(this.#sql.lastToken.get(origin)) ?? null);
  }

  holdersOf(laneId: number): OtherHolder[] {
    const nowMs = this.nowMs();
    return guard(() => holdersOn(this.#sql, this.#identity, { laneId, holder: this.#holder, nowMs }));
  }

  refresh(): LedgerChanges {
    return guard(() => {
      this.#settleDead();
      const sequence = Number(this.#sql.readSequence.get());
      if (sequence !== this.#sequence) this.#readChanges(sequence);
      // The other process needs the changes that were queued for a later write.
      if (this.#isShared && this.#pending.blocks.hasStock) this.flush();
      return this.#unseen.take();
    });
  }

  transact<R>(isDurable: boolean, work: (changes: LedgerChanges, writer: LedgerWriter) => R): R {
    const { blocks } = this.#pending;
    try {
      const results: R[] = [];
      guard(() =>
        this.#commit(isDurable, () => {
          results.push(work(this.#unseen.take(), this.#writer));
          blocks.complete(!this.#isShared && !isDurable, this.nowMs());
          this.#pending.writeFresh(this.#sql, this.#sequence, this.#holder);
        }),
      );
      blocks.keepFresh(this.nowMs());
      // Safe cast: `results` holds exactly one result, because the work of a transaction that did not throw has run.
      return results[0] as R;
    } catch (problem) {
      blocks.dropFresh();
      this.#used.clear();
      throw problem;
    }
  }

  take(laneId: number, openUntilMs: number, keepUntilMs: number): number | null {
    return this.#isShared ? null : this.#pending.blocks.take(laneId, openUntilMs, keepUntilMs);
  }

  finish(permitId: number, doneAtMs: number, keepUntilMs: number): void {
    this.#pending.blocks.end(permitId, doneAtMs, keepUntilMs);
  }

  release(permitId: number): void {
    this.#pending.blocks.end(permitId, RELEASED, 0);
  }

  extend(permitId: number, openUntilMs: number): void {
    this.#pending.blocks.extend(permitId, openUntilMs);
  }

  saveLearned(laneId: number, learned: string): void {
    this.#pending.learned(laneId, learned);
  }

  serviceTime(origin: string): ServiceTime | null {
    const row = guard(() => this.#sql.readTime.get(origin));
    return row === undefined ? null : (readable([row], toServiceTime)[0] ?? null);
  }

  saveServiceTime(time: ServiceTime): void {
    this.#pending.time(time);
  }

  shiftBack(origin: string, unseen: UnseenTime, isKnown: (stored: ServiceTime | null) => boolean): boolean {
    const shift = () => {
      this.#pending.move(origin, unseen, this.#sql, this.#sequence, this.#holder);
      return true;
    };
    return guard(() => this.#commit(false, shift, () => !isKnown(this.serviceTime(origin)))) === true;
  }

  flush(): void {
    this.#pending.blocks.giveBackAll();
    if (this.#pending.isEmpty) return;
    guard(() => this.#commit(false, nothing));
  }

  close(): void {
    if (!this.#db.open) return;
    try {
      if (this.#onlyReads) return;
      this.#pending.blocks.giveBackAll();
      this.#commit(false, () => this.#sql.dropHolder.run(this.#holder));
    } catch (problem) {
      // Without these writes the next process only waits longer.
      this.#logger.warn('budget not written at close', { code: toAppError(problem).code });
    } finally {
      this.#db.close();
    }
  }

  /**
   * Runs one exclusive transaction, with everything pending written before `work`. Null if `isWanted` rejects `work`
   * after reading the state of the other processes.
   */
  #commit<R>(isDurable: boolean, work: () => R, isWanted?: () => boolean): R | null {
    const before = this.#sequence;
    if (isDurable) this.#db.pragma('synchronous = FULL');
    let result: R | null = null;
    try {
      this.#inOne.immediate(() => {
        const bootMs = this.#bootMs();
        const sequence = Number(this.#sql.nextSequence.get(bootMs, bootMs + this.#aheadMs));
        if (sequence === before + 1) this.#sequence = sequence;
        else this.#readChanges(sequence);
        this.#blocksInCommit = 0;
        const isOn = isWanted?.() ?? true;
        this.#pending.write(this.#sql, this.#sequence, this.#holder);
        if (isOn) result = work();
        this.#prune();
      });
      this.#pending.clear();
      return result;
    } catch (problem) {
      // Makes the next call read the changes again; applying a change twice is harmless.
      this.#sequence = before;
      throw problem;
    } finally {
      if (isDurable) this.#db.pragma('synchronous = NORMAL');
    }
  }

  /** Treats the permits of killed processes as answered soon, instead of waiting for them to expire. */
  #settleDead(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#lookedAtMs < LOOK_FOR_DEAD_EVERY_MS) return;
    this.#lookedAtMs = nowMs;
    const { isShared, dead } = othersOn(this.#sql, this.#identity, this.#holder);
    this.#isShared = isShared;
    if (dead.length === 0 || this.#onlyReads) return;
    this.#commit(false, () => {
      this.#unseen.add(closeDead(this.#sql, dead, nowMs + LATE_ARRIVAL_MS, this.#sequence));
    });
  }

  #readChanges(sequence: number): void {
    this.#unseen.read(this.#sql, this.#sequence, this.#holder, this.#pending);
    this.#sequence = sequence;
    this.#isShared = othersOn(this.#sql, this.#identity, this.#holder).isShared;
  }

  #prune(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#prunedAtMs < PRUNE_EVERY_MS) return;
    this.#prunedAtMs = nowMs;
    this.#sql.prune.run(nowMs);
  }
}

function guard<R>(work: () => R): R {
  try {
    return work();
  } catch (problem) {
    throw toAppError(problem);
  }
}
