/**
 * Tasks on a whole store: measure, check, compact, repair. Each may take long and must run in a thread
 * (`maintenance-thread.ts`). A damaged file is never changed.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import {
  type RescuedTable,
  type Sizes,
  STORES,
  type StorageKind,
  type StoreName,
} from '../shared/health-model.ts';
import * as z from '../shared/zod.ts';
import { stateOfLog } from './log-evidence.ts';
import { damagedError, type Migration, targetVersion } from './migrate.ts';
import { APP_MIGRATIONS } from './migrations/app/index.ts';
import { BUDGET_MIGRATIONS } from './migrations/budget/index.ts';
import { DATASET_MIGRATIONS } from './migrations/datasets/index.ts';
import { LIBRARY_MIGRATIONS } from './migrations/library/index.ts';
import { SEARCH_MIGRATIONS } from './migrations/search/index.ts';
import { SNAPSHOT_MIGRATIONS } from './migrations/snapshots/index.ts';
import { UPLOAD_MIGRATIONS } from './migrations/uploads/index.ts';
import {
  type Database,
  endRepair,
  inspectStore,
  lockedError,
  makeUnderOtherName,
  openFailure,
  repairedName,
} from './open.ts';
import { type LogLook, openFile, openToRead, refuseLostLog } from './open-file.ts';
import { isOpenHere } from './open-here.ts';
import { rescueRows } from './rescue.ts';
import { settleRescued } from './rescued-rules.ts';

export const MIGRATIONS: Readonly<Record<StoreName, readonly Migration[]>> = {
  settings: APP_MIGRATIONS,
  budget: BUDGET_MIGRATIONS,
  library: LIBRARY_MIGRATIONS,
  uploads: UPLOAD_MIGRATIONS,
  datasets: DATASET_MIGRATIONS,
  snapshots: SNAPSHOT_MIGRATIONS,
  search: SEARCH_MIGRATIONS,
};
/** Wait for exclusive access, short because another program that has the store open keeps it open. */
const ALONE_TIMEOUT_MS = 500;
const MAX_FINDINGS = 20;
/** Suffixes of a store, its write-ahead log and that log's index. */
const ENDS = ['', '-wal', '-shm'];

interface StoreFile {
  file: string;
  store: StoreName;
}

const tableSizes = z.array(z.object({ name: z.string(), bytes: z.number() }));
const operationSizes = z.array(z.object({ operation: z.string(), bytes: z.number() }));

const LIBRARY_TABLES: Readonly<Record<string, StorageKind>> = {
  record: 'records',
  long_text: 'texts',
  long_text_part: 'texts',
  request_log: 'logs',
  request_detail: 'logs',
  search_change: 'search',
};
const LIST_KINDS: Readonly<Record<string, StorageKind>> = {
  'datasets.items': 'items',
  'spans.query': 'spans',
};
const isOfRecord = (store: StoreName): boolean => STORES[store].isOfRecord;
const logLook = (store: StoreName, nowMs: number): LogLook =>
  isOfRecord(store) ? { nowMs, maxSummedBytes: Number.POSITIVE_INFINITY } : 'copy';

const RECEIPTS = new Set(['receipt', 'span_receipt']);

/** Bytes of the file by kind of content, including unused pages. Throws SQLite errors for a damaged file. */
export function measureStore({ file, store }: StoreFile, nowMs: number): Sizes {
  const db = openToRead(file, logLook(store, nowMs));
  try {
    const sizes: Sizes = {};
    const add = (kind: StorageKind, bytes: number) => {
      sizes[kind] = (sizes[kind] ?? 0) + bytes;
    };
    const pageBytes = Number(db.pragma('page_size', { simple: true }));
    const unused = Number(db.pragma('freelist_count', { simple: true })) * pageBytes;
    if (store === 'search') return { search: statSync(file).size - unused, unused };
    add('unused', unused);
    const tables = tableSizes.parse(
      db
        .prepare(
          `SELECT coalesce(s.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes FROM dbstat d
           LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
        )
        .all(),
    );
    for (const { name, bytes } of tables) {
      if (store === 'library' && name === 'list_row') {
        for (const [kind, share] of listShares(db)) add(kind, Math.round(bytes * share));
      } else add(kindOf(store, name), bytes);
    }
    return sizes;
  } finally {
    db.close();
  }
}

function kindOf(store: StoreName, table: string): StorageKind {
  if (store === 'library') return LIBRARY_TABLES[table] ?? 'lists';
  if (RECEIPTS.has(table)) return 'receipts';
  return store === 'uploads' || store === 'datasets' || store === 'snapshots' ? store : 'settings';
}

/** The size of list rows by kind of list. */
function listShares(db: Database): [StorageKind, number][] {
  const rows = operationSizes.parse(
    db
      .prepare(
        `SELECT iif(json_valid(query), json_extract(query, '$.operation'), '') AS operation, sum(size_bytes) AS bytes
         FROM generation JOIN list ON list.id = list_id GROUP BY 1`,
      )
      .all(),
  );
  const whole = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (whole === 0) return [['lists', 1]];
  return rows.map(({ operation, bytes }) => [LIST_KINDS[operation] ?? 'lists', bytes / whole]);
}

/** Checks a whole store. `error` is null if nothing is wrong. `note`: information that is not about damage. */
export function checkStore(
  { file, store }: StoreFile,
  nowMs: number,
): { error: AppError | null; note: string | null } {
  const name = basename(file);
  const isLogGone = existsSync(`${file}-shm`) && !existsSync(`${file}-wal`);
  const note = isLogGone
    ? `${name}-wal is missing, and ${name}-shm is there: the last changes to ${name} may be gone with it.`
    : null;
  try {
    if (!existsSync(file)) throw damagedError(file, 'it is missing, and its write-ahead log is still there.');
    inspectStore(file, targetVersion(MIGRATIONS[store]), logLook(store, nowMs));
    const db = openToRead(file, 'seen');
    try {
      const found = z
        .array(z.object({ integrity_check: z.string() }))
        .parse(db.pragma(`integrity_check(${MAX_FINDINGS})`))
        .flatMap(({ integrity_check }) => (integrity_check === 'ok' ? [] : [integrity_check]));
      const [first] = found;
      const error =
        first === undefined ? null : damagedError(file, `its check found: ${first}.`, found.join('\n'));
      return { error, note };
    } finally {
      db.close();
    }
  } catch (problem) {
    return { error: openFailure(file, problem), note };
  }
}

/**
 * Frees unused space. Throws STORE_FAILED if another program has the file open, DISK_FULL if there is not enough space,
 * and STORE_DAMAGED if the log is damaged.
 */
export function compactStore({ file, store }: StoreFile, nowMs: number): void {
  // SQLite would write a damaged log into the file, up to the damage.
  if (isOfRecord(store)) refuseLostLog(file, nowMs, Number.POSITIVE_INFINITY);
  const neededBytes = statSync(file).size;
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < neededBytes) {
    throw new AppError(
      'DISK_FULL',
      `Compacting ${basename(file)} needs ${megabytes(neededBytes)} of free disk, and ${megabytes(bavail * bsize)} are free. Nothing was changed.`,
    );
  }
  alone(file, (db) => {
    db.exec('VACUUM');
    db.pragma('wal_checkpoint(TRUNCATE)');
  });
}

function megabytes(bytes: number): string {
  return `${numberText(Math.ceil(bytes / 1_000_000))} MB`;
}

/** Uses a store that no other program has open. Throws STORE_FAILED if one has. */
export function alone(file: string, use: (db: Database) => void): void {
  const db = openFile(file, 'seen', { timeoutMs: ALONE_TIMEOUT_MS });
  try {
    // Set before any read, so that the first read checks whether another program has the log open.
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    use(db);
  } catch (problem) {
    throw openFailure(file, problem);
  } finally {
    db.close();
  }
}

/** Throws STORE_FAILED if another program has the damaged file open. */
function checkAlone(file: string): void {
  if (!existsSync(file)) return;
  try {
    alone(file, () => undefined);
  } catch (problem) {
    // A file that cannot be opened at all is not open in another program either.
    if (!(problem instanceof AppError) || problem.code !== 'STORE_DAMAGED') throw problem;
  }
}

interface Rescue {
  folder: string;
  tables: RescuedTable[];
  isWhole: boolean;
  isLogLost: boolean;
  endedJobs: number;
}

/**
 * Builds a new store from the readable data of a damaged one, moves the damaged file unchanged to a quarantine folder,
 * and puts the new store in its place. A kill is harmless: until the last step the damaged file stays in place. Throws
 * DISK_FULL, STORE_FAILED, STORE_NEWER; then nothing was changed.
 */
export function repairStore({ file, store }: StoreFile, nowMs: number, logger: Logger): Rescue {
  // The files of a store that this process has open cannot be copied, because that would drop its locks.
  if (isOpenHere(file)) throw lockedError(file);
  const folder = quarantine(file, nowMs);
  const log = isOfRecord(store) ? stateOfLog(file, nowMs, Number.POSITIVE_INFINITY) : 'whole';
  const isLogLost = log !== 'whole';
  // SQLite would read the log of another store as if it belonged to this one, so the copy has no log.
  const source = log === 'foreign' ? copiedAlone(folder, file) : file;
  try {
    // A store with the log of another store is not open in any process.
    if (source === file) checkAlone(file);
    const migrations = MIGRATIONS[store];
    const clock = { nowMs: () => nowMs };
    const rescued = makeUnderOtherName({ file, migrations, clock, logger }, (db, part) => {
      const tables = fromDamaged(source, db);
      if (store === 'settings') notePrivateFieldsLost(db, tables, isLogLost);
      const endedJobs = settleRescued(db, store, { tables, isLogLost }, nowMs);
      // All data must be in one file before it is renamed.
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
      flush(part);
      whenFree(() => renameSync(part, repairedName(file)));
      return { tables, endedJobs };
    });
    endRepair(file);
    if (source !== file) removeAlone(source);
    const isWhole =
      !isLogLost &&
      rescued.tables.length > 0 &&
      rescued.tables.every(({ gaps, dropped }) => gaps + dropped === 0);
    return { folder, ...rescued, isWhole, isLogLost };
  } catch (problem) {
    for (const end of ENDS) whenFree(() => rmSync(join(folder, `${basename(file)}${end}`), { force: true }));
    if (source !== file) removeAlone(source);
    if (readdirSync(folder).length === 0) whenFree(() => rmdirSync(folder));
    throw openFailure(file, problem);
  }
}

/**
 * Notes in the new store that private fields may be lost. Done before the store gets its name, so that the note cannot
 * be missing after a kill.
 */
function notePrivateFieldsLost(db: Database, tables: readonly RescuedTable[], isLogLost: boolean): void {
  const found = tables.find(({ table }) => table === 'setting');
  if (!isLogLost && found !== undefined && found.gaps + found.dropped === 0) return;
  db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('arePrivateFieldsLost', 'true')").run();
}

/** A copy of a store without its log, in the quarantine folder with the unchanged files. */
function copiedAlone(folder: string, file: string): string {
  const copy = join(folder, `${basename(file)}.alone`);
  copyFileSync(join(folder, basename(file)), copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return copy;
}

function removeAlone(copy: string): void {
  for (const end of ENDS) whenFree(() => rmSync(`${copy}${end}`, { force: true }));
}

/** Rescues the rows of a damaged file; empty if not even its tables can be read. */
function fromDamaged(file: string, target: Database): RescuedTable[] {
  const known = Number(target.pragma('user_version', { simple: true }));
  const opened = openDamaged(file);
  if (opened === null) return [];
  try {
    if (opened.version > known) {
      throw new AppError(
        'STORE_NEWER',
        `${basename(file)} is of a newer version of Spandeck. Nothing was changed.`,
      );
    }
    return rescueRows(opened.db, target);
  } finally {
    opened.db.close();
  }
}

function openDamaged(file: string): { db: Database; version: number } | null {
  if (!existsSync(file) || statSync(file).size === 0) return null;
  const db = openToRead(file, 'seen');
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    const isOurs = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").get() !== undefined;
    if (isOurs) return { db, version };
  } catch (problem) {
    const failure = openFailure(file, problem);
    if (failure.code !== 'STORE_DAMAGED') {
      db.close();
      throw failure;
    }
  }
  db.close();
  return null;
}

/**
 * Moves the damaged files to a quarantine folder in such a way that the store exists under one of its names at every
 * moment.
 */
export function quarantine(file: string, nowMs: number): string {
  const at = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  const wanted = join(dirname(file), `damaged-${at}`);
  const isTaken = (folder: string) => ENDS.some((end) => existsSync(join(folder, `${basename(file)}${end}`)));
  let folder = wanted;
  for (let count = 2; isTaken(folder); count += 1) folder = `${wanted}-${count}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // SQLite writes the log into the file when it closes it, so a hard link would not stay an unchanged copy.
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    for (const from of ENDS.map((end) => `${file}${end}`)) {
      const to = join(folder, basename(from));
      if (!existsSync(from)) continue;
      if (hasLog || !linked(from, to)) {
        copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      }
    }
    return folder;
  } catch (problem) {
    throw openFailure(file, problem);
  }
}

/** Some file systems do not support hard links. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

export function flush(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
