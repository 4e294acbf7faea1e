/** The scheduler while the service is unavailable, its plans, and a night in sleep mode. */

import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../electron/shared/errors.ts';
import { answered, dateAt, failed, lane, ORIGIN, schedulerRig } from '../helpers/scheduler-rig.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('a service that is down', () => {
  test('is reported at once with the latest reason, long before the requests that wait for it fail', async () => {
    const down: [number, string][] = [];
    let code: ErrorCode = 'CONNECTION_LOST';
    const { world, submit, outcome } = schedulerRig(() => failed('unsent', code), {
      settings: {
        onDown: (_origin, error) => {
          down.push([world.monotonicMs, error.code]);
          code = 'PROXY_FAILED';
        },
      },
    });
    const ended = Array.from({ length: 6 }, (_, index) =>
      outcome(submit(`batch ${index}`, { priority: 'upload' })),
    );
    await world.run();
    await Promise.all(ended);
    const [first] = down;
    expect(first?.[1]).toBe('CONNECTION_LOST');
    expect(first?.[0]).toBeLessThan(1_000);
    expect(down.slice(1).map(([, later]) => later)).toContain('PROXY_FAILED');
  });

  test('receives under 1 % of the load while it is down, and everything when it is back', async () => {
    const downUntilMs = 3_600_000;
    const { world, submit, outcome, sent } = schedulerRig(({ atMs }) =>
      atMs < downUntilMs ? answered(503) : answered(200),
    );
    const all = many(2_000, (i) => outcome(submit(`${i}`, { priority: 'prefetch', group: `${i % 5}` })));
    await world.run(downUntilMs);
    // At full load, 60,000 requests would have been sent in this hour.
    expect(sent.length).toBeLessThan(600);
    await world.run();
    const outcomes = await Promise.all(all);
    expect(outcomes.filter((text) => text === 'status 200').length).toBeGreaterThan(1_900);
    expect(sent.find(({ atMs }) => atMs >= downUntilMs)?.atMs).toBeLessThan(downUntilMs + 61_000);
  });

  test('a view learns at once why it cannot be refreshed, and works again after the probe', async () => {
    let isUp = false;
    const { world, submit, outcome } = schedulerRig(() =>
      isUp ? answered(200) : failed('unsent', 'CONNECTION_REFUSED'),
    );
    for (const i of many(5, (index) => index)) void outcome(submit(`${i}`, { priority: 'prefetch' }));
    await world.run(100);
    expect(await outcome(submit('view'))).toBe('CONNECTION_REFUSED');
    isUp = true;
    await world.run(5_000);
    const view = outcome(submit('view'));
    await world.run(6_000);
    expect(await view).toBe('status 200');
  });
});

describe('the plan of requests', () => {
  test('predicts the end of a bulk job of ten minutes within 10 %', async () => {
    const limited = () => answered(200, { limit: '30 per 1 second, 1000 per 1 minute' });
    const { world, submit, scheduler, sent } = schedulerRig(limited, { latencyMs: 130 });
    for (const i of many(20, (index) => index)) submit(`${i}`);
    await world.run(5_000);
    const startMs = world.trueMs;
    const plan = scheduler.plan([{ lane: lane(), count: 10_000 }]);
    const all = Promise.all(many(10_000, (i) => submit(`bulk ${i}`, { priority: 'upload' })));
    await world.run();
    await all;
    const tookMs = (sent.at(-1)?.atMs ?? 0) + 130 - startMs;
    expect(tookMs).toBeGreaterThan(500_000);
    const predictedMs = plan.finishAtMs - START_MS - startMs;
    expect(plan).toMatchObject({ requests: 10_000, leftToday: null, bindingWindow: { count: 1_000 } });
    expect(Math.abs(predictedMs - tookMs) / tookMs).toBeLessThan(0.1);
  });

  test('for ten million requests is extrapolated, and one that starts later considers the queue', async () => {
    const { world, submit, scheduler } = schedulerRig(undefined, { latencyMs: 100 });
    const requests = [{ lane: lane(), count: 10_000_000 }];
    const minutes = (plan: { startAtMs: number; finishAtMs: number }) =>
      (plan.finishAtMs - plan.startAtMs) / 60_000;
    expect(minutes(scheduler.plan(requests))).toBeGreaterThan(9_999);
    expect(minutes(scheduler.plan(requests))).toBeLessThan(10_050);
    for (const i of many(3_000, (index) => index)) submit(`${i}`, { priority: 'prefetch' });
    await world.run(10);
    const now = scheduler.plan([{ lane: lane(), count: 1 }]);
    expect(minutes(now)).toBeGreaterThan(2.9);
    // The queue will be empty two hours later.
    const startAtMs = START_MS + 7_200_000;
    const later = scheduler.plan([{ lane: lane(), count: 1 }], startAtMs);
    expect(later.startAtMs).toBeCloseTo(startAtMs, 0);
    expect(later.finishAtMs - later.startAtMs).toBeLessThan(1_000);
    // A start time in the past means now.
    expect(scheduler.plan([{ lane: lane(), count: 1 }], 1).startAtMs).toBeCloseTo(now.startAtMs, 0);
  });

  test('says how many requests are left today, and that the rest is sent tomorrow', async () => {
    const { world, submit, scheduler } = schedulerRig();
    const deletion = lane('event-deletion', 'DELETE /v3/events');
    for (const i of many(12, (index) => index)) submit(`${i}`, { lane: deletion, isRepeatSafe: false });
    await world.run(1_000);
    expect(scheduler.plan([{ lane: deletion, count: 18 }])).toMatchObject({
      leftToday: 18,
      bindingWindow: null,
    });
    const plan = scheduler.plan([{ lane: deletion, count: 19 }]);
    expect(plan.bindingWindow).toMatchObject({ count: 30, operation: 'DELETE /v3/events' });
    expect(plan.finishAtMs).toBeGreaterThan(START_MS + 86_400_000);
  });
});

describe('a computer that was restarted overnight', () => {
  test('asks for the service time, and the day is free again when the service says so', async () => {
    // Ledger time did not advance for thirty hours, and the wall clock alone is not trusted.
    const unseenMs = 30 * 3_600_000;
    let isAfter = false;
    const asked: string[] = [];
    const rig = schedulerRig(() => answered(200, { date: dateAt(rig.world, isAfter ? unseenMs : 0) }), {
      settings: { onTimeUnconfirmed: (origin) => asked.push(origin) },
    });
    const { world, submit, sent } = rig;
    const deletion = { lane: lane('event-deletion', 'DELETE /v3/events'), isRepeatSafe: false };
    for (const i of many(30, (index) => index)) submit(`${i}`, deletion);
    await world.run(60_000);
    submit('next day', deletion);
    await world.run(120_000);
    expect(asked).toEqual([]);
    isAfter = true;
    world.wallErrorMs = unseenMs;
    submit('another', deletion);
    await world.run(180_000);
    expect(asked).toEqual([ORIGIN]);
    expect(sent).toHaveLength(30);
    submit('server info', { lane: lane('metadata-read', 'GET /v3/server-info') });
    await world.run(240_000);
    expect(sent.slice(30).map(({ name }) => name)).toEqual(['server info', 'next day', 'another']);
  });
});

describe('listeners of the scheduler', () => {
  test('are notified of changes, at most ten times a second', async () => {
    const { world, submit, scheduler } = schedulerRig();
    let calls = 0;
    const stop = scheduler.onChange(() => {
      calls += 1;
    });
    for (const i of many(500, (index) => index)) submit(`${i}`);
    await world.run(2_000);
    expect(calls).toBeGreaterThanOrEqual(2);
    expect(calls).toBeLessThanOrEqual(21);
    stop();
    const before = calls;
    await world.run(10_000);
    expect(calls).toBe(before);
  });
});
