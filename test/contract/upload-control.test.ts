/** Running jobs: they are paused, cancelled, taken over or stopped, or lack the service or the disk. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { UploadStore } from '../../electron/db/upload-store.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { publishFault, RequestGate, UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

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

/** A job with 400 rows that has sent three batches of 20, and whose fourth request is held. */
async function halfWay(options: Partial<UploadRigOptions> = {}, holds: 'request' | 'answer' = 'request') {
  await rig[Symbol.asyncDispose]();
  const gate = new RequestGate(3, holds);
  rig = open({ ...options, wrapClient: gate.wrap });
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(400)), 'Bank churn', { batchRows: 20 });
  const before = raw.service.events(plan.modelId).count;
  const { jobId } = await rig.uploads.createJob(plan, true);
  await gate.reached();
  expect(rig.uploads.getJob(jobId)).toMatchObject({
    state: 'running',
    counts: { acknowledged: 60, unsent: 340 },
  });
  expect(rig.store.batches.count(jobId, ['sending'])).toBe(1);
  return { gate, jobId, before, plan };
}

async function planned() {
  const plan = await rig.plan(rig.write('churn.csv', churnCsv(400)), 'Bank churn', { batchRows: 10 });
  return { plan, before: raw.service.events(plan.modelId).count };
}

describe('control of an upload', () => {
  test('the service goes away: the job waits, and continues when it is woken', async () => {
    using folder = new DataFolder();
    await raw.service.stop();
    raw = await RawService.start({ dbFile: folder.file('service.db') });
    const { gate, jobId, plan, before } = await halfWay();
    const { port } = raw.service;
    await raw.service.stop();
    gate.open();
    await rig.until(() => rig.jobs.find(({ state }) => state === 'waiting'));
    raw = await RawService.start({ port, dbFile: folder.file('service.db') });
    rig.uploads.wake();
    const rested = await rig.uploads.whenIdle(jobId);
    // A connection that was kept open may lose one request without it being known whether the service received it.
    expect(rested.counts.acknowledged + rested.counts.unknown).toBe(400);
    const { batches } = rig.uploads.listBatches({ jobId, states: ['unknown'], offset: 0, limit: 10 });
    expect(batches.length).toBeLessThanOrEqual(1);
    for (const { batch, evidence } of batches) {
      expect(evidence?.verdict).toBe('not-stored');
      await rig.uploads.decideBatch(jobId, batch, 'resend');
    }
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'done', counts: { acknowledged: 400 } });
    expect(raw.service.events(plan.modelId).count).toBe(before + 400);
  });

  test('pause waits for requests in flight, resume continues, cancel ends in a stated state', async () => {
    const { gate, jobId, before, plan } = await halfWay({}, 'answer');
    await rig.uploads.controlJob(jobId, 'pause');
    gate.open(2);
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'paused',
      counts: { acknowledged: 80 },
    });
    await rig.uploads.controlJob(jobId, 'resume');
    await gate.reached();
    expect(await rig.uploads.controlJob(jobId, 'cancel')).toMatchObject({ state: 'paused' });
    gate.open();
    const ended = await rig.uploads.whenIdle(jobId);
    expect(ended).toMatchObject({
      state: 'cancelled',
      counts: { acknowledged: 140, unsent: 260, unknown: 0 },
    });
    expect(ended.reason).toBe('Cancelled: 140 rows sent, 260 not sent.');
    expect(raw.service.events(plan.modelId).count).toBe(before + 140);
    await expect(rig.uploads.controlJob(jobId, 'resume')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    rig.uploads.forgetJob(jobId);
    expect(rig.uploads.listJobs()).toEqual([]);
  });

  test('pause recalls a queued request: it is not sent later', async () => {
    const { gate, jobId, before, plan } = await halfWay();
    await rig.uploads.controlJob(jobId, 'pause');
    gate.open();
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'paused',
      counts: { acknowledged: 60, unknown: 0, unsent: 340 },
    });
    expect(raw.service.events(plan.modelId).count).toBe(before + 60);
  });

  test('a request that waits for a Retry-After is recalled at once by pause and by cancel', async () => {
    raw.service.setFaults([publishFault({ type: 'status', status: 429, retryAfterS: 3_000 }, { after: 3 })]);
    const before = await rig.modelId('Bank churn').then((id) => raw.service.events(id).count);
    const plan = await rig.plan(rig.write('churn.csv', churnCsv(100)), 'Bank churn', { batchRows: 20 });
    const { jobId } = await rig.uploads.createJob(plan, true);
    await vi.waitUntil(() => (raw.service.report().operations['events.publish']?.requests ?? 0) >= 3, {
      timeout: 30_000,
    });
    await rig.uploads.controlJob(jobId, 'pause');
    const counts = { acknowledged: 40, unknown: 0, unsent: 60 };
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'paused', counts });
    expect(raw.service.events(plan.modelId).count).toBe(before + 40);
    await rig.uploads.controlJob(jobId, 'resume');
    await rig.uploads.controlJob(jobId, 'cancel');
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'cancelled', counts });
  });

  test('a token rejected with several batches in flight pauses the upload, and nothing waits forever', async () => {
    await rig[Symbol.asyncDispose]();
    rig = open({ options: { maxInFlight: 6 } });
    raw.service.setFaults([
      publishFault({ type: 'status', status: 401 }, { after: 8, times: 1 }),
      publishFault({ type: 'delay', delayMs: 50 }, { times: 1_000 }),
    ]);
    const { plan, before } = await planned();
    const { jobId } = await rig.uploads.createJob(plan, true);
    const job = await rig.uploads.whenIdle(jobId);
    expect(job).toMatchObject({ state: 'paused', error: { code: 'UNAUTHORIZED' }, counts: { unknown: 0 } });
    expect(raw.service.events(plan.modelId).count).toBe(before + job.counts.acknowledged);
  });

  test('a job resumed with its last request in flight continues', async () => {
    const { gate, jobId } = await halfWay();
    await rig.uploads.controlJob(jobId, 'pause');
    await rig.uploads.controlJob(jobId, 'resume');
    gate.open();
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 400 },
      requests: 20,
    });
  });

  test('a second process cannot send the same job while the first is alive', async () => {
    const { gate, jobId } = await halfWay();
    const other = open({
      folder: rig.folder,
      options: { processId: process.pid + 1, isProcessAlive: () => true },
    });
    try {
      for (const action of ['pause', 'resume', 'cancel'] as const) {
        await expect(other.uploads.controlJob(jobId, action)).rejects.toMatchObject({ code: 'CONFLICT' });
      }
      expect(() => other.uploads.forgetJob(jobId)).toThrow('Another Spandeck');
      expect(await other.uploads.recover({ continues: true })).toEqual([]);
      gate.open();
      expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
        state: 'done',
        counts: { acknowledged: 400 },
      });
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('a lease that is taken over: the first process writes and sends nothing more', async () => {
    const { gate, jobId, plan, before } = await halfWay();
    const options = { processId: process.pid + 1, isProcessAlive: () => false };
    const other = open({ folder: rig.folder, options });
    try {
      const [taken] = await other.uploads.recover({ continues: false });
      const counts = { acknowledged: 60, unknown: 20, unsent: 320 };
      expect(taken).toMatchObject({ jobId, state: 'paused', counts });
      expect(raw.service.events(plan.modelId).count).toBe(before + 60);
      await other.uploads.controlJob(jobId, 'resume');
      await other.uploads.whenIdle(jobId);
      gate.open();
      await rig.uploads.whenIdle(jobId);
      // The request of the first process waited until the second one had the job, so it is not sent.
      expect(raw.service.events(plan.modelId).count).toBe(before + 380);
      await other.uploads.controlJob(jobId, 'gather-evidence');
      const { batches } = other.uploads.listBatches({ jobId, states: ['unknown'], offset: 0, limit: 10 });
      expect(batches).toMatchObject([{ rows: 20, evidence: { verdict: 'not-stored' } }]);
      await other.uploads.decideBatch(jobId, batches[0]?.batch ?? -1, 'resend');
      const ended = await other.uploads.whenIdle(jobId);
      expect(ended).toMatchObject({ state: 'done', counts: { acknowledged: 400 } });
      expect(raw.service.events(plan.modelId).count).toBe(before + 400);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('a process that stood still looks at its lease at the moment of sending: a queued batch is not sent', async () => {
    // The timers of the first process do not fire, so its heartbeat does not notice the other process.
    const { gate, jobId, plan, before } = await halfWay({ haste: 1e-6 });
    const options = { processId: process.pid + 1, isProcessAlive: () => false };
    const other = open({ folder: rig.folder, options });
    try {
      await other.uploads.recover({ continues: false });
      gate.open();
      await rig.uploads.whenIdle(jobId);
      expect(raw.service.events(plan.modelId).count).toBe(before + 60);
      expect(other.uploads.getJob(jobId)).toMatchObject({ counts: { acknowledged: 60, unknown: 20 } });
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('stopped and started: continues at the right batch, without asking', async () => {
    const { gate, jobId } = await halfWay({}, 'answer');
    const stopping = rig.uploads.stop();
    gate.open();
    await stopping;
    const again = open({ folder: rig.folder });
    try {
      const [resumed] = await again.uploads.recover({ continues: true });
      expect(resumed?.jobId).toBe(jobId);
      const ended = await again.uploads.whenIdle(jobId);
      expect(ended).toMatchObject({ state: 'done', counts: { acknowledged: 400, unknown: 0 }, requests: 20 });
    } finally {
      await again[Symbol.asyncDispose]();
    }
  });
});

describe('an upload on a full disk', () => {
  let isFull = false;
  let isStuck = false;
  const wrapStore = (store: UploadStore): UploadStore => {
    const written =
      (commit: UploadStore['commit']): UploadStore['commit'] =>
      (work) => {
        if (isFull) throw new AppError('DISK_FULL', 'The disk is full.');
        return commit(work);
      };
    return {
      ...store,
      commit: written(store.commit),
      commitSoon: written(store.commitSoon),
      reachDisk: async () => {
        await store.reachDisk();
        if (isStuck) throw new AppError('STORE_FAILED', 'The disk did not take it.');
      },
    };
  };
  afterEach(() => {
    isFull = false;
    isStuck = false;
  });

  test('a committed receipt that does not reach the disk counts once, and no batch is sent because of it', async () => {
    const { gate, jobId, plan, before } = await halfWay({ wrapStore });
    isStuck = true;
    gate.open();
    await rig.until(() =>
      rig.jobs.find(({ state, error }) => state === 'paused' && error?.code === 'STORE_FAILED'),
    );
    isStuck = false;
    await rig.uploads.whenIdle(jobId);
    const { requests } = raw.service.report().operations['events.publish'] ?? { requests: 0 };
    isStuck = true;
    await rig.uploads.controlJob(jobId, 'resume');
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({ state: 'paused', counts: { unknown: 0 } });
    expect(raw.service.report().operations['events.publish']?.requests).toBe(requests);
    isStuck = false;
    await rig.uploads.controlJob(jobId, 'resume');
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 400, unknown: 0 },
    });
    expect(raw.service.events(plan.modelId).count).toBe(before + 400);
  });

  test('an answer that cannot be written is kept until the disk accepts it; nothing more is sent meanwhile', async () => {
    const { gate, jobId, plan, before } = await halfWay({ wrapStore });
    isFull = true;
    gate.open();
    await rig.until(() =>
      rig.jobs.find(({ state, error }) => state === 'paused' && error?.code === 'DISK_FULL'),
    );
    await expect(rig.uploads.controlJob(jobId, 'resume')).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(raw.service.events(plan.modelId).count).toBe(before + 80);
    isFull = false;
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'paused',
      counts: { acknowledged: 80, unknown: 0 },
    });
    await rig.uploads.controlJob(jobId, 'resume');
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 400, unknown: 0 },
    });
    expect(raw.service.events(plan.modelId).count).toBe(before + 400);
  });

  test('a batch that cannot be written is not sent', async () => {
    const { gate, jobId } = await halfWay({ wrapStore }, 'answer');
    await rig.uploads.controlJob(jobId, 'pause');
    gate.open();
    await rig.uploads.whenIdle(jobId);
    const { requests } = raw.service.report().operations['events.publish'] ?? { requests: 0 };
    isFull = true;
    await expect(rig.uploads.controlJob(jobId, 'resume')).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(raw.service.report().operations['events.publish']?.requests).toBe(requests);
    expect(rig.uploads.getJob(jobId)).toMatchObject({
      state: 'paused',
      counts: { acknowledged: 80, unsent: 320 },
    });
  });
});

test.each(['nothing', 'another file'])(
  'a store that is moved away while rows are sent, with %s in its place: the answer is kept until it is back',
  async (instead) => {
    const { gate, jobId, plan, before } = await halfWay();
    const file = join(rig.folder, 'uploads.db');
    renameSync(file, `${file}.away`);
    if (instead !== 'nothing') writeFileSync(file, '');
    gate.open();
    await rig.until(() =>
      rig.jobs.find(({ state, error }) => state === 'paused' && error?.code === 'STORE_FAILED'),
    );
    expect(rig.uploads.getJob(jobId).reason).toContain('uploads.db is not in the data folder any more');
    expect(raw.service.events(plan.modelId).count).toBe(before + 80);
    rmSync(file, { force: true });
    renameSync(`${file}.away`, file);
    const rested = await rig.uploads.whenIdle(jobId);
    expect(rested).toMatchObject({ state: 'paused', counts: { acknowledged: 80, unknown: 0 } });
    await rig.uploads.controlJob(jobId, 'resume');
    expect(await rig.uploads.whenIdle(jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 400, unknown: 0 },
    });
    expect(raw.service.events(plan.modelId).count).toBe(before + 400);
  },
);
