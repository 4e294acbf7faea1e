/** Gives priority to interactive work: background work pauses while an answer for a view is in progress. */
import type { Clock } from './ports.ts';
import type { Priority } from './priority.ts';

/**
 * Maximum time that background work waits for a request after its start, or after its answer. If the service takes
 * longer, the view waits for the service and not for this computer.
 */
const STAND_BACK_MS = 150;

export const isForeground = (priority: Priority): boolean => priority === 'view' || priority === 'click';

/** One instance for the whole process, because requests of all connections share the main thread. */
export class Foreground {
  readonly #clock: Clock;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Begins a step that a person waits for. Call the returned function when the step is over; repeated calls have no
   * effect.
   */
  enter(): () => void {
    this.#running += 1;
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      cancel();
      this.#running -= 1;
      if (this.#running === 0) this.#letGo();
    };
    const cancel = this.#clock.setTimer(leave, STAND_BACK_MS, 'letting background work go on');
    return leave;
  }

  /** Resolves at once if nobody waits; otherwise when nobody waits any more, or after a short maximum time. */
  async whenFree(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.setTimer(resolve, STAND_BACK_MS);
      this.#waiting.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #letGo(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}
