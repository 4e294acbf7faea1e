/** Requests that count against a limit, and for how long they count. */
import { describe, expect, test } from 'vitest';
import { answered, failed, lane, schedulerRig } from '../helpers/scheduler-rig.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

describe('the rate-limit permit', () => {
  test('of a request that was certainly not sent is free again at once, a daily one too', async () => {
    for (const category of ['metadata-write', 'event-deletion'] as const) {
      const { world, submit, scheduler, outcome, sent } = schedulerRig(() => failed('unsent', 'TLS_FAILED'));
      const one = { lane: lane(category), priority: 'upload', isRepeatSafe: false } as const;
      const first = Array.from({ length: 10 }, (_, index) => outcome(submit(`${index}`, one)));
      await world.run(100);
      expect(new Set(await Promise.all(first))).toEqual(new Set(['TLS_FAILED']));
      expect(scheduler.status()[0]?.windows.map(({ used }) => used)).toEqual(
        category === 'event-deletion' ? [0] : [0, 0],
      );
      for (let index = 0; index < 10; index++) void outcome(submit(`again ${index}`, one));
      await world.run(200);
      expect(sent).toHaveLength(20);
    }
  });

  test('of a request whose answer was lost counts as used', async () => {
    const { world, submit, scheduler, outcome } = schedulerRig(() => failed('unknown'));
    const lost = outcome(submit('lost', { lane: lane('event-deletion'), isRepeatSafe: false }));
    await world.run(100);
    expect(await lost).toBe('CONNECTION_LOST');
    expect(scheduler.status()[0]?.windows).toMatchObject([{ used: 1, left: 29 }]);
  });

  test('of a request that takes minutes is held until its answer and one window longer', async () => {
    const { world, submit, scheduler, sent } = schedulerRig(() => answered(200), { latencyMs: 600_000 });
    const at = { lane: lane('metadata-write'), priority: 'upload' } as const;
    for (let index = 0; index < 11; index++) submit(`${index}`, at);
    await world.run(599_000);
    expect(sent).toHaveLength(10);
    expect(scheduler.status()[0]).toMatchObject({ inFlight: 10, reason: 'in-flight' });
    await world.run(700_000);
    expect(sent[10]?.atMs).toBeGreaterThanOrEqual(601_000);
  });
});

describe('an answer to a request', () => {
  test('that leaves nothing in flight lets a request try a reset that others had used up', async () => {
    const { world, submit, sent } = schedulerRig(() =>
      answered(200, { limit: '1000', remaining: '0', reset: '5' }),
    );
    const slow = () =>
      new Promise<ReturnType<typeof answered>>((resolve) => {
        world.after(20_000, () => resolve(answered(200)));
      });
    submit('slow', { attempt: slow });
    submit('told');
    await world.run(100);
    submit('next');
    await world.run();
    // The use by others must not count until the end of its minute.
    expect(sent.map(({ name, atMs }) => [name, atMs])).toEqual([
      ['told', 0],
      ['next', 20_000],
    ]);
  });
});

describe('the virtual world', () => {
  test('stops timers and monotonic time while the computer sleeps, and runs due timers afterwards', async () => {
    const world = new VirtualWorld();
    const clock = world.process();
    const rang: number[] = [];
    clock.setTimer(() => rang.push(world.trueMs), 1_000);
    clock.setTimer(() => rang.push(world.trueMs), 5_000);
    world.at(2_000, () => world.sleep(10_000));
    world.at(6_000, () => world.sleep(10_000));
    await world.run(3_000);
    expect(world.isAsleep).toBe(true);
    expect(Math.round(clock.monotonicMs())).toBe(2_000);
    const wallMs = clock.nowMs();
    await world.run();
    expect(rang.map(Math.round)).toEqual([1_000, 19_000]);
    expect(Math.round(clock.monotonicMs())).toBe(5_000);
    expect(Math.round(clock.nowMs() - wallMs)).toBe(16_000);
  });
});
