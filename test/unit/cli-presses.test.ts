import { expect, test } from 'vitest';
import { Presses } from '../../electron/cli/presses.ts';

test('an interrupt that arrives twice, as through npm, counts once; a later one ends the command', () => {
  const presses = new Presses();
  expect([1_000, 1_005, 1_500, 1_501, 9_000].map((nowMs) => presses.isSecond(nowMs))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});
