/** The dataset to which spans of an application were last added. */
import { expect, test } from 'vitest';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { lastSent } from '../../renderer/lib/last-sent.ts';

function build(buildId: string, more: Partial<DatasetBuild>, acknowledged = 3): DatasetBuild {
  const given: Partial<DatasetBuild> = {
    ...{ buildId, applicationId: 'a', datasetId: 'd', state: 'done', changedAtMs: 1 },
    mapping: [{ bucket: 'inputs', field: 'question', key: 'k' }],
    counts: { acknowledged } as DatasetBuild['counts'],
    ...more,
  };
  return given as DatasetBuild;
}

test('returns the last changed build of this application and dataset that added items', () => {
  const builds = [
    build('old', {}),
    build('other dataset', { datasetId: 'e', changedAtMs: 3 }),
    build('new', { changedAtMs: 2 }),
    build('nothing added', { changedAtMs: 9 }, 0),
    build('no dataset yet', { changedAtMs: 9, datasetId: null }),
    build('without mapping', { changedAtMs: 9, mapping: [] }),
    build('other application', { changedAtMs: 9, applicationId: 'b' }),
  ];
  expect(lastSent(builds, 'a', 'd')?.buildId).toBe('new');
  expect(lastSent(builds, 'a', null)?.buildId).toBe('other dataset');
  expect(lastSent(builds, 'c', null)).toBeNull();
});
