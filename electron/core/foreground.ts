/** What somebody looks at comes first: work in the background stands back while an answer is on its way to a view. */
import type { Clock } from './ports.ts';
import type { Priority } from './priority.ts';

/**
 * So long after a request began, or its answer came, the background stands back for it. A service that takes longer is
 * what keeps a view waiting; this computer is not.
 */
const STAND_BACK_MS = 150;

export const isForeground = (priority: Priority): boolean => priority === 'view' || priority === 'click';

/** One for the whole process: its requests share one main thread, whichever connection they are of. */
export class Foreground {
  readonly #clock: Clock;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A step that somebody waits for begins. Call what it returns when the step is over; again changes nothing. */
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
    const cancel = this.#clock.setTimer(leave, STAND_BACK_MS);
    return leave;
  }

  /** Resolves at once where nobody waits; else when nobody does any more, but never after more than a moment. */
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
