/** How often to look what other processes on the budget did, and whether there was anything. */
import { LOOK_ALONE_MS } from '../core/limits/budget-ledger.ts';
import { toAppError } from '../shared/errors.ts';
import type { Lanes } from './lanes.ts';
import type { SchedulerDeps } from './types.ts';

/** Where there are others. Alone, the last look may be older. */
const LOOK_SHARED_MS = 25;

export class OtherProcesses {
  readonly #deps: Pick<SchedulerDeps, 'budget' | 'logger'>;
  readonly #lanes: Lanes;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Pick<SchedulerDeps, 'budget' | 'logger'>, lanes: Lanes) {
    this.#deps = deps;
    this.#lanes = lanes;
  }

  /**
   * Takes what others did, where the last look is too old to send by it. Returns whether there was anything. Throws as
   * `BudgetLedger.refresh` does.
   */
  look(nowMs: number): boolean {
    const age = this.#deps.budget.isShared ? LOOK_SHARED_MS : LOOK_ALONE_MS;
    return nowMs - this.#lookedAtMs >= age && this.#take(nowMs);
  }

  /**
   * The same, without throwing, for an answer that is held against what others are known to have sent. Always looks
   * where there are others, and where a person asks (`isAsked`).
   */
  hasNews(nowMs: number, isAsked = false): boolean {
    const { budget, logger } = this.#deps;
    try {
      return isAsked || budget.isShared ? this.#take(nowMs) : this.look(nowMs);
    } catch (thrown) {
      // The picture is that of the last look; the next send says whether the file can be used.
      logger.warn('budget file not read', { code: toAppError(thrown).code });
      return false;
    }
  }

  #take(nowMs: number): boolean {
    const hasNews = this.#lanes.apply(this.#deps.budget.refresh());
    this.#lookedAtMs = nowMs;
    return hasNews;
  }
}
