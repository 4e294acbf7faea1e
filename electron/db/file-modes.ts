/** Modes of files, also on mounts that have none, such as those of network shares and memory cards. */
import { chmodSync, statSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';

/** Codes of errors that say that the mount has no modes to set. */
const MODELESS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

const hasMode = (found: { mode: number }, mode: number): boolean => (found.mode & 0o777) === mode;

function unlessModeless(problem: unknown): void {
  if (!(problem instanceof Error && 'code' in problem && MODELESS.has(problem.code))) throw problem;
}

/** Gives the file this mode, if it has another and if its mount has modes. Throws other errors of the system. */
export async function giveMode(file: string, mode: number): Promise<void> {
  if (!hasMode(await stat(file), mode)) await chmod(file, mode).catch(unlessModeless);
}

/** Like `giveMode`, at once. */
export function giveModeSync(file: string, mode: number): void {
  try {
    if (!hasMode(statSync(file), mode)) chmodSync(file, mode);
  } catch (problem) {
    unlessModeless(problem);
  }
}
