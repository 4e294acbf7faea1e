/** Long work on stored rows, cut so that the main thread is never held for more than a few milliseconds. */
import type { Clock } from '../core/ports.ts';

const SLICE_ROWS = 1_000;
const BUSY_MS = 6;

export class Slices {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonicMs();
  }

  /** Lets others run when this has been busy for long enough. */
  async pause(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#since < BUSY_MS) return;
    await new Promise<void>((resolve) => {
      this.#clock.setTimer(resolve, 0);
    });
    this.#since = this.#clock.monotonicMs();
  }

  /** Calls `read` with growing positions until it answers fewer than it was asked for. */
  async each(read: (from: number, limit: number) => readonly number[]): Promise<void> {
    for (let from = 0; ; ) {
      const positions = read(from, SLICE_ROWS);
      const last = positions.at(-1);
      if (last === undefined || positions.length < SLICE_ROWS) return;
      from = last + 1;
      await this.pause();
    }
  }
}
