/** Node's own SQLite, for processes that leave no trace (untouched-file.ts), and a lock that keeps a log where it is. */
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** The file does not change while it is open: no lock, no log. */
export const UNCHANGING = 'immutable=1';
/** Beside a log: its index is neither created nor changed. */
export const INDEX_UNCHANGED = 'readonly_shm=1';
/** Takes the shared lock of a store. */
export const FIRST_READ = 'SELECT 1 FROM sqlite_schema LIMIT 1';

export function openByNode(
  file: string,
  parameter: typeof UNCHANGING | typeof INDEX_UNCHANGED,
  timeoutMs: number,
): DatabaseSync {
  // Only such processes load it.
  const { DatabaseSync: Sqlite } = process.getBuiltinModule('node:sqlite');
  return new Sqlite(`${pathToFileURL(file).href}?${parameter}`, { readOnly: true, timeout: timeoutMs });
}

/** Whether an open store can be copied into memory; a Node before 24 cannot. */
export const canCopyToMemory = (): boolean =>
  'serialize' in process.getBuiltinModule('node:sqlite').DatabaseSync.prototype;

/**
 * Until the result is closed, no other process deletes the log of the store: it takes the shared lock without touching
 * the log. In this mode SQLite takes that lock first, and then needs an exclusive one to use a log, which it cannot get
 * with a file that is open to read only; it keeps the first.
 */
export function holdLog(file: string, timeoutMs: number): Pick<DatabaseSync, 'close'> {
  const db = openByNode(file, INDEX_UNCHANGED, timeoutMs);
  try {
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; ${FIRST_READ}`);
  } catch (thrown) {
    // The one that is expected. What else is wrong with the store is found by opening it.
    if (!(thrown instanceof Error)) throw thrown;
  }
  return db;
}
