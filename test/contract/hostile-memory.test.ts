/** Answers below 64 MB take a bounded memory, that of the process as a whole: read, stored and, where too large, refused. */
import { expect, test } from 'vitest';
import { costOf, LARGE_CASES, MOST_MB } from '../helpers/large-answers.ts';

const isLong = process.env['PROPERTY_RUNS'] !== undefined;
/** Garbage that is not collected yet is counted: more than what is needed is seen at times. */
const GARBAGE_MB = 100;

test.each(isLong ? LARGE_CASES : LARGE_CASES.slice(0, 1))('$name', async (large) => {
  const { mostMb, asked } = await costOf(large);
  if (isLong) console.log(large.name, Math.round(mostMb), 'MB');
  expect(asked).toBe(large.count);
  expect(mostMb).toBeGreaterThan(50);
  expect(mostMb).toBeLessThan(MOST_MB + GARBAGE_MB);
});
