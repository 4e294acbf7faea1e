/** Files of the copies of a store: their names while they are written and afterwards, and how many are kept. */
import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { whenFree } from '../shared/busy-files.ts';
import type { StoreCopy } from '../shared/health-model.ts';
import { systemIdentity } from './process-identity.ts';

/**
 * Origins of a copy. `update`: named `library.db.v1050.backup`, by the store's version. `restore`: named
 * `library.db.r1771234567890.backup`, by its time in ms.
 */
type CopyOrigin = StoreCopy['origin'];

const MARKS: Readonly<Record<CopyOrigin, string>> = { update: 'v', restore: 'r' };
/** Number of copies of each origin. */
const KEPT_COPIES = 2;

function namesOf(file: string, end: RegExp): { name: string; number: number }[] {
  return readdirSync(dirname(file)).flatMap((name) => {
    const found = name.startsWith(`${basename(file)}.`) ? end.exec(name.slice(basename(file).length)) : null;
    return found === null ? [] : [{ name, number: Number(found[1]) }];
  });
}

const remove = (file: string, name: string): void =>
  whenFree(() => rmSync(join(dirname(file), name), { force: true }));

/**
 * The paths of a copy while it is written and afterwards; `end` renames it. Deletes the partial copies of killed
 * processes. `number`: the version or the time.
 */
export function beginCopy(
  file: string,
  origin: CopyOrigin,
  number: number,
): { target: string; partial: string; end: () => void; cancel: () => void } {
  const own = process.pid;
  const target = `${file}.${MARKS[origin]}${number}.backup`;
  const partial = `${target}.${own}`;
  const { isRunning } = systemIdentity();
  for (const { name, number: pid } of namesOf(file, /^\.[vr]\d+\.backup\.(\d+)(?:-journal)?$/)) {
    if (pid === own || !isRunning(pid)) remove(file, name);
  }
  // Creates the file readable only by its owner, like the store; all copy methods then write into the empty file.
  closeSync(openSync(partial, 'w', 0o600));
  return {
    target,
    partial,
    end: () => whenFree(() => renameSync(partial, target)),
    cancel: () => whenFree(() => rmSync(partial, { force: true })),
  };
}

/** Deletes all copies of this origin but the two newest. */
export function keepNewestCopies(file: string, origin: CopyOrigin): void {
  const copies = namesOf(file, new RegExp(`^\\.${MARKS[origin]}(\\d+)\\.backup$`));
  for (const { name } of copies.toSorted((a, b) => b.number - a.number).slice(KEPT_COPIES))
    remove(file, name);
}
