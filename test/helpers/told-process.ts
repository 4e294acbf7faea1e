/** A process of a helper script that performs one action for each line of standard input. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export class ToldProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(script: string, options: Record<string, string>) {
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    this.#child = spawn(process.execPath, [join(import.meta.dirname, script), ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (this.#child.stdout === null) throw new Error('Expected a pipe from the process.');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** `script`: a file of this folder that prints `open` first, and then each line after it has performed its action. */
  static async start(script: string, options: Record<string, string>): Promise<ToldProcess> {
    const told = new ToldProcess(script, options);
    await told.#heard('open');
    return told;
  }

  async tell(word: string): Promise<void> {
    this.#child.stdin?.write(`${word}\n`);
    await this.#heard(word);
  }

  /** Suspends the process until it is killed. It keeps everything open or locked that it has. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  async end(): Promise<void> {
    const closed = once(this.#child, 'close');
    await this.tell('end');
    await closed;
  }

  /** Sends the last line, and resolves with the line that answers it. */
  async last(word: string): Promise<string> {
    this.#child.stdin?.write(`${word}\n`);
    const { value } = await this.#lines.next();
    return String(value);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  async #heard(word: string): Promise<void> {
    const { value, done } = await this.#lines.next();
    if (done === true || value !== word) throw new Error(`Expected ${word} from the process, got ${value}.`);
  }
}
