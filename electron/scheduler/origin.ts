import type { Attempt } from '../core/limits/attempt.ts';
import { Breaker } from '../core/limits/breaker.ts';

import { isServiceDown, RetryQuota } from '../core/limits/retry-policy.ts';
import { ServiceClock, type ServiceTime } from '../core/limits/service-clock.ts';

/** State shared by all lanes of one service. */
export class OriginState {
  readonly origin: string;
  readonly breaker = new Breaker();
  readonly quota = new RetryQuota();
  readonly clock: ServiceClock;
  /** Number of requests of this process in flight. */
  inFlight = 0;
  /** Time when an unshared request last ended or was abandoned, because it may have changed data. */
  changedAtMs = Number.NEGATIVE_INFINITY;
  /** Time when the service's time was last written to the budget file. */
  timeSavedAtMs = Number.NEGATIVE_INFINITY;
  /** Time when the service's time was last requested. */
  timeAskedAtMs = Number.NEGATIVE_INFINITY;

  /** Smoothed time between send and answer over all lanes; null before the first answer. */
  networkMs: number | null = null;

  constructor(origin: string, lastTime: ServiceTime | null) {
    this.origin = origin;
    this.clock = new ServiceClock(lastTime);
  }

  noteNetwork(durationMs: number): void {
    this.networkMs =
      this.networkMs === null ? durationMs : this.networkMs + (durationMs - this.networkMs) / 10;
  }

  /** Updates the service's state from one attempt. `random`: in [0, 1). */
  judge(
    result: Attempt<unknown>,
    isProbe: boolean,
    nowMs: number,
    random: number,
  ): 'unchanged' | 'down' | 'probe-failed' | 'back' {
    const { breaker } = this;
    if (isServiceDown(result)) {
      const error = result.kind === 'failed' ? result.error : null;
      const isOpened = breaker.fail(nowMs, random, error, isProbe);
      if (isProbe) return 'probe-failed';
      return isOpened ? 'down' : 'unchanged';
    }
    if (result.kind === 'failed') {
      // The attempt was cancelled or rejected locally, and says nothing about the service.
      if (isProbe) breaker.abandonProbe();
      return 'unchanged';
    }
    if (result.status < 500) this.quota.succeed();
    return breaker.succeed() ? 'back' : 'unchanged';
  }
}
