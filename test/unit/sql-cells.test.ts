/** Values of SQL results that are too long for one message. */
import { expect, test } from 'vitest';
import { fittingRows, shortened } from '../../electron/analysis/cells.ts';

test('a value beyond the bound is cut with its length; others stay unchanged', () => {
  expect(shortened('abcdef', 6)).toBe('abcdef');
  expect(shortened('abcdefg', 6)).toBe('abcdef… (7 characters)');
  const nested = { a: ['x'.repeat(50)] };
  expect(shortened(nested, 100)).toBe(nested);
  expect(shortened(nested, 20)).toMatch(/^\{"a":\["x+… \(60 characters\)$/);
  for (const value of [null, 12, true, undefined]) expect(shortened(value, 1)).toBe(value);
});

test('as many rows as fit are sent in one message, at least one', () => {
  const row = ['x'.repeat(7_000_000)];
  expect(fittingRows([row, row, row], 1_000)).toBe(2);
  expect(fittingRows([[...row, ...row, ...row], row], 1_000)).toBe(1);
  expect(fittingRows([['a'], ['b'], ['c']], 2)).toBe(2);
  expect(fittingRows([], 2)).toBe(0);
});
