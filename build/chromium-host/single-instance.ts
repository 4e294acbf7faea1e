/** Allows one running app per user data folder, with a lock file and a folder for messages of later starts. */
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Data that a later start sends to the running app. */
export interface SecondInstance {
  readonly argv: string[];
  readonly workingDirectory: string;
  readonly additionalData: unknown;
}

/** Switches that Chromium adds to the arguments of a later start, right after the program. */
const CHROMIUM_SWITCHES = ['--allow-file-access-from-files', '--original-process-start-time=0'];

/** The message as Electron reports it: with Chromium's switches among the arguments, and null if no data was given. */
export function secondInstance(argv: readonly string[], folder: string, data: unknown): SecondInstance {
  const [program = '', ...words] = argv;
  const additionalData = data ?? null;
  return { argv: [program, ...CHROMIUM_SWITCHES, ...words], workingDirectory: folder, additionalData };
}

/** Start time of a process, to distinguish it from a later one with the same number. */
function startTimeOf(pid: number): string {
  try {
    return (
      fs
        .readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

const isRunning = (owner: string): boolean => {
  const [pid = '', startTime = ''] = owner.split(' ');
  return startTime !== '' && startTimeOf(Number(pid)) === startTime;
};

function readOwner(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

export class SingleInstance {
  readonly #folder: string;
  readonly #own = `${process.pid} ${startTimeOf(process.pid)}`;
  #watcher: fs.FSWatcher | undefined;

  constructor(userData: string) {
    this.#folder = path.join(userData, 'single-instance');
  }

  get #lockFile(): string {
    return path.join(this.#folder, 'lock');
  }

  get isHeld(): boolean {
    return this.#watcher !== undefined;
  }

  /** Returns true if this process now holds the lock; otherwise notifies the running process of this start. */
  acquire(additionalData: unknown, onSecond: (second: SecondInstance) => void): boolean {
    if (this.#watcher !== undefined) return true;
    fs.mkdirSync(this.#folder, { recursive: true });
    if (!this.#take()) {
      const second = secondInstance(process.argv, process.cwd(), additionalData);
      const file = path.join(this.#folder, `start-${process.pid}`);
      fs.writeFileSync(`${file}.tmp`, JSON.stringify(second));
      fs.renameSync(`${file}.tmp`, `${file}.json`);
      return false;
    }
    this.#watcher = fs.watch(this.#folder, () => this.#collect(onSecond));
    this.#watcher.unref();
    return true;
  }

  #take(): boolean {
    const temporary = `${this.#lockFile}.${process.pid}`;
    fs.writeFileSync(temporary, this.#own);
    try {
      const owner = readOwner(this.#lockFile);
      if (owner !== '' && !isRunning(owner)) fs.rmSync(this.#lockFile, { force: true });
      // link() either creates the lock together with its contents, or fails because the lock exists.
      fs.linkSync(temporary, this.#lockFile);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    } finally {
      fs.rmSync(temporary, { force: true });
    }
  }

  #collect(onSecond: (second: SecondInstance) => void): void {
    for (const name of fs.readdirSync(this.#folder).filter((item) => item.endsWith('.json'))) {
      const file = path.join(this.#folder, name);
      const second = JSON.parse(fs.readFileSync(file, 'utf8')) as SecondInstance;
      fs.rmSync(file, { force: true });
      onSecond(second);
    }
  }

  release(): void {
    if (this.#watcher === undefined) return;
    this.#watcher.close();
    this.#watcher = undefined;
    if (readOwner(this.#lockFile) === this.#own) fs.rmSync(this.#lockFile, { force: true });
  }
}
