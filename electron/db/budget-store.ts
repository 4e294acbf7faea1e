/**
 * The budget file: one small SQLite store at the root of the data folder, shared by the app and any number of
 * command lines. A permit is a row committed before its request leaves; every process reads what the others did.
 */
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
import { ledgerRow, toLane, toPermit, toServiceTime } from './budget-rows.ts';
import { type BudgetStatements, budgetStatements } from './budget-statements.ts';
import { BUDGET_MIGRATIONS } from './migrations/budget/index.ts';
import { type Database, openStore, parseRow } from './open.ts';

export interface BudgetStoreOptions {
  /** Absolute path of `budget.db`. */
  file: string;
  /** Its wall time names the beginning of ledger time; nothing else follows it. */
  clock: Clock;
  logger: Logger;
  /** Milliseconds since the computer started, the same for every process; tests pass their own. */
  bootMs?: () => number;
}

/** A process that was stopped in the middle of a commit must not stop the others for long. */
const BUSY_TIMEOUT_MS = 500;
const PRUNE_EVERY_MS = 30_000;

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
  /** Ledger time minus time since boot. */
  readonly #aheadMs: number;
  /** Tells this process's rows from those of others. */
  readonly #holder: number;
  #sequence = 0;
  #prunedAtMs = 0;
  /** What others changed and nobody here has asked for yet. */
  #unseen: LedgerChanges = NO_CHANGES;
  readonly #finished = new Map<number, { doneAtMs: number; keepUntilMs: number }>();
  readonly #released = new Set<number>();
  readonly #extended = new Map<number, number>();
  readonly #learned = new Map<number, string>();
  readonly #times = new Map<string, ServiceTime>();

  constructor(db: Database, options: BudgetStoreOptions) {
    this.#db = db;
    this.#logger = options.logger;
    this.#sql = budgetStatements(db);
    this.#bootMs = options.bootMs ?? systemBootMs;
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

  refresh(): LedgerChanges {
    return this.#guard(() => {
      const sequence = Number(this.#sql.readSequence.get());
      if (sequence !== this.#sequence) this.#readChanges(sequence);
      return this.#takeUnseen();
    });
  }

  transact<R>(isDurable: boolean, work: (changes: LedgerChanges, writer: LedgerWriter) => R): R {
    const writer: LedgerWriter = {
      permit: (laneId, openUntilMs, keepUntilMs) => {
        const row = [laneId, openUntilMs, keepUntilMs, this.#sequence, this.#holder];
        return Number(this.#sql.addPermit.run(...row).lastInsertRowid);
      },
      saveLearned: (laneId, learned) => {
        this.#sql.saveLearned.run(learned, this.#sequence, this.#holder, laneId);
      },
    };
    return this.#guard(() => this.#commit(isDurable, () => work(this.#takeUnseen(), writer)));
  }

  finish(permitId: number, doneAtMs: number, keepUntilMs: number): void {
    this.#finished.set(permitId, { doneAtMs, keepUntilMs });
  }

  release(permitId: number): void {
    this.#released.add(permitId);
  }

  extend(permitId: number, openUntilMs: number): void {
    this.#extended.set(permitId, openUntilMs);
  }

  saveLearned(laneId: number, learned: string): void {
    this.#learned.set(laneId, learned);
  }

  serviceTime(origin: string): ServiceTime | null {
    const row = this.#guard(() => this.#sql.readTime.get(origin));
    return row === undefined ? null : toServiceTime(row);
  }

  saveServiceTime(time: ServiceTime): void {
    this.#times.set(time.origin, time);
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
    const isEmpty =
      this.#finished.size +
        this.#released.size +
        this.#extended.size +
        this.#learned.size +
        this.#times.size ===
      0;
    if (isEmpty) return;
    this.#guard(() => this.#commit(false, nothing));
  }

  close(): void {
    if (!this.#db.open) return;
    try {
      this.flush();
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
    const all = this.#db.transaction(() => {
      const sequence = z.number().parse(this.#sql.nextSequence.get());
      if (sequence === before + 1) this.#sequence = sequence;
      else this.#readChanges(sequence);
      this.#writePending();
      const result = work();
      this.#prune();
      return result;
    });
    try {
      const result = all.immediate();
      this.#forgetPending();
      return result;
    } catch (problem) {
      // Read again next time: taking the same change twice does no harm.
      this.#sequence = before;
      throw problem;
    } finally {
      if (isDurable) this.#db.pragma('synchronous = NORMAL');
    }
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

  #writePending(): void {
    const sequence = this.#sequence;
    const holder = this.#holder;
    for (const [id, untilMs] of this.#extended) this.#sql.extend.run(untilMs, untilMs, sequence, holder, id);
    for (const [id, { doneAtMs, keepUntilMs }] of this.#finished) {
      this.#sql.finish.run(doneAtMs, keepUntilMs, sequence, holder, id);
    }
    for (const id of this.#released) this.#sql.release.run(sequence, holder, id);
    for (const [id, learned] of this.#learned) this.#sql.saveLearned.run(learned, sequence, holder, id);
    for (const time of this.#times.values()) {
      this.#sql.saveTime.run(time.origin, time.dateMs, time.sentAtMs, time.receivedAtMs);
    }
  }

  #forgetPending(): void {
    this.#extended.clear();
    this.#finished.clear();
    this.#released.clear();
    this.#learned.clear();
    this.#times.clear();
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
