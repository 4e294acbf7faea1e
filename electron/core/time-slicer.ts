/** Splits long work so that it never blocks the main thread for more than a few milliseconds. */
import type { Clock } from './ports.ts';

const BUSY_MS = 5;

/** Call `pause` between small steps. Once the work has been busy for `busyMs`, other tasks can run. */
export class TimeSlicer {
  readonly #clock: Clock;
  readonly #busyMs: number;
  #since: number;

  constructor(clock: Clock, busyMs = BUSY_MS) {
    this.#clock = clock;
    this.#busyMs = busyMs;
    this.#since = clock.monotonicMs();
  }

  async pause(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#since >= this.#busyMs) await this.rest();
  }

  /** Lets other tasks run now. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#clock.setTimer(resolve, 0);
    });
    this.#since = this.#clock.monotonicMs();
  }
}
