/**
 * A plan beyond its bounds is rejected with a message before anything is written. Long names that the service has are
 * accepted.
 */

import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readable } from '../../electron/core/readable.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import { shownName } from '../../electron/shared/plan-bounds.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';

let raw: RawService;
let rig: UploadRig;
const cli = (args: string[]) =>
  runCli([...args, '--base-url', raw.service.baseUrl], { token: TOKEN, dataDir: rig.folder });

beforeEach(async () => {
  raw = await RawService.start();
  rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

const wide = (columns: number) => `${Array.from({ length: columns }, (_, at) => `c${at}`).join()}\n1\n`;

test.each([
  ['rows per request', churnCsv(3), { batchRows: 200_000 }, /from 1 to 100,000 is expected, got 200,000/],
  ['columns', wide(10_001), {}, /has 10,001 columns; an upload takes at most 10,000/],
  ['a header', `CreditScore,${'h'.repeat(10_001)}\n600,1\n`, {}, /name of column 2 has more than 10,000/],
  ['an environment name', churnCsv(3), { envName: 'e'.repeat(600) }, /has 600 characters; at most 500/],
] as const)(
  '%s beyond the storage bound: rejected before it is written',
  async (_what, text, changes, words) => {
    const plan = await rig.plan(rig.write('file.csv', text), 'Bank churn', changes);
    const columns = plan.columns.map((column) => ({ ...column, target: column.target ?? column.source }));
    await expect(rig.uploads.startDryRun({ ...plan, columns })).rejects.toThrow(words);
    await expect(rig.uploads.createJob({ ...plan, columns }, true)).rejects.toThrow(words);
    expect(rig.uploads.listJobs()).toEqual([]);
    expect(rig.uploads.damaged.list()).toEqual([]);
  },
);

test('a column name of 1,500 characters and a model name of 600 are stored and sent', async () => {
  const long = 'n'.repeat(1_500);
  const plan = await rig.plan(rig.write('file.csv', `CreditScore,${long}\n600,1\n`), 'Bank churn', {
    modelName: shownName('m'.repeat(600)),
  });
  const columns = plan.columns.map((column) => ({ ...column, target: column.source }));
  const job = await rig.uploads.createJob({ ...plan, columns }, false);
  expect(rig.uploads.listJobs()).toMatchObject([{ jobId: job.jobId, plan: { columns } }]);
});

test('an unreadable upload hides no other: not from the list, not from recovery, not from the planned ones', async () => {
  const plan = await rig.plan(rig.write('file.csv', churnCsv(3)), 'Bank churn');
  const inAnHour = Date.now() + 3_600_000;
  const [bad, good] = [
    await rig.uploads.createJob(plan, false, inAnHour),
    await rig.uploads.createJob(plan, false, inAnHour),
  ];
  const db = new BetterSqlite(rig.path('uploads.db'));
  db.prepare(
    `UPDATE job SET plan_json = json_set(plan_json, '$.plan.batchRows', 200000) WHERE job_id = ?`,
  ).run(bad.jobId);
  db.prepare(`UPDATE scan SET plan_json = '{}'`).run();
  db.close();
  expect(rig.uploads.listJobs()).toMatchObject([{ jobId: good.jobId }]);
  const planned = rig.uploads.sources.map((source) =>
    readable(source.jobs.starts.all(), ({ id }): Job => source.get(id)),
  );
  expect(planned.flat()).toMatchObject([{ id: good.jobId }]);
  await rig.uploads.recover({ continues: false });
  expect(rig.uploads.damaged.list()).toMatchObject([
    { kind: 'upload', id: bad.jobId, title: 'file.csv', reason: expect.stringContaining('plan.batchRows') },
  ]);
  rig.uploads.damaged.remove('upload', bad.jobId);
  expect(rig.uploads.damaged.list()).toEqual([]);
});

test('the command line rejects too many rows per request, and its list still works', async () => {
  const file = rig.write('file.csv', churnCsv(3));
  const refused = await cli(['upload', file, '--model', 'Bank churn', '--batch-rows', '200000']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/Rows per request: a whole number from 1 to 100,000/);
  const list = await cli(['uploads', '--json']);
  expect(list.code).toBe(0);
  expect(JSON.parse(list.stdout)).toMatchObject({ items: [], total: 0 });
});
