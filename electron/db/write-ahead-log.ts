/** Flushes the write-ahead log of a store without blocking the thread that commits. */
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

  /** The log of a store; null if the store has none, because it is in memory, only read, or has another journal. */
  static of(db: Database): WriteAheadLog | null {
    if (db.memory || db.readonly || db.pragma('journal_mode', { simple: true }) !== 'wal') return null;
    // SQLite keeps using this file while the store is open, and does not lock it.
    return new WriteAheadLog(openSync(`${db.name}-wal`, 'r+'));
  }

  /**
   * Resolves when everything committed before the call would survive a power cut. Rejects with the error of the system.
   */
  toDisk(): Promise<void> {
    const synced = this.#syncing
      .catch(() => undefined)
      .then(() => (this.#isClosed ? undefined : sync(this.#fd)));
    this.#syncing = synced;
    return synced;
  }

  /** Closes the log after a running sync has ended. */
  close(): void {
    this.#isClosed = true;
    const end = () => closeSync(this.#fd);
    this.#syncing.then(end, end);
  }
}
