/** Counts in messages of the main process: singular for one, thousands separators. */
import { expect, test } from 'vitest';
import { counted, numberText } from '../../electron/shared/count-text.ts';

test.each([
  [0, 'value', undefined, '0 values'],
  [1, 'value', undefined, '1 value'],
  [12_345, 'value', undefined, '12,345 values'],
  [1, 'batch', 'batches', '1 batch'],
  [2_000, 'batch', 'batches', '2,000 batches'],
])('%d %s is counted in words', (count, noun, plural, text) => {
  expect(counted(count, noun, plural)).toBe(text);
});

test.each([
  0,
  7,
  999,
  1_000,
  12_345,
  123_456,
  1_234_567,
  -999,
  -1_000,
  -12_345_678,
  0.5,
  1_234.5678,
  Number.MAX_SAFE_INTEGER,
  1e21,
  Number.NaN,
])('%d is written as Intl writes it', (value) => {
  expect(numberText(value)).toBe(new Intl.NumberFormat('en-US').format(value));
});
