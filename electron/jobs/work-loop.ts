/** Runs work until it rests. While the service is unreachable, it waits and retries. It can be stopped. */

import type { Clock, Random } from '../core/ports.ts';
import type { AppError } from '../shared/errors.ts';
import { toAppError } from '../shared/errors.ts';
import { nextTurn } from './next-turn.ts';

/** `Signal`: type of the abort signal. It is a type parameter, because the core is platform-independent. */
export interface Work<Signal> {
  /** `resting`: nothing is done until a person or the process requests it. */
  phase(): 'running' | 'waiting' | 'resting';
  /**
   * Does the work while the phase is `running`. Returns when the phase has changed, or rejects. `signal` aborts the
   * work.
   */
  run(signal: Signal): Promise<void>;
  /** Called when the wait is over. Changes `waiting` to `running`. */
  wakeUp(): void;
  /** Called when `run` rejected. Changes the work to waiting or resting. */
  handleFailure(error: AppError): void;
  /** The wait that the service asked for; 0 if it asked for none. */
  retryAfterMs(): number;
  /** Called when something changed, possibly while the work runs. */
  look?(): void;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
/** Maximum time until the wall clock is read again during a wait. */
const LOOK_EVERY_MS = 60_000;

interface WorkLoopDeps<Signal> {
  work: Work<Signal>;
  /** Creates an AbortController. */
  ending: { readonly signal: Signal; abort(): void };
  clock: Clock;
  random: Random;
}

export class WorkLoop<Signal> {
  readonly #work: Work<Signal>;
  readonly #ending: WorkLoopDeps<Signal>['ending'];
  readonly #clock: Clock;
  readonly #random: Random;
  #isStopping = false;
  #waitMs = FIRST_WAIT_MS;
  #endWait: (() => void) | null = null;
  /** True if `wake` was called between a failure and the wait that follows it. */
  #isWoken = false;
  readonly done: Promise<void>;

  constructor({ work, ending, clock, random }: WorkLoopDeps<Signal>) {
    this.#ending = ending;
    this.#work = work;
    this.#clock = clock;
    this.#random = random;
    this.done = this.#loop();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Called when the service is reachable again. */
  wake(): void {
    if (this.#endWait !== null) this.#endWait();
    else this.#isWoken = this.#work.phase() === 'waiting';
    this.#work.look?.();
  }

  /** Called when a request succeeded. The next wait is short again. */
  succeed(): void {
    this.#waitMs = FIRST_WAIT_MS;
  }

  /** Starts no further work. The current state is kept and can be resumed later. */
  stop(): void {
    this.#isStopping = true;
    this.wake();
  }

  /** Cancels requests that were not sent yet. The outcome of requests in flight becomes unknown. */
  abort(): void {
    this.stop();
    this.#ending.abort();
  }

  async #loop(): Promise<void> {
    // Starts in a later turn, so that the caller has the object before it runs.
    await Promise.resolve();
    while (!this.#isStopping) {
      const phase = this.#work.phase();
      if (phase === 'resting') return;
      if (phase === 'waiting') await this.#wait();
      else {
        await this.#run();
        // Without an answer to wait for, work that is never over would let nothing else run in this process.
        if (this.#work.phase() === 'running') await nextTurn();
      }
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#work.run(this.#ending.signal);
    } catch (problem) {
      if (this.#isStopping) return;
      this.#work.handleFailure(toAppError(problem));
    }
  }

  async #wait(): Promise<void> {
    const waitMs = Math.max(this.#work.retryAfterMs(), this.#waitMs * (0.5 + this.#random.next() / 2));
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    const isWoken = this.#isWoken || this.#isStopping;
    this.#isWoken = false;
    if (!isWoken) await this.#sleep(waitMs);
    if (!this.#isStopping && this.#work.phase() === 'waiting') this.#work.wakeUp();
  }

  /** Ends when its timers or the wall clock say so, because timers stand still while a computer sleeps. */
  async #sleep(waitMs: number): Promise<void> {
    const clock = this.#clock;
    const endWallMs = clock.nowMs() + waitMs;
    let leftOfTimersMs = waitMs;
    let cancel: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      const look = () => {
        const leftMs = Math.min(endWallMs - clock.nowMs(), leftOfTimersMs);
        if (leftMs <= 0) {
          resolve();
          return;
        }
        const stepMs = Math.min(leftMs, LOOK_EVERY_MS);
        leftOfTimersMs -= stepMs;
        cancel = clock.setTimer(look, stepMs, 'waiting to try a job again');
      };
      look();
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
    this.#endWait = null;
  }
}
