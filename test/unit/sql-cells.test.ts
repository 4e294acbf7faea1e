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
  expect(fittingRows([row, row, row], 1_000)).toHaveLength(2);
  expect(fittingRows([[...row, ...row, ...row], row], 1_000)).toHaveLength(1);
  expect(fittingRows([['a'], ['b'], ['c']], 2)).toEqual([['a'], ['b']]);
  expect(fittingRows([], 2)).toEqual([]);
});

test('rows that do not fit are not converted: a thousand long ones would fill the memory', () => {
  let converted = 0;
  function* rows() {
    for (let at = 0; at < 1_000; at += 1) {
      converted += 1;
      yield ['x'.repeat(7_000_000)];
    }
  }
  expect(fittingRows(rows(), 1_000)).toHaveLength(2);
  expect(converted).toBe(3);
});
