/**
 * Every opening of a store by SQLite, to read or to write, by any thread or process. SQLite replaces the index of a
 * leftover log when it opens a store, even to read. Without the old index a damaged log can no longer be
 * recognized, so each opening states whether the log was checked.
 */
import BetterSqlite, { type Database } from 'better-sqlite3';
import { stateOfLog } from './log-evidence.ts';
import { damagedError } from './migrate.ts';
import { onlyReads } from './only-reads.ts';
import { whileNobodyOpens } from './open-here.ts';
import { openUntouched } from './untouched-file.ts';

/**
 * `nowMs`: looks at the log first, at this wall time. `seen`: the caller did. `copy`: everything in the store can be
 * read again from elsewhere, so a damaged log costs nothing.
 */
export type LogLook = { nowMs: number; maxSummedBytes?: number } | 'seen' | 'copy';

const BUSY_TIMEOUT_MS = 5_000;

/** The file must exist. Throws SQLite errors, and STORE_DAMAGED for a lost log. */
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
 * Opens, with its current schema, a store that may also be open elsewhere. Throws as `openFile` does. A log is read as a
 * whole unless this process has the store open, which takes 2 to 4 ms per megabyte: for threads and other processes.
 */
export function openToRead(file: string, log: LogLook): Database {
  const whole = typeof log === 'object' ? { maxSummedBytes: Number.POSITIVE_INFINITY, ...log } : log;
  return openFile(file, whole, { isReadonly: true });
}

/**
 * Throws STORE_DAMAGED if the changes in the log of a store are not, or not all, its own last ones. Logs over 8 MB are
 * read in part, unless `maxSummedBytes` allows more: damage in the other part is not seen, and SQLite ignores the frames
 * from there on.
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

/** Offset of the two bytes of a header that say how a file is read and written, and their value without a log. */
const FORM_AT = 18;
const WITHOUT_LOG = 1;

/** A copy of an open store in memory, with everything in its log. */
export function inMemory(db: Database): Database {
  const bytes = db.serialize();
  bytes.fill(WITHOUT_LOG, FORM_AT, FORM_AT + 2);
  return new BetterSqlite(bytes);
}
