import type { Clock } from '../core/ports.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A single timer for the earliest of all pending events. */
export class WakeTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Wakes at `atMs`, in place of the previous time; Infinity means never. May wake early after a long wait. */
  set(atMs: number, nowMs: number): void {
    if (atMs === this.#atMs && this.#cancel !== null) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#atMs = atMs;
    if (!Number.isFinite(atMs)) return;
    // Timers use whole milliseconds and truncate fractions, so the delay is rounded up.
    const delayMs = Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(atMs - nowMs)));
    this.#cancel = this.#clock.setTimer(this.#fire, delayMs, 'sending what waits for its limit');
  }

  readonly #fire = (): void => {
    this.#cancel = null;
    this.#wake();
  };
}
