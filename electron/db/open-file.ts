/**
 * Opens stores with SQLite, to read or to write, for all threads and processes. SQLite replaces the index of a leftover
 * log when it opens a store, even to read. Without the old index a damaged log can no longer be recognized, so each
 * caller states whether the log was checked.
 */
import BetterSqlite, { type Database } from 'better-sqlite3';
import { stateOfLog } from './log-evidence.ts';
import { damagedError } from './migrate.ts';
import { onlyReads } from './only-reads.ts';
import { whileNobodyOpens } from './open-here.ts';
import { openUntouched } from './untouched-file.ts';

/**
 * How the log is checked. `nowMs`: checked first, at this wall time. `seen`: the caller has checked it. `copy`: not
 * checked, because everything in the store can be read again from elsewhere.
 */
export type LogLook = { nowMs: number; maxSummedBytes?: number } | 'seen' | 'copy';

const BUSY_TIMEOUT_MS = 5_000;

/** Opens an existing store. Throws SQLite errors, and STORE_DAMAGED if changes in the log are lost. */
export function openFile(
  file: string,
  log: LogLook,
  { isReadonly = false, timeoutMs = BUSY_TIMEOUT_MS }: { isReadonly?: boolean; timeoutMs?: number } = {},
): Database {
  if (typeof log === 'object') refuseLostLog(file, log.nowMs, log.maxSummedBytes);
  if (onlyReads()) return whileNobodyOpens(() => openUntouched(file, timeoutMs));
  const options = { readonly: isReadonly, fileMustExist: true, timeout: timeoutMs };
  return whileNobodyOpens(() => new BetterSqlite(file, options));
}

/**
 * Opens a store with the current schema for reading, even if it is open elsewhere. Throws as `openFile` does. Unless
 * this process has the store open, the whole log is read, which takes 2 to 4 ms per megabyte, so call this in threads
 * and other processes.
 */
export function openToRead(file: string, log: LogLook): Database {
  const whole = typeof log === 'object' ? { maxSummedBytes: Number.POSITIVE_INFINITY, ...log } : log;
  return openFile(file, whole, { isReadonly: true });
}

/**
 * Throws STORE_DAMAGED if the log of a store lacks some of the store's last changes, or belongs to another store. Logs
 * over 8 MB are read in part, unless `maxSummedBytes` allows more: damage in the unread part is not noticed, and SQLite
 * ignores the frames that follow it.
 */
export function refuseLostLog(file: string, nowMs: number, maxSummedBytes?: number): void {
  const state = stateOfLog(file, nowMs, maxSummedBytes);
  if (state === 'lost')
    throw damagedError(
      file,
      'its write-ahead log was removed, cut or damaged, so its last changes are lost.',
    );
  if (state === 'foreign')
    throw damagedError(file, 'its write-ahead log is not its own, so its last changes are lost.');
}

/** An empty database in memory. */
export const openMemory = (): Database => new BetterSqlite(':memory:');

/**
 * Offset and value of the two header bytes that say how a file is read and written; this value stands for a store
 * without a log.
 */
const FORM_AT = 18;
const WITHOUT_LOG = 1;

/** A copy of an open store in memory, including everything in its log. */
export function inMemory(db: Database): Database {
  const bytes = db.serialize();
  bytes.fill(WITHOUT_LOG, FORM_AT, FORM_AT + 2);
  return new BetterSqlite(bytes);
}
