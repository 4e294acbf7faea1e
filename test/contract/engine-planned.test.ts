/**
 * Planned jobs of every kind in one connection: they are in one list, survive restarts, and are removed with the
 * connection.
 */
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { draft, ENGINE_TOKEN, EngineRig } from '../helpers/engine-rig.ts';

const HOUR_MS = 3_600_000;
let rig: EngineRig;
beforeEach(async () => {
  rig = await EngineRig.open();
});
afterEach(() => rig.close());

const inHours = (hours: number) => systemClock.nowMs() + hours * HOUR_MS;
const deletion = { modelId: '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c11', eventIds: ['a'], timeRange: null };

async function planned() {
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  const { uploads, datasets } = await rig.engine.session(id);
  await uploads.deleteEvents({ ...deletion, updateMetrics: false }, inHours(3));
  const application = { applicationId: 'a', applicationName: 'Support assistant' };
  const { buildId } = datasets.builds.create({ ...application, name: 'Answers' });
  const span = { trace_id: 't', span_id: 's', start_time: '2025-09-27T17:00:00Z', record: null };
  await datasets.builds.pickGiven(buildId, [span]);
  await datasets.builds.change(buildId, {
    mapping: [{ bucket: 'inputs', field: 'question', key: 'input' }],
    target: { kind: 'new', name: 'Answers', description: null, metadata: null },
  });
  await datasets.builds.control(buildId, 'schedule', inHours(2));
  const inputs = [{ input: 'text', from: { kind: 'text' as const, text: 'x' } }];
  const of = { datasetId: 'd', datasetName: 'Claims' };
  const plan = { ...of, evaluator: 'conciseness', parameters: {}, inputs, itemIds: ['1', '2'] };
  datasets.scores.start(plan, { startAtMs: inHours(1), expectedItems: null });
  return id;
}

test('all planned jobs are in one list, the next one first, and are there after a restart', async () => {
  const id = await planned();
  const list = async () => (await rig.engine.session(id)).jobs.planned();
  const kinds = ['scores', 'build', 'deletion'];
  const before = await list();
  expect(before.map(({ kind }) => kind)).toEqual(kinds);
  expect(before[0]?.requests).toEqual([{ operation: 'evaluators.score', count: 2 }]);
  await rig.engine.stop();
  rig.start();
  expect(await list()).toEqual(before);
  expect(rig.server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('each planned job is changed and cancelled by its kind; a job no longer planned is rejected', async () => {
  const id = await planned();
  const { jobs } = await rig.engine.session(id);
  const kinds = () => jobs.planned().map(({ kind }) => kind);
  const [run, build, gone] = jobs.planned();
  if (run === undefined || build === undefined || gone === undefined) throw new Error('Three were planned.');
  await jobs.control('scores', run.id, 'schedule', inHours(9));
  expect(kinds()).toEqual(['build', 'deletion', 'scores']);
  await expect(jobs.control('build', build.id, 'schedule', 1)).rejects.toThrow('in the future');
  await jobs.control('build', build.id, 'unschedule', null);
  await jobs.control('deletion', gone.id, 'unschedule', null);
  expect(kinds()).toEqual(['scores']);
  for (const [kind, again] of [
    ['build', build.id],
    ['scores', gone.id],
    ['file', run.id],
  ] as const) {
    const refused = jobs.control(kind, again, 'unschedule', null);
    await expect(refused).rejects.toThrow('already started or was cancelled');
  }
});

test('a removed connection takes its planned jobs with it', async () => {
  const id = await planned();
  const file = rig.paths.datasetsDb(id);
  expect(existsSync(file)).toBe(true);
  await rig.engine.connections.forget(id);
  expect(existsSync(file)).toBe(false);
  await expect(rig.engine.session(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(rig.server.received.filter(({ method }) => method !== 'GET')).toEqual([]);
});
