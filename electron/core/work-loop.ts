/** Runs a piece of work that goes on until it rests, waits for the service in between, and can be stopped. */

import type { AppError } from '../shared/errors.ts';
import { toAppError } from '../shared/errors.ts';
import type { Clock, Random } from './ports.ts';

/** `Signal`: what says that everything is to end; the core knows no platform that has one. */
export interface Work<Signal> {
  /** `resting`: nothing is to be done until a person or the process says so. */
  phase(): 'running' | 'waiting' | 'resting';
  /** One stretch while `running`; returns when the phase changed, or rejects. `signal`: everything is to end. */
  run(signal: Signal): Promise<void>;
  /** The wait is over: `waiting` becomes `running`. */
  wakeUp(): void;
  /** A stretch was rejected: it waits or rests from here on. */
  stumble(error: AppError): void;
  /** How long the service asked to wait; 0 where it did not. */
  retryAfterMs(): number;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

export interface WorkLoopDeps<Signal> {
  work: Work<Signal>;
  /** An AbortController of its own. */
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

  /** The service can be reached again. */
  wake(): void {
    this.#endWait?.();
  }

  /** Something went well: the next wait is short again. */
  succeed(): void {
    this.#waitMs = FIRST_WAIT_MS;
  }

  /** Begins nothing more; the work stays as it is, to be gone on with later. */
  stop(): void {
    this.#isStopping = true;
    this.wake();
  }

  /** What was not sent yet is withdrawn; the outcome of what is on the wire becomes unknown. */
  abort(): void {
    this.stop();
    this.#ending.abort();
  }

  async #loop(): Promise<void> {
    // Whoever starts it first gets hold of it.
    await Promise.resolve();
    while (!this.#isStopping) {
      const phase = this.#work.phase();
      if (phase === 'resting') return;
      if (phase === 'waiting') await this.#wait();
      else await this.#run();
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#work.run(this.#ending.signal);
    } catch (problem) {
      if (this.#isStopping) return;
      this.#work.stumble(toAppError(problem));
    }
  }

  async #wait(): Promise<void> {
    const waitMs = Math.max(this.#work.retryAfterMs(), this.#waitMs * (0.5 + this.#random.next() / 2));
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.setTimer(resolve, waitMs);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
    this.#endWait = null;
    if (!this.#isStopping && this.#work.phase() === 'waiting') this.#work.wakeUp();
  }
}

/** Ends loops with their process: nothing new begins, and what is on the wire has `graceMs` to be answered. */
export async function stopAll<Signal>(
  all: readonly { loop: WorkLoop<Signal>; ended: Promise<void> }[],
  clock: Clock,
  graceMs: number,
): Promise<void> {
  for (const { loop } of all) loop.stop();
  const cancel = clock.setTimer(() => {
    for (const { loop } of all) loop.abort();
  }, graceMs);
  await Promise.all(all.map(({ ended }) => ended));
  cancel();
}
