/** The export of a score run contains what its list shows, or is not offered. */
import { expect, test } from 'vitest';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { scoresSubject } from '../../renderer/lib/export-tables.ts';

const run = {
  ...{ runId: 'r', name: 'Run', plan: { datasetName: 'Set' } },
  counts: { items: 5, scored: 3, failed: 2, skipped: 0, unscored: 0 },
} as unknown as ScoreRun;

test('all items, or those of the shown state', () => {
  expect(scoresSubject(run, null)?.rowsText).toContain('All 5 items of the run');
  expect(scoresSubject(run, 'failed')?.table).toMatchObject({ state: 'failed' });
  expect(scoresSubject(run, 'good')?.table).toMatchObject({ state: 'scored' });
  expect(scoresSubject(run, 'skipped')).toBeNull();
});
