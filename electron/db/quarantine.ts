/** Moves a profile folder from before the first release away as a whole, so that no part of it is opened. */
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { whenFree } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { onlyReads } from './only-reads.ts';
import { readStart } from './open-here.ts';

/** Minimum migration number of a released store: every store begins with a baseline of this number. */
const FIRST_NUMBER = 1_000;
/** Offset of the last migration's number (`user_version`) in the first bytes of a SQLite file. */
const NUMBER_AT = 60;

interface Profile {
  appDb: string;
  budgetDb: string;
  connectionsDir: string;
}

/**
 * Moves an older profile and returns the folder it was moved to; null if there was nothing to move. Call it before any
 * store is opened. A kill is harmless: the store of connections, which marks the folder as an older one, is moved last.
 * Throws STORE_FAILED if a file cannot be moved.
 */
export function quarantineOlder({ appDb, budgetDb, connectionsDir }: Profile): string | null {
  if (onlyReads() || !isOlder(appDb)) return null;
  const folder = dirname(appDb);
  const target = freeName(join(folder, 'from-before'), basename(appDb));
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 });
    move(connectionsDir, target);
    const beside = (file: string) =>
      readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}`));
    const names = [...beside(budgetDb), ...beside(appDb)].filter((name) => name !== basename(appDb));
    for (const name of names) move(join(folder, name), target);
    move(appDb, target);
    return target;
  } catch (problem) {
    const code = problem instanceof Error && 'code' in problem ? String(problem.code) : 'unknown reason';
    throw new AppError(
      'STORE_FAILED',
      `The data in ${folder} is from a version of Spandeck before the first release. It could not be moved to ${target} (${code}). Close every Spandeck, move it yourself and start again.`,
      {},
      problem,
    );
  }
}

/** The message about the moved profile, for the window and the command line. */
export function quarantinedText(folder: string): string {
  return `The data folder was from a version of Spandeck before the first release, which this version cannot read. Nothing was deleted: everything was moved to ${folder}. Add your connections again.`;
}

function isOlder(file: string): boolean {
  if (!existsSync(file)) return false;
  const header = readStart(file, NUMBER_AT + 4);
  if (header === null || header.length < NUMBER_AT + 4) return false;
  const number = header.readUInt32BE(NUMBER_AT);
  return number > 0 && number < FIRST_NUMBER;
}

/** A free name for the folder; a folder that a killed process began to fill is used again. */
function freeName(wanted: string, last: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!existsSync(join(name, last))) return name;
  }
}

function move(path: string, target: string): void {
  try {
    whenFree(() => renameSync(path, join(target, basename(path))));
  } catch (problem) {
    // Another process may have moved the file at the same time.
    if (!(problem instanceof Error && 'code' in problem && problem.code === 'ENOENT')) throw problem;
  }
}
