/**
 * Answers below 64 MB use a bounded amount of memory of the whole process, whether they are read, stored or rejected as
 * too large.
 */
import { expect, test } from 'vitest';
import { costOf, LARGE_CASES, MAX_MB } from '../helpers/large-answers.ts';

const isLong = process.env['PROPERTY_RUNS'] !== undefined;
/** Garbage that is not collected counts, so sometimes more than the required memory is measured. */
const GARBAGE_MB = 100;

test.each(isLong ? LARGE_CASES : LARGE_CASES.slice(0, 1))('$name', async (large) => {
  const { mostMb, asked } = await costOf(large);
  if (isLong) console.log(large.name, Math.round(mostMb), 'MB');
  expect(asked).toBe(large.count);
  expect(mostMb).toBeGreaterThan(50);
  expect(mostMb).toBeLessThan(MAX_MB + GARBAGE_MB);
});
