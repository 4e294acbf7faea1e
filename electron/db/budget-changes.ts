import type { LedgerChanges, PermitRecord } from '../core/limits/budget-ledger.ts';
import { permitsOf } from './budget-blocks.ts';
import type { PendingWrites } from './budget-pending.ts';
import { toBlock, toLane } from './budget-rows.ts';
import type { BudgetStatements } from './budget-statements.ts';

const NO_CHANGES: LedgerChanges = { permits: [], lanes: [] };

/** What other processes changed and nobody here has asked for yet. */
export class OthersChanges {
  #unseen: LedgerChanges = NO_CHANGES;

  /** Reads what was written after `sequence` by anybody but `holder`. What is pending here is brought up to date. */
  read(sql: BudgetStatements, sequence: number, holder: number, pending: PendingWrites): void {
    const blocks = sql.changedBlocks.all(sequence, holder).map((row) => pending.blocks.adopt(toBlock(row)));
    const lanes = sql.changedLanes.all(sequence, holder).map(toLane);
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
