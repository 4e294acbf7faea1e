/** Runs a program and collects its output. */
import { spawn } from 'node:child_process';

export interface CollectOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Time in milliseconds after which the program is killed. */
  readonly limitMs: number;
  /** User that runs the program if this process belongs to root; default: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Called with the number of the process. */
  readonly onStart?: (pid: number) => void;
}

/**
 * Resolves with the exit code (-1 if a signal ended the program) and both outputs as one text. Rejects if it cannot be
 * started.
 */
export function collect(
  program: string,
  args: readonly string[],
  { env, limitMs, user, onStart }: CollectOptions,
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { env, stdio, timeout: limitMs, ...user });
    child.on('spawn', () => {
      if (child.pid !== undefined) onStart?.(child.pid);
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, text }));
  });
}
