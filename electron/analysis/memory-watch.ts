/**
 * Ends typed SQL that needs too much memory: the engine's own limit does not count the texts of rows that are about to
 * be read, and one line of SQL can make many gigabytes of them.
 */
import type { Clock } from '../core/ports.ts';

/** Half of the memory of a small computer; the engine itself uses a quarter of it (see engine.ts). */
export const MAX_QUERY_BYTES = 2_000_000_000;
/** The engine fills about 1.5 GB in a second. */
const LOOK_MS = 50;

interface MemoryWatchDeps {
  clock: Pick<Clock, 'setTimer'>;
  /** Memory of this process now. */
  bytes: () => number;
  maxBytes: number;
  /** The bound is exceeded; called once. */
  onExceeded: () => void;
}

export class MemoryWatch {
  readonly #deps: MemoryWatchDeps;
  #running = 0;
  #cancel: (() => void) | null = null;
  #isOver = false;

  constructor(deps: MemoryWatchDeps) {
    this.#deps = deps;
  }

  /** Looks at the memory until `work` ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    this.#look();
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#stop();
    }
  }

  #look(): void {
    if (this.#isOver) return;
    this.#stop();
    if (this.#deps.bytes() > this.#deps.maxBytes) {
      this.#isOver = true;
      this.#deps.onExceeded();
      return;
    }
    this.#cancel = this.#deps.clock.setTimer(() => this.#look(), LOOK_MS, 'looking at the memory of a query');
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
