/**
 * The budget file: one small SQLite store at the root of the data folder, shared by the app and any number of
 * command lines. A permit is a row committed before its request leaves; every process reads what the others did.
 */
import type { Transaction } from 'better-sqlite3';
import { z } from 'zod';
import type {
  BudgetLedger,
  LaneKey,
  LaneRecord,
  LedgerChanges,
  LedgerWriter,
  PermitRecord,
  ServiceTime,
} from '../core/budget-ledger.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import { bootMs as systemBootMs } from './boot-clock.ts';
import { PendingWrites } from './budget-pending.ts';
import { holderRow, ledgerRow, toLane, toPermit, toServiceTime } from './budget-rows.ts';
import { type BudgetStatements, budgetStatements } from './budget-statements.ts';
import { BUDGET_MIGRATIONS } from './migrations/budget/index.ts';
import { type Database, openStore, parseRow } from './open.ts';
import { type ProcessIdentity, systemIdentity } from './process-identity.ts';

export interface BudgetStoreOptions {
  /** Absolute path of `budget.db`. */
  file: string;
  /** Its wall time names the beginning of ledger time; nothing else follows it. */
  clock: Clock;
  logger: Logger;
  /** Milliseconds since the computer started, the same for every process; tests pass their own. */
  bootMs?: () => number;
  /** How other processes find this one; tests pass their own. */
  identity?: ProcessIdentity;
}

/** A process that was stopped in the middle of a commit must not stop the others for long. */
const BUSY_TIMEOUT_MS = 500;
const PRUNE_EVERY_MS = 30_000;
/** Ids of one commit's permits lie between two sequence numbers. */
const PERMITS_PER_COMMIT = 1_000_000;
const LOOK_FOR_DEAD_EVERY_MS = 2_000;
/** What a process sent just before it was killed has reached the service by then. */
const LATE_ARRIVAL_MS = 3_000;

const NO_CHANGES: LedgerChanges = { permits: [], lanes: [] };
const nothing = () => undefined;

/** Opens or creates the budget file. Throws AppError as `openStore` does. */
export function openBudgetStore(options: BudgetStoreOptions): BudgetLedger {
  const db = openStore({ ...options, migrations: BUDGET_MIGRATIONS, synchronous: 'NORMAL' });
  try {
    return new BudgetStore(db, options);
  } catch (problem) {
    db.close();
    throw toAppError(problem);
  }
}

class BudgetStore implements BudgetLedger {
  readonly #db: Database;
  readonly #sql: BudgetStatements;
  readonly #bootMs: () => number;
  readonly #logger: Logger;
  readonly #identity: ProcessIdentity;
  /** Ledger time minus time since boot. */
  readonly #aheadMs: number;
  /** Tells this process's rows from those of others. */
  readonly #holder: number;
  #sequence = 0;
  #prunedAtMs = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** What others changed and nobody here has asked for yet. */
  #unseen: LedgerChanges = NO_CHANGES;
  readonly #pending = new PendingWrites();
  /** Made once: making one costs more than a short transaction. */
  readonly #inOne: Transaction<(work: () => void) => void>;

  constructor(db: Database, options: BudgetStoreOptions) {
    this.#db = db;
    this.#logger = options.logger;
    this.#sql = budgetStatements(db);
    this.#inOne = db.transaction((work: () => void) => work());
    this.#bootMs = options.bootMs ?? systemBootMs;
    this.#identity = options.identity ?? systemIdentity();
    const start = db.transaction(() => this.#start(options.clock.nowMs())).immediate();
    this.#aheadMs = start.aheadMs;
    this.#holder = start.holder;
    this.#sequence = start.sequence;
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  /** Goes on where ledger time stopped. After a restart of the computer only the time since then is sure. */
  #start(wallMs: number): { aheadMs: number; holder: number; sequence: number } {
    const bootMs = this.#bootMs();
    const stored = this.#sql.readLedger.get();
    if (stored === undefined) {
      this.#sql.createLedger.run(bootMs, wallMs);
    } else {
      const ledger = parseRow(ledgerRow, stored, 'ledger');
      const latestMs = Math.max(ledger.ledger_ms, Number(this.#sql.latestDone.get() ?? 0));
      const latestBootMs = ledger.boot_ms + (latestMs - ledger.ledger_ms);
      if (bootMs < latestBootMs) this.#sql.anchorLedger.run(0, latestMs);
    }
    const holder = z.number().parse(this.#sql.nextHolder.get());
    this.#sql.addHolder.run(holder, this.#identity.pid, this.#identity.space);
    const now = parseRow(ledgerRow, this.#sql.readLedger.get(), 'ledger');
    return { aheadMs: now.ledger_ms - now.boot_ms, holder, sequence: now.sequence };
  }

  nowMs(): number {
    return this.#bootMs() + this.#aheadMs;
  }

  lane(key: LaneKey): { lane: LaneRecord; permits: PermitRecord[] } {
    return this.#guard(() => {
      const found = this.#sql.findLane.get(key.origin, key.tokenId, key.operation);
      if (found === undefined) {
        this.#commit(false, () => {
          this.#sql.addLane.run(key.origin, key.tokenId, key.operation, this.#sequence, this.#holder);
        });
      }
      const row = found ?? this.#sql.findLane.get(key.origin, key.tokenId, key.operation);
      const lane = toLane(row);
      return { lane, permits: this.#sql.lanePermits.all(lane.id).map(toPermit) };
    });
  }

  lastToken(origin: string): string | null {
    return this.#guard(() => z.string().nullish().parse(this.#sql.lastToken.get(origin)) ?? null);
  }

  refresh(): LedgerChanges {
    return this.#guard(() => {
      this.#settleDead();
      const sequence = Number(this.#sql.readSequence.get());
      if (sequence !== this.#sequence) this.#readChanges(sequence);
      return this.#takeUnseen();
    });
  }

  transact<R>(isDurable: boolean, work: (changes: LedgerChanges, writer: LedgerWriter) => R): R {
    let granted = 0;
    const writer: LedgerWriter = {
      permit: (laneId, openUntilMs, keepUntilMs) => {
        const id = this.#sequence * PERMITS_PER_COMMIT + granted;
        granted += 1;
        if (granted === PERMITS_PER_COMMIT) throw new RangeError('Too many permits in one commit.');
        this.#sql.addPermit.run(id, laneId, openUntilMs, keepUntilMs, this.#sequence, this.#holder);
        return id;
      },
      saveLearned: (laneId, learned) => {
        this.#sql.saveLearned.run(learned, this.#sequence, this.#holder, laneId);
      },
    };
    return this.#guard(() => this.#commit(isDurable, () => work(this.#takeUnseen(), writer)));
  }

  finish(permitId: number, doneAtMs: number, keepUntilMs: number): void {
    this.#pending.finished.set(permitId, { doneAtMs, keepUntilMs });
  }

  release(permitId: number): void {
    this.#pending.released.add(permitId);
  }

  extend(permitId: number, openUntilMs: number): void {
    this.#pending.extended.set(permitId, openUntilMs);
  }

  saveLearned(laneId: number, learned: string): void {
    this.#pending.learned.set(laneId, learned);
  }

  serviceTime(origin: string): ServiceTime | null {
    const row = this.#guard(() => this.#sql.readTime.get(origin));
    return row === undefined ? null : toServiceTime(row);
  }

  saveServiceTime(time: ServiceTime): void {
    this.#pending.times.set(time.origin, time);
  }

  shiftBack(origin: string, untilMs: number, byMs: number): void {
    this.#guard(() =>
      this.#commit(false, () => {
        this.#sql.shiftBack.run({
          origin,
          untilMs,
          byMs,
          sequence: this.#sequence,
          holder: this.#holder,
        });
      }),
    );
  }

  flush(): void {
    if (this.#pending.isEmpty) return;
    this.#guard(() => this.#commit(false, nothing));
  }

  close(): void {
    if (!this.#db.open) return;
    try {
      this.#commit(false, () => this.#sql.dropHolder.run(this.#holder));
    } catch (problem) {
      // What is missing only makes the next process wait longer.
      this.#logger.warn('budget not written at close', { code: toAppError(problem).code });
    } finally {
      this.#db.close();
    }
  }

  /** One transaction for itself among all processes, with everything pending written before `work`. */
  #commit<R>(isDurable: boolean, work: () => R): R {
    const before = this.#sequence;
    if (isDurable) this.#db.pragma('synchronous = FULL');
    const results: R[] = [];
    try {
      this.#inOne.immediate(() => {
        const sequence = Number(this.#sql.nextSequence.get());
        if (sequence === before + 1) this.#sequence = sequence;
        else this.#readChanges(sequence);
        this.#pending.write(this.#sql, this.#sequence, this.#holder);
        results.push(work());
        this.#prune();
      });
      this.#pending.clear();
      // Exactly one: the work of a transaction that did not throw has run.
      return results[0] as R;
    } catch (problem) {
      // Read again next time: taking the same change twice does no harm.
      this.#sequence = before;
      throw problem;
    } finally {
      if (isDurable) this.#db.pragma('synchronous = NORMAL');
    }
  }

  /** Permits of a process that was killed are taken as answered soon, not only when their bound is over. */
  #settleDead(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#lookedAtMs < LOOK_FOR_DEAD_EVERY_MS) return;
    this.#lookedAtMs = nowMs;
    const { space, isRunning } = this.#identity;
    const others = this.#sql.otherHolders
      .all(space, this.#holder)
      .map((row) => parseRow(holderRow, row, 'holder'));
    const dead = others.filter(({ pid }) => !isRunning(pid));
    if (dead.length === 0) return;
    this.#commit(false, () => {
      const untilMs = nowMs + LATE_ARRIVAL_MS;
      for (const { id } of dead) {
        const permits = this.#sql.closeOpen.all(untilMs, this.#sequence, id, untilMs).map(toPermit);
        this.#unseen = { ...this.#unseen, permits: [...this.#unseen.permits, ...permits] };
        this.#sql.dropHolder.run(id);
      }
    });
  }

  #readChanges(sequence: number): void {
    const permits = this.#sql.changedPermits.all(this.#sequence, this.#holder).map(toPermit);
    const lanes = this.#sql.changedLanes.all(this.#sequence, this.#holder).map(toLane);
    this.#unseen = {
      permits: [...this.#unseen.permits, ...permits],
      lanes: [...this.#unseen.lanes, ...lanes],
    };
    this.#sequence = sequence;
  }

  #takeUnseen(): LedgerChanges {
    const changes = this.#unseen;
    this.#unseen = NO_CHANGES;
    return changes;
  }

  #prune(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#prunedAtMs < PRUNE_EVERY_MS) return;
    this.#prunedAtMs = nowMs;
    this.#sql.prune.run(nowMs);
  }

  #guard<R>(work: () => R): R {
    try {
      return work();
    } catch (problem) {
      throw toAppError(problem);
    }
  }
}
