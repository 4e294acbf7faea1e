/** Reports changes at a limited rate: often enough for a view to follow, but never faster than it can draw. */
import type { Clock } from './ports.ts';

export class Notices {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #notify: () => void;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, everyMs: number, notify: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#notify = notify;
  }

  /** Records a change. `isUrgent`: the change is reported at once. */
  note(isUrgent: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    const dueMs = this.#toldAtMs + this.#everyMs;
    if (isUrgent || nowMs >= dueMs) this.#now();
    else this.#cancel ??= this.#clock.setTimer(() => this.#now(), dueMs - nowMs, 'telling of progress');
  }

  #now(): void {
    this.discard();
    this.#toldAtMs = this.#clock.monotonicMs();
    this.#notify();
  }

  /** Reports a pending change now and stops the timer. */
  flush(): void {
    if (this.#cancel !== null) this.#now();
  }

  /** Drops a pending change and stops the timer. */
  discard(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
