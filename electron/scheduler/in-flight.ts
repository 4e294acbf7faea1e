/** Holds the requests in flight, and sends heartbeats about long ones to other processes. */
import type { BudgetLedger } from '../core/limits/budget-ledger.ts';
import type { QueuedRequest } from './queued-request.ts';

export class InFlight {
  readonly #budget: BudgetLedger;
  readonly #boundMs: number;
  /** A small array, because there are at most as many requests as sockets. */
  readonly #requests: QueuedRequest[] = [];
  #waiters: (() => void)[] = [];
  /** Ledger time of the next heartbeat. */
  extendAtMs = Number.POSITIVE_INFINITY;

  /** If a permit gets no heartbeat for `boundMs`, other processes treat it as one of a dead process. */
  constructor(budget: BudgetLedger, boundMs: number) {
    this.#budget = budget;
    this.#boundMs = boundMs;
  }

  add(request: QueuedRequest, sentAtMs: number): void {
    this.#requests.push(request);
    this.extendAtMs = Math.min(this.extendAtMs, sentAtMs + this.#boundMs / 3);
  }

  /** Must be called after the request's attempt has ended and was fully processed. */
  remove(request: QueuedRequest): void {
    const index = this.#requests.indexOf(request);
    if (index === -1) return;
    const last = this.#requests.pop();
    if (last !== undefined && last !== request) this.#requests[index] = last;
    if (this.#requests.length > 0) return;
    this.extendAtMs = Number.POSITIVE_INFINITY;
    for (const landed of this.#waiters.splice(0)) landed();
  }

  requests(): QueuedRequest[] {
    return [...this.#requests];
  }

  /** Resolves when no attempt is in flight. */
  allLanded(): Promise<void> {
    if (this.#requests.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Sends due heartbeats. Returns whether something must be written at once. */
  extend(nowMs: number): boolean {
    if (nowMs < this.extendAtMs) return false;
    let isExtended = false;
    for (const { trip } of this.#requests) {
      if (trip.openUntilMs - nowMs > (this.#boundMs * 2) / 3) continue;
      trip.openUntilMs = nowMs + this.#boundMs;
      this.#budget.extend(trip.permitId, trip.openUntilMs);
      isExtended = true;
    }
    this.extendAtMs = this.#requests.length === 0 ? Number.POSITIVE_INFINITY : nowMs + this.#boundMs / 3;
    return isExtended;
  }
}
