/** Predicted and actual end of bulk jobs that take ten minutes or more, during other work. */
import { describe, expect, test } from 'vitest';
import { LIMIT_CATEGORIES, type LimitCategory } from '../../electron/core/limits/limits.ts';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { type Counting, ServiceModel } from '../helpers/service-model.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const HOUR_MS = 3_600_000;

interface Act {
  category: LimitCategory;
  count: number;
  latencyMs?: number;
  counting?: Counting;
  /** Service clock minus true time, in ms. */
  clockMs?: number;
  /** Interval in ms at which views send requests in the same lane. */
  viewEveryMs?: number;
  /** Requests that other programs send at once with the same token. */
  foreign?: { atMs: number; count: number };
  /** Number of requests waiting when the plan is made. */
  queuedBefore?: number;
}

/** Returns predicted minus actual duration as a share of the actual one, and the actual duration. */
async function deviation(act: Act): Promise<{ share: number; tookMs: number }> {
  const { category, count, latencyMs = 130, clockMs = 0 } = act;
  const model = new ServiceModel({
    counting: act.counting ?? 'rolling',
    windows: LIMIT_CATEGORIES[category].windows,
    clockMs: START_MS + clockMs,
    policy: 'whole',
    retryAfter: 'seconds',
    penaltyMs: 0,
    resetIsFullLength: false,
  });
  const { world, scheduler, submit } = schedulerRig(undefined, { latencyMs });
  let lastMs = 0;
  let ended = 0;
  const ask = (priority: 'view' | 'upload', group: string) =>
    submit(group, {
      lane: lane(category),
      priority,
      group,
      isRepeatSafe: false,
      attempt: () =>
        new Promise((resolve) => {
          world.after(latencyMs / 2, () => {
            const { isAllowed, headers } = model.arrive(world.trueMs, true);
            world.after(latencyMs / 2, () => resolve(answered(isAllowed ? 200 : 429, headers)));
          });
        }),
    });
  for (let index = 0; index < 12; index++) void ask('upload', 'warm');
  await world.run(120_000);
  for (let index = 0; index < (act.queuedBefore ?? 0); index++) void ask('upload', 'before');
  await world.run(120_010);
  const startMs = world.trueMs;
  const plan = scheduler.plan([{ lane: lane(category), count }]);
  for (let index = 0; index < count; index++) {
    void ask('upload', 'before').then(() => {
      lastMs = world.trueMs;
      ended++;
    });
  }
  if (act.viewEveryMs !== undefined) {
    for (let atMs = startMs; atMs < startMs + 300_000; atMs += act.viewEveryMs) {
      world.at(atMs, () => void ask('view', 'view'));
    }
  }
  const { foreign } = act;
  if (foreign !== undefined) {
    world.at(startMs + foreign.atMs, () => {
      for (let index = 0; index < foreign.count; index++) model.arrive(world.trueMs, false);
    });
  }
  await world.run();
  expect(ended).toBe(count);
  expect(model.ownViolations).toBe(0);
  const tookMs = lastMs - startMs;
  return { share: Math.abs(plan.finishAtMs - START_MS - startMs - tookMs) / tookMs, tookMs };
}

describe('the end of a bulk job is predicted within 10 %', () => {
  test.each<[string, Act]>([
    ['reads', { category: 'metadata-read', count: 10_000 }],
    ['reads, slow answers', { category: 'metadata-read', count: 10_000, latencyMs: 1_400 }],
    [
      'reads, a service that counts in fixed windows',
      { category: 'metadata-read', count: 10_000, counting: 'fixed' },
    ],
    ['reads, a service with buckets', { category: 'metadata-read', count: 10_000, counting: 'bucket' }],
    ['writes', { category: 'metadata-write', count: 3_000 }],
    ['span queries', { category: 'spans-query', count: 1_200 }],
    ['with 2,000 waiting before it', { category: 'metadata-read', count: 8_000, queuedBefore: 2_000 }],
    [
      'with somebody looking at views meanwhile',
      { category: 'metadata-read', count: 10_000, viewEveryMs: 1_500 },
    ],
    [
      'with another program using half a minute of the token, refusals included',
      { category: 'metadata-read', count: 10_000, foreign: { atMs: 100_000, count: 500 } },
    ],
  ])('%s', async (_title, act) => {
    const { share, tookMs } = await deviation(act);
    expect(tookMs).toBeGreaterThan(500_000);
    expect(share).toBeLessThan(0.1);
  });

  test.each<[string, Act]>([
    ['over days, counted rolling', { category: 'event-deletion', count: 100 }],
    [
      'over days, a service that counts from midnight',
      { category: 'event-deletion', count: 100, counting: 'fixed' },
    ],
    [
      'the rest after a midnight four hours away',
      { category: 'event-deletion', count: 40, counting: 'fixed', clockMs: 11 * HOUR_MS },
    ],
    ['trace deletions', { category: 'genai-deletion', count: 250 }],
  ])('%s', async (_title, act) => {
    expect((await deviation(act)).share).toBeLessThan(0.1);
  });
});
