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
   * The answer of a handler and the number of its read. A handler may read at any moment before it answers, so the number is taken before
   * it begins: an answer may count as older than it is, never as newer. That loses nothing if each later change is an event. A handler that
   * first does something and reads its answer after that calls `readsNow` right before its first read; the number is then of that moment.
   *
   *     'jobs:control': async ({ jobId, action }, readsNow) => {
   *       await jobs.control(jobId, action);
   *       readsNow();
   *       return jobs.get(jobId);
   *     },
   *
   * An answer made of several reads has the number of the first. A handler that removes something calls `readsNow` after that: lists with a
   * lower number may still contain it.
   */
  async answer<T>(handler: (readsNow: ReadsNow) => T | Promise<T>): Promise<{ value: T; seq: number }> {
    let seq = this.next();
    const value = await handler(() => {
      seq = this.next();
    });
    return { value, seq };
  }
}
