/**
 * Jobs whose last changes were lost with the write-ahead log: after a repair of the store, no request is sent twice.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repairStore } from '../../electron/db/maintenance.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { OutboxRig } from '../helpers/outbox-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { silentLogger } from '../helpers/virtual-world.ts';
import { makeDataset } from './sample-service-cases/datasets.ts';
import { World } from './sample-service-cases/world.ts';

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

/** Ends a process as if it were killed, removes its write-ahead log, and repairs the store. */
async function loseLog(store: 'uploads' | 'datasets', end: () => PromiseLike<void>) {
  const file = folder.file(`${store}.db`);
  const kept = ['', '-shm'].map((ending) => [`${file}${ending}`, readFileSync(`${file}${ending}`)] as const);
  await end();
  for (const [path, content] of kept) writeFileSync(path, content);
  rmSync(`${file}-wal`, { force: true });
  return repairStore({ file, store }, Date.now(), silentLogger);
}

const itemsOf = async (datasetId: string) =>
  (await world.raw.page(`/v3/evals/datasets/${datasetId}/items?limit=1`)).total;

test('a change of the outbox that may have been sent is not sent again without a decision', async () => {
  const baseUrl = world.raw.service.baseUrl;
  const datasetId = await makeDataset(world);
  await using first = new OutboxRig({ baseUrl, token: TOKEN, folder });
  const body = { items: [{ inputs: { q: 'one' }, expected_outputs: {}, metadata: {}, extras: {} }] };
  const entryId = first.put('datasets.add-items', { path: { dataset_id: datasetId }, body });
  await first[Symbol.asyncDispose]();

  const second = new OutboxRig({ baseUrl, token: TOKEN, folder });
  expect(await second.send(entryId)).toMatchObject({ state: 'done' });
  const done = await loseLog('uploads', () => second[Symbol.asyncDispose]());
  expect(done).toMatchObject({ isLogLost: true, endedJobs: 1 });

  await using after = new OutboxRig({ baseUrl, token: TOKEN, folder });
  expect(after.outbox.get(entryId)).toMatchObject({
    state: 'paused',
    reason: expect.stringContaining('Compare before you send again'),
  });
  after.outbox.sendAll();
  await after.outbox.whenSent();
  expect(after.outbox.get(entryId)).toMatchObject({ state: 'needs-decision', question: 'no-answer' });
  expect(await itemsOf(datasetId)).toBe(1);
});

test('a build that may have sent spans ends, by itself and by a choice of the user, and its items stay once', async () => {
  const baseUrl = world.raw.service.baseUrl;
  const first = new DatasetRig({ baseUrl, token: TOKEN, keptFolder: folder });
  const buildId = await first.newBuild();
  await first.pick(buildId, 120);
  await first.target(buildId, 'Answers');
  world.raw.service.setFaults([
    { match: { operation: 'datasets.add-spans' }, action: { type: 'status', status: 401 } },
  ]);
  expect(await first.commit(buildId)).toMatchObject({ state: 'paused', counts: { acknowledged: 0 } });
  world.raw.service.setFaults([]);
  await first[Symbol.asyncDispose]();

  const second = new DatasetRig({ baseUrl, token: TOKEN, keptFolder: folder });
  await second.datasets.builds.control(buildId, 'resume');
  const sent = await second.datasets.builds.whenIdle(buildId);
  expect(sent).toMatchObject({ state: 'done', counts: { acknowledged: 120 } });
  const done = await loseLog('datasets', () => second[Symbol.asyncDispose]());
  expect(done).toMatchObject({ isLogLost: true, endedJobs: 1 });

  await using after = new DatasetRig({ baseUrl, token: TOKEN, keptFolder: folder });
  const { builds } = after.datasets;
  after.datasets.recover({ continues: true });
  expect(builds.get(buildId)).toMatchObject({
    state: 'cancelled',
    reason: expect.stringContaining('Compare before you send again'),
  });
  await expect(builds.control(buildId, 'resume')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(await itemsOf(sent.datasetId ?? '')).toBe(120);
});
