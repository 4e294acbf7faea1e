/**
 * One timer for everything that polls on the same clock, so that a computer at rest is woken once for all kinds of jobs
 * of all connections.
 */
import type { Clock } from '../core/ports.ts';

class SharedPoll {
  #waiting = new Set<() => void>();
  #cancel: () => void = () => undefined;

  /** Returns a function that leaves; the timer ends with the last one. */
  join(clock: Clock, everyMs: number, what: string, look: () => void): () => void {
    let hasLeft = false;
    const own = () => {
      if (!hasLeft) look();
    };
    if (this.#waiting.size === 0) this.#cancel = clock.setTimer(() => this.#callAll(), everyMs, what);
    this.#waiting.add(own);
    return () => {
      // A call to the others may be under way: this one is left out of it.
      hasLeft = true;
      if (this.#waiting.delete(own) && this.#waiting.size === 0) this.#cancel();
    };
  }

  /** A failed call does not prevent the others; the first error is thrown at the end. */
  #callAll(): void {
    const due = this.#waiting;
    this.#waiting = new Set();
    const problems: unknown[] = [];
    for (const look of due) {
      try {
        look();
      } catch (problem) {
        problems.push(problem);
      }
    }
    if (problems.length > 0) throw problems[0];
  }
}

const polls = new WeakMap<Clock, Map<number, SharedPoll>>();

/** Calls `look` once, at the latest after `everyMs`, together with everything else that waits at this interval. */
export function pollWithin(clock: Clock, everyMs: number, what: string, look: () => void): () => void {
  const known = polls.get(clock) ?? new Map<number, SharedPoll>();
  polls.set(clock, known);
  const poll = known.get(everyMs) ?? new SharedPoll();
  known.set(everyMs, poll);
  return poll.join(clock, everyMs, what, look);
}
