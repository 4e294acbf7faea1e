import type { Clock } from '../core/ports.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One timer for the earliest of everything that waits. */
export class WakeTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Wakes at `atMs` instead of what was set before; Infinity: not at all. May wake early after a long wait. */
  set(atMs: number, nowMs: number): void {
    if (atMs === this.#atMs && this.#cancel !== null) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#atMs = atMs;
    if (!Number.isFinite(atMs)) return;
    // A timer counts whole milliseconds and cuts the rest off.
    const delayMs = Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(atMs - nowMs)));
    this.#cancel = this.#clock.setTimer(this.#fire, delayMs);
  }

  readonly #fire = (): void => {
    this.#cancel = null;
    this.#wake();
  };
}
