/** A comparison of runs is refused if it refers to a run that is not one of the compared runs. */
import { describe, expect, test } from 'vitest';
import { createComparisons } from '../../electron/datasets/run-comparisons.ts';
import { runsQuery } from '../../electron/shared/run-comparison.ts';

const comparisons = createComparisons({
  scoreRun: () => {
    throw new Error('Expected no read of a run.');
  },
  experiment: () => Promise.resolve({ record: null, results: null }),
  ask: () => Promise.resolve({ form: 'ids', items: [] }),
});
const runs = ['a', 'b'].map((id) => ({ kind: 'experiment', id }));
const query = (of: object) => runsQuery.parse({ runs, score: null, filter: {}, offset: 0, limit: 10, ...of });

describe.each(['compare', 'items'] as const)('%s', (form) => {
  test('refuses a baseline that is none of the runs', async () => {
    await expect(comparisons[form](query({ baseline: 2 }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'Expected the baseline to be one of 2 runs, got number 3.',
    });
  });

  test('refuses a filter on a run that is none of the runs', async () => {
    await expect(comparisons[form](query({ filter: { run: 3 } }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'Expected the run of the filter to be one of 2 runs, got number 4.',
    });
  });
});
