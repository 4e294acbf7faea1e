/** The bar of a value compares it with the others, and its share is shown only if all values are known. */
import { expect, test } from 'vitest';
import { barOf, sharesOf, shareText } from '../../renderer/lib/value-share.ts';

const [many, few, none] = [{ row_count: 30 }, { row_count: 10 }, { value: 'x' }];

test('the bar of the most frequent value is full, the others are relative to it', () => {
  const shares = sharesOf([many, few, none], 3);
  expect([many, few, none].map((value) => barOf(value, shares))).toEqual([1, 1 / 3, 0]);
  expect([many, few, none].map((value) => shareText(value, shares))).toEqual(['75 %', '25 %', '0 %']);
});

test('no share of an unknown total is shown', () => {
  expect(shareText(many, sharesOf([many, few], 5))).toBe('');
  expect(shareText(many, sharesOf([many], null))).toBe('');
  expect(barOf(many, sharesOf([none], 1))).toBe(0);
  expect(shareText(none, sharesOf([none], 1))).toBe('');
});
