/** The folder for temporary files of one run of the tests, and what happens to the folders of single tests. */
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { systemIdentity } from '../../electron/db/process-identity.ts';

/** Folders of failed tests, kept for inspection. */
export const KEPT_FOLDERS = resolve(import.meta.dirname, '../../test-results/vitest');
/** Environment variable with the folder, which every process of the run inherits. */
const RUN_FOLDER = 'SPANDECK_TEST_RUN';
/** A property test creates thousands of folders. After a failure, only this many of the newest are kept. */
const MAX_WAITING = 20;

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

/**
 * Makes this process and its children put their temporary files into one new folder. Returns a function that removes
 * the folder with all files in it, including those of killed processes. Does nothing if the run already has a folder.
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

/** Removes folders of killed runs, which could not do it themselves. */
function removeAbandoned(place: string): void {
  const { isRunning } = systemIdentity();
  for (const name of readdirSync(place)) {
    const pid = Number(/^spandeck-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid)) remove(join(place, name));
  }
}

/** Whether a file can be copied: sockets and pipes cannot. */
function isOrdinary(file: string): boolean {
  const found = lstatSync(file);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

/** Folders that a test has released, until its result is known; null outside a test. */
let waiting: string[] | null = null;

/** From now on, removed folders wait for the result of the test. */
export function beginTest(): void {
  waiting = [];
}

/** Removes a folder: outside a test at once, in a test at its end if it passed. */
export function removeFolder(folder: string): void {
  if (waiting === null) {
    remove(folder);
    return;
  }
  waiting.push(folder);
  for (const old of waiting.splice(0, waiting.length - MAX_WAITING)) remove(old);
}

/** To be called when a test has ended. Removes its folders, or moves them below `kept` if it failed. */
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
