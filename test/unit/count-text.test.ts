/** Counts in messages of main: one is singular, thousands are separated. */
import { expect, test } from 'vitest';
import { counted } from '../../electron/shared/count-text.ts';

test.each([
  [0, 'value', undefined, '0 values'],
  [1, 'value', undefined, '1 value'],
  [12_345, 'value', undefined, '12,345 values'],
  [1, 'batch', 'batches', '1 batch'],
  [2_000, 'batch', 'batches', '2,000 batches'],
])('%d %s is counted in words', (count, noun, plural, text) => {
  expect(counted(count, noun, plural)).toBe(text);
});
