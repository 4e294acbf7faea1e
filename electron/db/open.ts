/**
 * Opens a SQLite store. Before anything is written the file is looked at from outside: one from a newer version
 * and one that is damaged are refused and stay byte for byte as they were.
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
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite, { type Database } from 'better-sqlite3';
import type { z } from 'zod';
import type { Clock, Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { AppError, diskFullError, toAppError } from '../shared/errors.ts';
import {
  backUpInSteps,
  damagedError,
  type Migration,
  migrate,
  newerError,
  targetVersion,
} from './migrate.ts';
import { systemIdentity } from './process-identity.ts';

export type { Database, Statement } from 'better-sqlite3';

type MakeOptions = Omit<OpenStoreOptions, 'clock' | 'synchronous'> & { clock: Pick<Clock, 'nowMs'> };

interface OpenStoreOptions {
  /** Absolute path; its folder is created. */
  file: string;
  migrations: readonly Migration[];
  /** `FULL` where a commit must survive a power cut, `NORMAL` where the service can be asked again. */
  synchronous: 'NORMAL' | 'FULL';
  clock: Clock;
  logger: Logger;
}

const BUSY_TIMEOUT_MS = 5_000;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
/** The check reads the whole file, 1.3 ms a megabyte: a larger one is checked by a thread (check-store.ts). */
export const ALWAYS_CHECKED_BYTES = 8_000_000;
const WAL_TRIES = 50;
/** The index of a write-ahead log takes this much. */
const LEAST_FREE_BYTES = 32_768;
/** For the owner only. SQLite gives the files beside a store the mode of the store. */
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
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    endRepair(file);
    if (isNew(file)) create(options);
    makePrivate(file);
    inspectStore(file, known);
    db = new BetterSqlite(file, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    useWal(db, file, options.logger);
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    // Forgotten rows are overwritten, not only unlinked.
    db.pragma('secure_delete = ON');
    migrate(db, options);
    return db;
  } catch (problem) {
    if (db?.open) db.close();
    throw openFailure(file, problem);
  }
}

/** A store that is open elsewhere, by its present schema. Throws what SQLite throws. */
export function openToRead(file: string): Database {
  return new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

/** Throws STORE_DAMAGED where only the write-ahead log is left: SQLite would write it into the new store. */
function isNew(file: string): boolean {
  // In this order: a store that another process makes at this moment has its log after the file.
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (existsSync(file)) return false;
  if (logBytes > 0) throw damagedError(file, 'it is missing, and its write-ahead log is still there.');
  return true;
}

/**
 * Makes a new store under another name; it takes its own when it is complete. So nobody sees one half made, a kill
 * leaves none, and an empty file is always damage. Of several processes that do this at once the first one's stays.
 */
function create(options: MakeOptions): void {
  makeUnderOtherName(options, (db, part) => {
    db.close();
    nameIt(part, options.file);
  });
}

/** `use` gets the new store and its file, which goes afterwards: what is to stay of it is named before. */
export function makeUnderOtherName<T>(options: MakeOptions, use: (db: Database, part: string) => T): T {
  const { file, logger } = options;
  removeUnfinished(file);
  const part = `${file}.${process.pid}.new`;
  closeSync(openSync(part, 'w', PRIVATE_FILE));
  const db = new BetterSqlite(part);
  try {
    useWal(db, file, logger);
    migrate(db, options);
    return use(db, part);
  } finally {
    if (db.open) db.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${part}${end}`, { force: true });
  }
}

/** A repaired store waits under this name until it takes the place of the damaged one. */
export function repairedName(file: string): string {
  return `${file}.repaired`;
}

/**
 * The repaired store takes its place; the damaged one was set aside before. A log that is left of that one would be
 * written into it. A process that was killed in between has the next one do the rest.
 */
export function endRepair(file: string): void {
  const repaired = repairedName(file);
  if (!existsSync(repaired)) return;
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
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

/** Some file systems know one name for a file only. */
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

/** What a killed process left of a store that it was making. */
function removeUnfinished(file: string): void {
  const { isRunning } = systemIdentity();
  for (const name of readdirSync(dirname(file))) {
    const found = name.startsWith(`${basename(file)}.`) ? /\.(\d+)\.new(?:-wal|-shm)?$/.exec(name) : null;
    if (found !== null && !isRunning(Number(found[1]))) rmSync(join(dirname(file), name), { force: true });
  }
}

function makePrivate(file: string): void {
  if ((statSync(file).mode & 0o077) !== 0 && process.platform !== 'win32') chmodSync(file, PRIVATE_FILE);
}

/** Another process may be at it already, and a large file takes its time. */
const UPDATE_TIMEOUT_MS = 600_000;

/**
 * Brings a large store to its version, as `openStore` does, and closes it: for a thread, where it may take seconds.
 * `onShare` is told how much of the copy of it is made, from 0 to 1. Throws what `openStore` throws.
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
    inspectStore(file, targetVersion(migrations));
    db = new BetterSqlite(file, { timeout: UPDATE_TIMEOUT_MS });
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

/** Size of a store that an older version wrote, and that is too large to be brought up to date in between; else null. */
export function outdatedBytes(file: string, migrations: readonly Migration[]): number | null {
  const sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes <= ALWAYS_CHECKED_BYTES) return null;
  const header = readHeader(file);
  const version = header.length < HEADER_BYTES ? 0 : header.readUInt32BE(USER_VERSION_AT);
  return version < targetVersion(migrations) ? sizeBytes : null;
}

/** Header first, without SQLite: opening a WAL store creates files beside it, even for reading. */
export function inspectStore(file: string, known: number): void {
  const sizeBytes = statSync(file).size;
  if (sizeBytes === 0) throw damagedError(file, 'it is empty.');
  const header = readHeader(file);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw damagedError(file, 'it does not begin like a SQLite file.');
  }
  const version = header.readUInt32BE(USER_VERSION_AT);
  if (version > known) throw newerError(file, version, known);
  const db = openToRead(file);
  try {
    const { inside, hasTables } = readVersion(db);
    if (inside > known) throw newerError(file, inside, known);
    if (inside === 0 && hasTables) throw damagedError(file, 'it contains tables of another program.');
    if (sizeBytes > ALWAYS_CHECKED_BYTES) return;
    const finding = String(db.pragma('quick_check(1)', { simple: true }));
    if (finding !== 'ok') throw damagedError(file, 'its check found a broken page.', finding);
  } finally {
    db.close();
  }
}

/** Both in one transaction: another process may just be making the store, and its tables come with their version. */
function readVersion(db: Database): { inside: number; hasTables: boolean } {
  return db.transaction(() => ({
    inside: Number(db.pragma('user_version', { simple: true })),
    hasTables: db.prepare("SELECT 1 FROM sqlite_schema WHERE name <> 'migration'").get() !== undefined,
  }))();
}

function readHeader(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(handle, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(handle);
  }
}

/** The switch to WAL needs the file for itself and does not always wait for it by the busy time-out. */
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

/** What is said of a store that does not open, or does not take the first write. */
export function openFailure(file: string, problem: unknown): AppError {
  if (problem instanceof AppError) return problem;
  const code = sqliteCode(problem);
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return damagedError(file, `SQLite reports ${code}.`, problem);
  }
  const known = toAppError(problem);
  if (known.code === 'DISK_FULL') return known;
  // A store cannot even be read without its index beside it, and SQLite does not say why that could not be made.
  if (code.startsWith('SQLITE_IOERR') && hasNoSpace(dirname(file))) return diskFullError(problem);
  const why = isBusy(problem) ? 'another program keeps it locked' : reasonOf(problem, file);
  return new AppError(
    'STORE_FAILED',
    `${basename(file)} could not be opened: ${why}. Close other programs that use the data folder and check that it can be written, then try again.`,
    { file: basename(file) },
    problem,
  );
}

function hasNoSpace(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < LEAST_FREE_BYTES;
}

function reasonOf(problem: unknown, file: string): string {
  if (!existsSync(dirname(file))) return 'its folder could not be created';
  const code = typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : null;
  return typeof code === 'string' ? code : 'the reason is not known';
}

/** How several changes of a store are one: all of them are in it, or none. What it calls throws AppError. */
export function commitOf(db: Database): <T>(work: () => T) => T {
  return (work) => {
    try {
      return db.transaction(work).immediate();
    } catch (problem) {
      throw toAppError(problem);
    }
  };
}

/** Rows are parsed on arrival: what another version or another program wrote never gets further than here. */
export function parseRow<T>(schema: z.ZodType<T>, row: unknown, what: string): T {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new AppError('STORE_DAMAGED', `A stored ${what} does not have the expected form (${place}).`);
}
