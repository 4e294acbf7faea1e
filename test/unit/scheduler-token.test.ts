/** A rejected token causes only one prompt, whenever its rejections arrive. */
import { expect, test } from 'vitest';
import { answered, lane, ORIGIN, schedulerRig } from '../helpers/scheduler-rig.ts';

test('rejections of requests sent before a token was accepted cause no new prompt', async () => {
  const asked: number[] = [];
  let isAccepted = false;
  const rig = schedulerRig(() => answered(isAccepted ? 200 : 401), {
    settings: { onUnauthorized: () => asked.push(Math.round(rig.world.trueMs)) },
  });
  const { world, submit, outcome, scheduler } = rig;
  const refusedLate = () => {
    // Requests with the old token are rejected, however late their answers arrive.
    const attempt = () =>
      new Promise<ReturnType<typeof answered>>((resolve) => world.after(5_000, () => resolve(answered(401))));
    return outcome(submit('slow', { priority: 'upload', attempt }));
  };
  const slow = [refusedLate(), refusedLate()];
  await world.run(10);
  void outcome(submit('quick', { priority: 'upload', lane: lane('metadata-read', 'GET /v3/models') }));
  await world.run(1_000);
  expect(asked).toEqual([60]);
  isAccepted = true;
  scheduler.resume('unauthorized', ORIGIN, 'token');
  expect(await outcome(waitFor(submit('next'), world.run(4_000)))).toBe('status 200');
  await world.run(10_000);
  expect(await Promise.all(slow)).toEqual(['status 401', 'status 401']);
  expect(asked).toEqual([60]);
  // The token is rejected again: there is one more prompt, however many requests fail.
  isAccepted = false;
  for (let index = 0; index < 20; index++) void outcome(submit(`${index}`, { priority: 'upload' }));
  await world.run(20_000);
  expect(asked).toHaveLength(2);
  expect(scheduler.status()[0]?.reason).toBe('paused');
});

async function waitFor<T>(promise: Promise<T>, running: Promise<void>): Promise<T> {
  await running;
  return promise;
}
