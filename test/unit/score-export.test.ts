/** The export of one score run holds what its list shows, or is not offered. */
import { expect, test } from 'vitest';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { scoresSubject } from '../../renderer/lib/export-tables.ts';

const run = {
  ...{ runId: 'r', name: 'Run', plan: { datasetName: 'Set' } },
  counts: { items: 5, scored: 3, failed: 2, skipped: 0, unscored: 0 },
} as unknown as ScoreRun;
const none = { show: null, only: null };

test('all items, or those of the shown state', () => {
  expect(scoresSubject(run, none)?.rowsText).toContain('All 5 items of the run');
  expect(scoresSubject(run, { ...none, show: 'failed' })?.table).toMatchObject({ state: 'failed' });
  expect(scoresSubject(run, { ...none, show: 'skipped' })).toBeNull();
  // A filter of a comparison that is shown no more.
  expect(scoresSubject(run, { ...none, show: 'worse' })?.table).toMatchObject({ state: null });
});

test('not offered for the items of a label or a bar: the file would hold all', () => {
  expect(scoresSubject(run, { ...none, only: { by: 'labels', before: null, after: 'yes' } })).toBeNull();
  const range = { by: 'range', from: 0, to: 1, isLast: true } as const;
  expect(scoresSubject(run, { ...none, only: range })).toBeNull();
});
