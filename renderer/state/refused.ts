/** What failed because the token was not accepted is asked again by itself once one is. */
import { tick } from 'svelte';
import type { ErrorCode } from '../../electron/shared/errors.ts';

const REFUSED: readonly ErrorCode[] = ['UNAUTHORIZED', 'NO_TOKEN'];
/** An operation that is always refused, beside others that are not, is not asked for over and over. */
const MIN_BETWEEN_MS = 30_000;

interface Failed {
  retry: () => unknown;
  /** A part of a view, which goes with the failure of the list or record that it tells of. */
  isPart: boolean;
}

export class Refused {
  readonly #failed = new Map<object, Failed>();
  readonly #triedAt = new WeakMap<object, number>();

  /** The last that `owner` asked for failed so, or (null) did not. */
  note(owner: object, code: ErrorCode | null, retry: () => unknown, isPart = false): void {
    if (code !== null && REFUSED.includes(code)) this.#failed.set(owner, { retry, isPart });
    else this.#failed.delete(owner);
  }

  /** It is not shown any more. */
  drop(owner: object): void {
    this.#failed.delete(owner);
  }

  /** A token is accepted. `isNew`: a person gave another one. Lists and records first: their panels go with them. */
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
      // How it ends is shown where it is asked.
      void Promise.resolve(failed.retry()).catch(() => undefined);
    }
  }
}

export const refused = new Refused();
