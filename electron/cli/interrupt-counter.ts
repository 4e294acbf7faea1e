/** Ctrl-C: the first press stops what can be stopped; a second one ends a command that does not end. */

/** npm forwards the terminal's signal, so one press arrives twice within this time. */
const SAME_PRESS_MS = 500;

export class InterruptCounter {
  #firstAtMs: number | null = null;

  /** Notes a signal at `nowMs` (monotonic); true if the process must end at once. */
  isSecond(nowMs: number): boolean {
    this.#firstAtMs ??= nowMs;
    return nowMs - this.#firstAtMs > SAME_PRESS_MS;
  }
}
