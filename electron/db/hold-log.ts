/**
 * Node's own SQLite, for processes that leave no trace (untouched-file.ts), and a lock that keeps other processes from
 * deleting a log.
 */
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** Parameter for a store without a log: the file counts as unchanging, so that SQLite uses no lock and no log. */
export const UNCHANGING = 'immutable=1';
/** Parameter for a store with a log: the index of the log is neither created nor changed. */
export const INDEX_UNCHANGED = 'readonly_shm=1';
/** Reads the store, which takes its shared lock. */
export const FIRST_READ = 'SELECT 1 FROM sqlite_schema LIMIT 1';

export function openByNode(
  file: string,
  parameter: typeof UNCHANGING | typeof INDEX_UNCHANGED,
  timeoutMs: number,
): DatabaseSync {
  // Loaded here, because only processes that leave no trace need it.
  const { DatabaseSync: Sqlite } = process.getBuiltinModule('node:sqlite');
  return new Sqlite(`${pathToFileURL(file).href}?${parameter}`, { readOnly: true, timeout: timeoutMs });
}

/** Whether an open store can be copied into memory, which needs Node 24. */
export const canCopyToMemory = (): boolean =>
  'serialize' in process.getBuiltinModule('node:sqlite').DatabaseSync.prototype;

/**
 * Takes the shared lock of a store without touching its log, so that no other process deletes the log until the result
 * is closed. In this mode SQLite takes the shared lock first and then needs an exclusive one to use the log. A file
 * opened for reading cannot get the exclusive one, so the read fails, but the shared lock stays.
 */
export function holdLog(file: string, timeoutMs: number): Pick<DatabaseSync, 'close'> {
  const db = openByNode(file, INDEX_UNCHANGED, timeoutMs);
  try {
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; ${FIRST_READ}`);
  } catch (thrown) {
    // The read is expected to fail. Other problems of the store are reported when it is opened.
    if (!(thrown instanceof Error)) throw thrown;
  }
  return db;
}
