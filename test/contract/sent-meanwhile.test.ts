/** If the same content was sent to the same target after a check, it is not sent again without asking. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
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

async function check(name: string, by = rig) {
  const plan = await by.plan(rig.write(name, churnCsv(20)), 'Bank churn');
  const { dryRunId } = await by.uploads.startDryRun(plan);
  await by.until(() => by.dryRuns.find((run) => run.dryRunId === dryRunId && run.phase === 'done'));
  return { plan, dryRunId };
}

test('sending from a stale check is rejected with the rows sent meanwhile, and succeeds once that was shown', async () => {
  const first = await check('a.csv');
  const second = await check('b.csv');
  const send = (plan: (typeof first)['plan'], told: readonly string[] | null) =>
    rig.uploads.createJob(plan, true, null, null, told);
  const job = await send(first.plan, []);
  // Rejected at once, and also after the first upload has ended.
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

test('if two programs store the same content to be sent at once, one stores it and the other asks the user', async () => {
  const options = { processId: process.pid + 1, isProcessAlive: () => true };
  await using other = new UploadRig({
    ...{ baseUrl: raw.service.baseUrl, token: TOKEN, folder: rig.folder, options },
  });
  const plans = [(await check('a.csv')).plan, (await check('b.csv', other)).plan] as const;
  // The first process stores and starts its upload at the last moment before the second does.
  const { commit } = rig.store;
  let storeFirst = (): void => undefined;
  let started: Promise<unknown> | null = null;
  rig.store.commit = (work) => {
    storeFirst = () => {
      storeFirst = () => undefined;
      commit(work);
      started = rig.uploads.controlJob(rig.uploads.listJobs()[0]?.jobId ?? '', 'start');
    };
    return undefined as never;
  };
  await expect(rig.uploads.createJob(plans[0], false, null, null, [])).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
  rig.store.commit = commit;
  const { commit: commitSecond } = other.store;
  other.store.commit = (work) => {
    storeFirst();
    return commitSecond(work);
  };
  await expect(other.uploads.createJob(plans[1], true, null, null, [])).rejects.toMatchObject({
    code: 'NEEDS_DECISION',
  });
  other.store.commit = commitSecond;
  const [job] = rig.uploads.listJobs();
  expect(await started).toMatchObject({ state: 'running' });
  await rig.uploads.whenIdle(job?.jobId ?? '');
  expect(rig.uploads.listJobs()).toHaveLength(1);
  expect(published()).toBe(1);
});

test('another program never sees an upload that is stored to be sent at once and does not run', async () => {
  const { plan } = await check('a.csv');
  await using other = new UploadRig({
    ...{ baseUrl: raw.service.baseUrl, token: TOKEN, folder: rig.folder },
    options: { processId: process.pid + 1, isProcessAlive: () => true },
  });
  const { commit } = rig.store;
  const seen: string[] = [];
  rig.store.commit = (work) => {
    const done = commit(work);
    seen.push(...other.uploads.listJobs().map(({ state }) => state));
    return done;
  };
  const { jobId } = await rig.uploads.createJob(plan, true, null, null, []);
  rig.store.commit = commit;
  await rig.uploads.whenIdle(jobId);
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen)).toEqual(new Set(['running']));
});

test('an upload that could not be stored is not sent', async () => {
  const { plan } = await check('a.csv');
  const { commit } = rig.store;
  rig.store.commit = (work) =>
    commit(() => {
      work();
      throw new AppError('DISK_FULL', 'The disk is full.');
    });
  await expect(rig.uploads.createJob(plan, true, null, null, [])).rejects.toMatchObject({
    code: 'DISK_FULL',
  });
  rig.store.commit = commit;
  expect(rig.uploads.listJobs()).toEqual([]);
  await rig.uploads.whenIdle((await rig.uploads.createJob(plan, true, null, null, [])).jobId);
  expect(published()).toBe(1);
});
