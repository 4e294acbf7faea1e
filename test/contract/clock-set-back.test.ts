/** A clock that was ahead is set back. Data that was read meanwhile must not count as newer than the present. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonObject } from '../../electron/shared/json-body.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { makeDataset } from './sample-service-cases/datasets.ts';
import { World } from './sample-service-cases/world.ts';

const DAY = 86_400_000;
let world: World;
let folder: DataFolder;
beforeEach(async () => {
  world = await World.start();
  folder = new DataFolder();
});
afterEach(async () => {
  await world.stop();
  folder[Symbol.dispose]();
});

test('a refresh reads lists and records again, and finds new items', async () => {
  const id = await makeDataset(world);
  await using rig = new KeepRig({ baseUrl: world.raw.service.baseUrl, token: TOKEN, folder });
  const items: ListQuery = { operation: 'datasets.items', path: { dataset_id: id }, query: {} };
  rig.library.aheadMs = 30 * DAY;
  const { keptId } = await rig.kept(planFor({ kind: 'dataset', id }));
  const body = { items: [{ inputs: { q: 'new' }, expected_outputs: {}, metadata: {}, extras: {} }] };
  await world.raw.raw('POST', `/v3/evals/datasets/${id}/items`, { body });
  await world.raw.call('PATCH', `/v3/evals/datasets/${id}`, { body: { description: 'changed' } });
  const before = (await rig.stored(items)).length;
  rig.library.aheadMs = 0;
  rig.keep.control(keptId, 'refresh');
  expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done' });
  expect(await rig.stored(items)).toHaveLength(before + 1);
  const query = { operation: 'datasets.get', path: { dataset_id: id }, query: {} };
  const { record } = await rig.library.library.openRecord({ viewId: 'view', query, refresh: 'never' });
  expect(jsonObject.parse(record)).toMatchObject({ description: 'changed' });
});

test('the next reading is at most one interval away, and stays there', async () => {
  const id = await makeDataset(world);
  const open = () => new KeepRig({ baseUrl: world.raw.service.baseUrl, token: TOKEN, folder });
  await using before = open();
  before.library.aheadMs = 30 * DAY;
  const { keptId } = before.keep.start(planFor({ kind: 'dataset', id }), 6);
  await before.keep.whenIdle(keptId);
  await before.keep.stop();

  await using after = open();
  after.keep.recover(true);
  const { startAtMs } = after.keep.get(keptId);
  expect(startAtMs).toBeLessThanOrEqual(Date.now() + DAY / 4);
  expect(startAtMs).toBeGreaterThan(Date.now());
  after.keep.wake();
  expect(after.keep.get(keptId)).toMatchObject({ state: 'done', startAtMs });
});
