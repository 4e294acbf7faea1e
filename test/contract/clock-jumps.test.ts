/** The clock of the computer is set back by an hour during work. The work continues, and nothing is done twice. */
import { expect, test } from 'vitest';
import { call, cleanUp, expectOnce, open, prepared, sources } from '../helpers/dataset-builds.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { relevancePlan } from '../helpers/score-plan.ts';
import { publishFault, UploadRig } from '../helpers/upload-rig.ts';

const HOUR_MS = 3_600_000;

test('a build continues: every span becomes one item, despite a lost answer', async () => {
  let aheadMs = 0;
  const { raw, rig } = await open({ aheadMs: () => aheadMs });
  const buildId = await prepared(rig, 450);
  raw.service.setFaults([call({ type: 'drop-after' }, { after: 2 })]);
  await rig.datasets.builds.control(buildId, 'commit');
  await rig.until(() => rig.builds.find(({ batches }) => batches.acknowledged > 0));
  aheadMs = -HOUR_MS;
  const ended = await rig.datasets.builds.whenIdle(buildId);
  // The outcome is resolved by reading from the service or by the user, and never by sending again.
  const { datasetId } = ended;
  for (const batch of rig.datasets.builds.listBatches(buildId, 0, 200).batches) {
    if (batch.state === 'unknown') await rig.datasets.builds.decideBatch(buildId, batch.batch, 'stored');
  }
  const done = await rig.datasets.builds.whenIdle(buildId);
  expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 450, unsent: 0, sending: 0 } });
  expectOnce(await sources(raw, datasetId), 450);
});

test('a score run continues: each item is scored once', async () => {
  let aheadMs = 0;
  const { raw, rig } = await open({ aheadMs: () => aheadMs });
  const { items, plan } = await relevancePlan(raw);
  const { scores } = rig.datasets;
  const { runId } = scores.start(plan, { startAtMs: null, expectedItems: null });
  await rig.until(() => rig.runs.find(({ counts }) => counts.scored > 0));
  aheadMs = -HOUR_MS;
  const ended = await scores.whenIdle(runId);
  expect(ended).toMatchObject({ state: 'done', counts: { items: items.length, unscored: 0 } });
  expect(ended.counts.scored).toBe(items.length);
  // Two identical requests share an answer.
  expect(raw.service.report().operations['evaluators.score']?.requests).toBeLessThanOrEqual(items.length);
});

test('an upload continues: a lost answer is resolved by reading the service, and every row is stored once', async () => {
  let aheadMs = 0;
  const { raw } = await open();
  const rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, aheadMs: () => aheadMs });
  cleanUp(() => rig[Symbol.asyncDispose]());
  const modelId = await rig.modelId('Bank churn');
  const before = raw.service.events(modelId).count;
  raw.service.setFaults([publishFault({ type: 'drop-after' }, { after: 2 })]);
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(300)), 'Bank churn', { batchRows: 30 });
  const { jobId } = await rig.uploads.createJob(plan, true);
  aheadMs = -HOUR_MS;
  const job = await rig.uploads.whenIdle(jobId);
  expect(job).toMatchObject({
    state: 'needs-decision',
    counts: { acknowledged: 270, unknown: 30, unsent: 0 },
  });
  const { batches } = rig.uploads.listBatches({ jobId, states: ['unknown'], offset: 0, limit: 10 });
  expect(batches).toMatchObject([{ evidence: { verdict: 'stored' } }]);
  await rig.uploads.decideBatch(jobId, batches[0]?.batch ?? -1, 'stored');
  expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'done', counts: { acknowledged: 300 } });
  expect(raw.service.events(modelId).count).toBe(before + 300);
});

test('a file that was checked while the clock was ahead is read again before it is sent', async () => {
  let aheadMs = 30 * 24 * HOUR_MS;
  const { raw } = await open();
  const rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, aheadMs: () => aheadMs });
  cleanUp(() => rig[Symbol.asyncDispose]());
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(20)), 'Bank churn');
  await rig.uploads.startDryRun(plan);
  await rig.until(() => rig.dryRuns.find(({ phase }) => phase === 'done'));
  const checkOf = async () => {
    const { jobId } = await rig.uploads.createJob(plan, false);
    return rig.store.jobs.get(jobId)?.scanId;
  };
  expect(await checkOf()).toEqual(expect.any(String));
  aheadMs = 0;
  expect(await checkOf()).toBeNull();
});
