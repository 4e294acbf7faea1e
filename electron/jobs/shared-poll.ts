/**
 * Shares one timer among everything that polls on the same clock, so that an idle computer wakes up once for all kinds
 * of jobs and all connections.
 */
import type { Clock } from '../core/ports.ts';

class SharedPoll {
  #waiting = new Set<() => void>();
  #cancel: () => void = () => undefined;

  /** Joins the timer. Returns a function that leaves it; the timer ends with the last member. */
  join(clock: Clock, everyMs: number, what: string, look: () => void): () => void {
    let hasLeft = false;
    const own = () => {
      if (!hasLeft) look();
    };
    if (this.#waiting.size === 0) this.#cancel = clock.setTimer(() => this.#callAll(), everyMs, what);
    this.#waiting.add(own);
    return () => {
      // If the members are just being called, a member that left is skipped.
      hasLeft = true;
      if (this.#waiting.delete(own) && this.#waiting.size === 0) this.#cancel();
    };
  }

  /** Calls all members. An error in one does not prevent the others; the first error is thrown at the end. */
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

/** Calls `look` once within `everyMs`, together with everything else that polls at this interval. */
export function pollWithin(clock: Clock, everyMs: number, what: string, look: () => void): () => void {
  const known = polls.get(clock) ?? new Map<number, SharedPoll>();
  polls.set(clock, known);
  const poll = known.get(everyMs) ?? new SharedPoll();
  known.set(everyMs, poll);
  return poll.join(clock, everyMs, what, look);
}
