/** A profile folder from before the first release: moved out of the way as a whole, never opened in part. */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { whenFree } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';

/** Every store begins with a baseline of this number; what has a lower one was never released. */
const FIRST_NUMBER = 1_000;
/** Where SQLite keeps the number of the last migration, in the first bytes of a file. */
const NUMBER_AT = 60;

interface Profile {
  appDb: string;
  budgetDb: string;
  connectionsDir: string;
}

/**
 * Answers the folder that everything was moved to; null where there was nothing to move. To be called before any store
 * is opened. Safe to kill: the store of connections says that the folder is an older one, and goes last.
 * Throws STORE_FAILED where something cannot be moved.
 */
export function setAsideOlder({ appDb, budgetDb, connectionsDir }: Profile): string | null {
  if (!isOlder(appDb)) return null;
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

/** What is said of it, in the window and on the command line. */
export function setAsideText(folder: string): string {
  return `The data folder was from a version of Spandeck before the first release, which this version cannot read. Nothing was deleted: everything was moved to ${folder}. Add your connections again.`;
}

function isOlder(file: string): boolean {
  if (!existsSync(file)) return false;
  const header = Buffer.alloc(NUMBER_AT + 4);
  const handle = openSync(file, 'r');
  try {
    if (readSync(handle, header, 0, header.length, 0) < header.length) return false;
  } finally {
    closeSync(handle);
  }
  const number = header.readUInt32BE(NUMBER_AT);
  return number > 0 && number < FIRST_NUMBER;
}

/** One that a killed process began is gone on with. */
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
    // Another process may have moved it at the same moment.
    if (!(problem instanceof Error && 'code' in problem && problem.code === 'ENOENT')) throw problem;
  }
}
