import type { Clock } from '../core/ports.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A single timer for the earliest of all waiting events. */
export class WakeTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Wakes at `atMs`, replacing the previous time; Infinity: never. May wake early after a long wait. */
  set(atMs: number, nowMs: number): void {
    if (atMs === this.#atMs && this.#cancel !== null) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#atMs = atMs;
    if (!Number.isFinite(atMs)) return;
    // Timers count whole milliseconds and truncate fractions.
    const delayMs = Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(atMs - nowMs)));
    this.#cancel = this.#clock.setTimer(this.#fire, delayMs, 'sending what waits for its limit');
  }

  readonly #fire = (): void => {
    this.#cancel = null;
    this.#wake();
  };
}
