/**
 * Enforces the limits of SERVICE.md S8 for each token and endpoint (method and path template), with all windows of the
 * category at once. A rejected request does not count.
 */
import type { LimitCategory, LimitWindow } from '../core/limits/limits.ts';
import type { Clock } from '../core/ports.ts';
import type { LimitSettings } from './limit-settings.ts';
import { createCounter, type Instant, type WindowCounter } from './window-counters.ts';

interface LimitDecision {
  isAllowed: boolean;
  /** Value of X-RateLimit-Limit. */
  limit: string;
  /** Requests left in the tightest window, after this one. */
  remaining: number;
  /** Unix seconds at which the tightest window resets. */
  resetUnixS: number;
  /** Whole seconds to wait; null if the request is allowed. */
  retryAfterS: number | null;
}

const UNITS: readonly [number, string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** A limit as text, e.g. `30 per 1 second, 1000 per 1 minute`. */
export function describeWindows(windows: readonly LimitWindow[]): string {
  return windows
    .map(({ count, lengthMs }) => {
      const unit = UNITS.find(([ms]) => lengthMs % ms === 0) ?? [1, 'millisecond'];
      const amount = lengthMs / unit[0];
      return `${count} per ${amount} ${unit[1]}${amount === 1 ? '' : 's'}`;
    })
    .join(', ');
}

export class RateLimiter {
  readonly #settings: LimitSettings;
  readonly #clock: Clock;
  readonly #counters = new Map<string, WindowCounter[]>();

  constructor(settings: LimitSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Counts a request. Null if the endpoint has no limit. */
  take(token: string, endpointKey: string, category: LimitCategory): LimitDecision | null {
    const windows = this.#settings.categories[category];
    if (windows.length === 0) return null;
    const now: Instant = { wallMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
    const counters = this.#countersOf(`${token}\n${endpointKey}`, windows);
    const waitMs = Math.max(...counters.map((counter) => counter.waitMs(now)));
    const isAllowed = waitMs === 0;
    if (isAllowed) for (const counter of counters) counter.take(now);
    const tightest = counters
      .map((counter) => ({ room: counter.room(now), resetInMs: counter.resetInMs(now) }))
      .reduce((a, b) => (b.room < a.room || (b.room === a.room && b.resetInMs > a.resetInMs) ? b : a));
    return {
      isAllowed,
      limit: describeWindows(windows),
      remaining: Math.max(0, tightest.room),
      resetUnixS: Math.ceil((now.wallMs + tightest.resetInMs) / 1_000),
      retryAfterS: isAllowed ? null : Math.max(1, Math.ceil(waitMs / 1_000)),
    };
  }

  #countersOf(key: string, windows: readonly LimitWindow[]): WindowCounter[] {
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const created = windows.map((window) => createCounter(this.#settings.policy, window));
    this.#counters.set(key, created);
    return created;
  }
}

/** Headers for an endpoint with a limit; Retry-After only if the request was rejected. */
export function limitHeaders(decision: LimitDecision): Record<string, string> {
  return {
    'X-RateLimit-Limit': decision.limit,
    'X-RateLimit-Remaining': String(decision.remaining),
    'X-RateLimit-Reset': String(decision.resetUnixS),
    ...(decision.retryAfterS === null ? {} : { 'Retry-After': String(decision.retryAfterS) }),
  };
}
