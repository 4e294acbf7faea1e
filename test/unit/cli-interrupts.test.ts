import { expect, test } from 'vitest';
import { InterruptCounter } from '../../electron/cli/interrupt-counter.ts';

test('an interrupt that arrives twice, as through npm, counts once; a later one ends the command', () => {
  const interrupts = new InterruptCounter();
  expect([1_000, 1_005, 1_500, 1_501, 9_000].map((nowMs) => interrupts.isSecond(nowMs))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});
