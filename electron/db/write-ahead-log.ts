/** The write-ahead log of a store, flushed without blocking the committing thread. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';

const sync = promisify(fdatasync);

export class WriteAheadLog {
  readonly #fd: number;
  #syncing: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Null if commits use no such file: the store is in memory or only read, or has another journal. */
  static of(db: Database): WriteAheadLog | null {
    if (db.memory || db.readonly || db.pragma('journal_mode', { simple: true }) !== 'wal') return null;
    // SQLite keeps this one file while the store is open, and does not lock it.
    return new WriteAheadLog(openSync(`${db.name}-wal`, 'r+'));
  }

  /** Resolves when everything committed before the call would survive a power cut. Rejects with the system's error. */
  toDisk(): Promise<void> {
    const synced = this.#syncing
      .catch(() => undefined)
      .then(() => (this.#isClosed ? undefined : sync(this.#fd)));
    this.#syncing = synced;
    return synced;
  }

  /** A running sync ends first. */
  close(): void {
    this.#isClosed = true;
    const end = () => closeSync(this.#fd);
    this.#syncing.then(end, end);
  }
}
