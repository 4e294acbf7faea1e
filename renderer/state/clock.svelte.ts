/** The present moment for texts like "3 min", one tick for all of them, only while something shows one. */
import { createSubscriber } from 'svelte/reactivity';

const TICK_MS = 15_000;

class Clock {
  readonly #subscribe = createSubscriber((update) => {
    const timer = setInterval(update, TICK_MS);
    return () => clearInterval(timer);
  });

  /** Milliseconds since the epoch; whoever reads it in an effect or template is run again as time passes. */
  get nowMs(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const clock = new Clock();
