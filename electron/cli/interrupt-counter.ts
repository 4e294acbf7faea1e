/**
 * Counts Ctrl-C: the first press stops what can be stopped, and a second one ends a command that does not end by
 * itself.
 */

/** Signals within this time are one press, because npm forwards the terminal's signal a second time. */
const SAME_PRESS_MS = 500;

export class InterruptCounter {
  #firstAtMs: number | null = null;

  /** Notes a signal at `nowMs` (monotonic); returns whether the process must end at once. */
  isSecond(nowMs: number): boolean {
    this.#firstAtMs ??= nowMs;
    return nowMs - this.#firstAtMs > SAME_PRESS_MS;
  }
}
