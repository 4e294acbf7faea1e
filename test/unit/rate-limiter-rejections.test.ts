/** The limiter of one lane: rejections, unknown limits, daily limits, and stored state. */
import { describe, expect, test } from 'vitest';
import { initialState, parseLearned } from '../../electron/core/limits/learned-state.ts';
import { RateLimiter } from '../../electron/core/limits/rate-limiter.ts';
import { LimiterRig } from '../helpers/limiter-rig.ts';

describe('rejections by the rate limit', () => {
  test('Retry-After is a minimum, jitter is added', () => {
    const bench = new LimiterRig();
    bench.request(429, { retryAfter: '20' });
    const untilMs = bench.decision.kind === 'wait' ? bench.decision.untilMs : 0;
    expect(untilMs).toBeGreaterThanOrEqual(20_010);
    expect(untilMs).toBeLessThan(20_600);
  });

  test('the jitter doubles with each consecutive rejection and is reset by a success', () => {
    const bench = new LimiterRig();
    const waits: number[] = [];
    for (let index = 0; index < 4; index++) {
      bench.request(429, { retryAfter: '1' });
      const until = bench.limiter.state.parkedUntilMs ?? 0;
      waits.push(Math.round((until - bench.nowMs - 1_001) / 250));
      bench.nowMs = until;
    }
    expect(waits).toEqual([1, 2, 4, 8]);
    bench.request(200);
    expect(bench.limiter.state).toMatchObject({ refusalStreak: 0, isProbing: false });
  });

  test('afterwards one probe request is sent until it succeeds', () => {
    const bench = new LimiterRig();
    bench.request(429, { retryAfter: '1' });
    bench.nowMs = 5_000;
    expect(bench.room()).toBe(1);
    bench.request(200);
    expect(bench.room()).toBe(29);
  });

  test('an unexplained one makes the lane more careful for a while', () => {
    const bench = new LimiterRig('metadata-write');
    for (let index = 0; index < 9; index++) bench.request(200, {}, 0);
    bench.request(429, { retryAfter: '1' });
    expect(bench.limiter.state.factor).toBeCloseTo(0.85);
    for (let minute = 0; minute < 5; minute++) {
      bench.nowMs += 61_000;
      bench.request(200);
    }
    expect(bench.limiter.state.factor).toBe(1);
  });
});

describe('a lane without a published limit', () => {
  test('starts slowly, grows while nothing is rejected, shrinks after a rejection', () => {
    const bench = new LimiterRig('unlisted');
    expect(bench.room()).toBe(2);
    for (let index = 0; index < 100; index++) bench.request(200);
    const grown = bench.limiter.state.inFlightLimit ?? 0;
    expect(grown).toBeGreaterThan(3);
    bench.request(429);
    bench.nowMs += 5_000;
    bench.request(200);
    expect(bench.limiter.state.inFlightLimit).toBe(Math.floor(grown / 2));
    expect(bench.limiter.state.windows).toMatchObject([{ isSoft: true }]);
  });

  test('finds its limit fast, and is careful after a rejection', () => {
    const bench = new LimiterRig('unlisted');
    const answersUntil = (atOnce: number): number => {
      for (let answers = 0; ; answers += 1) {
        if ((bench.limiter.state.inFlightLimit ?? 0) >= atOnce) return answers;
        bench.nowMs += 1_000;
        bench.request(200);
      }
    };
    expect(answersUntil(6)).toBe(2 * (2 + 3 + 4 + 5));
    bench.request(429);
    expect(bench.limiter.state.inFlightLimit).toBe(3);
    bench.nowMs += 120_000;
    expect(answersUntil(4)).toBe(8 * 3);
  });

  test('follows a stated policy', () => {
    const bench = new LimiterRig('unlisted');
    bench.request(200, { limit: '10 per 1 second' });
    expect(bench.counts()).toEqual(['10/1000']);
    expect(bench.room()).toBe(9);
  });
});

describe('daily limits', () => {
  test('the announced reset is tried once, then its count is trusted', () => {
    const bench = new LimiterRig('event-deletion');
    for (let index = 0; index < 30; index++) {
      bench.request(202, { limit: '30 per 1 day', remaining: 29 - index, resetIn: 3_600_000 });
    }
    expect(bench.room()).toBe(0);
    bench.nowMs += 3_590_000;
    expect(bench.room()).toBe(0);
    bench.nowMs += 20_000;
    expect(bench.decision).toEqual({ kind: 'grant' });
    bench.request(202, { limit: '30 per 1 day', remaining: 29, resetIn: 86_000_000 });
    expect(bench.room()).toBe(29);
  });

  test('without headers a day is 24 hours from each answer', () => {
    const bench = new LimiterRig('event-deletion');
    for (let index = 0; index < 30; index++) bench.request(202);
    bench.nowMs = 86_400_000;
    expect(bench.room()).toBe(0);
    bench.nowMs += 60_000;
    expect(bench.room()).toBe(30);
  });
});

describe('the stored state of a lane', () => {
  test('is read back', () => {
    const bench = new LimiterRig();
    bench.request(429, { limit: '5 per 1 second, 90 per 1 minute', retryAfter: '60' });
    const again = new RateLimiter('metadata-read', JSON.stringify(bench.limiter.state), bench.nowMs);
    expect(again.state).toEqual(bench.limiter.state);
    expect(again.decide(bench.nowMs)).toMatchObject({ kind: 'wait', reason: 'retry-after' });
  });

  test.each([null, '', '{', '[]', '{"version":2}', '"text"'])('%j starts from what is published', (text) => {
    expect(parseLearned(text)).toBeNull();
    expect(new RateLimiter('metadata-read', text, 0).state).toEqual(initialState('metadata-read', 0));
  });
});
