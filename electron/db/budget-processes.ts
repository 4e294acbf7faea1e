/** The processes that share one budget file. */
import type { OtherHolder, PermitRecord } from '../core/limits/budget-ledger.ts';
import * as z from '../shared/zod.ts';
import { permitsOf } from './budget-blocks.ts';
import { type BudgetStatements, holderRow, type LedgerRow, ledgerRow, toBlock } from './budget-rows.ts';
import { parseRow } from './open.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** A request sent just before a process was killed has reached the service after this time. */
export const LATE_ARRIVAL_MS = 3_000;

interface Others {
  /** Whether another process is running, or may be. */
  isShared: boolean;
  /** Holder numbers of processes that have ended, as marked in their rows. */
  dead: number[];
}

/**
 * The other processes with rows in the file. If a process number cannot be compared, its process counts as possibly
 * running.
 */
export function othersOn(sql: BudgetStatements, identity: ProcessIdentity, holder: number): Others {
  const others = sql.otherHolders.all(holder).map((row) => parseRow(holderRow, row, 'holder'));
  const dead = others.filter(({ pid, space }) => space === identity.space && !identity.isRunning(pid));
  return { isShared: dead.length < others.length, dead: dead.map(({ id }) => id) };
}

/** The other processes of the same space with open permits of a lane at `nowMs`. */
export function holdersOn(
  sql: BudgetStatements,
  { space, isStopped }: ProcessIdentity,
  { laneId, holder, nowMs }: { laneId: number; holder: number; nowMs: number },
): OtherHolder[] {
  return sql.openHolders
    .all(laneId, holder, nowMs)
    .map((row) => parseRow(holderRow, row, 'holder'))
    .flatMap((other) => (other.space === space ? [{ pid: other.pid, isStopped: isStopped(other.pid) }] : []));
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
 * How much of the time since boot counts as time since the last commit. `all`: all of it. `restart`: only the time
 * since a restart. `nothing`: another computer wrote the file (a moved folder), or its clock differs.
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

/**
 * Removes processes of another computer, or of this one under another name, because nothing shows whether they are
 * running.
 */
function forgetStrangers(sql: BudgetStatements, space: string): void {
  const others = sql.otherHolders.all(0).map((row) => parseRow(holderRow, row, 'holder'));
  for (const other of others) if (other.space !== space) sql.dropHolder.run(other.id);
}

/** Time since boot that corresponds to the ledger's time. */
function anchorOf(stored: LedgerRow, since: ReturnType<typeof sinceLast>, bootMs: number): number {
  return { all: stored.boot_ms, restart: 0, nothing: bootMs }[since];
}

/** Result of `join` for a process that adds nothing, with a holder number that no process has. */
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
 * minus time since boot. Only time that has certainly passed is added. `wasUsed`: requests were sent with this data
 * folder before, so if the ledger is missing, it was lost.
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
  // After a restart, process numbers may belong to other programs.
  if (since === 'restart') forgetAll(sql, identity.space, LATE_ARRIVAL_MS);
  if (since === 'nothing') forgetStrangers(sql, identity.space);
  sql.addHolder.run(holder, identity.pid, identity.space);
  const now = parseRow(ledgerRow, sql.readLedger.get(), 'ledger');
  const aheadMs = now.ledger_ms - now.boot_ms;
  if (sql.unknownUse.get() === null) sql.noteUnknownUse.run(bootMs + aheadMs);
  return { aheadMs, holder, sequence: now.sequence };
}
