/** Repeats requests that failed because of the token, when a token is accepted. */
import { tick } from 'svelte';
import type { ErrorCode } from '../../electron/shared/errors.ts';

const REFUSED: readonly ErrorCode[] = ['UNAUTHORIZED', 'NO_TOKEN'];
/** Minimum time between retries. An operation can be rejected permanently while others are not. */
const MIN_BETWEEN_MS = 30_000;

interface Failed {
  retry: () => unknown;
  /** Whether it is a part of a view that is recreated together with its list or record. */
  isPart: boolean;
}

export class Refused {
  readonly #failed = new Map<object, Failed>();
  readonly #triedAt = new WeakMap<object, number>();

  /** Records whether the last request of `owner` failed because of the token. `code`: null if it did not fail. */
  note(owner: object, code: ErrorCode | null, retry: () => unknown, isPart = false): void {
    if (code !== null && REFUSED.includes(code)) this.#failed.set(owner, { retry, isPart });
    else this.#failed.delete(owner);
  }

  /** To be called when `owner` is no longer shown. */
  drop(owner: object): void {
    this.#failed.delete(owner);
  }

  /**
   * Retries after a token was accepted. `isNew`: the user entered another token. Lists and records come first, as parts
   * of their views are recreated with them.
   */
  async retry(nowMs: number, isNew: boolean): Promise<void> {
    this.#begin(false, nowMs, isNew);
    await tick();
    this.#begin(true, nowMs, isNew);
  }

  #begin(isPart: boolean, nowMs: number, isNew: boolean): void {
    for (const [owner, failed] of [...this.#failed]) {
      const tried = this.#triedAt.get(owner);
      const isSoon = !isNew && tried !== undefined && nowMs - tried < MIN_BETWEEN_MS;
      if (failed.isPart !== isPart || isSoon) continue;
      this.#triedAt.set(owner, nowMs);
      this.#failed.delete(owner);
      // No error is handled here: the owner shows the result.
      void Promise.resolve(failed.retry()).catch(() => undefined);
    }
  }
}

export const refused = new Refused();
