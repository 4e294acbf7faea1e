/**
 * Views that send no requests are complete for data kept offline: versions, near-duplicates, coverage, SQL, search,
 * files.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entityTypeOf } from '../../electron/shared/catalog-entity.ts';
import { draft, engineRig } from '../helpers/engine-rig.ts';
import { exportOf } from '../helpers/export-rig.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const currentRig = engineRig();

test('versions, near-duplicates, coverage, SQL, search and an export of kept data, with the service gone', async () => {
  const raw = await RawService.start();
  const { engine, folder } = currentRig();
  const { id } = await engine.connections.save(draft(raw.service.baseUrl), TOKEN);
  const session = await engine.session(id);
  engine.saveSettings({ keepShare: 1 });
  const [dataset] = (await raw.page(raw.path('datasets.list', {}, '?limit=1'))).items;
  const datasetId = String(dataset?.['id']);
  const applicationId = String((dataset?.['application'] as { id?: unknown } | undefined)?.id);
  const path = { application_id: applicationId };
  const entities = (await raw.page(raw.path('catalog.list', path, '?limit=2'))).items.map((each) => ({
    name: String(each['name']),
    type: entityTypeOf(each, ''),
  }));
  for (const plan of [
    planFor({ kind: 'dataset', id: datasetId }),
    planFor({ kind: 'application', id: applicationId, withValues: true, entities }),
  ])
    expect(await session.keep.whenIdle(session.keep.start(plan, null).keptId)).toMatchObject({
      counts: { failed: 0 },
    });
  await raw.service.stop();
  await engine.setOffline(true);

  const { snapshots } = await session.snapshots.ask({ action: 'list', datasetId });
  const [newest] = snapshots;
  if (newest === undefined) throw new Error('A dataset that was read whole has a version.');
  expect(newest.items).toBeGreaterThan(0);
  const pair = { from: newest.snapshotId, to: newest.snapshotId, offset: 0, limit: 10 };
  expect(await session.snapshots.ask({ action: 'diff', ...pair, kind: null })).toMatchObject({
    counts: { same: newest.items, added: 0, changed: 0, removed: 0 },
  });
  await session.snapshots.ask({ action: 'near-duplicates', ...pair, threshold: 0.9, kind: null });

  const question = { datasetId, applicationId, buildId: null, dimensions: null, spanType: null, size: 5 };
  const { dimensions, items } = await session.datasets.measureCoverage(question);
  expect(items).toMatchObject({ stored: newest.items });
  expect(dimensions.length).toBeGreaterThan(0);

  await session.sql.run('run', 'SELECT count(*) AS n FROM items');
  const counted = await session.sql.rows('run', { offset: 0, limit: 1, sort: null, filters: [] });
  expect(JSON.stringify(counted.rows)).toContain(String(newest.items));

  const everything = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 3 };
  const found = () => session.search.find({ ...everything, typed: entities[0]?.name ?? '' });
  await expect.poll(async () => (await found()).groups.length).toBeGreaterThan(0);

  const query = { operation: 'datasets.items', path: { dataset_id: datasetId }, query: {} };
  const file = folder.file('items.jsonl');
  const plan = exportOf({ query, reads: 'stored', format: 'jsonl', name: 'Items' });
  const { exportId } = await session.exports.create(plan, { file, startAtMs: null, notBeforeMs: 0 });
  await session.exports.whenIdle(exportId);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(newest.items);
});
