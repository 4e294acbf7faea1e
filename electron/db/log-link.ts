/**
 * A mark by which a store knows its own write-ahead log, which names no store. The mark is the application id in the
 * first page of the store. Each new log begins with two commits: one changes the mark to the one that follows it, and one
 * changes it to the log's own first salt. They reach the file of the store before the log is restarted, and each
 * restart counts the salt up. So at any moment, also after a kill, either the first page in the log continues the mark
 * of the store, or the salt of the log does.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/** What a log says about its store. */
export interface LogOrigin {
  salt: number;
  /** Restarts of the log, as far as its last writer knows. */
  restarts: number;
  /** Mark in the first valid copy of the store's first page; null if the log has none. */
  mark: number | null;
}

/** A store without a mark: created before there were any, or one whose data can be read again. */
const NONE = 0;
export const MARK_AT = 68;
const LOG_HEADER_BYTES = 32;
const SALT_AT = 16;
/** More than a year of ten restarts a second; a log of another store is in it with a chance of 0.4 %. */
const MAX_RESTARTS = 2 ** 24;
const SALTS = 2 ** 32;

/** The mark that follows another. Never `NONE`. */
export const markAfter = (mark: number): number => (mark + 0x9e3779b9) % SALTS || 1;

const continues = (mark: number, salt: number): boolean => (salt - mark + SALTS) % SALTS < MAX_RESTARTS;

/** Whether a log with at least one commit cannot be that of the store with this mark. */
export function isOfAnotherStore(mark: number, log: LogOrigin): boolean {
  if (mark === NONE || continues(mark, log.salt)) return false;
  if (log.mark !== null) return log.mark !== mark && log.mark !== markAfter(mark);
  // A first log without the first page is one that could not be marked.
  return log.restarts > 0;
}

/**
 * Marks a new log. Call before the first change of an opened store: until the log is restarted, an unmarked one counts as
 * its own. Throws SQLite errors.
 */
export function linkLog(db: Database): void {
  if (db.memory || db.pragma('journal_mode', { simple: true }) !== 'wal') return;
  // The first read keeps other processes from removing the log.
  const mark = Number(db.pragma('application_id', { simple: true })) >>> 0;
  const salt = saltOf(`${db.name}-wal`);
  if (salt !== null && continues(mark, salt)) return;
  // A new log needs no flush of its own: it counts only up to its first missing frame, and later commits flush it.
  const flushes = Number(db.pragma('synchronous', { simple: true }));
  db.pragma(`synchronous = ${salt === null ? 'OFF' : 'NORMAL'}`);
  try {
    setMark(db, markAfter(mark));
    setMark(db, saltOf(`${db.name}-wal`) ?? markAfter(mark));
  } finally {
    db.pragma(`synchronous = ${flushes}`);
  }
}

function setMark(db: Database, mark: number): void {
  // A signed number.
  db.pragma(`application_id = ${mark | 0}`);
}

/** The first salt of a log; null if it is empty. SQLite does not lock the file, so it may be opened and closed. */
function saltOf(log: string): number | null {
  if (!existsSync(log)) return null;
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  const descriptor = openSync(log, 'r');
  try {
    return readSync(descriptor, header, 0, LOG_HEADER_BYTES, 0) === LOG_HEADER_BYTES
      ? header.readUInt32BE(SALT_AT)
      : null;
  } finally {
    closeSync(descriptor);
  }
}
