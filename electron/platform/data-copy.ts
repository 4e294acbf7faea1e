/**
 * Reads a data folder that cannot be written (full disk, or read-only) from a copy, because SQLite creates files next
 * to a store even for reading. The copy is deleted when the process ends, and the folder stays unchanged. A process for
 * agents reads the folder itself.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { WITH_RETRIES, whenFree } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { type DataPaths, dataPaths } from './paths.ts';

interface UsableData {
  paths: DataPaths;
  /** Message for the person if the data is a copy; null if the folder itself is used. */
  copyNotice: string | null;
}

/** Minimum free space for opening the stores. */
const MIN_FREE_BYTES = 1_000_000;
const FULL = new Set(['ENOSPC', 'EDQUOT']);
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM']);
const COPY_NAME = /^spandeck-copy-(\d+)-/;
/**
 * Files and folders that are not copied: data that is created again if it is missing, and backups made before an
 * update.
 */
const LEFT_OUT = new Set(['engine', 'logs', 'copies', 'analysis', 'sample']);
const LEFT_OUT_FILE = /^search\.db|\.backup|\.new(?:-wal|-shm)?$|-shm$/;

/**
 * Paths of usable data: the folder itself if it is writable or empty, otherwise a copy. `places`: folders that may hold
 * the copy. Throws DISK_FULL and STORE_FAILED if none of them has room for it.
 */
export function usableData(
  paths: DataPaths,
  places: readonly string[] = temporaryFolders(),
  findObstacle: (paths: DataPaths) => string | null = obstacleOf,
): UsableData {
  const obstacle = existsSync(paths.appDb) ? findObstacle(paths) : null;
  if (obstacle === null) return { paths, copyNotice: null };
  const isFull = FULL.has(obstacle);
  const what = isFull
    ? `The disk that holds the data folder ${paths.dataDir} is full.`
    : `The data folder ${paths.dataDir} cannot be written (${obstacle}).`;
  const next = isFull
    ? 'Free some space on it, then start Spandeck again.'
    : 'Allow your user to write it, then start Spandeck again, or name another one with --data-dir.';
  for (const place of places) removeAbandoned(place);
  const bytes = sizeOf(paths.dataDir) + MIN_FREE_BYTES;
  const copy = firstCopy(paths.dataDir, bytes, places);
  if (copy === null) {
    const megabytes = Math.ceil(bytes / 1_000_000);
    throw new AppError(
      isFull ? 'DISK_FULL' : 'STORE_FAILED',
      `${what} To read what is stored, a copy of ${megabytes} MB would be needed, and ${places.join(' and ')} have no room for it. ${next}`,
    );
  }
  process.on('exit', () => rmSync(copy, WITH_RETRIES));
  return {
    paths: dataPaths(copy),
    copyNotice: `${what} Stored data can be read, from a copy. Nothing is requested from the service, and changes made now are not saved. ${next}`,
  };
}

interface DataToRead {
  paths: DataPaths;
  /** Message for the person if the log cannot be in the folder; otherwise null. */
  logNotice: string | null;
}

/**
 * Paths for a process that only reads, which reads the folder itself even if it cannot be written, and does not try to
 * write it. Only the log is then in another place, until the process ends. Throws STORE_FAILED if there is no place for
 * it.
 */
export function dataToRead(
  paths: DataPaths,
  places: readonly string[] = temporaryFolders(),
  findObstacle: (paths: DataPaths) => string | null = permissionObstacleOf,
): DataToRead {
  const obstacle = existsSync(paths.appDb) ? findObstacle(paths) : null;
  if (obstacle === null) return { paths, logNotice: null };
  for (const place of places) removeAbandoned(place);
  const logsDir = places.map(madeIn).find((made) => made !== null);
  const what = `The data folder ${paths.dataDir} cannot be written (${obstacle})`;
  if (logsDir === undefined)
    throw new AppError(
      'STORE_FAILED',
      `${what}, and neither can ${places.join(' or ')}. For agents, nothing is read without a log. Allow your user to write one of them, then start again.`,
    );
  process.on('exit', () => rmSync(logsDir, WITH_RETRIES));
  return {
    paths: { ...paths, logsDir, agentsLog: join(logsDir, basename(paths.agentsLog)) },
    logNotice: `${what}. The log of what agents read is in ${logsDir}, and is deleted when this process ends.`,
  };
}

/** A new folder for files of this process; null if none can be created in that place. */
function madeIn(place: string): string | null {
  try {
    return mkdtempSync(join(place, `spandeck-copy-${process.pid}-`));
  } catch (thrown) {
    if (isNoPlace(thrown)) return null;
    throw thrown;
  }
}

const isNoPlace = (thrown: unknown): boolean =>
  FULL.has(codeOf(thrown)) || UNWRITABLE.has(codeOf(thrown)) || codeOf(thrown) === 'ENOENT';

function temporaryFolders(): string[] {
  return process.platform === 'linux' ? [tmpdir(), '/dev/shm'] : [tmpdir()];
}

/** Code of the error that prevents writing to the folder; null if it is writable. */
function obstacleOf(paths: DataPaths): string | null {
  const check = join(paths.dataDir, `.write-check-${process.pid}`);
  return obstacleTo(paths, () => {
    accessSync(paths.appDb, constants.W_OK);
    closeSync(openSync(check, 'w', 0o600));
    whenFree(() => rmSync(check, { force: true }));
  });
}

function permissionObstacleOf(paths: DataPaths): string | null {
  return obstacleTo(paths, () => accessSync(paths.dataDir, constants.W_OK));
}

function obstacleTo({ dataDir }: DataPaths, check: () => void): string | null {
  // Some file systems report no free space; they also report zero blocks.
  const { bavail, bsize } = statfsSync(dataDir);
  try {
    check();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (FULL.has(code) || UNWRITABLE.has(code)) return code;
    throw thrown;
  }
  return bsize > 0 && bavail * bsize < MIN_FREE_BYTES ? 'ENOSPC' : null;
}

function firstCopy(dataDir: string, bytes: number, places: readonly string[]): string | null {
  for (const place of places) {
    let made: string | null = null;
    try {
      const { bavail, bsize } = statfsSync(place);
      if (bavail * bsize < bytes) continue;
      made = mkdtempSync(join(place, `spandeck-copy-${process.pid}-`));
      copyInto(dataDir, made);
      return made;
    } catch (thrown) {
      if (made !== null) rmSync(made, WITH_RETRIES);
      if (!isNoPlace(thrown)) throw thrown;
    }
  }
  return null;
}

function copiedNames(folder: string): string[] {
  return readdirSync(folder).filter((name) => !LEFT_OUT.has(name) && !LEFT_OUT_FILE.test(name));
}

function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return found.size;
  if (found?.isDirectory() !== true) return 0;
  return copiedNames(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Creates files and folders with default modes, because the original modes may forbid writing. */
function copyInto(from: string, to: string): void {
  for (const name of copiedNames(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const found = lstatSync(source, { throwIfNoEntry: false });
    // A process that has the folder open has just removed the file.
    if (found === undefined) continue;
    if (found.isDirectory()) {
      mkdirSync(target, { mode: 0o700 });
      copyInto(source, target);
    } else if (found.isFile()) {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      chmodSync(target, 0o600);
    }
  }
}

/** Removes copies left by killed processes, because they contain stored data. */
function removeAbandoned(place: string): void {
  for (const name of existsSync(place) ? readdirSync(place) : []) {
    const pid = Number(COPY_NAME.exec(basename(name))?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    try {
      rmSync(join(place, name), WITH_RETRIES);
    } catch (thrown) {
      // The copy belongs to another user.
      if (!UNWRITABLE.has(codeOf(thrown))) throw thrown;
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
