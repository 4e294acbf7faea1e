/**
 * A service that implements only the specification: everything that needs no other operation works, and checks that are
 * impossible are reported.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { SPECIFIED_OPERATIONS } from '../../electron/sample-service/routes.ts';
import { planColumns } from '../../electron/shared/column-plan.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { draft, EngineRig } from '../helpers/engine-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';
import type { CliResult } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { ThroughClient } from './sample-service-cases/through-client.ts';
import { World } from './sample-service-cases/world.ts';
import { CASES } from './sample-service-cases.ts';

const NOT_TOLD = 'The service does not provide the schema of this model';
let raw: RawService;
let rig: EngineRig;
let modelId: string;
let connectionId: string;

beforeEach(async () => {
  raw = await RawService.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  modelId = await raw.idOf('models.list', 'Bank churn');
  raw.service.setStrict(true);
  raw.service.clearReport();
  rig = await EngineRig.open();
  // The outcome of a deletion is requested every few seconds.
  rig.haste = 5;
  ({ id: connectionId } = await rig.engine.connections.save(draft(raw.service.baseUrl), TOKEN));
});
afterEach(async () => {
  await rig.close();
  await raw.service.stop();
});

const session = () => rig.engine.session(connectionId);
const write = (name: string, text: string): string => {
  const file = join(rig.folder.path, name);
  writeFileSync(file, text);
  return file;
};
const cli = (args: string[]): Promise<CliResult> =>
  runHere([...args, '--base-url', raw.service.baseUrl], {
    token: TOKEN,
    dataDir: join(rig.folder.path, 'cli'),
  });

async function planOf(file: string, changes: Partial<UploadPlan> = {}): Promise<UploadPlan> {
  const [offered] = await rig.engine.files.offer([file]);
  const fileId = offered?.fileId ?? '';
  const preview = await rig.engine.files.inspect(fileId, null);
  return {
    ...{ fileId, dialect: preview.dialect, columns: planColumns(preview.columns, []), modelId },
    ...{ modelName: modelId, envType: 'PRODUCTION', envName: null, mode: 'publish', batchRows: 20 },
    ...{ maxBatchBytes: 8_000_000, onBadRow: 'stop' },
    ...changes,
  };
}

test('the peer has the operations of the specification, and answers 404 to everything else', async () => {
  const others = OPERATION_IDS.filter((operation) => !SPECIFIED_OPERATIONS.has(operation));
  expect(others).toEqual(
    expect.arrayContaining(['models.get', 'models.list', 'jobs.get', 'server-info.get']),
  );
  for (const operation of others) {
    const { method, path } = endpoint(operation);
    const target = path.replaceAll(/\{\w+\}/g, modelId);
    expect(await raw.call(method, target), operation).toMatchObject({ status: 404 });
  }
  expect([...SPECIFIED_OPERATIONS]).toEqual(
    expect.arrayContaining([
      'events.publish',
      'events.delete',
      'spans.fields',
      'datasets.add-spans',
      'queries.run',
    ]),
  );
});

test('the connection test finds the service', async () => {
  expect(await rig.engine.testConnection(draft(raw.service.baseUrl), TOKEN)).toMatchObject({
    isOk: true,
    apiVersion: '3.0',
    serverVersion: null,
  });
});

describe('uploads', () => {
  test('a file is checked, which reports the missing schema, and sent', async () => {
    const { uploads } = await session();
    const before = raw.service.events(modelId).count;
    const plan = await planOf(write('churn.csv', churnCsv(50)));
    const { dryRunId } = await uploads.startDryRun(plan);
    await expect.poll(() => uploads.getDryRun(dryRunId).phase).toBe('done');
    const run = uploads.getDryRun(dryRunId);
    expect(run).toMatchObject({ rows: 50, badRows: 0, modelColumns: null, error: null });
    expect(run.notes?.join(' ')).toContain(NOT_TOLD);
    const { jobId } = await uploads.createJob(plan, true);
    expect(await uploads.whenIdle(jobId)).toMatchObject({ state: 'done', counts: { acknowledged: 50 } });
    expect(raw.service.events(modelId).count).toBe(before + 50);
  });

  test('an upload without a check and with a lost answer ends as well', async () => {
    const { uploads } = await session();
    raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const { jobId } = await uploads.createJob(await planOf(write('churn.csv', churnCsv(40))), true);
    const job = await uploads.whenIdle(jobId);
    expect(job).toMatchObject({ state: 'needs-decision', counts: { acknowledged: 20, unknown: 20 } });
    await uploads.decideBatch(jobId, 0, 'stored');
    expect(await uploads.whenIdle(jobId)).toMatchObject({ state: 'done' });
  });

  test('the command line takes the id of a model: checked, sent, with the unknown facts reported', async () => {
    const file = write('churn.csv', churnCsv(30));
    const dry = await cli(['upload', file, '--model', modelId, '--dry-run', '--json']);
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining(NOT_TOLD) });
    expect(JSON.parse(dry.stdout)).toMatchObject({ rows: 30, rejected: 0, modelColumns: null });
    const sent = await cli(['upload', file, '--model', modelId, '--json']);
    expect(sent.code).toBe(0);
    expect(JSON.parse(sent.stdout)).toMatchObject({ state: 'done', acknowledged: 30 });
  });

  test('before an update it is reported that event ids are not compared', async () => {
    const file = write('churn.csv', churnCsv(10));
    const words = 'Event ids are not compared with the receipts kept on this computer';
    const dry = await cli(['upload', file, '--model', modelId, '--update', '--dry-run']);
    expect(dry.stdout).toContain(words);
    expect(raw.service.report().operations['events.update']?.requests ?? 0).toBe(0);
    const sent = await cli(['upload', file, '--model', modelId, '--update']);
    expect(sent.stderr).toContain(words);
    expect(raw.service.report().operations['events.update']?.requests).toBeGreaterThan(0);
    const published = await cli(['upload', file, '--model', modelId, '--dry-run']);
    expect(published.stdout).not.toContain(words);
  });

  test('a name cannot be resolved: the command line asks for the id', async () => {
    const refused = await cli(['upload', write('a.csv', churnCsv(2)), '--model', 'Bank churn']);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toMatch(
      /does not list its models, so "Bank churn" cannot be looked up\. Give the model's id/,
    );
  });

  test('if models are listed, an unlisted one is still rejected before anything is read', async () => {
    raw.service.setStrict(false);
    const refused = await cli(['upload', write('a.csv', churnCsv(2)), '--model', connectionId]);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toMatch(/^error NOT_FOUND: /m);
  });
});

test('events are deleted; the outcome of the job is unknown, and reported so', async () => {
  const { uploads } = await session();
  const { jobId } = await uploads.createJob(await planOf(write('churn.csv', churnCsv(20))), true);
  await uploads.whenIdle(jobId);
  const [eventId = ''] = raw.service.events(modelId).ids;
  const request = { modelId, eventIds: [eventId], timeRange: null, updateMetrics: false };
  const sent = await uploads.deleteEvents(request);
  expect(sent).toMatchObject({ error: null, jobId: expect.any(String) });
  expect(raw.service.report().operations['events.delete']).toMatchObject({ statuses: { 202: 1 } });
  const accepted = () => uploads.listDeletions().deletions.find(({ status }) => status === 'accepted');
  await expect.poll(accepted, { timeout: 20_000 }).toMatchObject({ error: null });
  const removed = await cli(['delete-events', '--model', modelId, '--ids', eventId, '--yes', '--json']);
  expect(removed).toMatchObject({ code: 0 });
});

test('an upload is undone: its rows are counted, because the deletion has no report; nothing else is requested', async () => {
  const { uploads } = await session();
  const before = raw.service.events(modelId).ids;
  const { jobId } = await uploads.createJob(await planOf(write('churn.csv', churnCsv(50))), true);
  await uploads.whenIdle(jobId);
  const plan = await uploads.planUndo(jobId);
  expect(plan).toMatchObject({ events: 50, problem: '', deletions: [{ events: 50, isNow: true }] });
  await uploads.undo(jobId, { events: 50, deletions: 1 });
  await expect
    .poll(() => uploads.getJob(jobId).deletions, { timeout: 20_000 })
    .toMatchObject([{ rows: 50, outcome: 'deleted' }]);
  expect(raw.service.events(modelId).ids).toEqual(before);
  const { beforeUndo, afterUndo } = uploads.getJob(jobId).rowCounts;
  expect((beforeUndo?.rowCount ?? 0) - (afterUndo?.rowCount ?? 0)).toBe(50);
  // Deletions that were used from the 30 of the day are not used again.
  expect(await uploads.planUndo(jobId)).toMatchObject({ events: 0, deleted: 50 });
});

test.each([
  ['while the events are deleted', 'events.delete', 1, 5],
  ['while the rows are counted after it', 'models.environments', 4, 1],
] as const)('if others publish %s, no row count proves an undo', async (_when, operation, after, rows) => {
  const { uploads } = await session();
  const { jobId } = await uploads.createJob(await planOf(write('churn.csv', churnCsv(20))), true);
  await uploads.whenIdle(jobId);
  raw.service.setFaults([
    { match: { operation }, after, times: 1, action: { type: 'live-traffic', modelId, rows } },
  ]);
  await uploads.undo(jobId, { events: 20, deletions: 1 });
  await expect
    .poll(() => uploads.getJob(jobId).rowCounts.afterUndo, { timeout: 20_000 })
    .toMatchObject({ atMs: expect.any(Number) });
  expect(uploads.getJob(jobId).deletions).toMatchObject([{ rows: 20, outcome: 'accepted' }]);
});

test('the command line undoes an upload, and shows the known facts about it', async () => {
  const file = write('churn.csv', churnCsv(30));
  const sent = await cli(['upload', file, '--model', modelId, '--json']);
  const { jobId } = JSON.parse(sent.stdout);
  const undone = await cli(['uploads', 'undo', jobId, '--yes', '--json']);
  expect(undone).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('does not report the state of job'),
  });
  expect(JSON.parse(undone.stdout)).toMatchObject({ deletions: [{ status: 'SUCCESS', error: null }] });
});

test('an undo with neither a job nor any row count is accepted, and not offered again', async () => {
  const { uploads } = await session();
  raw.service.setFaults([
    { match: { operation: 'models.environments' }, action: { type: 'status', status: 404 } },
  ]);
  const { jobId } = await uploads.createJob(await planOf(write('churn.csv', churnCsv(20))), true);
  await uploads.whenIdle(jobId);
  await uploads.undo(jobId, { events: 20, deletions: 1 });
  await expect
    .poll(() => uploads.getJob(jobId).deletions, { timeout: 20_000 })
    .toMatchObject([{ rows: 20, outcome: 'accepted' }]);
  expect(await uploads.planUndo(jobId)).toMatchObject({
    events: 0,
    problem: expect.stringContaining('does not report when it is done'),
  });
});

test.each(
  [...SPECIFIED_OPERATIONS].filter((operation) => {
    const { answer, path, isWrite, method } = endpoint(operation);
    const isPlain = answer === 'paginated' && !path.includes('{') && operation !== 'alert-rules.summary';
    return isPlain && !isWrite && method === 'GET';
  }),
)('%s is read into the library', async (operation) => {
  const { library } = await session();
  const query: ListQuery = { operation, path: {}, query: {} };
  await library.openList({ viewId: 'v', query, refresh: 'always' });
  await expect
    .poll(async () => (await library.openList({ viewId: 'v', query, refresh: 'never' })).freshness)
    .toMatchObject({ refresh: { phase: 'idle' }, isComplete: true });
});

test('every operation of the specification works, including charts and alert rules, and needs no other', async () => {
  const world = await World.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  const client = new ThroughClient(world);
  const { service } = world.raw;
  try {
    for (const operation of SPECIFIED_OPERATIONS) {
      // The requirements of a case are created while the service still knows everything.
      service.setStrict(false);
      const sending = await CASES[operation].success(world);
      service.setStrict(true);
      const { status } = await client.send(operation, sending);
      expect(status, operation).toBe(endpoint(operation).successStatus);
    }
    expect([...SPECIFIED_OPERATIONS]).toContain('queries.run');
  } finally {
    await client.stop();
    await world.stop();
  }
});

test('items are added to a dataset from spans, on the command line', async () => {
  const { items } = await raw.page(raw.path('applications.list'));
  const applicationId = String(items[0]?.['id']);
  const range = { start_time: '2020-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z' };
  const found = await raw.call('POST', raw.path('spans.query'), {
    body: { application_id: applicationId, ...range, page_size: 10 },
  });
  const spans = write(
    'spans.jsonl',
    JSON.stringify(found.envelope.data?.['items']).slice(1, -1).replaceAll('},{"', '}\n{"'),
  );
  const mapping = JSON.stringify({ inputs: { question: 'system.gen_ai.llm.input.user' } });
  const sent = await cli([
    ...['from-spans', 'Strict', '--create', '--application', applicationId, '--spans', spans],
    ...['--mapping', mapping, '--json'],
  ]);
  expect(sent.code).toBe(0);
  expect(JSON.parse(sent.stdout)).toMatchObject({ state: 'done', written: 10 });
});

test('an application is deleted on the command line: accepted, and its job is not reported', async () => {
  const { items } = await raw.page(raw.path('applications.list'));
  const removed = await cli(['delete', 'applications', String(items[0]?.['id']), '--yes']);
  expect(removed.code).toBe(0);
  expect(removed.stderr).toMatch(/The service accepted this, but does not report the state of job /);
  expect(removed.stdout).toMatch(/deletion started/);
});

test.each([
  'applications',
  'alert-rules',
  'baselines',
  'custom-metrics',
  'environments',
  'datasets',
  'evaluators',
])('ls %s', async (resource) => {
  const listed = await cli(['ls', resource, '--json']);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(listed.stdout).items.length).toBeGreaterThan(0);
});
