import type { Clock } from '../../electron/core/ports.ts';

interface Timer {
  atMs: number;
  order: number;
  callback: () => void;
}

/** A clock that stands still until it is advanced. Timers run in the order in which they are due. */
export class VirtualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #order = 0;
  #timers = new Set<Timer>();

  constructor(startMs = Date.UTC(2025, 10, 3, 9, 0, 0)) {
    this.#wallMs = startMs;
  }

  /** An integer, like the wall time of a computer. */
  nowMs(): number {
    return Math.floor(this.#wallMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    this.#order += 1;
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), order: this.#order, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances by `durationMs` and runs due timers, each at its own time. */
  advance(durationMs: number): void {
    const endMs = this.#monotonicMs + durationMs;
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#timers.delete(next);
      this.#moveTo(next.atMs);
      next.callback();
    }
    this.#moveTo(endMs);
  }

  /** Changes only the wall time, as if the system clock were corrected. */
  jumpWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  #next(endMs: number): Timer | undefined {
    return [...this.#timers]
      .filter((timer) => timer.atMs <= endMs)
      .toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
  }

  #moveTo(monotonicMs: number): void {
    const stepMs = Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs += stepMs;
    this.#wallMs += stepMs;
  }
}
