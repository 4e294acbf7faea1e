/** The folder for temporary files of one run of a test runner, and the handling of folders of single tests. */
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { systemIdentity } from '../../electron/db/process-identity.ts';

/** Folders of failed tests, for inspection. */
export const KEPT_FOLDERS = resolve(import.meta.dirname, '../../test-results/vitest');
/** Environment variable with the folder, for every process of the run. */
const RUN_FOLDER = 'SPANDECK_TEST_RUN';
/** A property test creates thousands of folders: after a failure the newest are kept. */
const MAX_WAITING = 20;

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

/**
 * Makes this process and all its children put their temporary files into one new folder. Returns a function that
 * removes the folder, with files left by killed processes. Does nothing in a run that has a folder already.
 */
export function useRunFolder(env: NodeJS.ProcessEnv = process.env): () => void {
  if (env[RUN_FOLDER] !== undefined) return () => undefined;
  const before = env['TMPDIR'];
  const place = before ?? tmpdir();
  removeAbandoned(place);
  const folder = mkdtempSync(join(place, `spandeck-run-${process.pid}-`));
  env[RUN_FOLDER] = folder;
  env['TMPDIR'] = folder;
  return () => {
    delete env[RUN_FOLDER];
    if (before === undefined) delete env['TMPDIR'];
    else env['TMPDIR'] = before;
    remove(folder);
  };
}

/** Folders of killed runs, which could not remove them. */
function removeAbandoned(place: string): void {
  const { isRunning } = systemIdentity();
  for (const name of readdirSync(place)) {
    const pid = Number(/^spandeck-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid)) remove(join(place, name));
  }
}

/** Sockets and pipes cannot be copied. */
function isOrdinary(file: string): boolean {
  const found = lstatSync(file);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

/** Folders that a test has released: they wait for its result. */
let waiting: string[] | null = null;

/** From now on removed folders wait for the result of a test. */
export function beginTest(): void {
  waiting = [];
}

/** Removes a folder: at once outside a test, else at the end of the test if it passed. */
export function removeFolder(folder: string): void {
  if (waiting === null) {
    remove(folder);
    return;
  }
  waiting.push(folder);
  for (const old of waiting.splice(0, waiting.length - MAX_WAITING)) remove(old);
}

/** The test has ended: its folders are removed, or kept below `kept` if it failed. */
export function endTest(hasFailed: boolean, kept = KEPT_FOLDERS): void {
  const folders = waiting ?? [];
  waiting = null;
  for (const folder of folders) {
    if (hasFailed && existsSync(folder) && readdirSync(folder).length > 0) {
      mkdirSync(kept, { recursive: true });
      cpSync(folder, join(kept, basename(folder)), { recursive: true, filter: isOrdinary });
    }
    remove(folder);
  }
}
