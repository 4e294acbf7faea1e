/**
 * Opens a SQLite store. The file is inspected before anything is written: a file from a newer version and a damaged
 * file are refused and stay unchanged byte for byte.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite, { type Database } from 'better-sqlite3';
import type { Clock, Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { AppError, diskFullError, isOutOfFiles, outOfFilesError, toAppError } from '../shared/errors.ts';
import { giveModeSync } from '../shared/file-modes.ts';
import type * as z from '../shared/zod.ts';
import { folderError, isFolder } from './folder-in-place.ts';
import {
  backUpInSteps,
  damagedError,
  type Migration,
  migrate,
  newerError,
  targetVersion,
} from './migrate.ts';
import { onlyReads } from './only-reads.ts';
import { type LogLook, openFile, openMemory, openToRead } from './open-file.ts';
import { readStart } from './open-here.ts';
import { systemIdentity } from './process-identity.ts';

export type { Database, Statement } from 'better-sqlite3';

type MakeOptions = Omit<OpenStoreOptions, 'clock' | 'synchronous'> & { clock: Pick<Clock, 'nowMs'> };

interface OpenStoreOptions {
  /** Absolute path; its folder is created if needed. */
  file: string;
  migrations: readonly Migration[];
  /** `FULL` if a commit must survive a power cut, `NORMAL` if the data can be fetched again. */
  synchronous: 'NORMAL' | 'FULL';
  clock: Clock;
  logger: Logger;
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
/**
 * Maximum size of a store that is checked when it is opened. The check reads the whole file, 1.3 ms per megabyte;
 * larger files are checked by a thread (check-store.ts).
 */
export const ALWAYS_CHECKED_BYTES = 8_000_000;
const WAL_TRIES = 50;
/** Size of the index of a write-ahead log, which must fit on the disk. */
const MIN_FREE_BYTES = 32_768;
/** Mode of files that only the owner can read. SQLite gives the files that belong to a store the same mode. */
const PRIVATE_FILE = 0o600;

/**
 * Opens (or creates) the store and migrates it. Several processes may have it open. Throws AppError STORE_NEWER
 * and STORE_DAMAGED (file untouched), DISK_FULL, STORE_FAILED.
 */
export function openStore(options: OpenStoreOptions): Database {
  const { file, migrations, synchronous } = options;
  const known = targetVersion(migrations);
  let db: Database | null = null;
  try {
    if (onlyReads()) return openUnchanged(options);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    endRepair(file);
    if (isNew(file)) create(options);
    makePrivate(file);
    const log = logLook(synchronous, { nowMs: options.clock.nowMs() });
    inspectStore(file, known, log);
    db = openFile(file, 'seen');
    useWal(db, file, options.logger);
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    // Overwrites deleted rows instead of only unlinking them.
    db.pragma('secure_delete = ON');
    migrate(db, options);
    return db;
  } catch (problem) {
    if (db?.open) db.close();
    throw openFailure(file, problem);
  }
}

/**
 * Opens the store without changes for a process that only reads; every write is rejected. A missing store is an empty
 * one in memory. Throws STORE_FAILED for a store of an earlier version, which is never updated here.
 */
function openUnchanged(options: OpenStoreOptions): Database {
  const { file, migrations, synchronous, clock } = options;
  if (isNew(file)) return emptyStore(options);
  const known = targetVersion(migrations);
  const { db, inside } = openInspected(file, known, logLook(synchronous, { nowMs: clock.nowMs() }));
  if (inside === known) return db;
  db.close();
  throw new AppError(
    'STORE_FAILED',
    `${basename(file)} was written by an earlier version of Spandeck, and a process that only reads does not update it.`,
    { file: basename(file), nextStep: 'Open this connection once in the window or by another command.' },
  );
}

/** A new store in memory. */
export function emptyStore(options: MakeOptions): Database {
  const empty = openMemory();
  migrate(empty, options);
  return empty;
}

/**
 * Whether there is no store yet. Throws STORE_DAMAGED if only the write-ahead log exists, because SQLite would write it
 * into the new store.
 */
function isNew(file: string): boolean {
  // The log is examined first, because another process that is creating a store creates the log after the file.
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (existsSync(file)) return false;
  if (logBytes > 0) throw damagedError(file, 'it is missing, and its write-ahead log is still there.');
  return true;
}

/**
 * Creates a new store under a temporary name and renames it when it is complete, so that no process sees a partial
 * store, a kill leaves none, and an empty file is always damage. If several processes do this at once, the store of the
 * first one is kept.
 */
function create(options: MakeOptions): void {
  makeUnderOtherName(options, (db, part) => {
    db.close();
    nameIt(part, options.file);
  });
}

/**
 * Makes a new store under another name and passes it with its file to `use`. `source`: a store of this or an earlier
 * version, whose contents the new one begins with. The file is deleted afterwards, so `use` must link or rename it to
 * keep it.
 */
export function makeUnderOtherName<T>(
  options: MakeOptions & { source?: string },
  use: (db: Database, part: string) => T,
): T {
  const { file, logger, source } = options;
  removeUnfinished(file);
  const part = `${file}.${process.pid}.new`;
  closeSync(openSync(part, 'w', PRIVATE_FILE));
  if (source !== undefined) copyFileSync(source, part, constants.COPYFILE_FICLONE);
  const db = openFile(part, 'seen');
  try {
    useWal(db, file, logger);
    // No backup is needed, because the source itself is one.
    migrate(db, options, true);
    return use(db, part);
  } finally {
    if (db.open) db.close();
    for (const end of ['', '-wal', '-shm']) whenFree(() => rmSync(`${part}${end}`, { force: true }));
  }
}

/**
 * The log of a store that is flushed at each commit must be checked: its changes cannot be fetched again, and without
 * them jobs would continue from an older state.
 */
function logLook(synchronous: OpenStoreOptions['synchronous'], look: LogLook): LogLook {
  return synchronous === 'FULL' ? look : 'copy';
}

/** Name of a repaired store until it replaces the damaged one. */
export function repairedName(file: string): string {
  return `${file}.repaired`;
}

/**
 * Moves the repaired store into place; the damaged one was moved away before. Deletes the damaged store's leftover log,
 * which SQLite would write into the new store. If a process is killed in between, the next one finishes the work.
 */
export function endRepair(file: string): void {
  const repaired = repairedName(file);
  if (!existsSync(repaired)) return;
  for (const end of ['-wal', '-shm']) whenFree(() => rmSync(`${file}${end}`, { force: true }));
  whenFree(() => renameSync(repaired, file));
}

function nameIt(part: string, file: string): void {
  try {
    linkSync(part, file);
  } catch (problem) {
    if (isThereAlready(problem)) return;
    copyWhereNoLinks(part, file);
  }
}

/** Copies a file, because some file systems do not support hard links. */
function copyWhereNoLinks(part: string, file: string): void {
  try {
    copyFileSync(part, file, constants.COPYFILE_EXCL);
  } catch (problem) {
    if (!isThereAlready(problem)) throw problem;
  }
}

function isThereAlready(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && problem.code === 'EEXIST';
}

/** Deletes the partial stores of killed processes. */
function removeUnfinished(file: string): void {
  const { isRunning } = systemIdentity();
  for (const name of readdirSync(dirname(file))) {
    const found = name.startsWith(`${basename(file)}.`) ? /\.(\d+)\.new(?:-wal|-shm)?$/.exec(name) : null;
    if (found !== null && !isRunning(Number(found[1])))
      whenFree(() => rmSync(join(dirname(file), name), { force: true }));
  }
}

function makePrivate(file: string): void {
  if ((statSync(file).mode & 0o077) !== 0 && process.platform !== 'win32')
    giveModeSync(file, PRIVATE_FILE, { statSync, chmodSync });
}

/** Wait for the lock, long because another process may be updating a large store. */
const UPDATE_TIMEOUT_MS = 600_000;

/**
 * Migrates a large store as `openStore` does, and closes it. Call it in a thread, because it may take seconds.
 * `onShare` gets the progress of the backup, from 0 to 1. Throws the errors of `openStore`.
 */
export async function updateStore(
  options: Omit<OpenStoreOptions, 'clock'> & {
    clock: Pick<Clock, 'nowMs'>;
    onShare: (share: number) => void;
  },
): Promise<void> {
  const { file, migrations, synchronous, logger, onShare } = options;
  let db: Database | null = null;
  try {
    const whole = { nowMs: options.clock.nowMs(), maxSummedBytes: Number.POSITIVE_INFINITY };
    inspectStore(file, targetVersion(migrations), logLook(synchronous, whole));
    db = openFile(file, 'seen', { timeoutMs: UPDATE_TIMEOUT_MS });
    useWal(db, file, logger);
    db.pragma(`synchronous = ${synchronous}`);
    await backUpInSteps(db, options, onShare);
    migrate(db, options, true);
  } catch (problem) {
    throw openFailure(file, problem);
  } finally {
    db?.close();
  }
}

/** Size of a store from an earlier version that is too large to be migrated on the main thread; otherwise null. */
export function outdatedBytes(file: string, migrations: readonly Migration[]): number | null {
  const sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes <= ALWAYS_CHECKED_BYTES) return null;
  return storedVersion(file) < targetVersion(migrations) ? sizeBytes : null;
}

/** Whether opening the store for writing would migrate it. */
export function isOutdated(file: string, migrations: readonly Migration[]): boolean {
  const target = targetVersion(migrations);
  try {
    if (!existsSync(file)) return false;
    const inHeader = storedVersion(file);
    if (inHeader === 0 || inHeader >= target) return false;
    // The log may have a later version than the header of the file.
    const db = openToRead(file, 'seen');
    try {
      return readVersion(db).inside < target;
    } finally {
      db.close();
    }
  } catch {
    // Not reported here: opening the store reports why it cannot be read.
    return false;
  }
}

/**
 * Whether opening the store would not change it: its last process has closed it and it has the form of this version, or
 * there is no file yet.
 */
export function isAtRest(file: string, migrations: readonly Migration[]): boolean {
  const besides = [`${file}-wal`, `${file}-shm`, `${file}-journal`, repairedName(file)];
  if (besides.some((other) => existsSync(other))) return false;
  try {
    return !existsSync(file) || storedVersion(file) === targetVersion(migrations);
  } catch {
    // Not reported here: opening the store reports why it cannot be read.
    return false;
  }
}

function storedVersion(file: string): number {
  const header = readStart(file, HEADER_BYTES);
  if (header !== null) return header.length < HEADER_BYTES ? 0 : header.readUInt32BE(USER_VERSION_AT);
  // This process has the store open.
  const db = openToRead(file, 'seen');
  try {
    return readVersion(db).inside;
  } finally {
    db.close();
  }
}

/**
 * Checks a store before it is opened for writing. The header is read first, without SQLite, because opening a WAL store
 * creates further files even for reading. A store that this process has open is inspected only by SQLite.
 */
export function inspectStore(file: string, known: number, log: LogLook): void {
  openInspected(file, known, log).db.close();
}

/** Does the same and leaves the store open for reading. */
function openInspected(file: string, known: number, log: LogLook): { db: Database; inside: number } {
  const sizeBytes = statSync(file).size;
  if (sizeBytes === 0) throw damagedError(file, 'it is empty.');
  const header = readStart(file, HEADER_BYTES);
  if (header !== null) inspectHeader(file, header, known);
  const db = openFile(file, log, { isReadonly: true });
  try {
    const { inside, hasTables } = readVersion(db);
    if (inside > known) throw newerError(file, inside, known);
    if (inside === 0 && hasTables) throw damagedError(file, 'it contains tables of another program.');
    if (sizeBytes > ALWAYS_CHECKED_BYTES) return { db, inside };
    const finding = String(db.pragma('quick_check(1)', { simple: true }));
    if (finding !== 'ok') throw damagedError(file, 'its check found a broken page.', finding);
    return { db, inside };
  } catch (problem) {
    db.close();
    throw problem;
  }
}

function inspectHeader(file: string, header: Buffer, known: number): void {
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw damagedError(file, 'it does not begin like a SQLite file.');
  }
  const version = header.readUInt32BE(USER_VERSION_AT);
  if (version > known) throw newerError(file, version, known);
}

/**
 * Both are read in one transaction, because another process that creates the store commits its tables together with
 * their version.
 */
function readVersion(db: Database): { inside: number; hasTables: boolean } {
  return db.transaction(() => ({
    inside: Number(db.pragma('user_version', { simple: true })),
    hasTables: db.prepare("SELECT 1 FROM sqlite_schema WHERE name <> 'migration'").get() !== undefined,
  }))();
}

/** The switch to WAL needs exclusive access and does not always respect the busy timeout. */
function useWal(db: Database, file: string, logger: Logger): void {
  if (db.pragma('journal_mode', { simple: true }) === 'wal') return;
  for (let tried = 1; ; tried += 1) {
    try {
      const mode = db.pragma('journal_mode = WAL', { simple: true });
      if (mode !== 'wal') logger.warn('store without WAL', { file: basename(file), mode: String(mode) });
      return;
    } catch (problem) {
      if (!isBusy(problem) || tried === WAL_TRIES) throw problem;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function sqliteCode(problem: unknown): string {
  return problem instanceof BetterSqlite.SqliteError ? problem.code : '';
}

function isBusy(problem: unknown): boolean {
  return sqliteCode(problem).startsWith('SQLITE_BUSY');
}

/** Whether the store cannot be written now, because another program is writing it, or the disk is full or read-only. */
export function isUnwritable(problem: unknown): boolean {
  return /^SQLITE_(?:BUSY|FULL|READONLY)/.test(sqliteCode(problem));
}

/** The error for a store that cannot be opened, or rejects the first write. */
export function openFailure(file: string, problem: unknown): AppError {
  if (problem instanceof AppError) return problem;
  if (isFolder(file)) return folderError(file, problem);
  const code = sqliteCode(problem);
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return damagedError(file, `SQLite reports ${code}.`, problem);
  }
  const known = toAppError(problem);
  if (known.code === 'DISK_FULL') return known;
  // A store cannot be read without the index of its log, and SQLite does not say why the index could not be created.
  if (code.startsWith('SQLITE_IOERR') && hasNoSpace(dirname(file))) return diskFullError(problem);
  // A store needs several open files, and SQLite does not name the limit of open files.
  if (isOutOfFiles(problem) || (code === 'SQLITE_CANTOPEN' && !canOpen(FILES_OF_STORE)))
    return outOfFilesError(`Opening ${basename(file)}`, { file: basename(file) }, problem);
  return isBusy(problem) ? lockedError(file, problem) : notOpened(file, reasonOf(problem, file), problem);
}

/** The error for a store that is open elsewhere and must not be. */
export function lockedError(file: string, cause?: unknown): AppError {
  return notOpened(file, 'another program keeps it locked', cause);
}

function notOpened(file: string, reason: string, cause: unknown): AppError {
  return new AppError(
    'STORE_FAILED',
    `${basename(file)} could not be opened: ${reason}. Close other programs that use the data folder and check that it can be written, then try again.`,
    { file: basename(file) },
    cause,
  );
}

/** Files of an open store: the store, its log, the index of the log, and a journal. */
const FILES_OF_STORE = 4;

/** Whether this process may open this many more files at once. */
function canOpen(count: number): boolean {
  const handles: number[] = [];
  try {
    while (handles.length < count) handles.push(openSync(process.execPath, 'r'));
    return true;
  } catch (problem) {
    return !isOutOfFiles(problem);
  } finally {
    for (const handle of handles) closeSync(handle);
  }
}

function hasNoSpace(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < MIN_FREE_BYTES;
}

function reasonOf(problem: unknown, file: string): string {
  if (!existsSync(dirname(file))) return 'its folder could not be created';
  const code = typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : null;
  return typeof code === 'string' ? code : 'the reason is not known';
}

/**
 * Runs several changes of a store as one atomic commit. `work` may throw an AppError. Throws STORE_FAILED if the file was
 * moved or removed: SQLite would continue to write to it, and no later process would find the changes.
 */
export function commitOf(db: Database): <T>(work: () => T) => T {
  const own = fileNumberOf(db);
  return (work) => {
    try {
      if (fileNumberOf(db) !== own) throw goneError(db.name);
      return db.transaction(work).immediate();
    } catch (problem) {
      throw toAppError(problem);
    }
  };
}

/**
 * Identifies the file at the place of the store; null if there is none. SQLite compares the same to detect a moved file, but
 * not in a store with a write-ahead log.
 */
function fileNumberOf(db: Database): number | null {
  if (db.memory) return null;
  try {
    return statSync(db.name, { throwIfNoEntry: false })?.ino ?? null;
  } catch {
    // A disconnected drive has other errors than a missing file.
    return null;
  }
}

function goneError(file: string): AppError {
  return new AppError(
    'STORE_FAILED',
    `${basename(file)} is not in the data folder any more: the folder was moved, removed or disconnected while it was open. Put it back, then try again.`,
    { file: basename(file) },
  );
}

/** Parses a row when it is read, so that unexpected data of another version or program gets no further. */
export function parseRow<T>(schema: z.ZodType<T>, row: unknown, what: string): T {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new AppError('STORE_DAMAGED', `A stored ${what} does not have the expected form (${place}).`);
}
