/** The write-ahead log of a store: whether it is whole, and its flush without blocking the committing thread. */
import { closeSync, fdatasync, openSync, readSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';

const sync = promisify(fdatasync);

/** Parts of the log's index (`-shm`), in the byte order of this computer; see the SQLite WAL format. */
const INDEX_BYTES = 100;
const PAGE_SIZE_AT = 7;
const FRAMES_AT = 4;
const BACKFILLED_AT = 24;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Whether committed changes of a store are lost because its log was removed or cut: a process that was killed left the
 * log's index, which says how many frames the log has and how many of them are in the store already.
 */
export function hasLostLog(file: string): boolean {
  const index = readIndex(`${file}-shm`);
  if (index === null) return false;
  const words = new Uint32Array(index.buffer, index.byteOffset, INDEX_BYTES / 4);
  const halves = new Uint16Array(index.buffer, index.byteOffset, INDEX_BYTES / 2);
  const frames = words[FRAMES_AT] ?? 0;
  if (frames <= (words[BACKFILLED_AT] ?? 0)) return false;
  const pageBytes = halves[PAGE_SIZE_AT] ?? 0;
  const wholeBytes =
    LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + (pageBytes === 1 ? 65_536 : pageBytes));
  // Another process may have just closed the store, which removes the log before its index.
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return logBytes < wholeBytes && readIndex(`${file}-shm`)?.equals(index) === true;
}

/** Null if there is none, or it is not complete. */
function readIndex(file: string): Buffer | null {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const index = Buffer.alloc(INDEX_BYTES);
  const fd = openSync(file, 'r');
  try {
    return readSync(fd, index, 0, INDEX_BYTES, 0) === INDEX_BYTES ? index : null;
  } finally {
    closeSync(fd);
  }
}

export class WriteAheadLog {
  readonly #fd: number;
  #syncing: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Null if commits use no such file: the store is in memory, or has another journal. */
  static of(db: Database): WriteAheadLog | null {
    if (db.memory || db.pragma('journal_mode', { simple: true }) !== 'wal') return null;
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
