/** Events that release a waiting request earlier than expected, and the cleanup when nothing waits any more. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';

const upload = { priority: 'upload' } as const;

describe('a waiting request is sent earlier', () => {
  test('if an ordinary answer states a higher limit', async () => {
    const { world, submit, names } = schedulerRig(({ name }) =>
      answered(200, name === 'second' ? { limit: '100 per 1 second' } : {}),
    );
    submit('first', upload);
    await world.run(10);
    for (let index = 0; index < 40; index++) submit(index === 0 ? 'second' : `${index}`, upload);
    await world.run(30);
    expect(names()).toHaveLength(30);
    await world.run(200);
    expect(names()).toHaveLength(41);
  });

  test('if a visible view needs it: a socket is reserved for that', async () => {
    const { world, submit, names } = schedulerRig(() => answered(200), {
      settings: { maxInFlight: 6 },
      latencyMs: 60_000,
    });
    for (let index = 0; index < 10; index++) submit(`${index}`, upload);
    await world.run(10);
    submit('view');
    await world.run(20);
    expect(names()).toEqual(['0', '1', '2', '3', 'view']);
  });

  test('if a visible view joins it', async () => {
    const { world, submit, names } = schedulerRig(() => answered(200), {
      settings: { maxInFlight: 6 },
      latencyMs: 60_000,
    });
    for (let index = 0; index < 10; index++) submit(`${index}`, upload);
    submit('page', { ...upload, shareKey: 'page' });
    await world.run(10);
    submit('page', { shareKey: 'page' });
    await world.run(20);
    expect(names()).toEqual(['0', '1', '2', '3', 'page']);
  });

  test('if an ordinary answer states a higher Remaining than the previous one', async () => {
    const { world, submit, names } = schedulerRig();
    // The reset is in about an hour, but no window of that length is known here.
    const left = (remaining: string, latencyMs: number) => () =>
      new Promise<ReturnType<typeof answered>>((resolve) =>
        world.after(latencyMs, () => resolve(answered(200, { remaining, reset: '3000' }))),
      );
    submit('first', { ...upload, attempt: left('0', 100) });
    await world.run(10);
    submit('second', { ...upload, attempt: left('5', 300) });
    await world.run(200);
    submit('third', upload);
    await world.run(300);
    expect(names()).toEqual([]);
    await world.run(320);
    expect(names()).toEqual(['third']);
  });

  test('if nothing is in flight any more, and use by others may have ended', async () => {
    const { world, submit, names } = schedulerRig(({ name }) =>
      answered(200, name === 'first' ? { limit: '1000 per 1 minute', remaining: '0', reset: '30' } : {}),
    );
    submit('first', upload);
    await world.run(1_000);
    for (const name of ['a', 'b', 'c']) submit(name, upload);
    await world.run(29_000);
    expect(names()).toEqual(['first']);
    await world.run(32_000);
    expect(names()).toEqual(['first', 'a', 'b', 'c']);
  });

  test('if the user deletes the learned limit', async () => {
    const { world, submit, scheduler, names } = schedulerRig(() =>
      answered(200, names().length === 1 ? { limit: '1 per 1 minute' } : {}),
    );
    submit('first', upload);
    await world.run(1_000);
    submit('second', upload);
    await world.run(2_000);
    scheduler.forget(lane());
    await world.run(2_010);
    expect(names()).toEqual(['first', 'second']);
  });
});

test('a cancelled change that continues for a while: an earlier read does not answer a later request', async () => {
  const { world, submit, outcome, names } = schedulerRig(undefined, { latencyMs: 500 });
  const abort = new AbortController();
  // The attempt ignores that it is cancelled.
  const slow = () =>
    new Promise<ReturnType<typeof answered>>((resolve) => world.after(400, () => resolve(answered(200))));
  const change = outcome(submit('change', { isRepeatSafe: false, signal: abort.signal, attempt: slow }));
  submit('page', { shareKey: 'page' });
  await world.run(30);
  abort.abort();
  expect(await change).toBe('CANCELLED');
  submit('page', { shareKey: 'page' });
  await world.run(100);
  expect(names()).toEqual(['page', 'page']);
});

test('a read sent before a change and answered after it does not replace the read shared now', async () => {
  const { world, submit, names } = schedulerRig(undefined, { latencyMs: 100 });
  submit('change', { isRepeatSafe: false }).catch(() => undefined);
  await world.run(50);
  submit('page', { shareKey: 'page' });
  await world.run(120);
  submit('page', { shareKey: 'page' });
  await world.run(160);
  submit('page', { shareKey: 'page' });
  await world.run();
  expect(names()).toEqual(['change', 'page', 'page']);
});

test('a read at the very moment a change ended is not shared afterwards', async () => {
  const { world, submit, names } = schedulerRig(undefined, { latencyMs: 100 });
  void submit('change', { isRepeatSafe: false }).then(() => submit('page', { shareKey: 'page' }));
  world.at(100 - 1e-5, () => void submit('page', { shareKey: 'page' }));
  await world.run(110);
  expect(names()).toEqual(['change', 'page', 'page']);
});

describe('no timers or listeners remain', () => {
  test('after a stop, no timer remains', async () => {
    const { world, submit, scheduler } = schedulerRig(undefined, { latencyMs: 100 });
    const deaf = () =>
      new Promise<ReturnType<typeof answered>>((resolve) => world.after(100, () => resolve(answered(200))));
    submit('one', { attempt: deaf }).catch(() => undefined);
    await world.run(10);
    const stopped = scheduler.stop();
    await world.run();
    await stopped;
    expect(world.trueMs).toBeLessThan(101);
  });

  test('after a caller of a shared read cancels, no listener remains', async () => {
    const { world, submit, outcome } = schedulerRig();
    const abort = new AbortController();
    const others = Array.from({ length: 2 }, () => new AbortController());
    const one = outcome(submit('page', { shareKey: 'page', signal: abort.signal }));
    for (const { signal } of others) void outcome(submit('page', { shareKey: 'page', signal }));
    abort.abort();
    expect(await one).toBe('CANCELLED');
    await world.run();
    for (const { signal } of [abort, ...others]) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('an attempt that reads its signal after the cancel finds it aborted', async () => {
    const { world, submit, outcome } = schedulerRig();
    const abort = new AbortController();
    let isAborted = false;
    const result = outcome(
      submit('late', {
        signal: abort.signal,
        attempt: (context) =>
          new Promise((resolve) =>
            world.after(50, () => {
              isAborted = context.signal.aborted;
              resolve(answered(200));
            }),
          ),
      }),
    );
    await world.run(10);
    abort.abort();
    expect(await result).toBe('CANCELLED');
    await world.run();
    expect(isAborted).toBe(true);
  });
});
