/** The processes that share one budget file. */
import type { PermitRecord } from '../core/limits/budget-ledger.ts';
import * as z from '../shared/zod.ts';
import { permitsOf } from './budget-blocks.ts';
import { type BudgetStatements, holderRow, type LedgerRow, ledgerRow, toBlock } from './budget-rows.ts';
import { parseRow } from './open.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** A request sent just before a process was killed has reached the service after this time. */
export const LATE_ARRIVAL_MS = 3_000;

interface Others {
  /** Another process is running, or may be. */
  isShared: boolean;
  /** Holder numbers of dead processes, as marked in their rows. */
  dead: number[];
}

/** If process numbers cannot be compared, treats the writer of any row as possibly running. */
export function othersOn(sql: BudgetStatements, identity: ProcessIdentity, holder: number): Others {
  const others = sql.otherHolders.all(holder).map((row) => parseRow(holderRow, row, 'holder'));
  const dead = others.filter(({ pid, space }) => space === identity.space && !identity.isRunning(pid));
  return { isShared: dead.length < others.length, dead: dead.map(({ id }) => id) };
}

/** Removes dead processes and treats their open permits as answered at `untilMs`. Returns these permits. */
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

/** After a computer restart, none of its earlier processes is running. */
function forgetAll(sql: BudgetStatements, space: string, lateMs: number): void {
  const now = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  const gone = sql.otherHolders.all(0).map((row) => parseRow(holderRow, row, 'holder'));
  const ids = gone.filter((holder) => holder.space === space).map(({ id }) => id);
  closeDead(sql, ids, now.ledger_ms + lateMs, now.sequence);
}

/**
 * How much of the time since boot counts as time since the last commit: all of it; only the time since a restart; or
 * nothing, if another computer wrote the file (a moved folder) or its clock differs.
 */
function sinceLast(
  stored: LedgerRow,
  { computer, start }: ProcessIdentity,
  bootMs: number,
): 'all' | 'restart' | 'nothing' {
  const isSameBoot = bootMs >= stored.boot_ms;
  if (start !== '' && stored.start === start) return isSameBoot ? 'all' : 'nothing';
  if (stored.computer !== '' && stored.computer !== computer) return 'nothing';
  const isOther = start !== '' && stored.start !== '';
  return isSameBoot && !isOther ? 'all' : 'restart';
}

/** Processes of another computer, or of this one under another name, cannot be checked for whether they run. */
function forgetStrangers(sql: BudgetStatements, space: string): void {
  const others = sql.otherHolders.all(0).map((row) => parseRow(holderRow, row, 'holder'));
  for (const other of others) if (other.space !== space) sql.dropHolder.run(other.id);
}

/** Time since boot to which the ledger's time belongs. */
function anchorOf(stored: LedgerRow, since: ReturnType<typeof sinceLast>, bootMs: number): number {
  return { all: stored.boot_ms, restart: 0, nothing: bootMs }[since];
}

/** The answer of `join` for a process that adds nothing: a number that no process has. */
export function lookAt(
  sql: BudgetStatements,
  identity: ProcessIdentity,
  bootMs: number,
): { aheadMs: number; holder: number; sequence: number } {
  const row = sql.readLedger.get();
  if (row === undefined) return { aheadMs: 0, holder: 0, sequence: 0 };
  const stored = parseRow(ledgerRow, row, 'ledger');
  const anchorMs = anchorOf(stored, sinceLast(stored, identity, bootMs), bootMs);
  return { aheadMs: stored.ledger_ms - anchorMs, holder: 0, sequence: stored.sequence };
}

/**
 * Adds this process, inside a transaction, and continues ledger time from its last value: `aheadMs` is ledger time
 * minus time since boot. Only time that certainly passed since then is added. `wasUsed`: requests were sent with this
 * data folder before, so a file without a ledger is not the first one.
 */
export function join(
  sql: BudgetStatements,
  identity: ProcessIdentity,
  bootMs: number,
  wallMs: number,
  wasUsed: boolean,
): { aheadMs: number; holder: number; sequence: number } {
  if (sql.readLedger.get() === undefined) {
    sql.createLedger.run(bootMs, wallMs);
    if (wasUsed) sql.noteUnknownUse.run(null);
  }
  const stored = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  const since = sinceLast(stored, identity, bootMs);
  const anchorMs = anchorOf(stored, since, bootMs);
  sql.anchorLedger.run(anchorMs, stored.ledger_ms, identity.computer, identity.start);
  const holder = z.number().parse(sql.nextHolder.get());
  // Their process numbers may belong to other programs by now.
  if (since === 'restart') forgetAll(sql, identity.space, LATE_ARRIVAL_MS);
  if (since === 'nothing') forgetStrangers(sql, identity.space);
  sql.addHolder.run(holder, identity.pid, identity.space);
  const now = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  const aheadMs = now.ledger_ms - now.boot_ms;
  if (sql.unknownUse.get() === null) sql.noteUnknownUse.run(bootMs + aheadMs);
  return { aheadMs, holder, sequence: now.sequence };
}
