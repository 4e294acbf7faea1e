/** The clock of this computer, of the service, or of both is wrong. */
import { describe, expect, test } from 'vitest';
import { answered, dateAt, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { type Burst, CALM, type Schedule } from '../helpers/scheduler-schedule.ts';
import { simulate } from '../helpers/scheduler-simulation.ts';
import { ServiceModel } from '../helpers/service-model.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const deletions = (atMs: number, count: number): Burst => ({
  ...{ atMs, count, process: 0, lane: 0, priority: 'upload', group: '' },
  ...{ isRepeatSafe: false, isShared: false, abortAfterMs: null },
});
const day = (changes: Partial<Schedule>) =>
  simulate({ ...CALM, category: 'event-deletion', minLatencyMs: 40, bursts: [deletions(0, 45)], ...changes });

describe('the wall clock of this computer', () => {
  test.each([
    ['a week ahead', [7 * DAY_MS]],
    ['a week back', [-7 * DAY_MS]],
    [
      'an hour ahead and back, as a change of the time zone or of summer time shows in a wrong system',
      [HOUR_MS, -HOUR_MS],
    ],
    ['ahead again and again', [DAY_MS, DAY_MS, DAY_MS]],
  ])('set %s: a day is 24 hours all the same', async (_title, steps) => {
    for (const store of ['memory', 'sqlite'] as const) {
      const outcome = await day({
        store,
        jumps: steps.map((byMs, index) => ({ atMs: 10_000 + index * 20_000, byMs })),
        kills: [{ atMs: 60_000, process: 0, restartAfterMs: 1_000 }],
        bursts: [deletions(0, 30), deletions(120_000, 15)],
      });
      expect(outcome).toMatchObject({ violations: 0, refusals: 0, settled: 45 });
      expect(outcome.endMs).toBeGreaterThan(DAY_MS);
      expect(outcome.endMs).toBeLessThan(1.05 * DAY_MS);
    }
  });
});

describe('the clock of the service', () => {
  test.each([-50, -20, 20, 50])(
    'ticks %i millionths faster: the announced reset of a day is not tried early',
    async (driftPpm) => {
      for (const reset of ['epoch', 'epoch-cut', 'seconds', 'iso'] as const) {
        const outcome = await day({ counting: 'fixed', driftPpm, reset });
        expect(outcome).toMatchObject({ violations: 0, settled: 45 });
      }
    },
  );

  test.each([-14, -3, 3, 14])(
    'is %i hours off: nothing ends early, and the day ends when the service says',
    async (hours) => {
      const outcome = await day({ counting: 'fixed', serviceClockMs: hours * HOUR_MS });
      expect(outcome).toMatchObject({ violations: 0, settled: 45 });
      expect(outcome.endMs).toBeLessThan(DAY_MS);
    },
  );

  test.each([
    ['was set back by two hours', -2 * HOUR_MS],
    ['was set ahead by two hours', 2 * HOUR_MS],
    ['is the same', 0],
  ])('the reset of an answer is measured by its own Date if the clock of the service %s', async (_, byMs) => {
    // Two machines behind one address may answer. By the clock of the other one, the reset would have come after a
    // second.
    let aheadMs = 0;
    const resetAt = () => String(Math.ceil((START_MS + rig.world.trueMs + aheadMs) / 1_000) + 300);
    const rig = schedulerRig(({ name }) => {
      const date = dateAt(rig.world, aheadMs);
      return answered(200, name === 'told' ? { date, remaining: '0', reset: resetAt() } : { date });
    });
    const publish = { lane: lane('unlisted', 'POST /v3/events'), priority: 'upload' } as const;
    rig.submit('before', publish);
    await rig.world.run(10_000);
    aheadMs = byMs;
    rig.submit('told', publish);
    await rig.world.run(11_000);
    rig.submit('after', publish);
    await rig.world.run();
    const sentAtMs = rig.sent.find(({ name }) => name === 'after')?.atMs ?? 0;
    expect(sentAtMs).toBeGreaterThanOrEqual(310_000);
    expect(sentAtMs).toBeLessThan(314_000);
  });

  test('one answer with a wrong Date does not free the day', async () => {
    let aheadMs = 0;
    const rig = schedulerRig(() => answered(200, { date: dateAt(rig.world, aheadMs) }));
    const deletion = { lane: lane('event-deletion', 'DELETE /v3/events'), isRepeatSafe: false };
    for (let index = 0; index < 60; index++) rig.submit(`${index}`, { ...deletion, priority: 'upload' });
    await rig.world.run(60_000);
    aheadMs = 25 * HOUR_MS;
    rig.submit('read', { lane: lane('metadata-read', 'GET /v3/server-info') });
    await rig.world.run(600_000);
    expect(rig.sent.filter(({ name }) => name !== 'read')).toHaveLength(30);
  });

  test('time that passed unnoticed frees the day with the very answer that proves it', async () => {
    let aheadMs = 0;
    const rig = schedulerRig(() => answered(200, { date: dateAt(rig.world, aheadMs) }));
    const deletion = { lane: lane('event-deletion', 'DELETE /v3/events'), isRepeatSafe: false };
    for (let index = 0; index < 40; index++) rig.submit(`${index}`, { ...deletion, priority: 'upload' });
    await rig.world.run(60_000);
    expect(rig.sent).toHaveLength(30);
    aheadMs = 25 * HOUR_MS;
    rig.world.wallErrorMs = aheadMs;
    rig.submit('read', { lane: lane('metadata-read', 'GET /v3/server-info') });
    await rig.world.run(60_100);
    expect(rig.sent).toHaveLength(41);
  });

  test('a reset that frees nothing is tried once, not repeatedly', async () => {
    // Found by a deliberate fault in the record of tries: with each answer, a reset in the past counted as a new one.
    const reset = String(Math.ceil((START_MS + HOUR_MS) / 1_000));
    let counted = 0;
    const rig = schedulerRig(() => {
      const isFull = counted >= 30;
      if (!isFull) counted++;
      const left = { remaining: String(30 - counted), reset, date: dateAt(rig.world) };
      return answered(isFull ? 429 : 200, { limit: '30 per 1 day', ...left });
    });
    const deletion = { lane: lane('event-deletion'), isRepeatSafe: false, priority: 'upload' } as const;
    for (let index = 0; index < 32; index++) rig.submit(`${index}`, deletion).catch(() => undefined);
    await rig.world.run(23 * HOUR_MS);
    expect(rig.sent).toHaveLength(31);
    expect(rig.sent[30]?.atMs).toBeGreaterThanOrEqual(HOUR_MS);
  });

  test('an answer after a reset does not free the permit of a request that overtook it', async () => {
    const model = new ServiceModel({
      ...{
        counting: 'fixed',
        windows: [{ count: 30, lengthMs: DAY_MS }],
        policy: 'whole',
        retryAfter: 'seconds',
      },
      // The service starts a new day in an hour.
      ...{ clockMs: START_MS + 14 * HOUR_MS, penaltyMs: 0, resetIsFullLength: false },
    });
    const { world, submit } = schedulerRig();
    const remove = (arriveMs: number, answerMs: number) => {
      const attempt = () =>
        new Promise<ReturnType<typeof answered>>((resolve) => {
          world.after(arriveMs, () => {
            const { isAllowed, headers } = model.arrive(world.trueMs, true);
            world.after(answerMs, () => resolve(answered(isAllowed ? 200 : 429, headers)));
          });
        });
      const one = { lane: lane('event-deletion'), isRepeatSafe: false, priority: 'upload', attempt } as const;
      submit('one', one).catch(() => undefined);
    };
    for (let index = 0; index < 10; index++) remove(0, 50);
    // This request is in flight at midnight. It is counted after the next request, but its answer arrives first.
    world.at(HOUR_MS - 1_000, () => remove(6_000, 100));
    world.at(HOUR_MS + 3_000, () => remove(0, 4_000));
    await world.run(HOUR_MS + 8_000);
    for (let index = 0; index < 40; index++) remove(0, 50);
    await world.run(2 * HOUR_MS);
    expect(model).toMatchObject({ ownViolations: 0, refusals: 0 });
  });

  test('a service that announces a reset every minute and frees nothing is tried once an hour', async () => {
    let counted = 0;
    const rig = schedulerRig(() => {
      const isFull = counted >= 30;
      if (!isFull) counted++;
      const left = { remaining: String(30 - counted), reset: '60', date: dateAt(rig.world) };
      return answered(isFull ? 429 : 200, { limit: '30 per 1 day', ...left });
    });
    const deletion = { lane: lane('event-deletion'), isRepeatSafe: false, priority: 'upload' } as const;
    for (let index = 0; index < 32; index++) rig.submit(`${index}`, deletion).catch(() => undefined);
    await rig.world.run(6 * HOUR_MS);
    expect(rig.sent.length).toBeGreaterThan(31);
    expect(rig.sent.length).toBeLessThanOrEqual(37);
  });

  test.each(['memory', 'sqlite'] as const)(
    'a statement after a night asleep frees the day (%s)',
    async (store) => {
      const outcome = await day({
        store,
        sleeps: [{ atMs: 10_000, forMs: 23 * HOUR_MS, isRestart: false }],
        bursts: [deletions(0, 30), deletions(23 * HOUR_MS + 60_000, 15)],
      });
      expect(outcome).toMatchObject({ violations: 0, settled: 45 });
      // Measured only by the clock of this computer, it would take 23 more hours.
      expect(outcome.endMs).toBeLessThan(26 * HOUR_MS);
      expect(outcome.reached).toContain('asked for the time');
    },
  );
});
