/** How the list of all jobs shows a job: its badge, its group, and its actions. */

import { describe, expect, test } from 'vitest';
import type { WireError } from '../../electron/shared/errors.ts';
import type { Job, OwnOf } from '../../electron/shared/job-contract.ts';
import { exportAsJob } from '../../electron/shared/job-kinds/export.ts';
import { scoresAsJob } from '../../electron/shared/job-kinds/scores.ts';
import { lineControlsOf } from '../../renderer/lib/job-controls.ts';
import { badgeOf, groupOfJob, isJobFound, progressOfJob } from '../../renderer/lib/job-labels.ts';

const run = (changes: Partial<OwnOf<'scores'>>): Job<'scores'> =>
  scoresAsJob({
    runId: 'r',
    connectionId: 'c',
    name: 'tone of answers',
    plan: { datasetId: 'd', datasetName: 'Claims', evaluator: 'tone', parameters: {}, inputs: [] },
    state: 'running',
    reason: '',
    error: null,
    counts: { items: 10, scored: 3, skipped: 0, failed: 1, unscored: 6 },
    scoreNames: [],
    expectedItems: 10,
    startAtMs: null,
    lateStart: null,
    createdAtMs: 0,
    endedAtMs: null,
    ...changes,
  });

describe('a job in the list of all jobs', () => {
  test.each([
    [run({}), 'running', { pause: true, resume: false }],
    [run({ state: 'waiting' }), 'running', { pause: true, resume: false }],
    [run({ state: 'paused' }), 'resting', { pause: false, resume: true }],
    [run({ state: 'stopped' }), 'over', { pause: false, resume: true }],
    [run({ state: 'paused', startAtMs: 5 }), 'planned', { pause: false, resume: false }],
    [run({ state: 'done' }), 'over', { pause: false, resume: false }],
  ])('%# is in its group and offers the actions of its state', (job, group, can) => {
    expect(groupOfJob(job)).toBe(group);
    const offered = lineControlsOf(job).map(({ action }) => action);
    expect({ pause: offered.includes('pause'), resume: offered.includes('resume') }).toEqual(can);
  });

  test('comes first if the user must decide: an unknown outcome, a question, a refused change in the outbox', () => {
    const error: WireError = { code: 'NEEDS_DECISION', title: '', message: '', retry: 'never', details: {} };
    const open = [
      { kind: 'upload', state: 'needs-decision', error: null },
      { kind: 'build', state: 'paused', error },
      { kind: 'outbox', state: 'failed', error: null },
    ] as const;
    for (const job of open) {
      expect(groupOfJob({ ...job, startAtMs: null })).toBe('decide');
      expect(groupOfJob({ ...job, startAtMs: 5 })).toBe('decide');
    }
    expect(groupOfJob({ kind: 'upload', state: 'failed', error: null, startAtMs: null })).toBe('over');
  });

  test('says that it starts later instead of its suspended state', () => {
    expect(badgeOf('scores', run({ state: 'paused', startAtMs: 5 }).own).word).toBe('Starts later');
    expect(badgeOf('scores', run({ state: 'paused' }).own)).toEqual({ look: 'paused', word: 'Paused' });
  });

  test.each([
    [
      { scored: 10, skipped: 0, failed: 0 },
      { look: 'done', word: 'Done' },
    ],
    [
      { scored: 4, skipped: 6, failed: 0 },
      { look: 'interrupted', word: 'Done in part' },
    ],
    [
      { scored: 9, skipped: 0, failed: 1 },
      { look: 'interrupted', word: 'Done in part' },
    ],
    [
      { scored: 0, skipped: 10, failed: 0 },
      { look: 'failed', word: 'None done' },
    ],
  ] as const)('is not completely done while some of its items have no score: %o', (counts, mark) => {
    const ended = run({ state: 'done', counts: { items: 10, unscored: 0, ...counts } });
    expect(badgeOf('scores', ended.own)).toEqual(mark);
  });

  test('shows its progress in the words of its kind, and its remaining requests only if it is planned', () => {
    expect(progressOfJob(run({}))).toBe('3 of 10 items scored · 1 failed');
    expect(run({}).requests).toEqual([]);
    expect(run({ startAtMs: 5 }).requests).toEqual([{ operation: 'evaluators.score', count: 6 }]);
  });
});

const exported = (changes: Partial<OwnOf<'export'>>): Job<'export'> =>
  exportAsJob({
    ...{ exportId: 'e', connectionId: 'c', state: 'done', reason: '', error: null, source: null },
    plan: {
      ...{ name: 'Items', columns: null, format: 'csv', isExact: false, partitionBy: null },
      table: { form: 'requests', filter: {} },
    },
    ...{ step: 'writing', file: '/home/ann/list.csv', rows: 735, totalRows: 735, sizeBytes: 1 },
    ...{ startAtMs: null, lateStart: null, createdAtMs: 0, endedAtMs: 1 },
    ...changes,
  });

describe('a finished export', () => {
  test('of a list with missing rows is partly done, with their number and what to do', () => {
    const job = exported({ missingRows: 265 });
    expect(badgeOf('export', job.own)).toEqual({ look: 'interrupted', word: 'Exported in part' });
    expect(progressOfJob(job)).toBe(
      '735 of 1,000 rows written to list.csv; 265 are missing. Export it again, or a part of it such as a shorter time range.',
    );
    expect(progressOfJob(exported({ missingRows: null }))).toContain('list.csv; rows are missing.');
  });

  test('of a complete list is done', () => {
    const job = exported({});
    expect(badgeOf('export', job.own)).toEqual({ look: 'done', word: 'Exported' });
    expect(progressOfJob(job)).toBe('735 rows written to list.csv');
  });
});

test('a job is found by the words in its row: title, kind, owner, state', () => {
  const stopped = run({ state: 'stopped' });
  const { word } = badgeOf('scores', stopped.own);
  expect(
    ['Tone', ' claims', word.toUpperCase(), 'score'].filter((text) => !isJobFound(stopped, text)),
  ).toEqual([]);
  expect(['stopped by', 'tone.csv'].filter((text) => isJobFound(stopped, text))).toEqual([]);
  expect(isJobFound(run({}), word)).toBe(false);
});
