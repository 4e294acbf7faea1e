/** Long work cut so that the main thread is never held for more than a few milliseconds. */
import type { Clock } from './ports.ts';

const BUSY_MS = 5;

/** Call `pause` between small pieces: it lets others run when this has been busy for long enough. */
export class Breather {
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

  /** Lets others run, however short it was. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#clock.setTimer(resolve, 0);
    });
    this.#since = this.#clock.monotonicMs();
  }
}
