/** Tells of changes often enough to follow them, and not more often than a view can use. */
import type { Clock } from './ports.ts';

export class Notices {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #tell: () => void;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, everyMs: number, tell: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  /** Something changed. `isUrgent`: it is told now. */
  note(isUrgent: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    const dueMs = this.#toldAtMs + this.#everyMs;
    if (isUrgent || nowMs >= dueMs) this.#now();
    else this.#cancel ??= this.#clock.setTimer(() => this.#now(), dueMs - nowMs);
  }

  #now(): void {
    this.discard();
    this.#toldAtMs = this.#clock.monotonicMs();
    this.#tell();
  }

  /** What is still to be told is told now; no timer is left. */
  flush(): void {
    if (this.#cancel !== null) this.#now();
  }

  /** What is still to be told is not told. */
  discard(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
