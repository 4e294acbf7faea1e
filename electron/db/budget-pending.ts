import type { LedgerChanges } from '../core/limits/budget-ledger.ts';
import { mergeLearned, movedLearned } from '../core/limits/learned-state.ts';
import type { ServiceTime, UnseenTime } from '../core/limits/service-clock.ts';
import { latestDone, OwnBlocks, shifted } from './budget-blocks.ts';
import { toBlock, toLane } from './budget-rows.ts';
import type { BudgetStatements } from './budget-statements.ts';

/** What is written with the next commit: each only makes the picture that others have less cautious. */
export class PendingWrites {
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

  /** What others learned since is not written over. */
  merge(lanes: LedgerChanges['lanes']): void {
    if (this.#learned.size === 0) return;
    for (const { id, learned: theirs } of lanes) {
      const ours = this.#learned.get(id);
      if (ours !== undefined && theirs !== null) this.#learned.set(id, mergeLearned(theirs, ours));
    }
  }

  /** Inside a transaction; `clear` after its commit. */
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

  /** The blocks of the transaction under way. */
  writeFresh(sql: BudgetStatements, sequence: number, holder: number): void {
    for (const { id, laneId, slots, openUntilMs, keepUntilMs } of this.blocks.fresh()) {
      const text = JSON.stringify(slots);
      sql.addBlock.run(id, laneId, text, openUntilMs, keepUntilMs, sequence, holder, holder);
    }
  }

  /**
   * What the blocks of a service hold, and what was learned about its lanes, is older than it says; the same for what
   * is kept of the blocks here. Call after `write`.
   */
  move(origin: string, unseen: UnseenTime, sql: BudgetStatements, sequence: number, holder: number): void {
    for (const row of sql.originBlocks.all(origin)) {
      const stored = toBlock(row);
      const block = shifted(stored, unseen.untilMs, unseen.byMs);
      if (block === stored) continue;
      const { id, slots, openUntilMs } = block;
      sql.moveBlock.run(JSON.stringify(slots), openUntilMs, latestDone(slots), sequence, holder, id);
      this.blocks.adopt(block);
    }
    for (const { id, learned } of sql.originLanes.all(origin).map(toLane)) {
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
