/** The key that adds spans to the dataset that was filled last. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { buildAsJob } from '../../electron/shared/job-kinds/build.ts';
import type { Connection } from '../../electron/shared/model.ts';
import { app } from '../../renderer/state/app.svelte.ts';
import type { Basket } from '../../renderer/state/basket.svelte.ts';
import { jobs } from '../../renderer/state/jobs.svelte.ts';
import type { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { canQuickAdd, quickAction } from '../../renderer/views/spans/quick-action.ts';

const MOVED_AT = 1_000_000;
const application = { id: 'a', name: 'Support assistant' };
const basket = { application, build: null } as unknown as Basket;

beforeEach(() => {
  const build = {
    ...{ buildId: 'b', name: 'Answers', state: 'done', applicationId: 'a', datasetId: 'd' },
    ...{ target: { kind: 'existing', datasetId: 'd', name: 'Refunds' }, mapping: [{}], batches: {} },
    ...{ counts: { acknowledged: 1 }, startAtMs: null, changedAtMs: 1 },
  } as unknown as DatasetBuild;
  jobs.list = [buildAsJob(build, () => [])];
  const movedFrom = { baseUrl: 'https://former.example.com', atMs: MOVED_AT };
  app.connections.list = [{ id: 'c', isReadOnly: false, movedFrom } as Connection];
});

afterEach(() => {
  jobs.list = [];
  app.connections.list = [];
});

/** Whether spans of a list that was read at this time can be added to the dataset, and the title of the key for them. */
function offered(oldestMs: number): [canAdd: boolean, title: string] {
  const list = { connectionId: 'c', freshness: { oldestMs } } as ListModel;
  return [canQuickAdd(list, basket), quickAction(list, basket, () => Promise.resolve([])).title];
}

test('spans that were read at the former address of the connection are not added to a dataset at the new one', () => {
  expect(offered(MOVED_AT - 1)).toEqual([false, 'Add to the draft']);
  expect(offered(MOVED_AT + 1)).toEqual([true, 'Add to Refunds']);
});
