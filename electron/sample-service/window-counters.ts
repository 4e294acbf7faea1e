/**
 * Three ways to count requests in a window. Each knows how many requests are possible, when it resets, and how long to
 * wait for the next one.
 */
import type { LimitWindow } from '../core/limits/limits.ts';

export const LIMIT_POLICIES = ['rolling', 'fixed', 'bucket'] as const;
export type LimitPolicy = (typeof LIMIT_POLICIES)[number];

/**
 * A moment as wall time and as monotonic time, because rolling windows and buckets must not jump with the wall clock.
 */
export interface Instant {
  wallMs: number;
  monotonicMs: number;
}

export interface WindowCounter {
  /** Number of further requests that are allowed now. */
  room(now: Instant): number;
  take(now: Instant): void;
  /**
   * Milliseconds until the window resets: a fixed window ends, the oldest request leaves a rolling one, or the bucket
   * is full.
   */
  resetInMs(now: Instant): number;
  /** Milliseconds until one more request is allowed; 0 if it is allowed now. */
  waitMs(now: Instant): number;
}

export function createCounter(policy: LimitPolicy, window: LimitWindow): WindowCounter {
  switch (policy) {
    case 'rolling':
      return rollingCounter(window);
    case 'fixed':
      return fixedCounter(window);
    case 'bucket':
      return bucketCounter(window);
  }
}

/** Allows at most `count` requests in any interval (now - length, now]. */
function rollingCounter({ count, lengthMs }: LimitWindow): WindowCounter {
  let times: number[] = [];
  const prune = (now: Instant): number[] => {
    const firstInside = times.findIndex((time) => time > now.monotonicMs - lengthMs);
    if (firstInside === -1) times = [];
    else if (firstInside > 0) times = times.slice(firstInside);
    return times;
  };
  const untilOldestLeaves = (now: Instant): number => {
    const oldest = prune(now)[0];
    return oldest === undefined ? 0 : oldest + lengthMs - now.monotonicMs;
  };
  return {
    room: (now) => count - prune(now).length,
    take: (now) => {
      times.push(now.monotonicMs);
    },
    resetInMs: untilOldestLeaves,
    waitMs: (now) => (prune(now).length < count ? 0 : untilOldestLeaves(now)),
  };
}

/** Allows at most `count` requests between two multiples of the length on the wall clock. */
function fixedCounter({ count, lengthMs }: LimitWindow): WindowCounter {
  let start = Number.NEGATIVE_INFINITY;
  let taken = 0;
  const enter = (now: Instant): void => {
    const current = Math.floor(now.wallMs / lengthMs) * lengthMs;
    if (current !== start) {
      start = current;
      taken = 0;
    }
  };
  const room = (now: Instant): number => {
    enter(now);
    return count - taken;
  };
  const untilEnd = (now: Instant): number => {
    enter(now);
    return start + lengthMs - now.wallMs;
  };
  return {
    room,
    take: (now) => {
      enter(now);
      taken += 1;
    },
    resetInMs: untilEnd,
    waitMs: (now) => (room(now) > 0 ? 0 : untilEnd(now)),
  };
}

/** Allows requests from a bucket with capacity `count` that refills evenly over the length. */
function bucketCounter({ count, lengthMs }: LimitWindow): WindowCounter {
  const perMs = count / lengthMs;
  /** Refilling adds fractions, so a value this close to an integer counts as the integer. */
  const tolerance = 1e-9;
  let level = count;
  let readMs: number | null = null;
  const refill = (now: Instant): void => {
    const elapsedMs = Math.max(0, now.monotonicMs - (readMs ?? now.monotonicMs));
    level = Math.min(count, level + elapsedMs * perMs);
    readMs = now.monotonicMs;
  };
  const room = (now: Instant): number => {
    refill(now);
    return Math.floor(level + tolerance);
  };
  return {
    room,
    take: (now) => {
      refill(now);
      level = Math.max(0, level - 1);
    },
    resetInMs: (now) => {
      refill(now);
      return (count - level) / perMs;
    },
    waitMs: (now) => (room(now) > 0 ? 0 : (1 - level) / perMs),
  };
}
