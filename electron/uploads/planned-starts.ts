/** Begins things at their wall time: also after sleep, and when the clock was set. */
import type { Clock } from '../core/ports.ts';

/** A timer does not count the time a computer sleeps; so late, at most, is what was due meanwhile. */
const LOOK_EVERY_MS = 15_000;
/** After a start that did not come about. */
const AGAIN_MS = 1_000;

export class PlannedStarts {
  readonly #clock: Clock;
  readonly #earliestMs: () => number | null;
  readonly #startDue: (nowMs: number) => void;
  #cancel: (() => void) | null = null;
  #isStopped = false;

  /** `earliestMs`: wall time of the next start, null when nothing is planned. `startDue` does not throw. */
  constructor(clock: Clock, earliestMs: () => number | null, startDue: (nowMs: number) => void) {
    this.#clock = clock;
    this.#earliestMs = earliestMs;
    this.#startDue = startDue;
  }

  /** Something was planned, changed or called off. Starts what is due before it returns. */
  look(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#isStopped) return;
    const atMs = this.#earliestMs();
    if (atMs === null) return;
    if (this.#clock.nowMs() < atMs) {
      this.#wakeIn(Math.min(LOOK_EVERY_MS, atMs - this.#clock.nowMs()));
      return;
    }
    this.#startDue(this.#clock.nowMs());
    const nextMs = this.#earliestMs();
    if (nextMs !== null)
      this.#wakeIn(Math.min(LOOK_EVERY_MS, Math.max(AGAIN_MS, nextMs - this.#clock.nowMs())));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  #wakeIn(delayMs: number): void {
    // What was started may have looked again meanwhile.
    this.#cancel?.();
    this.#cancel = this.#clock.setTimer(() => this.look(), delayMs);
  }
}
