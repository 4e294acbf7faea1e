/** Splits long work on stored rows so that the main thread is never blocked for more than a few milliseconds. */

import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { Pieces } from '../shared/pieces.ts';

const FIRST_ROWS = 16;
const MAX_ROWS = 1_000;
/** Target duration of a slice. If one takes longer, the next one is smaller; if much shorter, larger. */
const SLICE_MS = 2;
/** Time after which to yield. Together with one more slice and garbage collection, a turn stays below 10 ms. */
const BUSY_MS = 3;

export class Slices {
  readonly #clock: Clock;
  readonly #slicer: TimeSlicer;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slicer = new TimeSlicer(clock, BUSY_MS);
  }

  /** Yields if the work has been busy for long enough. */
  pause(): Promise<void> {
    return this.#slicer.pause();
  }

  /** Does the work, with pauses between its pieces. */
  async do<T>(pieces: Pieces<T>): Promise<T> {
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) return value;
      await this.pause();
    }
  }

  /** Calls `read` with ascending positions, from `first` on, until it returns fewer than requested. */
  async each(read: (from: number, limit: number) => readonly number[], first = 0): Promise<void> {
    let limit = FIRST_ROWS;
    for (let from = first; ; ) {
      const startedAt = this.#clock.monotonicMs();
      const positions = read(from, limit);
      const last = positions.at(-1);
      if (last === undefined || positions.length < limit) return;
      from = last + 1;
      const tookMs = this.#clock.monotonicMs() - startedAt;
      if (tookMs > SLICE_MS) limit = Math.max(1, Math.floor((limit * SLICE_MS) / tookMs));
      else if (tookMs < SLICE_MS / 3) limit = Math.min(MAX_ROWS, limit * 2);
      await this.pause();
    }
  }
}
