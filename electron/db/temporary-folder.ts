/**
 * Folders for temporary rows, in the system's folder for temporary files. Those of killed processes are removed later.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { systemIdentity } from './process-identity.ts';

const NAME = /^spandeck-rows-(\d+)-/;
/**
 * Minimum age of a folder to be removed. A younger one may be in use by a process of another container, which cannot be
 * seen.
 */
const MIN_AGE_MS = 3_600_000;

/** Creates a folder that only this user can read. The caller must remove it. */
export const temporaryFolder = (): Promise<string> =>
  mkdtemp(join(tmpdir(), `spandeck-rows-${process.pid}-`));

/** Removes folders with rows that killed processes of this user left behind. Rejects if `place` cannot be read. */
export async function removeAbandonedFolders(nowMs: number, place = tmpdir()): Promise<void> {
  const { isRunning } = systemIdentity();
  for (const name of await readdir(place)) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const folder = join(place, name);
    const found = await stat(folder).catch(() => null);
    const isOurs = found !== null && (process.getuid === undefined || found.uid === process.getuid());
    if (isOurs && nowMs - found.mtimeMs >= MIN_AGE_MS) await rm(folder, WITH_RETRIES);
  }
}
