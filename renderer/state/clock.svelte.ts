/**
 * The current time for texts such as "3 min" or "in 12 s". There is one shared timer per interval, which runs only
 * while such a text is shown.
 */
import { createSubscriber } from 'svelte/reactivity';

class Clock {
  readonly #subscribe: () => void;

  constructor(tickMs: number) {
    this.#subscribe = createSubscriber((update) => {
      const timer = setInterval(update, tickMs);
      return () => clearInterval(timer);
    });
  }

  /** Milliseconds since 1970. Effects and templates that read it are updated as time passes. */
  get nowMs(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock(15_000);
/** The time for countdowns, updated every second. */
export const seconds = new Clock(1_000);
