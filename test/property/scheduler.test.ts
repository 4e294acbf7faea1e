/**
 * Schedules of arrivals, latencies, cancels, refusals, foreign use, clock jumps, kills and restarts against a
 * strict service. `PROPERTY_RUNS` sets how many (10,000 for a long run), `PROPERTY_SEED` repeats one.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PRIORITIES } from '../../electron/core/priority.ts';
import { type Burst, type Schedule, simulate } from '../helpers/scheduler-simulation.ts';

const runs = Number(process.env['PROPERTY_RUNS'] ?? 120);
const seed = process.env['PROPERTY_SEED'];
const parameters = { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) };
const TIMEOUT_MS = Math.max(60_000, runs * 200);
const DAY_MS = 86_400_000;

const within = (max: number, min = 0) => fc.integer({ min, max });

const burst: fc.Arbitrary<Burst> = fc.record({
  atMs: within(150_000),
  count: fc.oneof(within(12, 1), within(90, 1)),
  process: within(1),
  lane: within(1),
  priority: fc.constantFrom(...PRIORITIES),
  group: fc.constantFrom('', 'a', 'b', 'c'),
  isRepeatSafe: fc.boolean(),
  isShared: fc.boolean(),
  abortAfterMs: fc.option(within(5_000), { freq: 4 }),
});

const quiet = { failed500: 0, unsent: 0, lost: 0 };
const share = fc.double({ min: 0, max: 0.2, noNaN: true });

const schedule: fc.Arbitrary<Schedule> = fc.record({
  seed: within(1_000_000),
  category: fc.constantFrom(
    'metadata-read',
    'metadata-write',
    'spans-query',
    'genai-deletion',
    'event-deletion',
  ),
  counting: fc.constantFrom('fixed', 'rolling', 'bucket'),
  policy: fc.constantFrom('whole', 'tightest', 'bare', 'absent'),
  retryAfter: fc.constantFrom('seconds', 'imf', 'rfc850', 'asctime', 'absent', 'nonsense'),
  penaltyMs: fc.constantFrom(0, 0, 5_000, 120_000),
  resetIsFullLength: fc.boolean(),
  serviceClockMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
  minLatencyMs: fc.constantFrom(0, 3, 40, 400),
  jitterMs: fc.constantFrom(0, 5, 150, 1_200),
  bursts: fc.array(burst, { minLength: 1, maxLength: 14 }),
  foreign: fc.constant([]),
  jumps: fc.array(fc.record({ atMs: within(150_000), byMs: fc.integer({ min: -DAY_MS, max: DAY_MS }) }), {
    maxLength: 3,
  }),
  kills: fc.array(fc.record({ atMs: within(150_000), process: within(1), restartAfterMs: within(20_000) }), {
    maxLength: 3,
  }),
  faults: fc.oneof(fc.constant(quiet), fc.record({ failed500: share, unsent: share, lost: share })),
  downs: fc.array(fc.record({ fromMs: within(150_000), lengthMs: within(40_000) }), { maxLength: 1 }),
  pauses: fc.array(
    fc.record({
      atMs: within(150_000),
      forMs: within(60_000),
      process: within(1),
      lane: fc.option(within(1), { freq: 2 }),
    }),
    { maxLength: 2 },
  ),
});

/** The same schedule spread over days: what a window of a day needs to be full and free again. */
const overDays = schedule.map((one): Schedule => {
  const stretch = <T extends { atMs: number }>(items: T[]) =>
    items.map((item) => ({ ...item, atMs: item.atMs * 2_000 }));
  return {
    ...one,
    category: one.seed % 2 === 0 ? 'event-deletion' : 'genai-deletion',
    bursts: stretch(one.bursts),
    jumps: stretch(one.jumps),
    kills: stretch(one.kills),
    pauses: stretch(one.pauses),
    downs: one.downs.map(({ fromMs, lengthMs }) => ({ fromMs: fromMs * 2_000, lengthMs: lengthMs * 100 })),
  };
});
const anySchedule = fc.oneof({ arbitrary: schedule, weight: 3 }, { arbitrary: overDays, weight: 1 });

const foreign = fc.array(fc.record({ atMs: within(150_000), count: within(60, 1), lane: within(1) }), {
  minLength: 1,
  maxLength: 6,
});

describe('against a strict service', () => {
  test(
    'alone with the token: no request over any limit, every submission ends once',
    async () => {
      await fc.assert(
        fc.asyncProperty(anySchedule, async (one) => {
          const outcome = await simulate(one);
          expect(outcome).toMatchObject({
            violations: 0,
            refusals: 0,
            early: 0,
            afterSettle: 0,
            whilePaused: 0,
          });
          expect(outcome.settled).toBe(outcome.submitted);
        }),
        parameters,
      );
    },
    TIMEOUT_MS,
  );

  test('several answers at one instant: the announced reset frees no more places than the service says', async () => {
    // Found by the property above: places were freed by time, and equal times freed all of their requests.
    const calm = { process: 0, priority: 'view', group: '', isRepeatSafe: false, isShared: false } as const;
    const outcome = await simulate({
      seed: 0,
      category: 'event-deletion',
      counting: 'rolling',
      policy: 'whole',
      retryAfter: 'seconds',
      penaltyMs: 0,
      resetIsFullLength: false,
      serviceClockMs: 0,
      minLatencyMs: 0,
      jitterMs: 0,
      bursts: [
        { ...calm, atMs: 3_000, count: 31, lane: 1, abortAfterMs: null },
        { ...calm, atMs: 0, count: 13, lane: 0, abortAfterMs: null },
        { ...calm, atMs: 0, count: 1, lane: 1, abortAfterMs: null },
      ],
      foreign: [
        { atMs: 1, count: 5, lane: 1 },
        { atMs: 0, count: 1, lane: 0 },
      ],
      jumps: [],
      kills: [],
      faults: quiet,
      downs: [],
      pauses: [],
    });
    expect(outcome).toMatchObject({ violations: 0, early: 0, settled: 45 });
  });

  test(
    'with foreign use of the token: our share keeps to the limit and nothing goes before Retry-After',
    async () => {
      await fc.assert(
        fc.asyncProperty(anySchedule, foreign, async (one, others) => {
          const outcome = await simulate({ ...one, foreign: others });
          expect(outcome).toMatchObject({ violations: 0, early: 0, afterSettle: 0, whilePaused: 0 });
          expect(outcome.settled).toBe(outcome.submitted);
        }),
        parameters,
      );
    },
    TIMEOUT_MS,
  );
});
