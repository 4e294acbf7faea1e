/** Modes of files, also on mounts that have none, such as those of network shares and memory cards. */

/** Codes of errors that say that the mount has no modes to set. */
const MODELESS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

const hasMode = (found: { mode: number }, mode: number): boolean => (found.mode & 0o777) === mode;

function unlessModeless(problem: unknown): void {
  if (!(problem instanceof Error && 'code' in problem && MODELESS.has(problem.code))) throw problem;
}

/** The two functions of Node's `fs/promises`: shared code knows no file system. */
interface ModeFunctions {
  stat: (file: string) => Promise<{ mode: number }>;
  chmod: (file: string, mode: number) => Promise<void>;
}

/** Gives the file this mode, if it has another and if its mount has modes. Throws other errors of the system. */
export async function giveMode(file: string, mode: number, { stat, chmod }: ModeFunctions): Promise<void> {
  if (!hasMode(await stat(file), mode)) await chmod(file, mode).catch(unlessModeless);
}

/** Like `giveMode`, at once, by the functions of Node's `fs`. */
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
