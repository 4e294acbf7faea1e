/** The present moment for texts like "3 min" or "in 12 s", one tick for all of a kind, only while one is shown. */
import { createSubscriber } from 'svelte/reactivity';

class Clock {
  readonly #subscribe: () => void;

  constructor(tickMs: number) {
    this.#subscribe = createSubscriber((update) => {
      const timer = setInterval(update, tickMs);
      return () => clearInterval(timer);
    });
  }

  /** Milliseconds since the epoch; whoever reads it in an effect or template is run again as time passes. */
  get nowMs(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock(15_000);
/** For what is counted down. */
export const seconds = new Clock(1_000);
