import type { Lane } from '../core/budget-ledger.ts';
import type { PauseReason } from './types.ts';

/** Who paused what; a lane runs when nobody did. */
export class Pauses {
  readonly #pauses = new Map<string, { reason: PauseReason; origin?: string; tokenId?: string }>();

  /** Returns false when it was paused already. */
  add(reason: PauseReason, origin?: string, tokenId?: string): boolean {
    const name = JSON.stringify([reason, origin, tokenId]);
    if (this.#pauses.has(name)) return false;
    this.#pauses.set(name, {
      reason,
      ...(origin === undefined ? {} : { origin }),
      ...(tokenId === undefined ? {} : { tokenId }),
    });
    return true;
  }

  /** Ends every pause for this reason that lies within the named scope. */
  remove(reason: PauseReason, origin?: string, tokenId?: string): void {
    for (const [name, pause] of this.#pauses) {
      if (pause.reason !== reason) continue;
      if (origin !== undefined && pause.origin !== origin) continue;
      if (tokenId !== undefined && pause.tokenId !== tokenId) continue;
      this.#pauses.delete(name);
    }
  }

  /** Why a lane is paused; a pause that ends waiting on screen comes before one that does not. */
  reason(lane: Lane): PauseReason | null {
    let found: PauseReason | null = null;
    for (const pause of this.#pauses.values()) {
      if (pause.origin !== undefined && pause.origin !== lane.origin) continue;
      if (pause.tokenId !== undefined && pause.tokenId !== lane.tokenId) continue;
      if (pause.reason !== 'user') return pause.reason;
      found = pause.reason;
    }
    return found;
  }
}
