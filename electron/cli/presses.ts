/** Ctrl-C: the first press stops what can be stopped, a second one is for a command that does not end. */

/** npm passes the terminal's signal on once more: the same press arrives twice. */
const SAME_PRESS_MS = 500;

export class Presses {
  #firstAtMs: number | null = null;

  /** Notes that the signal came at `nowMs` (monotonic); true where the process is to end at once. */
  isSecond(nowMs: number): boolean {
    this.#firstAtMs ??= nowMs;
    return nowMs - this.#firstAtMs > SAME_PRESS_MS;
  }
}
