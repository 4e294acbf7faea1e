/**
 * Numbers everything sent to the window in the order in which it was read: one counter for the process. If the window
 * has two values about the same thing, it keeps the one with the higher number. Pure.
 */
import type { EventMessage } from './contract.ts';

/** Declares that the answer is read from this moment on. */
export type ReadsNow = () => void;

export class EventSequence {
  #last = 0;

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /**
   * Returns the payload with its number. Call it in the place where the payload was created, without an `await` in
   * between.
   */
  event(payload: unknown): EventMessage {
    return { seq: this.next(), payload };
  }

  /**
   * The answer of a handler, with a number for the moment at which it was read. A handler may read at any moment before
   * it answers, so the number is taken before the handler begins: an answer may count as older than it is, but never as
   * newer. Nothing is lost by that if every later change is an event. A handler that changes something before it reads
   * its answer calls `readsNow` right before the first read, and the number is then taken at that moment.
   *
   *     'jobs:control': async ({ jobId, action }, readsNow) => {
   *       await jobs.control(jobId, action);
   *       readsNow();
   *       return jobs.get(jobId);
   *     },
   *
   * An answer made of several reads has the number of the first read. A handler that removes something calls `readsNow`
   * afterwards, because lists with a lower number may still contain it.
   */
  async answer<T>(handler: (readsNow: ReadsNow) => T | Promise<T>): Promise<{ value: T; seq: number }> {
    let seq = this.next();
    const value = await handler(() => {
      seq = this.next();
    });
    return { value, seq };
  }
}
