import type { Clock } from './ports.ts';

interface IdleEndDeps {
  clock: Pick<Clock, 'setTimer'>;
  idleMs: number;
  /** Name of the part in a few words, for the log. */
  what: string;
  /** Ends the idle part. Returns false if it is in use after all. */
  end: () => boolean;
}

/**
 * Ends a part of the program that was not used for a while, because only its end frees its memory. The next use starts
 * it again.
 */
export class IdleEnd {
  readonly #deps: IdleEndDeps;
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(deps: IdleEndDeps) {
    this.#deps = deps;
  }

  /** Called when a use begins. */
  hold(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Called when the last use has ended. Starts the idle time again. */
  rest(): void {
    this.hold();
    if (this.#isStopped) return;
    const { clock, idleMs, what, end } = this.#deps;
    const endOrWait = (): void => {
      this.#cancel = null;
      if (!end()) this.rest();
    };
    this.#cancel = clock.setTimer(endOrWait, idleMs, what);
  }

  /** Cancels the timer for good, because a pending timer keeps the program from ending. */
  stop(): void {
    this.#isStopped = true;
    this.hold();
  }
}
