/** Answers below 64 MB use bounded memory of the whole process: read, stored and, if too large, rejected. */
import { expect, test } from 'vitest';
import { costOf, LARGE_CASES, MAX_MB } from '../helpers/large-answers.ts';

const isLong = process.env['PROPERTY_RUNS'] !== undefined;
/** Uncollected garbage is counted: at times more than the required memory is measured. */
const GARBAGE_MB = 100;

test.each(isLong ? LARGE_CASES : LARGE_CASES.slice(0, 1))('$name', async (large) => {
  const { mostMb, asked } = await costOf(large);
  if (isLong) console.log(large.name, Math.round(mostMb), 'MB');
  expect(asked).toBe(large.count);
  expect(mostMb).toBeGreaterThan(50);
  expect(mostMb).toBeLessThan(MAX_MB + GARBAGE_MB);
});
