import type { Lane } from '../core/limits/budget-ledger.ts';
import type { PauseReason } from './types.ts';

/** Causes of pauses other than a person. */
export type Cause = Exclude<PauseReason, 'user'>;

/** A person's pauses for one token: the rule for all lanes, and later exceptions for single lanes. */
interface ByHand {
  isAllPaused: boolean;
  byOperation: Map<string, boolean>;
}

/** All pauses with their causes. A lane sends only if it has none. */
export class Pauses {
  readonly #causes = new Map<string, { cause: Cause; origin?: string; tokenId?: string }>();
  readonly #byHand = new Map<string, ByHand>();

  /** Returns false if it was already paused for this cause. */
  add(cause: Cause, origin?: string, tokenId?: string): boolean {
    const name = JSON.stringify([cause, origin, tokenId]);
    if (this.#causes.has(name)) return false;
    this.#causes.set(name, {
      cause,
      ...(origin === undefined ? {} : { origin }),
      ...(tokenId === undefined ? {} : { tokenId }),
    });
    return true;
  }

  /** Removes every pause with this cause in the given scope. */
  remove(cause: Cause, origin?: string, tokenId?: string): void {
    for (const [name, pause] of this.#causes) {
      if (pause.cause !== cause) continue;
      if (origin !== undefined && pause.origin !== origin) continue;
      if (tokenId !== undefined && pause.tokenId !== tokenId) continue;
      this.#causes.delete(name);
    }
  }

  /** If `operation` is null, applies to every lane of the token and replaces earlier exceptions. */
  setByHand(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null, isPaused: boolean): void {
    const known = this.#byHand.get(nameOf(token));
    if (operation === null) {
      this.#byHand.set(nameOf(token), { isAllPaused: isPaused, byOperation: new Map() });
    } else if (known === undefined) {
      this.#byHand.set(nameOf(token), { isAllPaused: false, byOperation: new Map([[operation, isPaused]]) });
    } else {
      known.byOperation.set(operation, isPaused);
    }
  }

  /**
   * Applies a person's pauses for one token to another one as well. They replace those of that; if it `isShared`, a
   * lane stays paused if it was paused for either.
   */
  carry(
    from: Pick<Lane, 'origin' | 'tokenId'>,
    to: Pick<Lane, 'origin' | 'tokenId'>,
    isShared: boolean,
  ): void {
    const none = { isAllPaused: false, byOperation: new Map<string, boolean>() };
    const known = this.#byHand.get(nameOf(from)) ?? none;
    const others = (isShared ? this.#byHand.get(nameOf(to)) : undefined) ?? none;
    const operations = new Set([...known.byOperation.keys(), ...others.byOperation.keys()]);
    const isPaused = ({ isAllPaused, byOperation }: typeof none, operation: string) =>
      byOperation.get(operation) ?? isAllPaused;
    this.#byHand.set(nameOf(to), {
      isAllPaused: known.isAllPaused || others.isAllPaused,
      byOperation: new Map(
        [...operations].map((each) => [each, isPaused(known, each) || isPaused(others, each)]),
      ),
    });
  }

  areAllByHand(token: Pick<Lane, 'origin' | 'tokenId'>): boolean {
    return this.#byHand.get(nameOf(token))?.isAllPaused ?? false;
  }

  /** The cause of a lane's pause. A pause that rejects interactive requests takes precedence. */
  reason(lane: Lane): PauseReason | null {
    for (const pause of this.#causes.values()) {
      if (pause.origin !== undefined && pause.origin !== lane.origin) continue;
      if (pause.tokenId !== undefined && pause.tokenId !== lane.tokenId) continue;
      return pause.cause;
    }
    return this.isByHand(lane) ? 'user' : null;
  }

  /** Whether a person paused the lane, regardless of other causes. */
  isByHand(lane: Lane): boolean {
    if (this.#byHand.size === 0) return false;
    const byHand = this.#byHand.get(nameOf(lane));
    return byHand?.byOperation.get(lane.operation) ?? byHand?.isAllPaused ?? false;
  }
}

const nameOf = ({ origin, tokenId }: Pick<Lane, 'origin' | 'tokenId'>) => `${origin}\n${tokenId}`;
