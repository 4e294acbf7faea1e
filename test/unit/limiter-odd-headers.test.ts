/** Contradictory or meaningless rate headers: no limit is exceeded, and no lane is blocked forever. */
import { describe, expect, test } from 'vitest';
import type { RateHeaders } from '../../electron/core/limits/attempt.ts';
import { readRateHeaders } from '../../electron/core/limits/rate-headers.ts';
import { LimiterRig } from '../helpers/limiter-rig.ts';
import { answered, dateAt, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const WHOLE = '30 per 1 second, 1000 per 1 minute';
const NOTHING = { limit: null, remaining: null, reset: null, retryAfter: null };
const DATE = 'Mon, 03 Nov 2025 09:00:00 GMT';

/** Times of the requests within ten minutes at full load, if every answer has these headers. */
async function tenMinutes(headers: Partial<RateHeaders>): Promise<number[]> {
  const rig = schedulerRig(() => answered(200, { date: dateAt(rig.world), ...headers }));
  for (let index = 0; index < 12_000; index++)
    rig.submit(`${index}`, { priority: 'upload' }).catch(() => undefined);
  await rig.world.run(600_000);
  return rig.sent.map(({ atMs }) => atMs);
}

const most = (times: readonly number[], lengthMs: number) => {
  let start = 0;
  return times.reduce((highest, atMs, index) => {
    while ((times[start] ?? 0) <= atMs - lengthMs) start++;
    return Math.max(highest, index - start + 1);
  }, 0);
};

const YEARS = 365 * 86_400;

describe('headers that make no sense', () => {
  test.each([
    ['a reset in microseconds', { limit: WHOLE, remaining: '0', reset: `${START_MS}000` }],
    ['a reset in ten years', { limit: WHOLE, remaining: '0', reset: `${START_MS / 1_000 + 10 * YEARS}` }],
    ['a wait in milliseconds as reset', { limit: WHOLE, remaining: '0', reset: '45000' }],
    ['a reset that passed', { limit: WHOLE, remaining: '0', reset: '1000000000' }],
    ['nothing left and no reset', { limit: WHOLE, remaining: '0' }],
    ['more left than the limit', { limit: WHOLE, remaining: '99999', reset: '30' }],
    ['less than nothing left', { limit: WHOLE, remaining: '-3', reset: '30' }],
    ['words', { limit: 'see documentation', remaining: 'some', reset: 'soon' }],
    ['a limit of nothing', { limit: '0 per 1 second', remaining: '0', reset: '1' }],
    ['only what is left', { remaining: '5' }],
    ['only a reset', { reset: '60' }],
  ])('%s: the limit is kept and the lane continues', async (_title, headers) => {
    const times = await tenMinutes(headers);
    expect(most(times, 1_000)).toBeLessThanOrEqual(30);
    expect(most(times, 60_000)).toBeLessThanOrEqual(1_000);
    // Requests may be slow, but continue until the end.
    expect(times.filter((atMs) => atMs > 480_000)).not.toHaveLength(0);
  });
});

describe('Retry-After in the forms of services and proxies', () => {
  test.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['120, 120', 120_000],
    ['30, 120', 120_000],
    ['120;comment', 120_000],
    ['2025-11-03T09:02:00Z', 120_000],
    ['Mon, 03 Nov 2025 09:02:00 GMT', 120_000],
    ['Mon, 3 Nov 2025 09:02:00 GMT', 120_000],
    ['-120', null],
    ['soon', null],
  ])('%s', (retryAfter, expected) => {
    expect(readRateHeaders({ ...NOTHING, retryAfter, date: DATE }, 0).retryAfterMs).toBe(expected);
  });

  test.each(['0', '-5', 'soon', 'Mon, 03 Nov 2025 08:00:00 GMT', null])(
    '%s: a rejection is followed by a wait all the same, and the wait grows',
    async (retryAfter) => {
      const rig = schedulerRig(
        ({ attempt }) =>
          attempt > 5 ? answered(200) : answered(429, { retryAfter, date: dateAt(rig.world) }),
        { latencyMs: 1 },
      );
      const sent = rig.submit('one', { isRepeatSafe: false });
      await rig.world.run();
      await sent;
      const atMs = rig.sent.map((one) => one.atMs);
      expect(atMs).toHaveLength(6);
      expect((atMs[5] ?? 0) - (atMs[0] ?? 0)).toBeGreaterThan(1_000);
    },
  );

  test.each([
    ['a few hours', '20000', 20_000],
    ['a day', '86400', 86_400],
    ['a day and a penalty', '86520', 86_520],
    ['a date in a month', 'Wed, 03 Dec 2025 09:00:00 GMT', 90_000],
    ['thirty thousand years', '1000000000000', 90_000],
  ])(
    '%s parks the lane for a day and an hour at most, then sends one probe request',
    async (_title, retryAfter, seconds) => {
      const rig = schedulerRig(({ attempt, name }) =>
        name === 'one' && attempt === 1
          ? answered(429, { retryAfter, date: dateAt(rig.world) })
          : answered(200),
      );
      const all = [rig.submit('one', { priority: 'upload' })];
      await rig.world.run(1_000);
      expect(rig.scheduler.status()[0]).toMatchObject({
        reason: 'retry-after',
        wait: { reason: 'retry-after' },
      });
      for (const name of ['a', 'b', 'c']) all.push(rig.submit(name, { priority: 'upload' }));
      await rig.world.run();
      await Promise.all(all);
      const [, alone = 0, next = 0] = rig.sent.map(({ atMs }) => atMs);
      expect(alone).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(alone).toBeLessThan(seconds * 1_000 + 10_000);
      expect(next - alone).toBeGreaterThanOrEqual(50);
    },
  );

  test('a repeated wait of more than a day is probed about once a day', async () => {
    const rig = schedulerRig(() => answered(429, { retryAfter: '1000000000000' }), {
      settings: { maxRejections: 4 },
    });
    const outcome = rig.outcome(rig.submit('one', { priority: 'upload' }));
    await rig.world.run();
    expect(await outcome).toBe('RATE_LIMITED');
    expect(rig.sent.map(({ atMs }) => Math.floor(atMs / 86_400_000))).toEqual([0, 1, 2, 3]);
  });

  test('a 503 with such a wait is handled alike, and sends one probe request', async () => {
    const rig = schedulerRig(({ name, attempt }) =>
      name === 'one' && attempt === 1 ? answered(503, { retryAfter: '1000000000000' }) : answered(200),
    );
    const all = [rig.submit('one', { priority: 'upload' })];
    await rig.world.run(1_000);
    for (const name of ['a', 'b', 'c']) all.push(rig.submit(name, { priority: 'upload' }));
    await rig.world.run();
    await Promise.all(all);
    const [, alone = 0, next = 0] = rig.sent.map(({ atMs }) => atMs);
    expect(alone).toBeGreaterThanOrEqual(86_400_000);
    expect(next - alone).toBeGreaterThanOrEqual(50);
  });

  test.each([
    ['Retry-After', 429, { retryAfter: '1000000000000' }],
    ['X-RateLimit-Reset', 200, { remaining: '0', reset: `${START_MS / 1_000 + 30 * 86_400}` }],
  ] as const)(
    'a lane that %s locked is unlocked when the learned limits are deleted',
    async (_name, status, headers) => {
      const rig = schedulerRig(({ name, attempt }) =>
        name === 'one' && attempt === 1
          ? answered(status, { ...headers, date: dateAt(rig.world) })
          : answered(200),
      );
      const all = [rig.submit('one', { priority: 'upload' })];
      await rig.world.run(1_000);
      for (const name of ['a', 'b', 'c']) all.push(rig.submit(name, { priority: 'upload' }));
      await rig.world.run(60_000);
      expect(rig.sent).toHaveLength(1);
      rig.scheduler.forget(lane());
      await rig.world.run(70_000);
      await Promise.all(all);
      const [, alone = 0, next = 0] = rig.sent.map(({ atMs }) => atMs);
      expect(alone).toBeLessThan(61_000);
      expect(next - alone).toBeGreaterThanOrEqual(50);
    },
  );

  test('nothing left until a month from now parks the lane for a day and an hour, then sends one probe request', async () => {
    const far = { remaining: '0', reset: `${START_MS / 1_000 + 30 * 86_400}` };
    const rig = schedulerRig(({ name }) =>
      answered(200, { ...(name === 'one' ? far : {}), date: dateAt(rig.world) }),
    );
    const all = [rig.submit('one', { priority: 'upload' })];
    await rig.world.run(1_000);
    for (const name of ['a', 'b', 'c']) all.push(rig.submit(name, { priority: 'upload' }));
    await rig.world.run();
    await Promise.all(all);
    const [, alone = 0, next = 0] = rig.sent.map(({ atMs }) => atMs);
    expect(alone).toBeGreaterThan(89_900_000);
    expect(alone).toBeLessThan(90_100_000);
    expect(next - alone).toBeGreaterThanOrEqual(50);
  });
});

describe('missing rate headers', () => {
  test('mean that limiting is off if limits are per second, never if a day is counted', () => {
    for (const [category, source] of [
      ['metadata-read', 'off'],
      ['genai-deletion', 'published'],
      ['event-deletion', 'published'],
    ] as const) {
      const bench = new LimiterRig(category);
      for (let index = 0; index < 150; index++) {
        bench.request(200);
        bench.nowMs += 3_600_000;
      }
      expect(bench.limiter.state.source).toBe(source);
    }
  });
});
