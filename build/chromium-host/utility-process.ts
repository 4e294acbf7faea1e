/**
 * `utilityProcess` by Node's own fork; the child speaks through `process.send`, it has no `process.parentPort`. Its
 * environment is what was given and nothing else, as in Electron.
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
        // As Electron's own: typed arrays arrive as such.
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
    // As Electron on Linux: a child may put it off.
    return this.#child.kill('SIGTERM');
  }
}
