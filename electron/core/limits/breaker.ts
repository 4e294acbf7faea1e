/** Circuit breaker: stops sending to an origin that is down. One probe at a time tests whether it is back. Pure. */
import type { AppError } from '../../shared/errors.ts';

const FAILURES_TO_OPEN = 5;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

type BreakerDecision = { kind: 'closed' } | { kind: 'probe' } | { kind: 'wait'; untilMs: number };

const CLOSED: BreakerDecision = { kind: 'closed' };

export class Breaker {
  #failures = 0;
  #openings = 0;
  #openUntilMs: number | null = null;
  #isProbeOut = false;
  #lastError: AppError | null = null;

  get isOpen(): boolean {
    return this.#openUntilMs !== null;
  }

  /** The error that opened the breaker. */
  get lastError(): AppError | null {
    return this.#lastError;
  }

  /** While a probe is in flight, the decision is to wait until Infinity. */
  decide(nowMs: number): BreakerDecision {
    if (this.#openUntilMs === null) return CLOSED;
    if (this.#isProbeOut) return { kind: 'wait', untilMs: Number.POSITIVE_INFINITY };
    return nowMs < this.#openUntilMs ? { kind: 'wait', untilMs: this.#openUntilMs } : { kind: 'probe' };
  }

  /** Call when a request is sent on `probe`. */
  startProbe(): void {
    this.#isProbeOut = true;
  }

  /** Call on any answer that does not mean "service down". Returns true if this closed the breaker. */
  succeed(): boolean {
    const wasOpen = this.isOpen;
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntilMs = null;
    this.#isProbeOut = false;
    this.#lastError = null;
    return wasOpen;
  }

  /**
   * Call on a failure. Returns true if this opened the breaker. `random` in [0, 1) spreads the probes of many clients.
   */
  fail(nowMs: number, random: number, error: AppError | null, isProbe: boolean): boolean {
    this.#failures++;
    this.#lastError = error ?? this.#lastError;
    if (isProbe) this.#isProbeOut = false;
    else if (this.isOpen || this.#failures < FAILURES_TO_OPEN) return false;
    const wasOpen = this.isOpen;
    const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, this.#openings));
    this.#openUntilMs = nowMs + waitMs * (0.5 + random / 2);
    this.#openings++;
    return !wasOpen;
  }

  /** Call if a probe was cancelled, which proves nothing. */
  abandonProbe(): void {
    this.#isProbeOut = false;
  }
}
