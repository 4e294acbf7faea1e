import { expect, test } from 'vitest';
import { guardTimers } from '../../electron/core/guard-timers.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

test('a timer that throws, or whose asynchronous work rejects, is reported by its name and ends nothing else', async () => {
  const failures: string[] = [];
  const virtual = new VirtualClock();
  const clock = guardTimers(virtual, (what, thrown) => failures.push(`${what}: ${String(thrown)}`));
  let isDone = false;
  clock.setTimer(function sweep() {
    throw new Error('database or disk is full');
  }, 10);
  clock.setTimer(async function countAgain() {
    await Promise.resolve();
    throw new Error('the job is gone');
  }, 10);
  clock.setTimer(() => {
    isDone = true;
  }, 10);
  virtual.advance(10);
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual(['sweep: Error: database or disk is full', 'countAgain: Error: the job is gone']);
  expect(isDone).toBe(true);
});

test('a cancelled timer does not run', () => {
  const virtual = new VirtualClock();
  const clock = guardTimers(virtual, () => undefined);
  let count = 0;
  const cancel = clock.setTimer(() => {
    count += 1;
  }, 10);
  cancel();
  virtual.advance(20);
  expect(count).toBe(0);
});
