/**
 * Opens a store for a process that leaves no trace, i.e. that creates, changes and deletes no file. The usual driver
 * cannot do that: SQLite creates a log and an index of the log even to read a store, unless parameters in the name of
 * the file forbid it, and that driver is built without support for such parameters. Node's own SQLite supports them.
 *
 * If a store has no log, no process has it open. Its file is then read without a lock, as if it never changed, and
 * callers compare `stateOfStore` before and after. If there is a log, its index is opened for reading only, so that
 * answers are consistent while other processes write; if the writer was killed, SQLite builds an index in memory.
 */
import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import BetterSqlite, { type Database } from 'better-sqlite3';
import { AppError } from '../shared/errors.ts';
import { FIRST_READ, holdLog, INDEX_UNCHANGED, openByNode, UNCHANGING } from './hold-log.ts';
import { hasOpen } from './open-here.ts';

/** Cache size in KB, equal to that of the usual driver. */
const CACHE_KB = 16_000;
/**
 * Attempts to open a store with a log but no index. A process that closes a store deletes the index first and then the
 * log, so this state usually ends soon.
 */
const TRIES = 10;
const TRY_EVERY_MS = 20;

/**
 * Opens an existing store. Call it within `whileNobodyOpens`. Throws SQLite errors as the usual driver does, and
 * STORE_FAILED for a log without its index.
 */
export function openUntouched(file: string, timeoutMs: number): Database {
  for (let tried = 1; ; tried += 1) {
    const db = tryOpen(file, timeoutMs);
    // Safe cast: all functions that the stores use for reading exist, with the same results.
    if (db !== null) return db as unknown as Database;
    if (tried === TRIES)
      throw new AppError(
        'STORE_FAILED',
        `${basename(file)} has a write-ahead log whose index (${basename(file)}-shm) is missing, and a process that only reads does not make one.`,
        { file: basename(file), nextStep: 'Open this connection once in the window or by another command.' },
      );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_EVERY_MS);
  }
}

/** Null if the store has a log without an index. */
function tryOpen(file: string, timeoutMs: number): UntouchedStore | null {
  // Without this lock, the log could be deleted after it was examined and before it is opened, and opening would create
  // another one. If this process has the index open, it already has such a lock, and SQLite would wait for it in vain.
  const isHeld = process.platform === 'win32' || hasOpen(`${file}-shm`);
  let holder: ReturnType<typeof holdLog> | null = null;
  try {
    if (!isHeld) holder = holdLog(file, timeoutMs);
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    const hasIndex = existsSync(`${file}-shm`);
    const isUnchanging = log === undefined || isUnused(log, hasIndex);
    if (!isUnchanging && !hasIndex) return null;
    const db = openByNode(file, isUnchanging ? UNCHANGING : INDEX_UNCHANGED, timeoutMs);
    try {
      // The first read takes the lock that keeps the log from being deleted, and holds it.
      db.exec(`PRAGMA cache_size = -${CACHE_KB}; ${FIRST_READ}`);
      return new UntouchedStore(db, file);
    } catch (thrown) {
      db.close();
      throw thrown;
    }
  } catch (thrown) {
    throw asUsual(thrown);
  } finally {
    holder?.close();
  }
}

/** Whether a log is empty and has no index: it was left by a process that was killed while it opened the store. */
const isUnused = ({ size }: { size: number | bigint }, hasIndex: boolean): boolean =>
  Number(size) === 0 && !hasIndex;

/**
 * Identifies the present contents of a store. If it is equal before and after a read, the read saw a single state. With
 * a log, only the log is identified, because SQLite then keeps answers consistent.
 */
export function stateOfStore(file: string): string {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false, bigint: true });
  if (log !== undefined && !isUnused(log, existsSync(`${file}-shm`)))
    return `log ${log.ino} ${log.birthtimeNs}`;
  const store = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (store === undefined) return 'none';
  return `${store.ino} ${store.size} ${store.mtimeNs} ${store.ctimeNs}`;
}

type Row = Record<string, unknown>;

class UntouchedStore {
  readonly memory = false;
  readonly readonly = true;
  readonly name: string;
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync, name: string) {
    this.#db = db;
    this.name = name;
  }

  get open(): boolean {
    return this.#db.isOpen;
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  prepare(sql: string): UntouchedStatement {
    return new UntouchedStatement(usual(() => this.#db.prepare(sql)));
  }

  exec(sql: string): this {
    usual(() => this.#db.exec(sql));
    return this;
  }

  pragma(text: string, { simple = false }: { simple?: boolean } = {}): unknown {
    const statement = this.prepare(`PRAGMA ${text}`);
    return simple ? statement.pluck().get() : statement.all();
  }

  /** A transaction within another one is a savepoint, as with the usual driver. */
  transaction(work: (...given: unknown[]) => unknown) {
    const run =
      (begin: string) =>
      (...given: unknown[]): unknown => {
        const isInner = this.inTransaction;
        this.exec(isInner ? 'SAVEPOINT inner_one' : begin);
        try {
          const result = work(...given);
          this.exec(isInner ? 'RELEASE inner_one' : 'COMMIT');
          return result;
        } catch (thrown) {
          if (this.inTransaction)
            this.exec(isInner ? 'ROLLBACK TO inner_one; RELEASE inner_one' : 'ROLLBACK');
          throw thrown;
        }
      };
    const deferred = run('BEGIN');
    const others = { immediate: run('BEGIN IMMEDIATE'), exclusive: run('BEGIN EXCLUSIVE') };
    return Object.assign(deferred, { default: deferred, deferred, ...others });
  }

  /** Available only if `canCopyToMemory`. */
  serialize(): Buffer {
    return asBuffer(usual(() => this.#db.serialize()));
  }

  close(): this {
    if (this.open) usual(() => this.#db.close());
    return this;
  }
}

class UntouchedStatement {
  readonly #statement: StatementSync;
  #isPlucked = false;
  #isRaw = false;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    // Without this, integers beyond 2^53 would be errors.
    statement.setReadBigInts(true);
  }

  pluck(): this {
    this.#isPlucked = true;
    this.#statement.setReturnArrays(true);
    return this;
  }

  raw(): this {
    this.#isRaw = true;
    this.#statement.setReturnArrays(true);
    return this;
  }

  get(...given: unknown[]): unknown {
    const row = usual(() => this.#statement.get(...this.#bound(given)));
    return row === undefined ? undefined : this.#shaped(row);
  }

  all(...given: unknown[]): unknown[] {
    return usual(() => this.#statement.all(...this.#bound(given))).map((row) => this.#shaped(row));
  }

  *iterate(...given: unknown[]): Generator<unknown> {
    const rows = usual(() => this.#statement.iterate(...this.#bound(given)));
    try {
      for (let next = usual(() => rows.next()); next.done !== true; next = usual(() => rows.next()))
        yield this.#shaped(next.value);
    } finally {
      rows.return?.();
    }
  }

  /** Throws SQLITE_READONLY for a statement that writes. */
  run(...given: unknown[]): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = usual(() => this.#statement.run(...this.#bound(given)));
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
  }

  /**
   * Accepts values by position, also in lists, and values by name; names that the statement does not use are ignored.
   */
  #bound(given: readonly unknown[]): SQLInputValue[] {
    const named = given.filter((value) => isNamed(value));
    if (named.length > 0) this.#statement.setAllowUnknownNamedParameters(true);
    const values = [...named, ...given.filter((value) => !isNamed(value)).flat()];
    // Safe cast: Node rejects any other value with an error.
    return values as SQLInputValue[];
  }

  #shaped(row: unknown): unknown {
    if (!Array.isArray(row)) {
      // Safe cast: a row that is not a list is a record of its columns.
      const record = { ...(row as Row) };
      for (const column of Object.keys(record)) record[column] = asCell(record[column]);
      return record;
    }
    return this.#isPlucked && !this.#isRaw ? asCell(row[0]) : row.map(asCell);
  }
}

const isNamed = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Rounds integers beyond 2^53 as the usual driver does; only hashes are that large. */
function asCell(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? asBuffer(value) : value;
}

function usual<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asUsual(thrown);
  }
}

/** Names of SQLite's primary result codes, by number. */
const RESULTS =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );

/** The error that the usual driver would throw. */
function asUsual(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  if (thrown.code === 'ERR_INVALID_STATE' && thrown.message.includes('not open'))
    return new TypeError('The database connection is not open');
  if (thrown.code !== 'ERR_SQLITE_ERROR' || !('errcode' in thrown)) return thrown;
  const name = RESULTS[Number(thrown.errcode) & 0xff] ?? 'ERROR';
  return new BetterSqlite.SqliteError(thrown.message, `SQLITE_${name}`);
}
