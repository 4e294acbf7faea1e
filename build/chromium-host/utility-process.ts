/**
 * `utilityProcess`, implemented by Node's fork. The child uses `process.send`, because it has no `process.parentPort`.
 * Its environment is exactly the given one, as in Electron.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';

interface ForkOptions {
  env?: NodeJS.ProcessEnv;
  stdio?: 'ignore' | 'inherit';
}

export class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    super();
    this.#child = child;
    child.on('message', (message) => this.emit('message', message));
    child.once('error', () => this.emit('exit', 1));
    child.once('exit', (code) => this.emit('exit', code ?? 1));
  }

  static fork(modulePath: string, args: string[] = [], options: ForkOptions = {}): UtilityProcess {
    const output = options.stdio ?? 'inherit';
    const stdio = ['ignore', output, output, 'ipc'] as const;
    return new UtilityProcess(
      fork(modulePath, args, {
        stdio: [...stdio],
        env: options.env ?? process.env,
        // Typed arrays keep their type, as in Electron.
        serialization: 'advanced',
      }),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  postMessage(message: unknown): void {
    this.#child.send(Object(message));
  }

  kill(): boolean {
    // Uses SIGTERM, like Electron on Linux, which a child may delay.
    return this.#child.kill('SIGTERM');
  }
}
