/** Modes of files, also on mounts that have none, such as those of network shares and memory cards. */

/** Codes of errors on a mount that does not support modes. */
const MODELESS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

const hasMode = (found: { mode: number }, mode: number): boolean => (found.mode & 0o777) === mode;

function unlessModeless(problem: unknown): void {
  if (!(problem instanceof Error && 'code' in problem && MODELESS.has(problem.code))) throw problem;
}

/** Two functions of Node's `fs/promises`, passed in because shared code has no access to the file system. */
interface ModeFunctions {
  stat: (file: string) => Promise<{ mode: number }>;
  chmod: (file: string, mode: number) => Promise<void>;
}

/** Gives the file this mode if it has another one and its mount supports modes. Throws other errors of the system. */
export async function giveMode(file: string, mode: number, { stat, chmod }: ModeFunctions): Promise<void> {
  if (!hasMode(await stat(file), mode)) await chmod(file, mode).catch(unlessModeless);
}

/** Synchronous form of `giveMode`, with functions of Node's `fs`. */
export function giveModeSync(
  file: string,
  mode: number,
  of: { statSync: (file: string) => { mode: number }; chmodSync: (file: string, mode: number) => void },
): void {
  try {
    if (!hasMode(of.statSync(file), mode)) of.chmodSync(file, mode);
  } catch (problem) {
    unlessModeless(problem);
  }
}
