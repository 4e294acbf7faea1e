/**
 * Copies of a store in the folder of the store, made before an update or before an older copy replaced the store. Each
 * task may take long and must run in a thread (`maintenance-thread.ts`).
 */
import {
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import type { CopiedStoreName, StoreCopy } from '../shared/health-model.ts';
import * as z from '../shared/zod.ts';
import { beginCopy, keepNewestCopies } from './copy-files.ts';
import { alone, flush, MIGRATIONS, quarantine } from './maintenance.ts';
import { damagedError, targetVersion } from './migrate.ts';
import {
  type Database,
  endRepair,
  inspectStore,
  lockedError,
  makeUnderOtherName,
  openFailure,
  repairedName,
} from './open.ts';
import { openToRead } from './open-file.ts';
import { isOpenHere } from './open-here.ts';
import { settleRestored } from './rescued-rules.ts';

interface StoreFile {
  file: string;
  store: CopiedStoreName;
}

/**
 * Names of copies: `library.db.v1050.backup` before an update, `library.db.r1771234567890.backup` before a restoration.
 */
const NAME = /\.(?:v\d+|r(\d+))\.backup$/;
const ENDS = ['-wal', '-shm'];

const counted = z.array(z.object({ noun: z.string(), count: z.number() }));
const JOBS =
  'SELECT kind AS noun, count(*) AS count FROM job WHERE is_hidden = 0 GROUP BY kind ORDER BY 2 DESC';
const countOf = (table: string, noun: string) => `SELECT '${noun}' AS noun, count(*) AS count FROM ${table}`;
/** Queries that count the contents of a store. Each row has a noun and its count; the noun of a job is its kind. */
const CONTENTS: Readonly<Record<CopiedStoreName, readonly string[]>> = {
  library: [countOf('list', 'list'), countOf('record', 'record')],
  uploads: [JOBS, countOf('receipt', 'receipt')],
  datasets: [JOBS, countOf('preset', 'preset')],
  snapshots: [countOf('dataset', 'dataset'), countOf('snapshot', 'snapshot')],
};

/** Newest first. A copy that cannot be read has an error instead of its contents. */
export function listCopies({ file, store }: StoreFile): StoreCopy[] {
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter(
    (name) => name.startsWith(`${basename(file)}.`) && NAME.test(name),
  );
  const copies = names.map((name): StoreCopy => {
    const path = join(folder, name);
    const { size: sizeBytes, mtimeMs } = statSync(path);
    const replacedMs = NAME.exec(name)?.[1];
    const origin = replacedMs === undefined ? 'update' : 'restore';
    const about = {
      store,
      name,
      sizeBytes,
      origin,
      atMs: Math.round(Number(replacedMs ?? mtimeMs)),
    } as const;
    try {
      return { ...about, contents: contentsOf(path, store), error: null };
    } catch (problem) {
      return { ...about, contents: [], error: openFailure(path, problem).toWire() };
    }
  });
  return copies.toSorted((a, b) => b.atMs - a.atMs);
}

function contentsOf(path: string, store: CopiedStoreName): StoreCopy['contents'] {
  inspectStore(path, targetVersion(MIGRATIONS[store]), 'copy');
  return reading(path, (db) =>
    CONTENTS[store].flatMap((sql) => counted.parse(db.prepare(sql).all())).filter(({ count }) => count > 0),
  );
}

/** Reads a copy, and removes the log that reading creates; a copy contains all of its data itself. */
function reading<T>(path: string, read: (db: Database) => T): T {
  const db = openToRead(path, 'seen');
  try {
    return read(db);
  } finally {
    db.close();
    for (const end of ENDS) whenFree(() => rmSync(`${path}${end}`, { force: true }));
  }
}

/** Throws INVALID_ARGUMENT if the store has no such copy. */
function pathOf(file: string, name: string): string {
  const path = join(dirname(file), name);
  if (basename(name) === name && name.startsWith(`${basename(file)}.`) && NAME.test(name) && existsSync(path))
    return path;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected a copy of ${basename(file)}, got ${name}. Read the list of copies again.`,
  );
}

/** Throws INVALID_ARGUMENT if the store has no such copy. */
export function removeCopy(file: string, name: string): void {
  const path = pathOf(file, name);
  whenFree(() => rmSync(path, { force: true }));
}

interface Restored {
  /** Name of the copy of the replaced store, or of the folder to which it was moved if it was damaged. */
  keptAs: string | null;
  /** Number of unfinished jobs that do not continue automatically. */
  endedJobs: number;
}

/**
 * Replaces a store by a copy that is migrated to the version of this build, and keeps the replaced store as a copy; the
 * two newest of these are kept. A kill is harmless: the present store stays in place until the last step, which the
 * next opening completes. Throws INVALID_ARGUMENT, DISK_FULL, STORE_FAILED, STORE_DAMAGED, STORE_NEWER; then the store
 * was not changed.
 */
export function restoreCopy(
  { file, store }: StoreFile,
  name: string,
  nowMs: number,
  logger: Logger,
): Restored {
  if (isOpenHere(file)) throw lockedError(file);
  const path = pathOf(file, name);
  checkCopy(path, store);
  checkSpace(file, path);
  const keptAs = keepPresent(file, nowMs);
  const { endedJobs } = makeUnderOtherName(
    { file, migrations: MIGRATIONS[store], clock: { nowMs: () => nowMs }, logger, source: path },
    (db, part) => {
      const ended = settleRestored(db, store, nowMs);
      // All data must be in one file before it is renamed.
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
      flush(part);
      whenFree(() => renameSync(part, repairedName(file)));
      return { endedJobs: ended };
    },
  );
  endRepair(file);
  // Done last, because the restored copy may be one of the deleted ones.
  keepNewestCopies(file, 'restore');
  return { keptAs, endedJobs };
}

function checkCopy(path: string, store: CopiedStoreName): void {
  try {
    inspectStore(path, targetVersion(MIGRATIONS[store]), 'copy');
    const finding = reading(path, (db) => String(db.pragma('integrity_check(1)', { simple: true })));
    if (finding !== 'ok') throw damagedError(path, `its check found: ${finding}.`);
  } catch (problem) {
    throw openFailure(path, problem);
  }
}

function checkSpace(file: string, copy: string): void {
  const present = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const neededBytes = present + 2 * statSync(copy).size;
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize >= neededBytes) return;
  const megabytes = (bytes: number) => `${numberText(Math.ceil(bytes / 1_000_000))} MB`;
  throw new AppError(
    'DISK_FULL',
    `Restoring a copy of ${basename(file)} needs ${megabytes(neededBytes)} of free disk, and ${megabytes(bavail * bsize)} are free. Nothing was changed.`,
  );
}

/**
 * Keeps the present store as a copy; a damaged one is moved unchanged. Null if there is none. Throws STORE_FAILED if
 * another program has it open.
 */
function keepPresent(file: string, nowMs: number): string | null {
  if (!existsSync(file)) return null;
  try {
    alone(file, (db) => db.pragma('wal_checkpoint(TRUNCATE)'));
  } catch (problem) {
    if (!(problem instanceof AppError) || problem.code !== 'STORE_DAMAGED') throw problem;
    return basename(quarantine(file, nowMs));
  }
  const copy = beginCopy(file, 'restore', nowMs);
  try {
    copyFileSync(file, copy.partial, constants.COPYFILE_FICLONE);
    flush(copy.partial);
    copy.end();
  } catch (problem) {
    copy.cancel();
    throw openFailure(file, problem);
  }
  return basename(copy.target);
}
