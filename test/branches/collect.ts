/** After each test file: writes how often each branch ran in this process so far. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const file = join(
  process.env['BRANCH_COUNTS'] ?? '',
  `${process.pid}-${Math.trunc(performance.timeOrigin)}.json`,
);

afterAll(() => {
  const { branchCounts = {} } = globalThis as { branchCounts?: Record<string, number[]> };
  writeFileSync(file, JSON.stringify(branchCounts));
});
