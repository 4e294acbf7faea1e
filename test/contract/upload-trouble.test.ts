/** Failures during an upload: nothing is sent twice without asking, and nothing is lost. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { publishFault, UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

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

describe('lost answers', () => {
  test.each([
    ['drop-after', { type: 'drop-after' }, 'stored'],
    ['drop', { type: 'drop' }, 'not-stored'],
    ['cut', { type: 'cut' }, 'stored'],
    ['500', { type: 'status', status: 500 }, 'not-stored'],
    ['500 that stored', { type: 'status', status: 500, isStored: true }, 'stored'],
    ['502 as HTML', { type: 'html', status: 502 }, 'not-stored'],
    ['503 that stored', { type: 'status', status: 503, isStored: true }, 'stored'],
    ['504 that stored', { type: 'status', status: 504, isStored: true }, 'stored'],
  ] as const)(
    '%s: the batch is unknown, the others continue, the evidence decides',
    async (_name, action, verdict) => {
      raw.service.setFaults([publishFault(action, { after: 2 })]);
      const before = await added();
      const job = await rig.send(rig.write('churn.csv', churnCsv(100)), 'Bank churn', { batchRows: 30 });
      expect(job).toMatchObject({
        state: 'needs-decision',
        counts: { rows: 100, acknowledged: 70, unknown: 30, unsent: 0 },
      });
      const { batches } = rig.uploads.listBatches({
        jobId: job.jobId,
        states: ['unknown'],
        offset: 0,
        limit: 10,
      });
      expect(batches).toMatchObject([{ batch: 1, evidence: { verdict } }]);
      await rig.uploads.decideBatch(job.jobId, 1, verdict === 'stored' ? 'stored' : 'resend');
      expect(await rig.uploads.whenIdle(job.jobId)).toMatchObject({
        state: 'done',
        counts: { acknowledged: 100, unknown: 0 },
      });
      expect(await added()).toBe(before + 100);
    },
  );

  test.each([
    ['HTML', { type: 'html' }],
    ['truncated JSON', { type: 'truncated-json' }],
  ] as const)('an unreadable success (%s) pauses the job with the batch unknown', async (_name, action) => {
    raw.service.setFaults([publishFault(action)]);
    const job = await rig.send(rig.write('churn.csv', churnCsv(60)), 'Bank churn', { batchRows: 30 });
    expect(job).toMatchObject({ state: 'paused', counts: { unknown: 30, unsent: 30 } });
    expect(job.error).not.toBeNull();
  });

  test('a network that requires a sign-in midway: the upload waits and continues automatically, every row once', async () => {
    await rig[Symbol.asyncDispose]();
    rig = open({ haste: 100 });
    raw.service.setFaults([publishFault({ type: 'html', status: 511 }, { after: 1, times: 3 })]);
    const before = await added();
    const plan = await rig.plan(rig.write('churn.csv', churnCsv(90)), 'Bank churn', { batchRows: 30 });
    const { jobId } = await rig.uploads.createJob(plan, true);
    const waiting = await rig.until(() => rig.jobs.find(({ state }) => state === 'waiting'));
    expect(waiting.reason).toContain('511');
    await rig.until(() => rig.jobs.find(({ state }) => state === 'done'));
    expect(rig.jobs.findLast((job) => job.jobId === jobId)).toMatchObject({
      counts: { acknowledged: 90, unknown: 0, unsent: 0 },
    });
    expect(await added()).toBe(before + 90);
  });

  test('a keychain that is locked midway pauses the upload with the reason, and is not asked again by itself', async () => {
    await rig[Symbol.asyncDispose]();
    let asked = 0;
    let isLocked = true;
    rig = open({
      haste: 1_000,
      wrapClient: (client) => ({
        ...client,
        call: async (operation, input, options) => {
          if (operation !== 'events.publish' || !isLocked) return client.call(operation, input, options);
          asked += 1;
          throw new AppError('KEYCHAIN_FAILED', 'The keychain is locked.', { outcome: 'unsent' });
        },
      }),
    });
    const job = await rig.send(rig.write('churn.csv', churnCsv(60)), 'Bank churn', { batchRows: 30 });
    expect(job).toMatchObject({ state: 'paused', reason: 'The keychain is locked.', counts: { unsent: 60 } });
    expect(asked).toBe(1);
    isLocked = false;
    await rig.uploads.controlJob(job.jobId, 'resume');
    expect(await rig.uploads.whenIdle(job.jobId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 60 },
    });
  });

  test('a count that another client changes decides nothing, even if it fits', async () => {
    const modelId = await rig.modelId('Bank churn');
    // Adds as many rows as the lost batch has, each time when the count is read after the first one.
    const traffic = { type: 'live-traffic', modelId, rows: 30 } as const;
    raw.service.setFaults([
      publishFault({ type: 'drop' }, { after: 2 }),
      { match: { operation: 'models.environments' }, after: 3, action: traffic },
    ]);
    const job = await rig.send(rig.write('churn.csv', churnCsv(100)), 'Bank churn', { batchRows: 30 });
    expect(job).toMatchObject({ state: 'needs-decision', counts: { acknowledged: 70, unknown: 30 } });
    await rig.uploads.controlJob(job.jobId, 'gather-evidence');
    const { batches } = rig.uploads.listBatches({
      ...{ jobId: job.jobId, states: ['unknown'] },
      ...{ offset: 0, limit: 10 },
    });
    expect(batches).toMatchObject([{ evidence: { verdict: 'undecided' } }]);
    expect(batches[0]?.evidence?.facts.join(' ')).toContain('others write to the environment');
  });

  test('several unknown batches are distinguished by their sizes', async () => {
    raw.service.setFaults([
      publishFault({ type: 'drop' }, { after: 2 }),
      publishFault({ type: 'drop-after' }, { after: 4 }),
      publishFault({ type: 'drop' }, { after: 6 }),
    ]);
    const job = await rig.send(rig.write('churn.csv', churnCsv(200)), 'Bank churn', { batchRows: 20 });
    expect(job.state).toBe('needs-decision');
    const { batches } = rig.uploads.listBatches({
      jobId: job.jobId,
      states: ['unknown'],
      offset: 0,
      limit: 10,
    });
    expect(batches.map(({ evidence }) => evidence?.verdict)).toEqual(['not-stored', 'stored', 'not-stored']);
  });

  test('a batch that the user sends again while its evidence is read is sent before the job ends', async () => {
    let asked = 0;
    const own = open({
      wrapClient: (client) => ({
        ...client,
        list: async (operation, input, options) => {
          const page = await client.list(operation, input, options);
          const [job] = own.uploads.listJobs();
          if (operation === 'models.environments' && job?.counts.unknown === 30) {
            asked += 1;
            await own.uploads.decideBatch(job.jobId, 1, 'resend');
          }
          return page;
        },
      }),
    });
    try {
      raw.service.setFaults([publishFault({ type: 'drop' }, { after: 2 })]);
      const before = await added();
      const job = await own.send(own.write('churn.csv', churnCsv(100)), 'Bank churn', { batchRows: 30 });
      expect(asked).toBe(1);
      expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 100, unknown: 0, unsent: 0 } });
      expect(await added()).toBe(before + 100);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  test('evidence that arrives after the decision keeps the newer state of the upload', async () => {
    let gate: PromiseWithResolvers<void> | null = null;
    const own = open({
      wrapClient: (client) => ({
        ...client,
        list: async (operation, input, options) => {
          const page = await client.list(operation, input, options);
          if (operation === 'models.environments') await gate?.promise;
          return page;
        },
      }),
    });
    try {
      raw.service.setFaults([publishFault({ type: 'drop-after' }, { after: 2 })]);
      const { jobId } = await own.send(own.write('churn.csv', churnCsv(100)), 'Bank churn', {
        batchRows: 30,
      });
      gate = Promise.withResolvers();
      const asked = own.uploads.controlJob(jobId, 'gather-evidence');
      const ended = await own.uploads.decideBatch(jobId, 1, 'stored');
      expect(ended.state).toBe('done');
      gate.resolve();
      await asked;
      expect(own.uploads.getJob(jobId)).toMatchObject({ state: 'done', endedAtMs: ended.endedAtMs });
      expect(own.jobs.at(-1)?.state).toBe('done');
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  test('giving up leaves the rows unsent and ends the job', async () => {
    raw.service.setFaults([publishFault({ type: 'drop-after' })]);
    const job = await rig.send(rig.write('churn.csv', churnCsv(10)), 'Bank churn');
    const ended = await rig.uploads.decideBatch(job.jobId, 0, 'give-up');
    expect(ended).toMatchObject({ state: 'done', counts: { unknown: 0, unsent: 10 } });
    await expect(rig.uploads.decideBatch(job.jobId, 0, 'resend')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('an update is retried automatically', async () => {
    const model = 'Card fraud';
    const first = await rig.send(rig.write('ids.csv', fraudCsv()), model);
    expect(first).toMatchObject({ state: 'done', counts: { acknowledged: 3 } });
    raw.service.setFaults([
      { match: { operation: 'events.update' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const path = rig.write('labels.csv', 'transaction_id,is_fraud\nt-1,true\nt-2,\nt-3,false\n');
    const plan = await rig.plan(path, model, { mode: 'update' });
    const job = await rig.uploads.createJob(plan, true);
    await rig.until(() => rig.jobs.find(({ state }) => state === 'waiting'));
    rig.uploads.wake();
    const ended = await rig.uploads.whenIdle(job.jobId);
    // The empty cell changes nothing, and a row without changes is still a row.
    expect(ended).toMatchObject({ state: 'done', counts: { rows: 3, acknowledged: 3, unknown: 0 } });
    const stored = raw.service
      .events(job.plan.modelId)
      .records.filter((record) => String(record['transaction_id']).startsWith('t-'));
    expect(stored.map((record) => record['is_fraud'])).toEqual([true, true, false]);
  });
});

function fraudCsv(): string {
  return 'transaction_id,processed_at,is_fraud\nt-1,2025-01-01 00:00:00,false\nt-2,2025-01-02 00:00:00,true\nt-3,2025-01-03 00:00:00,false\n';
}

describe('the file changes', () => {
  const start = async () => {
    const path = rig.write('churn.csv', churnCsv(60));
    raw.service.setFaults([publishFault({ type: 'status', status: 403 }, { after: 2 })]);
    const job = await rig.send(path, 'Bank churn', { batchRows: 20 });
    expect(job).toMatchObject({ state: 'paused', counts: { acknowledged: 20 } });
    return { path, job };
  };
  const resume = async (jobId: string) => {
    await rig.uploads.controlJob(jobId, 'resume');
    return rig.uploads.whenIdle(jobId);
  };

  test('another content of the same size is rejected, the previous one is accepted again', async () => {
    const { path, job } = await start();
    const old = readFileSync(path, 'utf8');
    writeFileSync(path, old.replace(/\d\n$/, 'X\n').replace('Churned\n', 'churned\n'));
    expect(await resume(job.jobId)).toMatchObject({
      state: 'paused',
      error: { code: 'FILE_CHANGED' },
      counts: { acknowledged: 20 },
    });
    writeFileSync(path, old);
    expect(await resume(job.jobId)).toMatchObject({ state: 'done', counts: { acknowledged: 60 } });
  });

  test('a new date alone is not a change; more rows are; a deleted file is reported', async () => {
    const { path, job } = await start();
    raw.service.setFaults([publishFault({ type: 'status', status: 403 }, { times: 1 })]);
    const old = readFileSync(path, 'utf8');
    writeFileSync(path, `${old}${old.split('\n')[1]}\n`);
    expect(await resume(job.jobId)).toMatchObject({ state: 'paused', error: { code: 'FILE_CHANGED' } });
    writeFileSync(path, old);
    utimesSync(path, 1, 1);
    expect(await resume(job.jobId)).toMatchObject({ state: 'paused', error: { code: 'FORBIDDEN' } });
    rmSync(path);
    expect(await resume(job.jobId)).toMatchObject({ state: 'paused', error: { code: 'FILE_NOT_FOUND' } });
  });
});

test('a service that rejects every size as too large pauses the upload instead of halving it endlessly', async () => {
  raw.service.setFaults([publishFault({ type: 'status', status: 413 }, { times: 1_000 })]);
  const job = await rig.send(rig.write('many.csv', churnCsv(400)), 'Bank churn', { batchRows: 400 });
  expect(job).toMatchObject({
    state: 'paused',
    reason: expect.stringMatching(/^Even a request of [\d,]+ bytes was refused as too large \(413\)/),
    counts: { acknowledged: 0, refused: 0 },
  });
  expect(job.requests).toBeLessThan(20);
  raw.service.setFaults([]);
  await rig.uploads.controlJob(job.jobId, 'resume');
  expect(await rig.uploads.whenIdle(job.jobId)).toMatchObject({
    state: 'done',
    counts: { acknowledged: 400 },
  });
});
