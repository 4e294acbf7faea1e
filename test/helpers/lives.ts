/** Processes of a helper script, one after another on the same folder, which are killed midway. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export class Lives {
  readonly #script: string;
  readonly #running = new Set<ChildProcess>();

  /** `script`: a file of this folder that prints a line for each of its actions. */
  constructor(script: string) {
    this.#script = join(import.meta.dirname, script);
  }

  #spawn(args: Record<string, string>) {
    const options = Object.entries(args).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(process.execPath, [this.#script, ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#running.add(child);
    return child;
  }

  /** Starts a process that the test ends. `heard` resolves once it has printed this line. */
  start(args: Record<string, string>): {
    heard: (line: string) => Promise<void>;
    kill: () => void;
    ended: Promise<unknown>;
  } {
    const child = this.#spawn(args);
    const lines = createInterface({ input: child.stdout });
    return {
      heard: async (wanted) => {
        for await (const line of lines) if (line === wanted) return;
        throw new Error(`The process ended without saying: ${wanted}`);
      },
      kill: () => child.kill('SIGKILL'),
      ended: once(child, 'close'),
    };
  }

  /** Runs a process; with `killAfter`, it is killed after this many lines. Resolves with the last line. */
  live(args: Record<string, string>, killAfter: number | null): Promise<string> {
    const child = this.#spawn(args);
    let last = '';
    let heard = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = line;
      heard += 1;
      if (heard === killAfter) child.kill('SIGKILL');
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => {
        this.#running.delete(child);
        resolve(last);
      });
    });
  }

  /** Kills the processes that are still running, as after a failed test. */
  killAll(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    this.#running.clear();
  }
}
