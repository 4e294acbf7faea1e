/** The processes on one budget file. */
import { z } from 'zod';
import type { PermitRecord } from '../core/budget-ledger.ts';
import { permitsOf } from './budget-blocks.ts';
import { holderRow, ledgerRow, toBlock } from './budget-rows.ts';
import type { BudgetStatements } from './budget-statements.ts';
import { parseRow } from './open.ts';
import type { ProcessIdentity } from './process-identity.ts';

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
  if (stored === undefined) {
    sql.createLedger.run(bootMs, wallMs);
  } else {
    const ledger = parseRow(ledgerRow, stored, 'ledger');
    const latestMs = Math.max(ledger.ledger_ms, Number(sql.latestDone.get() ?? 0));
    const latestBootMs = ledger.boot_ms + (latestMs - ledger.ledger_ms);
    if (bootMs < latestBootMs) sql.anchorLedger.run(0, latestMs);
  }
  const holder = z.number().parse(sql.nextHolder.get());
  sql.addHolder.run(holder, identity.pid, identity.space);
  const now = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  return { aheadMs: now.ledger_ms - now.boot_ms, holder, sequence: now.sequence };
}
