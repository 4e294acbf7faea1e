/**
 * Runs a program that must respect the permissions of files. Those do not bind root, which loses that right by
 * `setpriv`. The user stays the same, because another one may not be able to enter the folder of the project.
 */
import { spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;
const WITHOUT = '-dac_override,-dac_read_search';
const SETPRIV = ['setpriv', `--bounding-set=${WITHOUT}`, `--inh-caps=${WITHOUT}`];

/** The command that starts such a program, with its arguments; empty if none is needed. */
export const boundBy: readonly string[] = isRoot ? SETPRIV : [];

/** False for root on a system that has no `setpriv`. */
export const canBeBound =
  process.platform === 'linux' && (!isRoot || spawnSync('setpriv', ['--version']).status === 0);

export function runBound(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): { status: number | null; stdout: string; stderr: string } {
  const [command = program, ...words] = [...boundBy, program, ...args];
  return spawnSync(command, words, { encoding: 'utf8', env });
}
