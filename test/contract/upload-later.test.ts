/**
 * Uploads and deletions that are planned for later are stored, and start exactly once at their time, even after a
 * restart.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

const HOUR_MS = 3_600_000;
let raw: RawService;
let rig: UploadRig;
let aheadMs = 0;
const now = () => systemClock.nowMs() + aheadMs;
/** Timers are so fast that the clock, which is checked every 15 s, is checked every few milliseconds. */
const open = (options: Partial<UploadRigOptions> = {}) =>
  new UploadRig({
    baseUrl: raw.service.baseUrl,
    token: TOKEN,
    haste: 5_000,
    aheadMs: () => aheadMs,
    ...options,
  });
const published = () => raw.service.report().operations['events.publish']?.requests ?? 0;
const deleted = () => raw.service.report().operations['events.delete']?.requests ?? 0;

beforeEach(async () => {
  aheadMs = 0;
  raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
  rig = open();
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

async function planned(startAtMs: number) {
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(30)), 'Bank churn', { batchRows: 20 });
  return rig.uploads.createJob(plan, true, startAtMs);
}

test('an upload whose time has come starts at once when the service is reachable again', async () => {
  await using unhurried = open({ haste: 1 });
  await unhurried.uploads.recover({ continues: true });
  const plan = await unhurried.plan(unhurried.write('churn.csv', churnCsv(30)), 'Bank churn');
  const { jobId } = await unhurried.uploads.createJob(plan, true, now() + HOUR_MS);
  aheadMs = 2 * HOUR_MS;
  unhurried.uploads.wake();
  expect(unhurried.uploads.getJob(jobId).state).toBe('running');
  await unhurried.uploads.whenIdle(jobId);
});

describe('an upload', () => {
  test('waits for its time, whatever `startsNow` says, and starts then', async () => {
    await rig.uploads.recover({ continues: true });
    const startAtMs = now() + HOUR_MS;
    const job = await planned(startAtMs);
    expect(job).toMatchObject({ state: 'scheduled', startAtMs, lateStart: null });
    rig.uploads.wake();
    expect(rig.uploads.getJob(job.jobId).state).toBe('scheduled');
    expect(published()).toBe(0);
    aheadMs = HOUR_MS;
    expect(await rig.uploads.whenIdle(job.jobId)).toMatchObject({
      state: 'done',
      startAtMs: null,
      lateStart: null,
      counts: { acknowledged: 30 },
    });
  });

  test('can be rescheduled, started at once, cancelled, or kept without a time', async () => {
    await rig.uploads.recover({ continues: true });
    const first = await planned(now() + HOUR_MS);
    const later = now() + 5 * HOUR_MS;
    const changed = await rig.uploads.controlJob(first.jobId, 'schedule', later);
    expect(changed).toMatchObject({ state: 'scheduled', startAtMs: later });
    await expect(rig.uploads.controlJob(first.jobId, 'schedule', now() - 1)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    aheadMs = 2 * HOUR_MS;
    await rig.uploads.controlJob(first.jobId, 'start');
    expect(await rig.uploads.whenIdle(first.jobId)).toMatchObject({ state: 'done', lateStart: null });
    const second = await planned(now() + HOUR_MS);
    expect(await rig.uploads.controlJob(second.jobId, 'cancel')).toMatchObject({
      state: 'cancelled',
      startAtMs: null,
      counts: { acknowledged: 0, unsent: 0 },
    });
    const third = await planned(now() + HOUR_MS);
    await rig.uploads.controlJob(third.jobId, 'pause');
    aheadMs = 9 * HOUR_MS;
    expect(await rig.uploads.whenIdle(third.jobId)).toMatchObject({ state: 'paused', startAtMs: null });
    expect(published()).toBe(2);
  });

  test('whose time came while the application was closed starts at the next start, and reports it', async () => {
    const plannedAtMs = now() + HOUR_MS;
    const { jobId } = await planned(plannedAtMs);
    await rig.uploads.stop();
    aheadMs = 8 * HOUR_MS;
    const again = open({ folder: rig.folder });
    try {
      await again.uploads.recover({ continues: true });
      const ended = await again.uploads.whenIdle(jobId);
      expect(ended).toMatchObject({
        state: 'done',
        counts: { acknowledged: 30 },
        lateStart: { plannedAtMs },
      });
      expect(ended.lateStart?.startedAtMs).toBeGreaterThan(plannedAtMs + 6 * HOUR_MS);
    } finally {
      await again[Symbol.asyncDispose]();
    }
  });

  test('is ignored by a command line that did not plan it, and started by the one that did', async () => {
    const { jobId } = await planned(now() + HOUR_MS);
    const other = open({ folder: rig.folder });
    try {
      await other.uploads.recover({ continues: false });
      aheadMs = 2 * HOUR_MS;
      expect((await other.uploads.whenIdle(jobId)).state).toBe('scheduled');
      expect((await rig.uploads.whenIdle(jobId)).state).toBe('done');
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('is sent once by two processes that monitor it', async () => {
    const { jobId } = await planned(now() + HOUR_MS);
    const other = open({
      folder: rig.folder,
      options: { processId: process.pid + 1, isProcessAlive: () => true },
    });
    try {
      await other.uploads.recover({ continues: true });
      aheadMs = 2 * HOUR_MS;
      await Promise.all([rig.uploads.whenIdle(jobId), other.uploads.whenIdle(jobId)]);
      expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ counts: { acknowledged: 30, unknown: 0 } });
      expect(published()).toBe(2);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('of a file that changed meanwhile stops before anything is sent', async () => {
    const { jobId } = await planned(now() + HOUR_MS);
    rig.write('churn.csv', churnCsv(31));
    aheadMs = 2 * HOUR_MS;
    const ended = await rig.uploads.whenIdle(jobId);
    expect(ended).toMatchObject({ state: 'paused', error: { code: 'FILE_CHANGED' } });
    expect(published()).toBe(0);
  });
});

describe('a deletion', () => {
  const request = async () => ({
    modelId: await rig.modelId('Card fraud'),
    eventIds: ['a'],
    timeRange: null,
    updateMetrics: false,
  });
  const listed = () => rig.uploads.listDeletions().deletions[0];

  test('is stored, sent at its time, and followed to its end', async () => {
    await rig.uploads.recover({ continues: true });
    const startAtMs = now() + HOUR_MS;
    const planned = await rig.uploads.deleteEvents(await request(), startAtMs);
    expect(planned).toMatchObject({ status: 'scheduled', startAtMs, error: null });
    expect(listed()).toEqual(planned);
    expect(deleted()).toBe(0);
    aheadMs = HOUR_MS;
    await rig.until(() => rig.deletions.find(({ status }) => status === 'SUCCESS'));
    expect(listed()).toMatchObject({ status: 'SUCCESS', startAtMs: null, lateStart: null });
    expect(deleted()).toBe(1);
  });

  test('can be rescheduled, sent at once and cancelled; after that it cannot be changed', async () => {
    await rig.uploads.recover({ continues: true });
    const first = await rig.uploads.deleteEvents(await request(), now() + HOUR_MS);
    const later = now() + 9 * HOUR_MS;
    await rig.uploads.controlDeletion(first.deletionId, 'schedule', later);
    aheadMs = 2 * HOUR_MS;
    rig.uploads.wake();
    expect(listed()).toMatchObject({ status: 'scheduled', startAtMs: later });
    expect(await rig.uploads.controlDeletion(first.deletionId, 'start')).toMatchObject({ error: null });
    const control = () => rig.uploads.controlDeletion(first.deletionId, 'cancel');
    await expect(control()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const second = await rig.uploads.deleteEvents(await request(), now() + HOUR_MS);
    await rig.uploads.controlDeletion(second.deletionId, 'cancel');
    aheadMs = 99 * HOUR_MS;
    rig.uploads.wake();
    expect(rig.uploads.listDeletions().deletions.map(({ status }) => status)).toContain('cancelled');
    expect(deleted()).toBe(1);
    await expect(rig.uploads.deleteEvents(await request(), now() - 1)).rejects.toThrow('in the future');
  });

  test('whose time came while the application was closed is sent at the next start, and reports it', async () => {
    const plannedAtMs = now() + HOUR_MS;
    await rig.uploads.deleteEvents(await request(), plannedAtMs);
    aheadMs = 3 * HOUR_MS;
    await rig.uploads.recover({ continues: true });
    await rig.until(() => rig.deletions.find(({ status }) => status === 'SUCCESS'));
    expect(listed()?.lateStart?.plannedAtMs).toBe(plannedAtMs);
  });

  test('without a connection to the service stays planned and is sent once there is one; it is never sent twice', async () => {
    await rig.uploads.recover({ continues: true });
    await rig.uploads.deleteEvents(await request(), now() + HOUR_MS);
    rig.rig.switches.isOffline = true;
    aheadMs = 2 * HOUR_MS;
    const waiting = await rig.until(() => rig.deletions.find(({ error }) => error !== null));
    expect(waiting).toMatchObject({ status: 'scheduled', error: { code: 'OFFLINE' } });
    rig.rig.switches.isOffline = false;
    rig.uploads.wake();
    await rig.until(() => rig.deletions.find(({ status }) => status === 'SUCCESS'));
    expect(deleted()).toBe(1);
  });

  test('with an exhausted daily limit at its time is not sent, and says why', async () => {
    await rig.uploads.recover({ continues: true });
    await rig.uploads.deleteEvents(await request(), now() + HOUR_MS);
    rig.budget.usedToday = 30;
    aheadMs = 2 * HOUR_MS;
    const ended = await rig.until(() => rig.deletions.find(({ status }) => status === 'not-sent'));
    expect(ended.error?.code).toBe('RATE_LIMITED');
    expect(deleted()).toBe(0);
  });
});
