/** Predicted and actual end of jobs that are not limited by a window. For the others see scheduler-plan-finish. */
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { laneOf, sendWaitMs } from '../../electron/engine/budgets.ts';
import { DEFAULT_SETTINGS } from '../../electron/scheduler/request-scheduler.ts';
import type { Lane } from '../../electron/scheduler/types.ts';
import { answered, dateAt, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { ServiceModel } from '../helpers/service-model.ts';
import { START_MS } from '../helpers/virtual-world.ts';

interface Act {
  lanes: Lane[];
  /** Number of requests per lane. */
  count: number;
  latencyMs: number;
  /** Maximum number of requests that the job has in flight. */
  atOnce?: number;
  /** Number of requests answered before the plan is made. */
  warm?: number;
  /** The answer to the first request after the warm ones. */
  first?: (dateMs: string) => Attempt<string>;
}

const { maxInFlight } = DEFAULT_SETTINGS;
const CALM = { policy: 'whole', retryAfter: 'seconds', penaltyMs: 0, resetIsFullLength: false } as const;
const reads = (...paths: string[]) => paths.map((path) => lane('metadata-read', `GET /v3/${path}`));
const PUBLISH = [lane('unlisted', 'POST /v3/events')];

/** Returns predicted minus actual duration as a share of the actual one, and the actual duration. */
async function deviation({ lanes, count, latencyMs, atOnce, warm = 12, first }: Act) {
  const { world, scheduler, submit } = schedulerRig(undefined, { latencyMs, settings: { maxInFlight } });
  const models = lanes.map(({ category }) => {
    const { windows } = LIMIT_CATEGORIES[category];
    return new ServiceModel({ ...CALM, counting: 'rolling', windows, clockMs: START_MS });
  });
  let isFirst = false;
  const ask = (index: number) =>
    submit('act', {
      ...{ lane: lanes[index] ?? lane(), priority: 'upload', group: 'act', isRepeatSafe: false },
      attempt: () =>
        new Promise((resolve) => {
          world.after(latencyMs / 2, () => {
            const said = isFirst ? first?.(dateAt(world)) : undefined;
            isFirst = false;
            const windows = lanes[index]?.category === 'unlisted' ? undefined : models[index];
            const { isAllowed, headers } = windows?.arrive(world.trueMs, true) ?? {
              isAllowed: true,
              headers: {},
            };
            world.after(latencyMs / 2, () => resolve(said ?? answered(isAllowed ? 200 : 429, headers)));
          });
        }),
    });
  const others = lanes.map((_, index) => index);
  for (const index of others) for (let one = 0; one < warm; one++) void ask(index);
  await world.run(120_000);
  isFirst = first !== undefined;
  if (isFirst) void ask(0);
  await world.run(120_100 + latencyMs);
  const startMs = world.trueMs;
  const plan = scheduler.plan(lanes.map((one) => ({ lane: one, count, atOnce })));
  let lastMs = 0;
  const one = async (index: number, left: { count: number }): Promise<void> => {
    while (left.count-- > 0) await ask(index).then(() => (lastMs = world.trueMs));
  };
  for (const index of others) {
    const left = { count };
    for (let each = 0; each < Math.min(count, atOnce ?? count); each++) void one(index, left);
  }
  await world.run();
  const tookMs = lastMs - startMs;
  expect(models.reduce((sum, { ownViolations }) => sum + ownViolations, 0)).toBe(0);
  return { share: (plan.finishAtMs - START_MS - startMs - tookMs) / tookMs, tookMs };
}

const nothingLeft = (date: string) =>
  answered(200, {
    date,
    remaining: '3',
    reset: '400',
  });

describe('the end is predicted within 10 %', () => {
  test.each<[string, Act]>([
    [
      'of requests whose limit nobody knows, while their lane grows',
      { lanes: PUBLISH, count: 2_000, latencyMs: 1_000 },
    ],
    ['of the first requests of such a lane', { lanes: PUBLISH, count: 20_000, latencyMs: 200, warm: 0 }],
    [
      'of an upload that sends one request after another',
      { lanes: PUBLISH, count: 3_000, latencyMs: 200, atOnce: 1 },
    ],
    [
      'of a change with four requests under way',
      {
        lanes: [lane('metadata-write', 'DELETE /v3/applications')],
        count: 1_000,
        latencyMs: 2_400,
        atOnce: 4,
      },
    ],
    [
      'of three lanes that share the sockets of their service',
      { lanes: reads('a', 'b', 'c'), count: 5_000, latencyMs: 1_000 },
    ],
    [
      'of answers that take so long that the sockets run out',
      { lanes: reads('a'), count: 3_000, latencyMs: 6_000 },
    ],
    [
      'after a refusal, while one request goes alone',
      { lanes: reads('a'), count: 10_000, latencyMs: 130, first: () => answered(429, { retryAfter: '20' }) },
    ],
    [
      'where the service said that little is left until its reset',
      { lanes: PUBLISH, count: 1_000, latencyMs: 200, first: nothingLeft },
    ],
  ])('%s', async (_title, act) => {
    const { share, tookMs } = await deviation(act);
    expect(tookMs).toBeGreaterThan(250_000);
    expect(Math.abs(share)).toBeLessThan(0.1);
  });
});

test('a lane that was never used is expected to be as fast as its service', async () => {
  const { world, scheduler, submit } = schedulerRig(undefined, { latencyMs: 1_600 });
  for (let index = 0; index < 5; index++) void submit(`${index}`);
  await world.run(10_000);
  const plan = scheduler.plan([{ ...{ lane: PUBLISH[0] ?? lane(), count: 100 }, atOnce: 1 }]);
  expect(plan.finishAtMs - plan.startAtMs).toBeGreaterThan(150_000);
  expect(plan.finishAtMs - plan.startAtMs).toBeLessThan(170_000);
});

test('a request with a slow answer is sent at once; one over its budget waits', async () => {
  const token = lane();
  const { world, scheduler, submit } = schedulerRig(undefined, { latencyMs: 20_000 });
  const waitMs = () => sendWaitMs(scheduler, token, 'datasets.update', START_MS + world.trueMs);
  const send = (count: number) => {
    for (let index = 0; index < count; index++) {
      void submit(`${index}`, { lane: laneOf(token, 'datasets.update'), priority: 'upload' });
    }
  };
  send(4);
  await world.run(70_000);
  expect(waitMs()).toBe(0);
  send(11);
  await world.run(71_000);
  expect(waitMs()).toBeGreaterThan(19_000);
});
