/** How long background work waits for work in the foreground. */
import { expect, test } from 'vitest';
import { Foreground } from '../../electron/core/foreground.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

/** Returns whether the work is finished, after all pending callbacks have run. */
async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false;
  void work.then(() => {
    over = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

test('without foreground requests the background continues at once', async () => {
  const clock = new VirtualClock();
  expect(await isOver(new Foreground(clock).whenFree())).toBe(true);
  expect(clock.pending).toBe(0);
});

test('the background continues after the last answer, and leaves no timer behind', async () => {
  const clock = new VirtualClock();
  const foreground = new Foreground(clock);
  const [first, second] = [foreground.enter(), foreground.enter()];
  const background = foreground.whenFree();
  first();
  first();
  expect(await isOver(background)).toBe(false);
  second();
  expect(await isOver(background)).toBe(true);
  expect(clock.pending).toBe(0);
});

test('a slow service delays the background for a moment only', async () => {
  const clock = new VirtualClock();
  const foreground = new Foreground(clock);
  foreground.enter();
  const background = foreground.whenFree();
  clock.advance(149);
  expect(await isOver(background)).toBe(false);
  clock.advance(1);
  expect(await isOver(background)).toBe(true);
  expect(await isOver(foreground.whenFree())).toBe(true);
});

test('views that send requests endlessly delay each step of the background for a moment only', async () => {
  const clock = new VirtualClock();
  const foreground = new Foreground(clock);
  let leave = foreground.enter();
  const background = foreground.whenFree();
  for (let asked = 0; asked < 3; asked += 1) {
    clock.advance(50);
    const next = foreground.enter();
    leave();
    leave = next;
  }
  expect(await isOver(background)).toBe(true);
});
