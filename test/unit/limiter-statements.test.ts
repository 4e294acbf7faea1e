/** Learning from unusual headers of the service: resets without a clock, and numbers without a time. */
import { describe, expect, test } from 'vitest';
import { readRateHeaders } from '../../electron/core/limits/rate-headers.ts';
import { learn } from '../../electron/core/limits/rate-learning.ts';
import { RateLimiter } from '../../electron/core/limits/rate-limiter.ts';
import { ServiceClock } from '../../electron/core/limits/service-clock.ts';
import { LimiterRig, SERVICE_MS, WHOLE } from '../helpers/limiter-rig.ts';
import { httpDate } from '../helpers/service-model.ts';

const NOTHING = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };

/** Learns from an answer without a `Date` header, so the clock of the service remains unknown. */
function answerWithoutDate(headers: Partial<Record<keyof typeof NOTHING, string>>) {
  const limiter = new RateLimiter('metadata-read', null, 0);
  const clock = new ServiceClock(null);
  limiter.start(1, 0);
  limiter.finish(1, 10);
  const facts = { status: 200, sentAtMs: 0, receivedAtMs: 10, random: 0.5 };
  learn(limiter, readRateHeaders({ ...NOTHING, ...headers }, 0), facts, clock);
  return { limiter, clock };
}

describe('a reset at a time of the service, whose clock is unknown', () => {
  const reset = '1762160460';

  test('gives no bound for an unknown window', () => {
    const { limiter, clock } = answerWithoutDate({ remaining: '5000', reset });
    expect(limiter.state.cap).toBeNull();
    expect(clock.offset()).toBeNull();
    expect(limiter.decide(10)).toEqual({ kind: 'grant' });
  });

  test('keeps the use of a stated window by others for the length of the window', () => {
    const { limiter } = answerWithoutDate({ limit: '30 per 1 second', remaining: '0', reset });
    const decision = limiter.decide(20);
    expect(decision).toMatchObject({ kind: 'wait' });
    const untilMs = decision.kind === 'wait' ? decision.untilMs : 0;
    expect(untilMs).toBeGreaterThan(1_000);
    expect(untilMs).toBeLessThan(2_100);
  });
});

describe('a rejection that use by others explains does not lower our share', () => {
  const fill = (bench: LimiterRig) => {
    for (let sent = 1; sent <= 28; sent++) bench.request(200, {}, 1);
  };

  test('known by an earlier answer about one window', () => {
    const bench = new LimiterRig();
    bench.request(200, { limit: WHOLE, remaining: 400, resetIn: 30_000 }, 1);
    expect(bench.limiter.state.cap).toBeNull();
    fill(bench);
    bench.request(429, { retryAfter: '1' }, 1);
    expect(bench.limiter.state.factor).toBe(1);
  });

  test('known by a bound for an unknown window', () => {
    const bench = new LimiterRig();
    bench.request(200, { remaining: 40, resetIn: 900_000 }, 1);
    expect(bench.limiter.state.cap).toMatchObject({ left: 40 });
    fill(bench);
    bench.request(429, { retryAfter: '1' }, 1);
    expect(bench.limiter.state.factor).toBe(1);
  });

  test('a rejection without an explanation lowers our share', () => {
    const bench = new LimiterRig();
    fill(bench);
    bench.request(429, { retryAfter: '1' }, 1);
    expect(bench.limiter.state.factor).toBeLessThan(1);
  });
});

describe('an unlimited lane', () => {
  test('stated twice is reported once, and a limit said later applies at once', () => {
    const bench = new LimiterRig();
    bench.request(200, { limit: 'unlimited' });
    const { changedAtMs } = bench.limiter.state;
    bench.request(200, { limit: 'unlimited' });
    expect(bench.limiter.state.changedAtMs).toBe(changedAtMs);
    bench.request(200, { remaining: 10, resetIn: 500 });
    expect(bench.limiter.state.source).toBe('published');
    expect(bench.counts()).toEqual(['30/1000', '1000/60000']);
  });

  test('is over with the first rejection', () => {
    const bench = new LimiterRig();
    bench.request(200, { limit: 'unlimited' });
    bench.request(429, { retryAfter: '1' });
    expect(bench.limiter.state).toMatchObject({ source: 'published', inFlightLimit: null, factor: 1 });
    expect(bench.counts()).toEqual(['30/1000', '1000/60000']);
  });

  test('found by silence keeps the known windows for the time after it', () => {
    const bench = new LimiterRig();
    bench.request(200, { limit: '20 per 1 second', remaining: 19, resetIn: 900 });
    for (let index = 0; index < 120; index++) bench.request(200, {}, 100);
    expect(bench.limiter.state.source).toBe('off');
    bench.request(200, { remaining: 10, resetIn: 500 });
    expect(bench.limiter.state.source).toBe('published');
    expect(bench.counts()).toEqual(['20/1000', '1000/60000']);
  });
});

describe('a limit learned by trial', () => {
  test('is forgotten once it no longer limits anything', () => {
    const bench = new LimiterRig('unlisted');
    for (let sent = 0; sent < 40; sent++) bench.request(200, {}, 1);
    bench.request(429, {}, 1);
    expect(bench.counts()).toEqual([expect.stringMatching(/^\d+\/1000$/)]);
    for (let round = 0; round < 60 && bench.counts().length > 0; round++) {
      bench.nowMs += 20_000;
      const { count } = bench.limiter.state.windows[0] ?? { count: 0 };
      for (let sent = 0; sent < count; sent++) bench.request(200, {}, 1);
    }
    expect(bench.counts()).toEqual([]);
    expect(bench.decision).toEqual({ kind: 'grant' });
  });
});

describe('a number without a time', () => {
  const answers = (
    bench: LimiterRig,
    limit: string,
    resetIn: (index: number) => number | null,
    stepMs: number,
  ) => {
    for (let index = 0; index < 80; index++) {
      const reset = resetIn(index);
      bench.request(200, { limit, ...(reset === null ? {} : { resetIn: reset }) });
      bench.nowMs += stepMs;
    }
  };

  test('and without a reset is not used', () => {
    const bench = new LimiterRig();
    answers(bench, '77', () => null, 1_000);
    expect(bench.counts()).toEqual(['30/1000', '1000/60000']);
  });

  test('is not used if its resets fit no known window', () => {
    const bench = new LimiterRig();
    answers(bench, '77', (index) => 200_000 + index * 1_000, 1_000);
    expect(bench.counts()).toEqual(['30/1000', '1000/60000']);
  });

  test('of a lane without a published limit has a usual length, after an hour', () => {
    const bench = new LimiterRig('unlisted');
    answers(bench, '50', (index) => 1_000 + ((index * 737) % 58_000), 60_000);
    expect(bench.counts()).toEqual(['50/60000']);
  });
});

describe('answers in another order than their requests', () => {
  test('an older answer does not widen the bound of a newer one', () => {
    const limiter = new RateLimiter('metadata-read', null, 0);
    const clock = new ServiceClock(null);
    for (const id of [1, 2]) limiter.start(id, id * 100);
    const answer = (id: number, receivedAtMs: number, remaining: string) => {
      limiter.finish(id, receivedAtMs);
      const reading = readRateHeaders({ ...NOTHING, remaining, reset: '3600' }, 0);
      learn(limiter, reading, { status: 200, sentAtMs: id * 100, receivedAtMs, random: 0.5 }, clock);
    };
    answer(2, 300, '2000');
    const newer = limiter.state.cap;
    answer(1, 400, '2001');
    expect(limiter.state.cap).toEqual(newer);
    expect(newer).toMatchObject({ afterMs: 200 });
  });
});

const HOUR_MS = 3_600_000;

describe('the announced reset of a day', () => {
  const day = ({ limiter }: LimiterRig) => {
    const [window] = limiter.state.windows;
    if (window === undefined) throw new Error('There is no window.');
    return window;
  };

  test('in the past frees nothing', () => {
    const bench = new LimiterRig('event-deletion');
    bench.request(200, { remaining: 5, resetIn: -5_000 });
    expect(day(bench).resetAtMs).toBeNull();
  });

  test('is not tried again for an hour after a rejected try', () => {
    const bench = new LimiterRig('event-deletion');
    for (let remaining = 29; remaining >= 0; remaining -= 1)
      bench.request(200, { remaining, resetIn: 2 * HOUR_MS });
    expect(bench.decision).toMatchObject({ kind: 'wait' });
    bench.nowMs = 2 * HOUR_MS + 5_000;
    expect(bench.decision).toEqual({ kind: 'grant' });
    bench.request(429, { remaining: 0, resetIn: 60_000, retryAfter: '1' });
    bench.nowMs += 5 * 60_000;
    expect(bench.decision).toMatchObject({ kind: 'wait' });
    expect(day(bench).resetAtMs).toBeGreaterThan(3 * HOUR_MS);
  });

  test.each([
    ['frees two of three requests that the service no longer counts', 1, 2],
    ['frees none of them if they were answered at once, and cannot be told apart', 0, 4],
  ])('%s', (_title, latencyMs, left) => {
    const bench = new LimiterRig('event-deletion');
    for (const remaining of [29, 28, 27]) bench.request(200, { remaining, resetIn: 2 * HOUR_MS }, latencyMs);
    bench.nowMs = 2 * HOUR_MS + 5_000;
    bench.request(200, { remaining: 28, resetIn: 2 * HOUR_MS });
    expect(bench.limiter.ownUse(day(bench), bench.nowMs)).toBe(left);
  });
});

test('a reset is measured by its own answer if the service answers with the clocks of several machines', () => {
  const limiter = new RateLimiter('metadata-read', null, 0);
  const clock = new ServiceClock(null);
  const aheadMs = SERVICE_MS + 300_000;
  clock.note({ origin: 'http://127.0.0.1', sentAtMs: 0, receivedAtMs: 10, dateMs: aheadMs, wallMs: null });
  limiter.start(1, 20);
  limiter.finish(1, 30);
  const reset = String(SERVICE_MS / 1_000 + 600);
  const date = httpDate(SERVICE_MS, 'imf');
  const reading = readRateHeaders({ ...NOTHING, limit: '600', remaining: '2', reset, date }, 0);
  learn(limiter, reading, { status: 200, sentAtMs: 20, receivedAtMs: 30, random: 0.5 }, clock);
  expect(limiter.state.cap?.untilMs).toBeGreaterThan(600_000);
});

describe('permits', () => {
  test('of our own are not counted twice, and one given back by another process is free', () => {
    const limiter = new RateLimiter('metadata-write', null, 0);
    limiter.start(1, 0);
    limiter.apply({ id: 1, laneId: 1, openUntilMs: 5_000, doneAtMs: null, isReleased: false });
    expect(limiter.inFlight).toBe(1);
    limiter.apply({ id: 2, laneId: 1, openUntilMs: 5_000, doneAtMs: null, isReleased: false });
    expect(limiter.inFlight).toBe(2);
    limiter.apply({ id: 2, laneId: 1, openUntilMs: 5_000, doneAtMs: null, isReleased: true });
    expect(limiter.inFlight).toBe(1);
    limiter.release(3);
    expect(limiter.inFlight).toBe(1);
  });
});

describe('forms of a reset', () => {
  test.each([
    ['of several, the latest counts', '60, 30', 60_000],
    ['in any order', '30, 60', 60_000],
    ['longer than a month is in another unit', '99999999', null],
  ])('%s', (_title, reset, expected) => {
    expect(readRateHeaders({ ...NOTHING, reset }, 0).resetInMs).toBe(expected);
  });
});
