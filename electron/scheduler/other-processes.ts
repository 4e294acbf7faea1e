/** Decides how often the changes of other processes are read, and tells whether there were any. */
import { LOOK_ALONE_MS } from '../core/limits/budget-ledger.ts';
import { toAppError } from '../shared/errors.ts';
import type { Lanes } from './lanes.ts';
import type { SchedulerDeps } from './types.ts';

/** Maximum age of the last check if there are other processes. A process that is alone checks less often. */
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
   * Reads the changes of others if the last check is too old for sending. Returns whether there were any. Throws like
   * `BudgetLedger.refresh`.
   */
  look(nowMs: number): boolean {
    const age = this.#deps.budget.isShared ? LOOK_SHARED_MS : LOOK_ALONE_MS;
    return nowMs - this.#lookedAtMs >= age && this.#take(nowMs);
  }

  /**
   * Like `look`, but does not throw. Used before an answer is compared with the known requests of others. Always reads
   * if there are other processes, or if a person requested it (`isAsked`).
   */
  hasNews(nowMs: number, isAsked = false): boolean {
    const { budget, logger } = this.#deps;
    try {
      return isAsked || budget.isShared ? this.#take(nowMs) : this.look(nowMs);
    } catch (thrown) {
      // The result of the last check stays valid. The next send shows whether the file can be read.
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
