/**
 * An administrator has changed the limits or switched them off: this is learned from the answers, and respected from
 * then on.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LimitCategory, LimitWindow } from '../../electron/core/limits/limits.ts';
import { runs } from '../helpers/runs.ts';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { type Counting, ServiceModel } from '../helpers/service-model.ts';
import { START_MS, type VirtualWorld } from '../helpers/virtual-world.ts';

const RUNS = runs(30, 500);

function service(windows: readonly LimitWindow[], counting: Counting): ServiceModel {
  return new ServiceModel({
    counting,
    windows,
    clockMs: START_MS,
    policy: 'whole',
    retryAfter: 'seconds',
    penaltyMs: 0,
    resetIsFullLength: false,
  });
}

/** A client of a service whose limits can be replaced. The service counts the requests that it rejected. */
function rigOf(first: ServiceModel, latencyMs: number) {
  let model = first;
  // Counted when the request arrives, after half of the latency.
  const rig = schedulerRig(undefined, { latencyMs });
  const send = (category: LimitCategory) => {
    const world: VirtualWorld = rig.world;
    const attempt = () =>
      new Promise<ReturnType<typeof answered>>((resolve) => {
        world.after(latencyMs / 2, () => {
          const { isAllowed, headers } = model.arrive(world.trueMs, true);
          world.after(latencyMs / 2, () => resolve(answered(isAllowed ? 200 : 429, headers)));
        });
      });
    rig.submit('one', { lane: lane(category), priority: 'upload', attempt }).catch(() => undefined);
  };
  return {
    ...rig,
    send,
    replace: (next: ServiceModel) => {
      model = next;
    },
  };
}

const windows = fc
  .record({ second: fc.integer({ min: 1, max: 90 }), minute: fc.integer({ min: 30, max: 3_000 }) })
  .map(({ second, minute }): LimitWindow[] => [
    { count: second, lengthMs: 1_000 },
    { count: Math.max(second, minute), lengthMs: 60_000 },
  ]);
const counting = fc.constantFrom<Counting[]>('fixed', 'rolling', 'bucket');
const latency = fc.constantFrom(2, 40, 400);

describe('limits that an administrator changed', () => {
  test('nothing exceeds lower limits after one answer, and higher limits are used', async () => {
    await fc.assert(
      fc.asyncProperty(windows, counting, latency, async (limits, form, latencyMs) => {
        const model = service(limits, form);
        const { world, send, scheduler } = rigOf(model, latencyMs);
        send('metadata-read');
        await world.run(5_000);
        for (let index = 0; index < 400; index++) send('metadata-read');
        await world.run(1_200_000);
        expect(model).toMatchObject({ ownViolations: 0, refusals: 0 });
        const [status] = scheduler.status();
        expect(status?.windows.map(({ count, lengthMs }) => ({ count, lengthMs }))).toEqual(limits);
      }),
      { numRuns: RUNS },
    );
  });

  test('in the middle of full load: at most the requests in flight are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(counting, latency, fc.integer({ min: 1, max: 9 }), async (form, latencyMs, count) => {
        const { world, send, replace } = rigOf(service([{ count: 10, lengthMs: 1_000 }], form), latencyMs);
        for (let index = 0; index < 300; index++) send('spans-query');
        await world.run(10_000);
        const lower = service([{ count, lengthMs: 1_000 }], form);
        replace(lower);
        await world.run(400_000);
        expect(lower.refusals).toBeLessThanOrEqual(10);
      }),
      { numRuns: RUNS },
    );
  });

  test('switched off: detected, reported and used; switched on again: followed after one answer', async () => {
    let headers = {};
    const rig = schedulerRig(() => answered(200, headers), { latencyMs: 20 });
    const load = (count: number) => {
      for (let index = 0; index < count; index++)
        rig.submit('one', { priority: 'upload' }).catch(() => undefined);
    };
    load(8_000);
    await rig.world.run(300_000);
    expect(rig.scheduler.status()[0]?.learned.source).toBe('off');
    // With the published limit, it would be 1,000 in each of the five minutes.
    expect(rig.sent.length).toBeGreaterThan(6_500);
    headers = { limit: '30 per 1 second, 1000 per 1 minute', remaining: '29', reset: '1' };
    load(4_000);
    await rig.world.run(301_000);
    const before = rig.sent.length;
    await rig.world.run(361_000);
    expect(rig.scheduler.status()[0]?.learned).toMatchObject({ source: 'published', factor: 1 });
    expect(rig.sent.length - before).toBeLessThanOrEqual(1_000);
  });
});

describe('an unstated limit', () => {
  test.each(['fixed', 'rolling', 'bucket'] as const)(
    'is found by trial: few rejections, a good part of it used (%s)',
    async (form) => {
      for (const [count, latencyMs] of [
        [1, 300],
        [3, 20],
        [10, 20],
      ] as const) {
        const { world, submit } = schedulerRig(undefined, { latencyMs, settings: { maxRejections: 1_000 } });
        const silent = {
          reset: 'absent',
          remaining: 'absent',
          policy: 'absent',
          retryAfter: 'absent',
        } as const;
        const model = new ServiceModel({
          ...{ counting: form, windows: [{ count, lengthMs: 1_000 }], clockMs: START_MS },
          ...{ penaltyMs: 0, resetIsFullLength: false, ...silent },
        });
        const late = { accepted: 0, refused: 0 };
        const attempt = () =>
          new Promise<ReturnType<typeof answered>>((resolve) => {
            const { isAllowed, headers } = model.arrive(world.trueMs, true);
            if (world.trueMs > 300_000) late[isAllowed ? 'accepted' : 'refused']++;
            world.after(latencyMs, () => resolve(answered(isAllowed ? 200 : 429, headers)));
          });
        for (let index = 0; index < 5_000; index++) {
          submit('one', { lane: lane('unlisted'), priority: 'upload', attempt }).catch(() => undefined);
        }
        await world.run(600_000);
        expect(late.refused / (late.accepted + late.refused)).toBeLessThan(0.08);
        expect(late.accepted).toBeGreaterThan(count * 300 * 0.4);
      }
    },
  );
});
