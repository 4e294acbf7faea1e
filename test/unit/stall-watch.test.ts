/** Work without progress is distinguished from work that is slow, asleep or computing. */
import { expect, test } from 'vitest';
import { type SignOfLife, stalledError, watchForStall } from '../../electron/core/stall-watch.ts';
import { settled, VirtualWorld } from '../helpers/virtual-world.ts';

const LIMITS = { waitingMs: 30_000, busyMs: 300_000 };

/** Returns the virtual time within an hour at which the watch gave up, null if it did not. */
async function gaveUpAt(
  look: (trueMs: number) => SignOfLife,
  sleepAt: number | null = null,
): Promise<number | null> {
  const world = new VirtualWorld();
  const times: number[] = [];
  if (sleepAt !== null) world.at(sleepAt, () => world.sleep(1_200_000));
  watchForStall({
    clock: world.process(),
    limits: LIMITS,
    look: () => look(world.trueMs),
    onStall: () => times.push(world.trueMs),
  });
  await world.run(3_600_000);
  expect(times.length).toBeLessThan(2);
  return times[0] ?? null;
}

test('work that waits without progress is given up after the limit', async () => {
  expect(await gaveUpAt((now) => ({ progress: 7, waitedMs: now }))).toBeCloseTo(30_000, 0);
  // The work stops making progress after two minutes.
  const at = await gaveUpAt((now) => ({ progress: Math.min(now, 120_000), waitedMs: now }));
  expect(at).toBeCloseTo(150_000, 0);
});

test('a slow disk with progress is never given up, nor work that computes for minutes and then continues', async () => {
  expect(await gaveUpAt((now) => ({ progress: Math.floor(now / 20_000), waitedMs: now }))).toBeNull();
  expect(await gaveUpAt((now) => ({ progress: Math.floor(now / 240_000), waitedMs: 0 }))).toBeNull();
});

test('an endless loop is given up after the longer limit', async () => {
  expect(await gaveUpAt(() => ({ progress: 7, waitedMs: 0 }))).toBeCloseTo(300_000, 0);
});

test('time asleep does not count', async () => {
  const at = await gaveUpAt((now) => ({ progress: 7, waitedMs: now }), 12_000);
  expect(at).toBeGreaterThan(1_212_000);
});

test('an ended watch checks no more', async () => {
  const world = new VirtualWorld();
  let looks = 0;
  const look = () => {
    looks += 1;
    return { progress: 7, waitedMs: world.trueMs };
  };
  const onStall = () => expect.unreachable();
  const end = watchForStall({ clock: world.process(), limits: LIMITS, look, onStall });
  await world.run(11_000);
  const before = looks;
  end();
  await world.run(100_000);
  await settled();
  expect(looks).toBe(before);
});

test('the error states the expected and the observed progress and what to do', () => {
  expect(stalledError('trips.xlsx', { byte: 9_999_999, sizeBytes: 4_096 })).toMatchObject({
    code: 'FILE_MALFORMED',
    message:
      'Expected all rows of trips.xlsx, but the reading got no further at about byte 4,096 of 4,096 and was ended. The file is damaged, or its disk does not answer: export it again, or as CSV, then choose it again.',
  });
  expect(stalledError('a.arrow', null, new Error('x')).message).toContain('but the reading broke off.');
});

test('work that ends during a look is not watched any longer, and not given up', async () => {
  const world = new VirtualWorld();
  let looks = 0;
  const end = watchForStall({
    clock: world.process(),
    limits: LIMITS,
    look: async () => {
      looks += 1;
      await Promise.resolve();
      end();
      return { progress: 7, waitedMs: world.trueMs };
    },
    onStall: () => expect.unreachable(),
  });
  await world.run(3_600_000);
  expect(looks).toBe(1);
});
