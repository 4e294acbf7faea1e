/** Requests in flight, and the word to other processes that those that last are still there. */
import type { BudgetLedger } from '../core/budget-ledger.ts';
import type { Job } from './job.ts';

export class Flights {
  readonly #budget: BudgetLedger;
  readonly #boundMs: number;
  /** What ends when the attempt of a request has ended. */
  readonly #landings = new Map<Job, Promise<void>>();
  /** Ledger time at which one of them should say that it is still there. */
  extendAtMs = Number.POSITIVE_INFINITY;

  /** Other processes take a permit for one of a dead process when nothing was heard for `boundMs`. */
  constructor(budget: BudgetLedger, boundMs: number) {
    this.#budget = budget;
    this.#boundMs = boundMs;
  }

  add(job: Job, landing: Promise<void>, sentAtMs: number): void {
    this.#landings.set(job, landing);
    this.extendAtMs = Math.min(this.extendAtMs, sentAtMs + this.#boundMs / 3);
  }

  remove(job: Job): void {
    this.#landings.delete(job);
    if (this.#landings.size === 0) this.extendAtMs = Number.POSITIVE_INFINITY;
  }

  jobs(): Job[] {
    return [...this.#landings.keys()];
  }

  /** Resolves when every attempt that is under way now has ended. */
  async allLanded(): Promise<void> {
    await Promise.all(this.#landings.values());
  }

  /** Returns whether something is to be written at once. */
  extend(nowMs: number): boolean {
    if (nowMs < this.extendAtMs) return false;
    let isExtended = false;
    for (const job of this.#landings.keys()) {
      if (job.openUntilMs - nowMs > (this.#boundMs * 2) / 3) continue;
      job.openUntilMs = nowMs + this.#boundMs;
      this.#budget.extend(job.permitId, job.openUntilMs);
      isExtended = true;
    }
    this.extendAtMs = this.#landings.size === 0 ? Number.POSITIVE_INFINITY : nowMs + this.#boundMs / 3;
    return isExtended;
  }
}
