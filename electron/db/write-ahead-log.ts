/** The write-ahead log of an open store, brought to the disk without holding up the thread that commits. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from './open.ts';

const sync = promisify(fdatasync);

export class WriteAheadLog {
  readonly #fd: number;
  #syncing: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Null where commits have no such file: the store is in memory, or has another journal. */
  static of(db: Database): WriteAheadLog | null {
    if (db.memory || db.pragma('journal_mode', { simple: true }) !== 'wal') return null;
    // SQLite keeps this one file as long as the store is open, and locks others than this.
    return new WriteAheadLog(openSync(`${db.name}-wal`, 'r+'));
  }

  /** Resolves when what was committed before the call would survive a power cut. Rejects with what the system says. */
  toDisk(): Promise<void> {
    const synced = this.#syncing
      .catch(() => undefined)
      .then(() => (this.#isClosed ? undefined : sync(this.#fd)));
    this.#syncing = synced;
    return synced;
  }

  /** A sync that is under way ends first. */
  close(): void {
    this.#isClosed = true;
    const end = () => closeSync(this.#fd);
    this.#syncing.then(end, end);
  }
}
