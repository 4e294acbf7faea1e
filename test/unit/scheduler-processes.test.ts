/**
 * Several processes with one budget: no process misreads or loses the limits that others learned or the requests that
 * they sent.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { closeComputers, processesRig, STORES } from '../helpers/processes-rig.ts';
import { answered, dateAt } from '../helpers/scheduler-rig.ts';
import { type Burst, CALM } from '../helpers/scheduler-schedule.ts';
import { simulate } from '../helpers/scheduler-simulation.ts';
import { ServiceModel } from '../helpers/service-model.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const WHOLE = '30 per 1 second, 1000 per 1 minute';
/** The default burst of a test. */
const VIEWED = {
  lane: 0,
  priority: 'view',
  group: '',
  isRepeatSafe: false,
  isShared: false,
  abortAfterMs: null,
} as const satisfies Partial<Burst>;
/** The service has a daily limit. */
const OF_A_DAY = { ...CALM, category: 'event-deletion', counting: 'fixed' } as const;
afterEach(closeComputers);

describe.each(STORES)('processes on one budget (%s)', (store) => {
  test.each([
    ['of foreign use', WHOLE],
    ['of a changed policy', '40 per 1 second, 900 per 1 minute'],
  ])('a Retry-After survives what another process saves at the same time %s', async (_what, limit) => {
    const { world, computer, send, sent } = processesRig(store, 2);
    const foreign = () =>
      answered(200, {
        limit,
        remaining: '400',
        reset: String(Math.ceil((START_MS + world.trueMs + 30_000) / 1_000)),
        date: dateAt(world),
      });
    send(1, 'slow', foreign, { latencyMs: 1_000 });
    await world.run(100);
    let refusals = 0;
    const refusedOnce = () => (refusals++ === 0 ? answered(429, { retryAfter: '60' }) : answered(200));
    send(0, 'refused', refusedOnce, { latencyMs: 100 });
    await world.run(2_000);
    computer.start(2);
    send(2, 'third');
    await world.run(120_000);
    expect(sent.map(({ name }) => name)).toContain('third');
    for (const { atMs } of sent.slice(2)) expect(atMs).toBeGreaterThanOrEqual(60_200);
  });

  test('requests of another own process are not mistaken for those of another program', async () => {
    const { world, scheduler, send } = processesRig(store, 2);
    const model = new ServiceModel({
      counting: 'rolling',
      windows: LIMIT_CATEGORIES['metadata-read'].windows,
      clockMs: START_MS,
      policy: 'tightest',
      retryAfter: 'seconds',
      penaltyMs: 0,
      resetIsFullLength: false,
    });
    const counted = () => {
      const { isAllowed, headers } = model.arrive(world.trueMs, true);
      return answered(isAllowed ? 200 : 429, headers);
    };
    send(0, 'first', counted);
    send(1, 'first', counted);
    await world.run(5_000);
    send(0, 'slow', counted, { latencyMs: 300 });
    for (let index = 0; index < 20; index++) {
      world.at(5_010 + index * 5, () => send(1, 'meanwhile', counted, { latencyMs: 20 }));
    }
    await world.run(5_400);
    for (const process of [0, 1]) {
      expect(scheduler(process).status()[0]?.windows).toMatchObject([
        { used: 21, foreign: 0 },
        { used: 23, foreign: 0 },
      ]);
    }
  });

  test('a view in one process is not starved by the uploads of another', async () => {
    const { world, send, sent } = processesRig(store, 2);
    for (let index = 0; index < 900; index++) send(0, 'upload');
    const askedAtMs = Array.from({ length: 8 }, (_, index) => 2_000 + index * 3_137);
    for (const atMs of askedAtMs) {
      world.at(atMs, () => send(1, `view ${atMs}`, undefined, { priority: 'view' }));
    }
    await world.run(50_000);
    for (const atMs of askedAtMs) {
      const went = sent.find(({ name }) => name === `view ${atMs}`);
      // Within this time, the window of one second becomes free once.
      expect((went?.atMs ?? Number.POSITIVE_INFINITY) - atMs).toBeLessThan(1_200);
    }
  });

  test('time asleep is counted once, however many processes notice it', async () => {
    const burst = (atMs: number, count: number, process: number): Burst => ({
      ...VIEWED,
      priority: 'upload',
      atMs,
      count,
      process,
    });
    const hours = 3_600_000;
    const outcome = await simulate({
      ...CALM,
      store,
      category: 'event-deletion',
      // Without the Remaining header, only our own count prevents exceeding the limit.
      remaining: 'absent',
      minLatencyMs: 40,
      bursts: [
        burst(0, 14, 0),
        burst(0, 14, 1),
        burst(13 * hours + 60_000, 1, 0),
        burst(13 * hours + 61_000, 1, 1),
        burst(13 * hours + 120_000, 30, 0),
      ],
      sleeps: [{ atMs: 10_000, forMs: 13 * hours, isRestart: false }],
    });
    expect(outcome).toMatchObject({ violations: 0, settled: 60 });
  });

  test('a reset that one process moved because of the sleep is not moved again by the process that reads it', async () => {
    // Found by the property test of schedules: the state had already been moved when it was read, and was moved again,
    // so the reset was tried twice.
    const outcome = await simulate({
      ...OF_A_DAY,
      store,
      bursts: [
        { ...VIEWED, atMs: 0, count: 1, process: 0 },
        { ...VIEWED, atMs: 165_194_000, count: 60, process: 1, lane: 1 },
        { ...VIEWED, atMs: 226_802_000, count: 1, process: 0, lane: 1 },
      ],
      sleeps: [{ atMs: 165_194_000, forMs: 49_616_800, isRestart: false }],
    });
    expect(outcome).toMatchObject({ violations: 0, refusals: 0, settled: 62 });
  });

  test('the announced reset of a day is moved once by a sleep, however many processes know it', async () => {
    // Found by the property test of schedules: the reset was moved twice, and so was tried two minutes early.
    const outcome = await simulate({
      ...OF_A_DAY,
      store,
      bursts: [
        { ...VIEWED, atMs: 0, count: 40, process: 0, lane: 1 },
        { ...VIEWED, atMs: 0, count: 1, process: 1, lane: 1 },
        { ...VIEWED, atMs: 0, count: 20, process: 0, lane: 1 },
      ],
      sleeps: [{ atMs: 0.05, forMs: 120_883, isRestart: false }],
      pauses: [{ atMs: 0.05, forMs: 22_867, process: 0, lane: null }],
    });
    expect(outcome).toMatchObject({ violations: 0, refusals: 0, settled: 61 });
  });

  test('a sleep moves learned limits of lanes that the noticing process never used', async () => {
    // Found by the property test of schedules: the reset remained two minutes late, and one request too many was sent
    // when it came.
    const outcome = await simulate({
      ...OF_A_DAY,
      store,
      minLatencyMs: 400,
      bursts: [
        { ...VIEWED, atMs: 54_000_000, count: 1, process: 1 },
        { ...VIEWED, atMs: 54_002_000, count: 1, process: 0, lane: 1 },
        { ...VIEWED, atMs: 140_446_000, count: 30, process: 0, abortAfterMs: 0 },
        { ...VIEWED, atMs: 140_448_000, count: 90, process: 0 },
      ],
      sleeps: [{ atMs: 54_002_000, forMs: 121_600, isRestart: false }],
    });
    expect(outcome).toMatchObject({ violations: 0, settled: 122 });
  });

  test('a reset announced after a sleep is not moved by it, even by a process that missed the sleep', async () => {
    // Found by 10,000 schedules of the property test: a process that noticed the sleep mistook the limits that another
    // process learned in the morning for its own from the evening before, so the reset was tried two minutes early.
    const outcome = await simulate({
      ...OF_A_DAY,
      store,
      category: 'genai-deletion',
      reset: 'epoch-cut',
      minLatencyMs: 0,
      bursts: [
        { ...VIEWED, atMs: 140_422_000, count: 1, process: 0, lane: 1 },
        { ...VIEWED, atMs: 140_400_000, count: 1, process: 0, lane: 1 },
        { ...VIEWED, atMs: 140_402_000, count: 99, process: 1, lane: 1 },
        { ...VIEWED, atMs: 0, count: 1, process: 0 },
      ],
      sleeps: [{ atMs: 2_000, forMs: 121_200, isRestart: false }],
    });
    expect(outcome).toMatchObject({ violations: 0, refusals: 0, settled: 102 });
  });

  test('an answer that reveals a night is not mistaken for one from before it', async () => {
    // Found by the property test of schedules: the answer arrived at exactly the time of the last answer before the
    // restart.
    const outcome = await simulate({
      ...OF_A_DAY,
      store,
      minLatencyMs: 0,
      bursts: [
        { ...VIEWED, atMs: 0, count: 1, process: 0 },
        { ...VIEWED, atMs: 69_380_000, count: 31, process: 0 },
      ],
      foreign: [{ atMs: 0, count: 60, lane: 0 }],
      sleeps: [{ atMs: 69_380_000, forMs: 71_020_000, isRestart: true }],
    });
    expect(outcome).toMatchObject({ violations: 0, settled: 32 });
  });
});
