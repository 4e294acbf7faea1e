/** A file is sent by the model as it is when sending begins, however long ago the file was checked and planned. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import type { UploadJob, UploadPlan } from '../../electron/shared/upload-model.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let raw: RawService;
let rig: UploadRig;
let aheadMs = 0;
/** Called with each model that was read, before the upload gets it. */
let onModel: () => Promise<void> | void = () => undefined;
const published = () => raw.service.report().operations['events.publish']?.requests ?? 0;

beforeEach(async () => {
  aheadMs = 0;
  onModel = () => undefined;
  raw = await RawService.start();
  rig = new UploadRig({
    baseUrl: raw.service.baseUrl,
    token: TOKEN,
    haste: 5_000,
    aheadMs: () => aheadMs,
    wrapClient: (client) => ({
      ...client,
      call: async (operation, input, options) => {
        const answer = await client.call(operation, input, options);
        if (operation === 'models.get') await onModel();
        return answer;
      },
    }),
  });
  await rig.uploads.recover({ continues: true });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

/** A checked file. */
async function checked(changes: Partial<UploadPlan> = {}): Promise<UploadPlan> {
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(30)), 'Bank churn', {
    batchRows: 20,
    ...changes,
  });
  const { dryRunId } = await rig.uploads.startDryRun(plan);
  await rig.until(() => rig.dryRuns.find((run) => run.dryRunId === dryRunId && run.phase === 'done'));
  return plan;
}

/** From now on the service has a model whose record differs in this text. */
async function changeModel(was: string, is: string): Promise<void> {
  const { data } = (await raw.call('GET', `/v3/models/${await rig.modelId('Bank churn')}`)).envelope;
  const before = JSON.stringify(data);
  expect(before).toContain(was);
  const body = { api_version: '3.0', kind: 'NORMAL', data: JSON.parse(before.replace(was, is)) };
  raw.service.setFaults([{ match: { operation: 'models.get' }, action: { type: 'not-envelope', body } }]);
}

/** Plans a checked file, and lets its time come after the model has changed. */
async function sentLater(was: string, is: string, changes: Partial<UploadPlan> = {}): Promise<UploadJob> {
  const { jobId } = await rig.uploads.createJob(await checked(changes), true, systemClock.nowMs() + HOUR_MS);
  await changeModel(was, is);
  aheadMs = 2 * HOUR_MS;
  return rig.uploads.whenIdle(jobId);
}

const AGE = '"name":"Age","data_type":"int","min":18';

describe('a planned upload stops before its first row if', () => {
  test('one of its columns has another name in the model now', async () => {
    const job = await sentLater(AGE, AGE.replace('Age', 'CustomerAge'));
    expect(job).toMatchObject({ state: 'paused', error: { code: 'CONFLICT' }, counts: { unsent: 30 } });
    expect(job.reason).toContain('expected the column “Age”, got none. Nothing was sent.');
    expect(published()).toBe(0);
    raw.service.setFaults([]);
    await rig.uploads.controlJob(job.jobId, 'resume');
    expect(await rig.uploads.whenIdle(job.jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 30 },
    });
  });

  test.each([
    ['a column has another type', AGE, AGE.replace('int', 'str'), 'expected “Age” of type int, got str'],
    [
      'a column only differs in capital letters',
      AGE,
      AGE.replace('Age', 'AGE'),
      'expected the column “Age”, got “AGE”',
    ],
    [
      'the event id is read from another column',
      '"event_id_col":null',
      '"event_id_col":"Age"',
      'expected the event id in no column, got it in “Age”',
    ],
    [
      'the event time is read from another column',
      '"event_ts_col":null',
      '"event_ts_col":"Age"',
      'expected the event time in no column, got it in “Age”',
    ],
    ['the model names no columns any more', '"columns":', '"former":', 'expected its columns, got none'],
  ])('%s', async (_name, was, is, said) => {
    const { state, reason } = await sentLater(was, is);
    expect([state, published()]).toEqual(['paused', 0]);
    expect(reason).toContain(said);
  });
});

describe('a planned upload is sent', () => {
  test('after a new check if a range of the model changed', async () => {
    const job = await sentLater(AGE, AGE.replace('18', '99'));
    expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 30 } });
    expect(rig.uploads.checkOf(job.jobId).notes.join(' ')).toContain(
      'Age: 30 values outside the model’s range of 99 to 100.',
    );
  });

  test('if the model changed only in columns that the file does not fill', async () => {
    const plan = await checked();
    const columns = plan.columns.map((column) =>
      column.source === 'Age' ? { ...column, target: null } : column,
    );
    const job = await sentLater(AGE, AGE.replace('int', 'str'), { columns });
    expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 30 } });
  });

  test('once the model can be read', async () => {
    const { jobId } = await rig.uploads.createJob(await checked(), true, systemClock.nowMs() + HOUR_MS);
    raw.service.setFaults([
      { match: { operation: 'models.get' }, times: 5, action: { type: 'status', status: 500 } },
    ]);
    aheadMs = 2 * HOUR_MS;
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'done', counts: { acknowledged: 30 } });
    expect(raw.service.report().operations['models.get']?.requests).toBeGreaterThan(5);
  });
});

test('a file that was checked days before it is sent must still fit its columns', async () => {
  const plan = await checked();
  await changeModel(AGE, AGE.replace('Age', 'CustomerAge'));
  aheadMs = 3 * DAY_MS;
  const { jobId } = await rig.uploads.createJob(plan, true);
  const job = await rig.uploads.whenIdle(jobId);
  expect(job).toMatchObject({ state: 'paused', error: { code: 'CONFLICT' } });
  expect(published()).toBe(0);
});

test('an upload that was paused for days sends no further rows to a column that is gone', async () => {
  raw.service.setFaults([
    { match: { operation: 'events.publish' }, after: 2, times: 1, action: { type: 'status', status: 403 } },
  ]);
  const { jobId } = await rig.uploads.createJob(await checked(), true);
  expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'paused', counts: { acknowledged: 20 } });
  await changeModel(AGE, AGE.replace('Age', 'CustomerAge'));
  aheadMs = 3 * DAY_MS;
  await rig.uploads.controlJob(jobId, 'resume');
  const job = await rig.uploads.whenIdle(jobId);
  expect(job).toMatchObject({ state: 'paused', counts: { acknowledged: 20, unsent: 10 } });
  expect(job.reason).toContain('No further rows were sent.');
});

test('an upload that is paused while the model is read does not check its file', async () => {
  const { jobId } = await rig.uploads.createJob(await checked(), true, systemClock.nowMs() + HOUR_MS);
  await changeModel(AGE, AGE.replace('18', '99'));
  let reads = 0;
  onModel = async () => {
    reads += 1;
    if (reads === 1) await rig.uploads.controlJob(jobId, 'pause');
  };
  aheadMs = 2 * HOUR_MS;
  const { state } = await rig.uploads.whenIdle(jobId);
  await rig.uploads.stop();
  expect([state, reads, published()]).toEqual(['paused', 1, 0]);
});
