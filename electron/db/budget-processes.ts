/** The processes on one budget file. */
import { z } from 'zod';
import type { PermitRecord } from '../core/budget-ledger.ts';
import { permitsOf } from './budget-blocks.ts';
import { holderRow, ledgerRow, toBlock } from './budget-rows.ts';
import type { BudgetStatements } from './budget-statements.ts';
import { parseRow } from './open.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** What a process sent just before it was killed has reached the service by then. */
export const LATE_ARRIVAL_MS = 3_000;

export interface Others {
  /** Another one is running, or may be. */
  isShared: boolean;
  /** Of those that are not: what their rows are marked with. */
  dead: number[];
}

/** Where process numbers cannot be compared, whoever left a row may be running. */
export function othersOn(sql: BudgetStatements, identity: ProcessIdentity, holder: number): Others {
  const others = sql.otherHolders.all(holder).map((row) => parseRow(holderRow, row, 'holder'));
  const dead = others.filter(({ pid, space }) => space === identity.space && !identity.isRunning(pid));
  return { isShared: dead.length < others.length, dead: dead.map(({ id }) => id) };
}

/** Forgets those that are gone; what they left open is taken as answered at `untilMs`. Returns these permits. */
export function closeDead(
  sql: BudgetStatements,
  dead: readonly number[],
  untilMs: number,
  sequence: number,
): PermitRecord[] {
  return dead.flatMap((id) => {
    sql.dropHolder.run(id);
    return sql.closeOpen.all(untilMs, sequence, id, untilMs).flatMap((row) => permitsOf(toBlock(row)));
  });
}

/** After a restart of the computer none of its processes is running. */
function forgetAll(sql: BudgetStatements, space: string, lateMs: number): void {
  const now = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  const gone = sql.otherHolders.all(0).map((row) => parseRow(holderRow, row, 'holder'));
  const ids = gone.filter((holder) => holder.space === space).map(({ id }) => id);
  closeDead(sql, ids, now.ledger_ms + lateMs, now.sequence);
}

/**
 * Adds this process, inside a transaction, and goes on where ledger time stopped: `aheadMs` is ledger time minus time
 * since boot. After a restart of the computer only the time since then is sure.
 */
export function join(
  sql: BudgetStatements,
  identity: ProcessIdentity,
  bootMs: number,
  wallMs: number,
): { aheadMs: number; holder: number; sequence: number } {
  const stored = sql.readLedger.get();
  let isRestarted = false;
  if (stored === undefined) {
    sql.createLedger.run(bootMs, wallMs);
  } else {
    const ledger = parseRow(ledgerRow, stored, 'ledger');
    isRestarted = bootMs < ledger.boot_ms;
    if (isRestarted) sql.anchorLedger.run(0, ledger.ledger_ms);
  }
  const holder = z.number().parse(sql.nextHolder.get());
  // Their numbers may belong to other programs by now.
  if (isRestarted) forgetAll(sql, identity.space, LATE_ARRIVAL_MS);
  sql.addHolder.run(holder, identity.pid, identity.space);
  const now = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  return { aheadMs: now.ledger_ms - now.boot_ms, holder, sequence: now.sequence };
}
