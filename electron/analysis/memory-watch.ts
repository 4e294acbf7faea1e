/**
 * Ends typed SQL that needs too much memory. The engine's own limit does not count texts of rows that are about to be
 * read, and one line of SQL can create many gigabytes of them.
 */
import type { Clock } from '../core/ports.ts';

/** Memory limit: half of the memory of a small computer. The engine itself uses a quarter (see engine.ts). */
export const MAX_QUERY_BYTES = 2_000_000_000;
/** Interval of checks. The engine can fill about 1.5 GB per second. */
const LOOK_MS = 50;

interface MemoryWatchDeps {
  clock: Pick<Clock, 'setTimer'>;
  /** Current memory use of this process. */
  bytes: () => number;
  maxBytes: number;
  /** Called once if the limit is exceeded. */
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

  /** Watches the memory until `work` has ended. */
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
