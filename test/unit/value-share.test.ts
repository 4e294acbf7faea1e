/** A value's bar compares it with the others; its share is said only where all values are known. */
import { expect, test } from 'vitest';
import { barOf, sharesOf, shareText } from '../../renderer/lib/value-share.ts';

const [many, few, none] = [{ row_count: 30 }, { row_count: 10 }, { value: 'x' }];

test('the bar of the most frequent value is whole, the others are drawn against it', () => {
  const shares = sharesOf([many, few, none], 3);
  expect([many, few, none].map((value) => barOf(value, shares))).toEqual([1, 1 / 3, 0]);
  expect([many, few, none].map((value) => shareText(value, shares))).toEqual(['75 %', '25 %', '0 %']);
});

test('no share is said of a whole that is not known', () => {
  expect(shareText(many, sharesOf([many, few], 5))).toBe('');
  expect(shareText(many, sharesOf([many], null))).toBe('');
  expect(barOf(many, sharesOf([none], 1))).toBe(0);
  expect(shareText(none, sharesOf([none], 1))).toBe('');
});
