/** The counters of the sample service agree with the meaning of their policies, for arbitrary arrival times. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitWindow } from '../../electron/core/limits/limits.ts';
import { limitSettings } from '../../electron/sample-service/limit-settings.ts';
import { RateLimiter } from '../../electron/sample-service/rate-limits.ts';
import type { LimitPolicy } from '../../electron/sample-service/window-counters.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const windows = fc.array(
  fc.record({
    count: fc.integer({ min: 1, max: 6 }),
    lengthMs: fc.integer({ min: 1, max: 40 }).map((n) => n * 100),
  }),
  { minLength: 1, maxLength: 3 },
);
const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 })), {
  minLength: 1,
  maxLength: 80,
});

/** Sends requests with these gaps, and returns the times of those that were allowed. */
function run(policy: LimitPolicy, limits: LimitWindow[], gapsMs: number[]) {
  const clock = new VirtualClock(0);
  const limiter = new RateLimiter(limitSettings({ policy, categories: { unlisted: limits } }), clock);
  const allowed: number[] = [];
  const refused: { timeMs: number; retryAfterS: number }[] = [];
  for (const gapMs of gapsMs) {
    clock.advance(gapMs);
    const decision = limiter.take('t', 'GET /x', 'unlisted');
    if (decision === null) throw new Error('The endpoint has limits.');
    expect(decision.isAllowed).toBe(decision.retryAfterS === null);
    expect(decision.remaining).toBeGreaterThanOrEqual(0);
    if (decision.isAllowed) allowed.push(clock.nowMs());
    else refused.push({ timeMs: clock.nowMs(), retryAfterS: decision.retryAfterS ?? 0 });
  }
  return { allowed, refused };
}

const inside = (times: number[], fromMs: number, untilMs: number): number =>
  times.filter((time) => time > fromMs && time <= untilMs).length;

describe('rolling windows', () => {
  it('never allow more than the count in any interval, and reject only if one more would exceed it', () => {
    fc.assert(
      fc.property(windows, gaps, (limits, gapsMs) => {
        const { allowed, refused } = run('rolling', limits, gapsMs);
        for (const { count, lengthMs } of limits) {
          for (const time of allowed)
            expect(inside(allowed, time - lengthMs, time)).toBeLessThanOrEqual(count);
        }
        for (const { timeMs } of refused) {
          expect(
            limits.some(({ count, lengthMs }) => inside(allowed, timeMs - lengthMs, timeMs) >= count),
          ).toBe(true);
        }
      }),
    );
  });

  it('do not move when the wall clock is corrected', () => {
    fc.assert(
      fc.property(
        windows,
        gaps,
        fc.array(fc.integer({ min: -100_000, max: 100_000 })),
        (limits, gapsMs, jumps) => {
          let elapsed = 0;
          const steady = run('rolling', limits, gapsMs).allowed;
          const clock = new VirtualClock(0);
          const limiter = new RateLimiter(limitSettings({ categories: { unlisted: limits } }), clock);
          const jumping = gapsMs.flatMap((gapMs, index) => {
            elapsed += gapMs;
            clock.advance(gapMs);
            clock.jumpWall(jumps[index] ?? 0);
            return limiter.take('t', 'GET /x', 'unlisted')?.isAllowed === true ? [elapsed] : [];
          });
          expect(jumping).toEqual(steady);
        },
      ),
    );
  });
});

describe('fixed windows', () => {
  it('allow at most the count between two multiples of the length', () => {
    fc.assert(
      fc.property(windows, gaps, (limits, gapsMs) => {
        const { allowed } = run('fixed', limits, gapsMs);
        for (const { count, lengthMs } of limits) {
          const perWindow = Map.groupBy(allowed, (time) => Math.floor(time / lengthMs));
          for (const times of perWindow.values()) expect(times.length).toBeLessThanOrEqual(count);
        }
      }),
    );
  });
});

describe('token buckets', () => {
  it('allow at most the count and the refilled amount', () => {
    fc.assert(
      fc.property(windows, gaps, (limits, gapsMs) => {
        const { allowed } = run('bucket', limits, gapsMs);
        for (const { count, lengthMs } of limits) {
          for (const [from, fromMs] of allowed.entries()) {
            for (const [to, toMs] of allowed.entries()) {
              if (to < from) continue;
              const refilled = ((toMs - fromMs) * count) / lengthMs;
              expect(to - from + 1).toBeLessThanOrEqual(count + refilled + 1e-6);
            }
          }
        }
      }),
    );
  });
});

describe('Retry-After', () => {
  it.each(['rolling', 'fixed', 'bucket'] as const)(
    'of %s is enough: one more request passes after it',
    (policy) => {
      fc.assert(
        fc.property(windows, gaps, (limits, gapsMs) => {
          const clock = new VirtualClock(0);
          const limiter = new RateLimiter(limitSettings({ policy, categories: { unlisted: limits } }), clock);
          for (const gapMs of gapsMs) {
            clock.advance(gapMs);
            const decision = limiter.take('t', 'GET /x', 'unlisted');
            if (decision === null || decision.retryAfterS === null) continue;
            expect(decision.retryAfterS).toBeGreaterThanOrEqual(1);
            clock.advance(decision.retryAfterS * 1_000);
            expect(limiter.take('t', 'GET /x', 'unlisted')?.isAllowed).toBe(true);
          }
        }),
      );
    },
  );
});
