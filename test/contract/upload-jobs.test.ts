/** Uploads to the sample service: every row that is sent is stored once, and failures are reported and lose nothing. */
import { readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { churnCsv, insuranceCsv } from '../helpers/make-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { publishFault, receiptIds, UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

let raw: RawService;
let rig: UploadRig;
const open = (options: Partial<UploadRigOptions> = {}) =>
  new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, ...options });

beforeEach(async () => {
  raw = await RawService.start();
  rig = open();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

const added = async (model = 'Bank churn') => raw.service.events(await rig.modelId(model)).count;

/** Churn rows. The service rejects some of them although their integer is valid. */
function poisoned(rows: number, badRows: readonly number[]): string {
  return churnCsv(rows)
    .split('\n')
    .map((line, index) => (badRows.includes(index) ? line.replace(/^\d+/, '9007199254740993') : line))
    .join('\n');
}

test('an upload checked and started offline waits, and is checked against the model before the first row is sent', async () => {
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(20)), 'Bank churn');
  rig.rig.switches.isOffline = true;
  await rig.uploads.startDryRun(plan);
  const dry = await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
  expect(dry.notes?.join()).toContain('The model could not be read');
  const { jobId } = await rig.uploads.createJob(plan, true);
  const waiting = await rig.until(() => rig.jobs.find(({ state }) => state === 'waiting'));
  expect(waiting.error?.code).toBe('OFFLINE');
  rig.rig.switches.isOffline = false;
  rig.uploads.wake();
  expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'done', counts: { acknowledged: 20 } });
  expect(rig.store.jobs.get(jobId)?.schema).not.toBeNull();
});

describe('whole files', () => {
  test.each([
    ['Bank churn', churnCsv(2_345), 2_345],
    ['Auto insurance value', insuranceCsv(1_234), 1_234],
  ])('%s: rows = events = ids in receipts, within the limits', async (model, text, rows) => {
    const before = await added(model);
    const job = await rig.send(rig.write('events.csv', text), model);
    expect(job).toMatchObject({
      state: 'done',
      counts: { rows, acknowledged: rows, unsent: 0 },
      error: null,
    });
    expect(job.requests).toBe(Math.ceil(rows / 1_000));
    await rig.uploads.writeFile(job.jobId, 'receipts', rig.path('receipts.csv'));
    const ids = receiptIds(readFileSync(rig.path('receipts.csv'), 'utf8'));
    const { ids: stored } = raw.service.events(job.plan.modelId);
    expect(stored).toHaveLength(before + rows);
    expect(ids).toEqual(stored.slice(before));
    expect(raw.service.report().violations).toBe(0);
  });

  test('receipts name the row and the line of each event, multi-line cells included', async () => {
    const lines = churnCsv(4).split('\n');
    lines[2] = `"${(lines[2] ?? '').split(',')[0]}","Sp\nain",${(lines[2] ?? '').split(',').slice(2).join(',')}`;
    lines.splice(3, 0, 'x,France,bad row', '');
    const job = await rig.send(rig.write('churn.csv', lines.join('\n')), 'Bank churn');
    expect(job.counts).toMatchObject({ rows: 5, rejected: 1, acknowledged: 4 });
    await rig.uploads.writeFile(job.jobId, 'receipts', rig.path('r.csv'));
    const places = readFileSync(rig.path('r.csv'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 3));
    expect(places).toEqual([
      ['1', '2', '1'],
      ['2', '3', '1'],
      ['4', '7', '1'],
      ['5', '8', '1'],
    ]);
  });

  test('a Parquet file is sent row by row, with receipts, even after its folder is deleted', async () => {
    const before = await added();
    const path = rig.path('events.parquet');
    await writeParquet(path, `SELECT * FROM read_csv('${rig.write('events.csv', churnCsv(2_500))}')`);
    const plan = await rig.plan(path, 'Bank churn');
    expect(plan.columns.every(({ target }) => target !== null)).toBe(true);
    const { jobId } = await rig.uploads.createJob(plan, false);
    // From here on the readable copy is read, and the file itself is not needed.
    rmSync(path);
    await rig.uploads.controlJob(jobId, 'start');
    const job = await rig.uploads.whenIdle(jobId);
    expect(job).toMatchObject({
      fileName: 'events.parquet',
      state: 'done',
      counts: { rows: 2_500, acknowledged: 2_500 },
    });
    expect(await added()).toBe(before + 2_500);
    expect(raw.service.report().violations).toBe(0);
  });

  test('a job reuses the reading of a dry run and reads the file once', async () => {
    const plan = await rig.plan(rig.write('churn.csv', churnCsv(30)), 'Bank churn');
    const { dryRunId } = await rig.uploads.startDryRun(plan);
    const dry = await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
    expect(dry).toMatchObject({ rows: 30, badRows: 0, batches: 1, sendMs: 10 });
    expect(raw.service.report().operations['events.publish']).toBeUndefined();
    const job = await rig.uploads.createJob(plan, false);
    expect(job).toMatchObject({ state: 'ready', counts: { rows: 30, unsent: 30 } });
    expect(rig.store.jobs.get(job.jobId)?.scanId).toBe(dryRunId);
  });
});

describe('bad rows', () => {
  test('stop: nothing is sent', async () => {
    const path = rig.write('churn.csv', churnCsv(10).replace(/\n(\d+),/, '\nx$1,'));
    const before = await added();
    const job = await rig.send(path, 'Bank churn', { onBadRow: 'stop' });
    expect(job).toMatchObject({ state: 'failed', counts: { rows: 10, rejected: 1, unsent: 9 }, requests: 0 });
    expect(job.reason).toContain('line 2');
    expect(await added()).toBe(before);
  });

  test('a dry run lists every one and sends nothing', async () => {
    const text = churnCsv(900)
      .trimEnd()
      .split('\n')
      .map((line, index) => (index % 3 === 1 ? `${line},extra` : line))
      .join('\n');
    const plan = await rig.plan(rig.write('churn.csv', text), 'Bank churn');
    const { dryRunId } = await rig.uploads.startDryRun(plan);
    const dry = await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
    expect(dry.badRows).toBe(300);
    const pages = [0, 200].map((offset) =>
      rig.uploads.listBadRows({ ownerId: dryRunId, offset, limit: 200 }),
    );
    expect(pages.map(({ rows, total }) => [rows.length, total])).toEqual([
      [200, 300],
      [100, 300],
    ]);
    expect(pages.flatMap(({ rows }) => rows).map(({ line }) => line)).toEqual(
      Array.from({ length: 300 }, (_v, i) => 2 + i * 3),
    );
    expect(await rig.uploads.writeFile(dryRunId, 'bad-rows', rig.path('bad.csv'))).toEqual({ rows: 300 });
    expect(raw.service.report().operations['events.publish']).toBeUndefined();
  });
});

describe('rejected batches', () => {
  test('halving finds the invalid rows; the others are stored; the file of rejected rows can be dropped in again', async () => {
    const before = await added();
    // A cell that a spreadsheet would execute must be exported unchanged, as the exported file is uploaded again.
    const rows = poisoned(500, [137]).replace(/^(9007199254740993),\w+/m, '$1,=France');
    const job = await rig.send(rig.write('churn.csv', rows), 'Bank churn', { batchRows: 250 });
    expect(job).toMatchObject({ state: 'done', counts: { rows: 500, acknowledged: 499, refused: 1 } });
    expect(job.requests).toBeLessThanOrEqual(2 + 2 * Math.ceil(Math.log2(250)));
    expect(await added()).toBe(before + 499);
    const { batches } = rig.uploads.listBatches({
      jobId: job.jobId,
      states: ['refused'],
      offset: 0,
      limit: 10,
    });
    expect(batches).toMatchObject([{ firstRow: 137, rows: 1, error: { code: 'BAD_REQUEST' } }]);

    expect(await rig.uploads.writeFile(job.jobId, 'refused-rows', rig.path('refused.csv'))).toEqual({
      rows: 1,
    });
    const text = readFileSync(rig.path('refused.csv'), 'utf8');
    await rig.uploads.writeFile(job.jobId, 'rows-to-mend', rig.path('mend.csv'));
    expect(readFileSync(rig.path('mend.csv'), 'utf8')).toBe(text);
    expect(text.split('\n')[0]).toMatch(/^CreditScore,.*,Churned,spandeck_line,spandeck_reason$/);
    expect(text.split('\n')[1]).toMatch(/^9007199254740993,=France,.*,138,/);
    const again = await rig.send(
      rig.write('again.csv', text.replace('9007199254740993', '700')),
      'Bank churn',
    );
    expect(again).toMatchObject({ state: 'done', counts: { rows: 1, acknowledged: 1 } });
  });

  test('the search for invalid rows is bounded', async () => {
    await rig[Symbol.asyncDispose]();
    rig = open({ options: { isolationRequests: { perBatch: 6, perJob: 9 } } });
    const all = Array.from({ length: 64 }, (_value, index) => index + 1);
    const job = await rig.send(rig.write('churn.csv', poisoned(64, all)), 'Bank churn', { batchRows: 16 });
    expect(job).toMatchObject({ state: 'done', counts: { refused: 64, acknowledged: 0 } });
    expect(job.requests).toBeLessThanOrEqual(4 + 9 + 2);
  });

  test.each([
    ['stop', 1],
    ['after=2', 3],
    ['after=5%', 3],
  ])('%s: pauses at rejected row %i; resumed it skips rejected rows', async (onBadRow, refused) => {
    const path = rig.write('churn.csv', poisoned(40, [3, 12, 22, 33]));
    const changes = { onBadRow, batchRows: 5 };
    const paused = await rig.send(path, 'Bank churn', changes);
    expect(paused).toMatchObject({ state: 'paused', counts: { rows: 40, refused } });
    expect(paused.reason).toMatch(/^The service refused \d rows?, and this upload stops/);
    expect(paused.counts.unsent).toBeGreaterThan(0);
    await rig.uploads.controlJob(paused.jobId, 'resume');
    expect(await rig.uploads.whenIdle(paused.jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 36, refused: 4, unsent: 0 },
    });
  });

  test('a batch that is too large is halved, and the size is remembered', async () => {
    await rig[Symbol.asyncDispose]();
    await raw.service.stop();
    raw = await RawService.start({ settings: { maxBodyBytes: 20_000 } });
    rig = open();
    const job = await rig.send(rig.write('churn.csv', churnCsv(300)), 'Bank churn', { batchRows: 300 });
    expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 300, refused: 0 } });
    const learned = rig.store.jobs.learnedBatchRows(job.plan.modelId, 0);
    expect(learned).toBeLessThan(150);
    const next = await rig.send(rig.write('more.csv', churnCsv(100, 2)), 'Bank churn', { batchRows: 300 });
    expect(next.requests).toBe(Math.ceil(100 / (learned ?? 1)));
  });

  test('rows of other uploads count for every environment that both can reach, however its type is spelled', async () => {
    const job = await rig.send(rig.write('churn.csv', churnCsv(20)), 'Bank churn', { batchRows: 50 });
    const stored = rig.store.jobs.get(job.jobId);
    if (stored === null) throw new Error('The upload is not stored.');
    const rowsBeside = (envType: string, envName: string | null) =>
      rig.store.jobs.rowsByOthers({ ...stored, id: 'beside', plan: { ...stored.plan, envType, envName } }, 0);
    expect(rowsBeside('production', null)).toMatchObject({ acknowledged: 20 });
    expect(rowsBeside('Production', 'eu')).toMatchObject({ acknowledged: 20 });
    expect(rowsBeside('PRE_PRODUCTION', null)).toMatchObject({ acknowledged: 0 });
  });

  test('a reduced batch size is forgotten after a day', async () => {
    const job = await rig.send(rig.write('churn.csv', churnCsv(20)), 'Bank churn', { batchRows: 50 });
    rig.store.jobs.learnBatchRows(job.plan.modelId, 5, Date.now() - 86_400_001);
    const next = await rig.send(rig.write('more.csv', churnCsv(50, 2)), 'Bank churn', { batchRows: 50 });
    expect(next.requests).toBe(1);
  });

  test.each([
    ['Request body too large', 150, 1 + 2 + 2],
    ['A maximum of 100 events is allowed per request', 100, 1 + 2 + 3],
  ])(
    'a 400 that says “%s” is about the size: halved, remembered, no search for bad rows',
    async (message, learned, requests) => {
      await rig[Symbol.asyncDispose]();
      rig = open({ options: { isolationRequests: { perBatch: 0, perJob: 0 } } });
      raw.service.setFaults([publishFault({ type: 'status', status: 400, message })]);
      const path = rig.write('churn.csv', churnCsv(600));
      const job = await rig.send(path, 'Bank churn', { batchRows: 300 });
      expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 600, refused: 0 }, requests });
      expect(rig.store.jobs.get(job.jobId)?.isolationRequests).toBe(0);
      expect(rig.store.jobs.learnedBatchRows(job.plan.modelId, 0)).toBe(learned);
    },
  );

  test('a 400 about a value of one row is not about the size', async () => {
    const message = 'value too large for column Balance';
    raw.service.setFaults([publishFault({ type: 'status', status: 400, message })]);
    const path = rig.write('churn.csv', churnCsv(600));
    const job = await rig.send(path, 'Bank churn', { batchRows: 300 });
    expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 600 } });
    expect(rig.store.jobs.get(job.jobId)?.isolationRequests).toBe(2);
    expect(rig.store.jobs.learnedBatchRows(job.plan.modelId, 0)).toBeNull();
  });

  test('a token without write permission pauses the job; nothing is lost', async () => {
    raw.service.setFaults([publishFault({ type: 'status', status: 403 })]);
    const job = await rig.send(rig.write('churn.csv', churnCsv(50)), 'Bank churn', { batchRows: 20 });
    expect(job).toMatchObject({ state: 'paused', counts: { unsent: 50 }, error: { code: 'FORBIDDEN' } });
    await rig.uploads.controlJob(job.jobId, 'resume');
    expect(await rig.uploads.whenIdle(job.jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 50 },
    });
  });
});
