/** How often the changes of other processes are read, and whether there were any. */
import { LOOK_ALONE_MS } from '../core/limits/budget-ledger.ts';
import { toAppError } from '../shared/errors.ts';
import type { Lanes } from './lanes.ts';
import type { SchedulerDeps } from './types.ts';

/** Maximum age of the last check if other processes exist; it may be older for a lone process. */
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
   * Reads the changes of others if the last check is too old for sending. Returns whether there were any. Throws as
   * `BudgetLedger.refresh` does.
   */
  look(nowMs: number): boolean {
    const age = this.#deps.budget.isShared ? LOOK_SHARED_MS : LOOK_ALONE_MS;
    return nowMs - this.#lookedAtMs >= age && this.#take(nowMs);
  }

  /**
   * Like `look`, without throwing, for an answer that is compared with the known sends of others. Always reads if there
   * are others, or a person asks (`isAsked`).
   */
  hasNews(nowMs: number, isAsked = false): boolean {
    const { budget, logger } = this.#deps;
    try {
      return isAsked || budget.isShared ? this.#take(nowMs) : this.look(nowMs);
    } catch (thrown) {
      // The state of the last check remains; the next send reports whether the file is usable.
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
