import type { Clock } from './ports.ts';

interface IdleEndDeps {
  clock: Pick<Clock, 'setTimer'>;
  idleMs: number;
  /** In a few words, for the log. */
  what: string;
  /** Ends the idle part; false if it is in use after all. */
  end: () => boolean;
}

/** Ends a part that was not used for a time, because only its end frees its memory. The next use starts it again. */
export class IdleEnd {
  readonly #deps: IdleEndDeps;
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(deps: IdleEndDeps) {
    this.#deps = deps;
  }

  /** A use begins. */
  hold(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** The last use has ended: the time begins anew. */
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

  /** Cancels the timer for good, because a timer keeps a program from ending. */
  stop(): void {
    this.#isStopped = true;
    this.hold();
  }
}
