/** Requests in flight, and the word to other processes that those that last are still there. */
import type { BudgetLedger } from '../core/budget-ledger.ts';
import type { Job } from './job.ts';

export class Flights {
  readonly #budget: BudgetLedger;
  readonly #boundMs: number;
  /** Few at a time: as many as there are sockets. */
  readonly #jobs: Job[] = [];
  #waiters: (() => void)[] = [];
  /** Ledger time at which one of them should say that it is still there. */
  extendAtMs = Number.POSITIVE_INFINITY;

  /** Other processes take a permit for one of a dead process when nothing was heard for `boundMs`. */
  constructor(budget: BudgetLedger, boundMs: number) {
    this.#budget = budget;
    this.#boundMs = boundMs;
  }

  add(job: Job, sentAtMs: number): void {
    this.#jobs.push(job);
    this.extendAtMs = Math.min(this.extendAtMs, sentAtMs + this.#boundMs / 3);
  }

  /** Its attempt has ended, and what follows from that is done. */
  remove(job: Job): void {
    const index = this.#jobs.indexOf(job);
    if (index === -1) return;
    const last = this.#jobs.pop();
    if (last !== undefined && last !== job) this.#jobs[index] = last;
    if (this.#jobs.length > 0) return;
    this.extendAtMs = Number.POSITIVE_INFINITY;
    for (const landed of this.#waiters.splice(0)) landed();
  }

  jobs(): Job[] {
    return [...this.#jobs];
  }

  /** Resolves when no attempt is under way any more. */
  allLanded(): Promise<void> {
    if (this.#jobs.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Returns whether something is to be written at once. */
  extend(nowMs: number): boolean {
    if (nowMs < this.extendAtMs) return false;
    let isExtended = false;
    for (const { trip } of this.#jobs) {
      if (trip.openUntilMs - nowMs > (this.#boundMs * 2) / 3) continue;
      trip.openUntilMs = nowMs + this.#boundMs;
      this.#budget.extend(trip.permitId, trip.openUntilMs);
      isExtended = true;
    }
    this.extendAtMs = this.#jobs.length === 0 ? Number.POSITIVE_INFINITY : nowMs + this.#boundMs / 3;
    return isExtended;
  }
}
