/** A check made before the same content was sent to the same target does not send it again without a question. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';

let raw: RawService;
let rig: UploadRig;
beforeEach(async () => {
  raw = await RawService.start();
  rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

const published = () => raw.service.report().operations['events.publish']?.requests ?? 0;

async function check(name: string) {
  const plan = await rig.plan(rig.write(name, churnCsv(20)), 'Bank churn');
  const { dryRunId } = await rig.uploads.startDryRun(plan);
  await rig.until(() => rig.dryRuns.find((run) => run.dryRunId === dryRunId && run.phase === 'done'));
  return { plan, dryRunId };
}

test('sending from a stale check is rejected with the rows sent meanwhile, and succeeds once that was shown', async () => {
  const first = await check('a.csv');
  const second = await check('b.csv');
  const send = (plan: (typeof first)['plan'], told: readonly string[] | null) =>
    rig.uploads.createJob(plan, true, null, null, told);
  const job = await send(first.plan, []);
  // At once, and after it has ended.
  await expect(send(second.plan, [])).rejects.toMatchObject({ code: 'NEEDS_DECISION' });
  await rig.uploads.whenIdle(job.jobId);
  await expect(send(second.plan, [])).rejects.toThrow(
    /^These 20 rows were sent to Bank churn \/ PRODUCTION on .* from a\.csv: 20 acknowledged\. .* Nothing was sent now\.$/,
  );
  expect(rig.uploads.listJobs()).toHaveLength(1);
  expect(published()).toBe(1);

  const told = (rig.uploads.getDryRun(second.dryRunId).sentBefore ?? []).map(({ jobId }) => jobId);
  expect(told).toEqual([job.jobId]);
  await rig.uploads.whenIdle((await send(second.plan, told)).jobId);
  expect(published()).toBe(2);
});
