/** The scheduler as shown to the user: the groups of requests that wait, the reasons, and the available actions. */
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import type { Submission } from '../../electron/scheduler/types.ts';
import { answered, failed, lane, ORIGIN, schedulerRig } from '../helpers/scheduler-rig.ts';
import { START_MS, type VirtualWorld } from '../helpers/virtual-world.ts';

const TOKEN = { origin: ORIGIN, tokenId: 'token' };
const LIMIT = { limit: '30 per 1 second, 1000 per 1 minute' };
const upload = (group: string): Partial<Submission<string>> => ({ priority: 'upload', group });
const script = (...results: Attempt<string>[]) => {
  const rest = [...results];
  return () => rest.shift() ?? answered(200);
};

async function until(world: VirtualWorld, isSo: () => boolean): Promise<void> {
  for (let step = 0; step < 2_000 && !isSo(); step++) await world.run(world.trueMs + 20);
  expect(isSo()).toBe(true);
}

describe('waiting groups', () => {
  test('are reported with their priority, their wait and the requests ahead of them', async () => {
    const { world, submit, scheduler } = schedulerRig();
    const all = Array.from({ length: 34 }, (_, i) => submit(`${i}`, upload('upload a')));
    await world.run(100);
    all.push(submit('b', { priority: 'prefetch', group: 'ahead' }));
    all.push(submit('v', { priority: 'view', group: 'tab-1' }));
    await world.run(160);
    expect(scheduler.waiting(TOKEN)).toEqual([
      expect.objectContaining({ group: 'tab-1', priority: 'view', queued: 1, ahead: 0, longestWaitMs: 60 }),
      expect.objectContaining({ group: 'upload a', queued: 4, ahead: 1, longestWaitMs: 160 }),
      expect.objectContaining({ group: 'ahead', queued: 1, ahead: 5, isChosen: false }),
    ]);
    expect(scheduler.waiting({ ...TOKEN, tokenId: 'other' })).toEqual([]);
    await world.run();
    await Promise.all(all);
    expect(scheduler.waiting(TOKEN)).toEqual([]);
  });

  test('requests in flight are reported with their group', async () => {
    const { world, submit, scheduler } = schedulerRig();
    const sent = submit('a', upload('upload a'));
    await world.run(10);
    expect(scheduler.waiting(TOKEN)).toMatchObject([{ group: 'upload a', queued: 0, inFlight: 1 }]);
    await world.run();
    await sent;
  });

  test('a request that failed and is retried is not "nothing waits"', async () => {
    const { world, submit, scheduler } = schedulerRig(script(answered(503)));
    const sent = submit('a', upload('upload a'));
    await world.run(51);
    const [status] = scheduler.status();
    expect(status).toMatchObject({
      queued: 0,
      retrying: 1,
      reason: 'retry',
      wait: { text: '1 request failed and is sent again.' },
    });
    expect(status?.nextSendAtMs).toBeGreaterThan(START_MS + 51);
    const [group] = scheduler.waiting(TOKEN);
    expect(group).toMatchObject({ queued: 0, retrying: 1, retryAtMs: status?.nextSendAtMs });
    await world.run();
    await sent;
    expect(scheduler.status()[0]).toMatchObject({ retrying: 0, reason: 'ready', longestWaitMs: 0 });
  });

  test('the longest wait covers all attempts of a request, not only the pending one', async () => {
    const { world, submit, scheduler } = schedulerRig(script(answered(429, { retryAfter: '2' })));
    const all = Array.from({ length: 31 }, (_, i) => submit(`${i}`, upload('upload a')));
    await world.run(500);
    expect(scheduler.status()[0]?.longestWaitMs).toBe(500);
    await world.run();
    await Promise.all(all);
  });
});

describe('reasons for waiting', () => {
  const textOf = (rig: ReturnType<typeof schedulerRig>) => rig.scheduler.status()[0]?.wait.text;

  test('after a rejection one probe is sent, and the lane says so', async () => {
    const rig = schedulerRig(script(answered(429, { retryAfter: '1' })));
    const all = [rig.submit('a', upload('u'))];
    await rig.world.run(60);
    all.push(rig.submit('b', upload('u')), rig.submit('c', upload('u')));
    expect(textOf(rig)).toBe('The service asked to wait.');
    await until(rig.world, () => rig.sent.length === 2);
    expect(textOf(rig)).toBe(
      'After a refusal, one request is sent alone. The others follow after its answer.',
    );
    await rig.world.run();
    await Promise.all(all);
  });

  test('a lane without a known limit says how many requests it sends at once', async () => {
    const rig = schedulerRig();
    const unlisted = { ...upload('u'), lane: lane('unlisted', 'POST /v3/events') };
    const all = [1, 2, 3].map((i) => rig.submit(`${i}`, unlisted));
    await rig.world.run(10);
    expect(textOf(rig)).toBe(
      'Waiting for answers: 2 requests are in progress, the most this lane sends at once.',
    );
    await rig.world.run();
    await Promise.all(all);
  });

  test('requests in flight that may use up the limit are named as the reason', async () => {
    const rig = schedulerRig();
    const all = Array.from({ length: 31 }, (_, i) => rig.submit(`${i}`, upload('u')));
    await rig.world.run(10);
    expect(textOf(rig)).toBe('Waiting for answers: 30 requests are in progress and may use up the limit.');
    await rig.world.run();
    await Promise.all(all);
  });

  test('the maximum number of concurrent requests to the service is the reason in each of its lanes', async () => {
    const rig = schedulerRig(undefined, { settings: { maxInFlight: 4 } });
    const all = Array.from({ length: 3 }, (_, i) => rig.submit(`${i}`, upload('u')));
    await rig.world.run(10);
    expect(textOf(rig)).toBe('Waiting for answers: 2 requests are in progress to this service.');
    await rig.world.run();
    await Promise.all(all);
  });

  test.each([
    ['answered 503', answered(503), 'The service answered that it is not available; one request'],
    ['did not answer', failed('unsent', 'CONNECTION_REFUSED'), 'The service did not answer; one request'],
  ])('a service that %s is described so', async (_title, result, said) => {
    const rig = schedulerRig(() => result);
    const all = Array.from({ length: 8 }, (_, i) => rig.outcome(rig.submit(`${i}`, upload('u'))));
    await until(rig.world, () => rig.scheduler.status()[0]?.reason === 'breaker');
    expect(textOf(rig)).toContain(said);
    await rig.world.run();
    await Promise.all(all);
  });
});

describe('changes by the user', () => {
  test('a chosen priority applies to queued and to later requests of the group', async () => {
    const { world, submit, scheduler, sent } = schedulerRig();
    const all = Array.from({ length: 30 }, (_, i) => submit(`first ${i}`, upload('x')));
    await world.run(60);
    for (const name of ['a1', 'a2']) all.push(submit(name, upload('a')));
    for (const name of ['b1', 'b2']) all.push(submit(name, upload('b')));
    scheduler.choosePriority(TOKEN, 'a', 'prefetch');
    scheduler.choosePriority(TOKEN, 'b', 'outbox');
    all.push(submit('a3', upload('a')), submit('b3', upload('b')), submit('c1', upload('c')));
    expect(scheduler.waiting(TOKEN)).toMatchObject([
      { group: 'b', priority: 'outbox', isChosen: true, queued: 3, ahead: 0 },
      { group: 'c', priority: 'upload', isChosen: false, queued: 1, ahead: 3 },
      { group: 'a', priority: 'prefetch', isChosen: true, queued: 3, ahead: 4 },
    ]);
    await world.run();
    await Promise.all(all);
    expect(sent.slice(30).map(({ name }) => name)).toEqual(['b1', 'b2', 'b3', 'c1', 'a1', 'a2', 'a3']);
  });

  test('without the choice, queued requests have their own priority again', async () => {
    const { world, submit, scheduler } = schedulerRig();
    const all = Array.from({ length: 31 }, (_, i) => submit(`${i}`, { priority: 'prefetch', group: 'a' }));
    await world.run(60);
    scheduler.choosePriority(TOKEN, 'a', 'outbox');
    expect(scheduler.waiting(TOKEN)).toMatchObject([{ priority: 'outbox', isChosen: true }]);
    scheduler.choosePriority(TOKEN, 'a', null);
    expect(scheduler.waiting(TOKEN)).toMatchObject([{ priority: 'prefetch', isChosen: false }]);
    await world.run();
    await Promise.all(all);
  });

  test('requests of a visible view keep their position, also inside the group', async () => {
    const { world, submit, scheduler } = schedulerRig();
    const all = Array.from({ length: 30 }, (_, i) => submit(`${i}`));
    await world.run(60);
    all.push(submit('seen', { group: 'tab' }), submit('ahead', { group: 'tab', priority: 'prefetch' }));
    scheduler.choosePriority(TOKEN, 'tab', 'upload');
    all.push(submit('seen too', { group: 'tab' }));
    expect(scheduler.waiting(TOKEN)).toMatchObject([
      { priority: 'view', queued: 2 },
      { priority: 'upload', queued: 1 },
    ]);
    await world.run();
    await Promise.all(all);
  });

  test('learned limits show since when, and are deleted on request', async () => {
    const stated = { limit: '5 per 1 second' };
    const { world, submit, scheduler } = schedulerRig(() => answered(200, stated));
    await Promise.all([submit('a'), world.run()]);
    expect(scheduler.status()[0]).toMatchObject({
      windows: [{ count: 5 }, { count: 1_000 }],
      learned: { source: 'stated', changedAtMs: START_MS + 50 },
    });
    scheduler.forget(lane());
    expect(scheduler.status()[0]).toMatchObject({
      windows: [
        { count: 30, used: 1 },
        { count: 1_000, used: 1 },
      ],
      learned: { source: 'published', policy: null, refusals: 0, changedAtMs: null },
    });
  });

  test('deleting them never shortens a Retry-After, and sends one probe first', async () => {
    const { world, submit, scheduler, sent } = schedulerRig(
      script(answered(429, { retryAfter: '10', ...LIMIT })),
    );
    const all = [submit('first', upload('u'))];
    await world.run(60);
    scheduler.forget(lane());
    for (const name of ['a', 'b', 'c']) all.push(submit(name, upload('u')));
    expect(scheduler.status()[0]?.reason).toBe('retry-after');
    await until(world, () => sent.length > 1);
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual(10_050);
    expect(sent).toHaveLength(2);
    await world.run();
    await Promise.all(all);
    expect((sent[2]?.atMs ?? 0) - (sent[1]?.atMs ?? 0)).toBeGreaterThanOrEqual(50);
  });
});
