/**
 * A window and a command line do the same on one folder at the same time: it is done once, and neither loses anything.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { createEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Session } from '../../electron/engine/session.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { createKeychain } from '../../electron/platform/keychain.ts';
import { createFileLogger } from '../../electron/platform/logger.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { toAppError } from '../../electron/shared/errors.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { answerOf, LaterRig, MODEL } from '../helpers/later-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';

let rig: LaterRig;
let engine: Engine | null = null;
beforeEach(async () => {
  rig = await LaterRig.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
});
afterEach(async () => {
  await engine?.stop();
  engine = null;
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

/** The engine of a window, with the connection that the command line created. */
async function openWindow(): Promise<Session> {
  const paths = dataPaths(rig.folder.path);
  engine = createEngine({
    ...{ paths, clock: systemClock, random: systemRandom },
    logger: createFileLogger(paths.logsDir, systemClock),
    keychain: createKeychain(process.platform, () => Promise.reject(new Error('No keychain in this test.'))),
    startChild: startNodeChild,
    followsOfflineAtStart: true,
    resumesUploads: false,
    checksStoresAfterMs: 0,
    copyNotice: null,
    tokenPatienceMs: null,
    publish: () => undefined,
  });
  const [connection] = engine.connections.list().connections;
  if (connection === undefined) throw new Error('The command line made no connection.');
  engine.holdToken(connection.id, TOKEN);
  return engine.session(connection.id);
}

/** Delays the answers to this operation, so that both are at the same step. */
const slow = (operation: OperationId) =>
  rig.raw.service.setFaults([{ match: { operation }, action: { type: 'delay', delayMs: 1_500 } }]);

const refuse = (operation: OperationId, after: number) =>
  rig.raw.service.setFaults([{ match: { operation }, after, action: { type: 'status', status: 401 } }]);

/** Runs both at the same time. Returns the code of the window's error or null, and the result of the command line. */
async function both(window: () => unknown, args: string[]) {
  const command = rig.text(args);
  const own = await Promise.resolve()
    .then(window)
    .then(
      () => null,
      (thrown: unknown) => toAppError(thrown).code,
    );
  return { window: own, command: await command };
}

test('the rest of one upload is sent once', async () => {
  const { items: models } = await rig.raw.page(rig.raw.path('models.list'));
  const modelId = String(models.find(({ name }) => name === MODEL)?.['id']);
  const stored = () => rig.raw.service.events(modelId).count;
  const before = stored();
  refuse('events.publish', 2);
  await rig.here([...rig.upload(60), '--batch-rows', '20']);
  const [job] = answerOf(await rig.here(['uploads'])).items;
  expect(job).toMatchObject({ state: 'paused' });
  const { uploads } = await openWindow();
  slow('events.publish');
  const { window, command } = await both(
    () => uploads.controlJob(job.id, 'resume'),
    ['uploads', 'resume', job.id],
  );
  expect([window, command.code === 0 ? null : 'refused']).toContain(null);
  await uploads.whenIdle(job.id);
  await expect
    .poll(() => uploads.getJob(job.id))
    .toMatchObject({
      state: 'done',
      counts: { acknowledged: 60, unknown: 0 },
    });
  expect(stored()).toBe(before + 60);
});

test('the rest of one build is written once', async () => {
  const of = ['--application', 'Support assistant'];
  const { items } = answerOf(await rig.here(['spans', ...of, '--since', '30d', '--limit', '250']));
  const file = join(rig.folder.path, 'spans.jsonl');
  writeFileSync(file, items.map((span: unknown) => JSON.stringify(span)).join('\n'));
  refuse('datasets.add-spans', 2);
  const mapping = '{"inputs": {"question": "gen_ai.llm.output"}}';
  await rig.here(['from-spans', 'Answers', ...of, '--spans', file, '--mapping', mapping, '--create']);
  const [build] = answerOf(await rig.here(['builds'])).items;
  const { builds } = (await openWindow()).datasets;
  slow('datasets.add-spans');
  const { window, command } = await both(
    () => builds.control(build.buildId, 'resume'),
    ['builds', 'resume', build.buildId],
  );
  expect([window, command.code === 0 ? null : 'refused']).toContain(null);
  await builds.whenIdle(build.buildId);
  await expect.poll(() => builds.get(build.buildId).state).toBe('done');
  const done = builds.get(build.buildId);
  expect(done).toMatchObject({ state: 'done', counts: { acknowledged: items.length, unknown: 0 } });
  const path = rig.raw.path('datasets.items', { dataset_id: String(done.datasetId) }, '?limit=1000');
  expect((await rig.raw.page(path)).items).toHaveLength(items.length);
});

test('one change of the outbox is sent once', async () => {
  const [id = ''] = await rig.datasetIds();
  await rig.here(['update', 'datasets', id, '--body', '{"description": "once"}', '--outbox']);
  const [entry] = answerOf(await rig.here(['outbox'])).items;
  const { outbox } = await openWindow();
  slow('datasets.update');
  const { window, command } = await both(() => outbox.send(entry.entryId), ['outbox', 'send', entry.entryId]);
  expect([window, command.code === 0 ? null : 'refused']).toContain(null);
  await expect.poll(() => outbox.list()).toMatchObject([{ state: 'done' }]);
  expect(rig.sent('datasets.update')).toBe(1);
});

test('one dataset is kept once, whole, and the command line says that the window keeps it', async () => {
  const [id = ''] = await rig.datasetIds();
  await rig.here(['ls', 'datasets', '--all']);
  const { keep } = await openWindow();
  slow('datasets.items');
  const plan = planFor({ kind: 'dataset', id });
  const { window, command } = await both(
    () => keep.whenIdle(keep.start(plan, null).keptId),
    ['keep', 'dataset', id],
  );
  expect(window).toBeNull();
  // The command may also start after the window ended, and then refreshes the same entry.
  if (command.code !== 0)
    expect(command.stderr).toMatch(/^error CONFLICT: Another Spandeck .+ is working on this kept entry\./m);
  expect(keep.list()).toMatchObject([{ state: 'done', counts: { failed: 0, incomplete: 0 } }]);
  expect(await keep.test(null)).toMatchObject({ gapCount: 0 });
});

test('a connection that a command works with is neither edited nor forgotten in the window, and the command ends well', async () => {
  await rig.here(['ls', 'models', '--all']);
  const { connection } = await openWindow();
  const connections = engine?.connections;
  if (connections === undefined) throw new Error('No window.');
  slow('datasets.list');
  const command = rig.text(['ls', 'datasets', '--all']);
  await expect.poll(() => rig.faults).toBeGreaterThan(0);
  await expect(connections.forget(connection.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  const elsewhere = { ...connection, baseUrl: 'https://elsewhere.example' };
  await expect(connections.save(elsewhere, 'another-token-0123456789')).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect((await command).code).toBe(0);
  expect(connections.get(connection.id)).toMatchObject({ baseUrl: connection.baseUrl });
});
