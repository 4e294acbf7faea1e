import { expect, test } from 'vitest';
import { elementAt } from '../../electron/core/element-at.ts';

test('an element is read by its index, also if it is empty, and a wrong index is a fault', () => {
  expect([elementAt([0, ''], 1), elementAt(Uint8Array.of(0), 0)]).toEqual(['', 0]);
  for (const index of [-1, 2, 0.5])
    expect(() => elementAt([7, 8], index)).toThrow(`Expected an index below 2, got ${index}.`);
});
