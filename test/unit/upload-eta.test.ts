/** The remaining time that an upload shows while the limits of the service slow it down. */
import { describe, expect, test } from 'vitest';
import {
  etaMs,
  isUnobserved,
  observeRows,
  rowsPerSecond,
  startRate,
} from '../../electron/core/jobs/upload-rate.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { ServiceModel } from '../helpers/service-model.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const ROWS = 1_000;
const MINUTE_MS = 60_000;

interface Upload {
  batches: number;
  latencyMs: number;
  atOnce: number;
  /** Whether the client knows the limits in advance; otherwise it learns them from answers of the service. */
  isKnown: boolean;
}

/** Returns the remaining time as shown at several moments of the upload, and the actual remaining time. */
async function follow({
  batches,
  latencyMs,
  atOnce,
  isKnown,
}: Upload): Promise<{ said: number; real: number }[]> {
  const own = lane(isKnown ? 'metadata-write' : 'unlisted', 'POST /v3/events');
  const model = new ServiceModel({
    counting: 'rolling',
    windows: LIMIT_CATEGORIES['metadata-write'].windows,
    clockMs: START_MS,
    policy: 'whole',
    retryAfter: 'seconds',
    penaltyMs: 0,
    resetIsFullLength: false,
  });
  const { world, scheduler, submit } = schedulerRig(undefined, { latencyMs });
  let rate = startRate(0);
  let begun = 0;
  let done = 0;
  const next = (): void => {
    if (begun === batches) return;
    begun += 1;
    void submit('upload', {
      lane: own,
      priority: 'upload',
      isRepeatSafe: false,
      attempt: () =>
        new Promise((resolve) => {
          world.after(latencyMs, () => {
            const { isAllowed, headers } = model.arrive(world.trueMs, true);
            resolve(answered(isAllowed ? 200 : 429, headers));
          });
        }),
    }).then(() => {
      done += 1;
      rate = observeRows(rate, ROWS, world.monotonicMs);
      next();
    });
  };
  for (let index = 0; index < atOnce; index += 1) next();
  const looks: { atMs: number; said: number }[] = [];
  for (let atMs = MINUTE_MS; done < batches; atMs += 7_000) {
    await world.run(atMs);
    const left = batches - done;
    const plan = scheduler.plan([{ lane: own, count: left }]);
    const plannedMs = Math.max(0, plan.finishAtMs - START_MS - world.trueMs);
    looks.push({ atMs, said: etaMs(rate, left * ROWS, plannedMs) ?? Number.NaN });
  }
  const endMs = world.trueMs;
  return looks.map(({ atMs, said }) => ({ said, real: endMs - atMs }));
}

describe('time left of a limited upload', () => {
  test.each<Upload>([
    { batches: 1_000, latencyMs: 130, atOnce: 1, isKnown: true },
    { batches: 3_000, latencyMs: 900, atOnce: 6, isKnown: true },
    { batches: 1_500, latencyMs: 20, atOnce: 3, isKnown: true },
    { batches: 3_000, latencyMs: 130, atOnce: 6, isKnown: false },
    { batches: 1_500, latencyMs: 400, atOnce: 3, isKnown: false },
  ])('after the first minute within 15 %, and never far off: %o', async (upload) => {
    const looks = await follow(upload);
    // Only if the remaining time is long enough for 15 % to be meaningful.
    const long = looks.filter(({ real }) => real > 2 * MINUTE_MS);
    const [first = Number.NaN, ...others] = long.map(({ said, real }) => Math.abs(said - real) / real);
    expect(first).toBeLessThan(0.15);
    // A wait for the next minute changes the estimate only slightly.
    expect(Math.max(...others)).toBeLessThan(0.4);
  });
});

test('no speed is shown from one moment, and the limits alone say how long it takes', () => {
  const start = startRate(1_000);
  expect(isUnobserved(start)).toBe(true);
  expect(rowsPerSecond(start)).toBeNull();
  expect(etaMs(start, 10, null)).toBeNull();
  const moment = observeRows(start, 500, 1_100);
  expect(isUnobserved(moment)).toBe(false);
  expect(rowsPerSecond(moment)).toBeNull();
  expect(etaMs(moment, 10, 4_000)).toBe(4_000);
  const later = observeRows(moment, 500, 2_000);
  expect(rowsPerSecond(later)).toBe(1_000);
  expect(etaMs(later, 3_000, null)).toBe(3_000);
  expect(etaMs(later, 3_000, 9_000)).toBe(9_000);
  expect(etaMs(later, 0, 9_000)).toBe(0);
});

test('without progress no time left is derived from the speed', () => {
  const still = observeRows(startRate(0), 0, 60_000);
  expect(rowsPerSecond(still)).toBe(0);
  expect(etaMs(still, 10, null)).toBeNull();
});
