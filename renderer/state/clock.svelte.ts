/**
 * The current time for texts like "3 min" or "in 12 s"; one shared timer per kind, running only while such a
 * text is shown.
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

  /** Milliseconds since the epoch; effects and templates that read it are updated as time passes. */
  get nowMs(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock(15_000);
/** For countdowns. */
export const seconds = new Clock(1_000);
