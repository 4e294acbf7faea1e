/** Files sent whole: stored before they are sent, published once, followed until the service's job ends. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import type { ServiceClient } from '../../electron/api/types.ts';
import type { StoredWholeFile } from '../../electron/db/whole-file-store.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { WholeFile, WholeFileState } from '../../electron/shared/whole-file-contract.ts';
import type { WholeFileRequest } from '../../electron/uploads/types.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

const PART = 1_000;
let raw: RawService;
let rig: UploadRig;
let modelId: string;
const extra: UploadRig[] = [];

function open(options: Partial<UploadRigOptions> = {}): UploadRig {
  return new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100, ...options });
}
beforeEach(async () => {
  raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
  rig = open();
  modelId = await rig.modelId('Card fraud');
  raw.service.clearReport();
});
afterEach(async () => {
  for (const each of extra.splice(0)) await each[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

const counting = (count: number) => Array.from({ length: count }, (_, index) => `whole-${index}`);
function csv(ids: readonly string[], name = 'fraud.csv'): { path: string; name: string } {
  const rows = ids.map((id) => `${id},2025-10-01 08:00:00`);
  return { path: rig.write(name, ['transaction_id,processed_at', ...rows].join('\n')), name };
}
const request = (changes: Partial<WholeFileRequest> = {}): WholeFileRequest => ({
  modelId,
  envType: 'PRODUCTION',
  envName: null,
  publishes: true,
  ...changes,
});
const requests = (operation: OperationId) => raw.service.report().operations[operation]?.requests ?? 0;
const until = (state: WholeFileState, of = rig) =>
  of.until(() => of.wholeFiles.find((file) => file.state === state));
const ids = () => raw.service.events(modelId).ids.filter((id) => id.startsWith('whole-'));
const only = (of = rig): WholeFile => {
  const [file] = of.uploads.wholeFiles.list();
  if (file === undefined) throw new Error('No file is listed.');
  return file;
};

/** Holds back one operation until it is let go, so that a test meets it in the middle. */
function held(operation: string) {
  const { promise: whenReached, resolve: reached } = Promise.withResolvers<null>();
  const wrapClient = (client: ServiceClient): ServiceClient => ({
    ...client,
    call: async (asked, input, options) => {
      if (asked === operation) {
        reached(null);
        await new Promise((_resolve, reject) => {
          options.signal?.addEventListener('abort', () =>
            reject(new AppError('CANCELLED', 'Cancelled.', { outcome: 'unsent' })),
          );
        });
      }
      return client.call(asked, input, options);
    },
  });
  return { wrapClient, whenReached };
}

describe('a file sent whole', () => {
  test('at once: published by a job, every event there, one request each', async () => {
    const [offered] = await rig.files.offer([csv(counting(50)).path]);
    const begun = await rig.uploads.wholeFiles.send(offered?.fileId ?? '', request());
    expect(begun).toMatchObject({ state: 'sending', parts: 1, partsSent: 0, jobId: null });
    const done = await until('done');
    expect(done).toMatchObject({
      jobStatus: 'SUCCESS',
      partsSent: 1,
      bytesSent: done.sizeBytes,
      error: null,
      again: null,
      file: { filename: 'fraud.csv', status: 'SUCCESSFUL' },
    });
    expect(ids().toSorted()).toEqual(counting(50).toSorted());
    expect([requests('files.upload'), requests('events.publish')]).toEqual([1, 1]);
    expect(only()).toEqual(done);
  });

  test('in parts, into an environment before production', async () => {
    const churn = await rig.modelId('Bank churn');
    const path = rig.write('churn.csv', churnCsv(100));
    const target = request({ modelId: churn, envType: 'PRE_PRODUCTION', envName: 'training_2024' });
    await rig.uploads.wholeFiles.sendPath({ path, name: 'churn.csv' }, target, PART);
    const done = await until('done');
    expect(done).toMatchObject({ partsSent: done.parts, envName: 'training_2024' });
    expect(done.parts).toBeGreaterThan(2);
    expect(requests('files.multipart-upload')).toBe(done.parts);
    expect([requests('files.multipart-init'), requests('files.multipart-complete')]).toEqual([1, 1]);
    expect(raw.service.events(churn).count).toBe(100);
  });

  test('uploaded without being published', async () => {
    await rig.uploads.wholeFiles.sendPath(csv(['whole-1']), request({ modelId: null, publishes: false }));
    expect(await until('uploaded')).toMatchObject({ jobId: null, again: null });
    expect(requests('events.publish')).toBe(0);
  });

  test('a job that fails says why, and the file is not offered to be sent again', async () => {
    const path = rig.write('bad.csv', 'transaction_id,processed_at\na,not a time\n');
    await rig.uploads.wholeFiles.sendPath({ path, name: 'bad.csv' }, request());
    const failed = await until('failed');
    expect(failed).toMatchObject({ jobStatus: 'FAILURE', again: null, error: { code: 'SERVICE_FAILED' } });
    expect(failed.error?.message).toContain('Line 2');
  });
});

describe('what is not known, or not sent', () => {
  test('a lost answer to publishing is unknown, and never repeated', async () => {
    raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const { id } = await rig.uploads.wholeFiles.sendPath(csv(['whole-1']), request());
    expect(await until('unknown')).toMatchObject({ again: null, error: { code: 'CONNECTION_LOST' } });
    await expect(rig.uploads.wholeFiles.control(id, 'again')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await rig.uploads.recover({ continues: true });
    rig.uploads.wake();
    expect(requests('events.publish')).toBe(1);
  });

  test('a lost answer to a part: nothing was published, and sending again begins anew', async () => {
    raw.service.setFaults([
      { match: { operation: 'files.multipart-upload' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const { id } = await rig.uploads.wholeFiles.sendPath(csv(counting(100)), request(), PART);
    expect(await until('failed')).toMatchObject({ file: null, again: 'send' });
    expect(requests('events.publish')).toBe(0);
    expect(await rig.uploads.wholeFiles.control(id, 'again')).toMatchObject({
      state: 'sending',
      partsSent: 0,
    });
    await until('done');
    expect(ids()).toHaveLength(100);
    expect(requests('files.multipart-init')).toBe(2);
  });

  test('a refusal to publish leaves the file uploaded; again publishes without sending it', async () => {
    raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'status', status: 403 } },
    ]);
    const { id } = await rig.uploads.wholeFiles.sendPath(csv(counting(3)), request());
    expect(await until('failed')).toMatchObject({ again: 'publish', error: { code: 'FORBIDDEN' } });
    await rig.uploads.wholeFiles.control(id, 'again');
    await until('done');
    expect([requests('files.upload'), requests('events.publish')]).toEqual([1, 2]);
    expect(ids()).toHaveLength(3);
  });

  test('a file that changed meanwhile is not sent again', async () => {
    raw.service.setFaults([
      { match: { operation: 'files.upload' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const file = csv(['whole-1']);
    const { id } = await rig.uploads.wholeFiles.sendPath(file, request());
    await until('failed');
    appendFileSync(file.path, '\nwhole-2,2025-10-01 08:00:00');
    await expect(rig.uploads.wholeFiles.control(id, 'again')).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(requests('files.upload')).toBe(1);
    expect(only()).toMatchObject({ state: 'failed', again: 'send' });
  });

  test('a file that changes between two parts is not published', async () => {
    const file = csv(counting(100));
    let parts = 0;
    const changing = open({
      wrapClient: (client) => ({
        ...client,
        call: (operation, input, options) => {
          if (operation === 'files.multipart-upload') parts += 1;
          if (parts === 2) appendFileSync(file.path, '\nwhole-x,2025-10-01 08:00:00');
          return client.call(operation, input, options);
        },
      }),
    });
    extra.push(changing);
    await changing.uploads.wholeFiles.sendPath(file, request(), PART);
    expect(await until('failed', changing)).toMatchObject({ error: { code: 'FILE_CHANGED' }, file: null });
    expect(requests('events.publish')).toBe(0);
  });

  test.each<[string, Partial<WholeFileRequest>, AppError | null, string]>([
    ['a read-only connection', {}, new AppError('READ_ONLY', 'Read-only.'), 'READ_ONLY'],
    ['working offline', {}, new AppError('OFFLINE', 'Offline.'), 'OFFLINE'],
    ['no model', { modelId: null }, null, 'INVALID_ARGUMENT'],
  ])('%s: refused before anything is stored or sent', async (_name, changes, refusal, code) => {
    const refusing = open({ refusal: () => refusal });
    extra.push(refusing);
    const sending = refusing.uploads.wholeFiles.sendPath(csv(['whole-1']), request(changes));
    await expect(sending).rejects.toMatchObject({ code });
    expect(refusing.uploads.wholeFiles.list()).toEqual([]);
    expect(requests('files.upload')).toBe(0);
  });
});

describe('cancelled and killed', () => {
  test('cancelled between parts: nothing is published, and it can be forgotten', async () => {
    const gate = held('files.multipart-complete');
    const slow = open({ wrapClient: gate.wrapClient });
    extra.push(slow);
    const { id } = await slow.uploads.wholeFiles.sendPath(csv(counting(100)), request(), PART);
    await gate.whenReached;
    await expect(slow.uploads.wholeFiles.control(id, 'forget')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await slow.uploads.wholeFiles.control(id, 'cancel')).toMatchObject({
      state: 'cancelled',
      again: 'send',
      error: null,
    });
    expect(requests('events.publish')).toBe(0);
    expect(await slow.uploads.wholeFiles.control(id, 'forget')).toBeNull();
    expect(slow.uploads.wholeFiles.list()).toEqual([]);
  });

  test('cancelled before publishing left: the file is uploaded, nothing is published', async () => {
    const gate = held('events.publish');
    const slow = open({ wrapClient: gate.wrapClient });
    extra.push(slow);
    const { id } = await slow.uploads.wholeFiles.sendPath(csv(['whole-1']), request());
    await gate.whenReached;
    const cancelled = await slow.uploads.wholeFiles.control(id, 'cancel');
    expect(cancelled).toMatchObject({ state: 'cancelled', again: 'publish' });
    expect(requests('events.publish')).toBe(0);
  });

  test('the program ends in the middle of the parts: interrupted, and again begins anew', async () => {
    const gate = held('files.multipart-complete');
    const first = open({ folder: rig.folder, wrapClient: gate.wrapClient });
    await first.uploads.wholeFiles.sendPath(csv(counting(100)), request(), PART);
    await gate.whenReached;
    await first[Symbol.asyncDispose]();
    expect(only()).toMatchObject({ state: 'interrupted', again: 'send' });
    await rig.uploads.wholeFiles.control(only().id, 'again');
    await until('done');
    expect(ids()).toHaveLength(100);
    expect(requests('events.publish')).toBe(1);
  });

  const row = (changes: Partial<StoredWholeFile>): StoredWholeFile => ({
    ...request(),
    id: 'killed',
    path: join(rig.folder, 'fraud.csv'),
    name: 'fraud.csv',
    sizeBytes: 20,
    mtimeMs: 1,
    partBytes: 10,
    partsSent: 1,
    state: 'sending',
    processId: 1_000,
    file: null,
    jobId: null,
    jobStatus: null,
    progress: null,
    error: null,
    startedAtMs: 1,
    endedAtMs: null,
    ...changes,
  });

  test.each<[string, Partial<StoredWholeFile>, boolean, WholeFileState]>([
    ['while a killed process sent it: nothing was published', { state: 'sending' }, false, 'interrupted'],
    [
      'while a killed process published it: not known',
      { state: 'publishing', file: { id: 'a' } },
      false,
      'unknown',
    ],
    ['while another living process sends it: left alone', { state: 'sending' }, true, 'sending'],
    ['uploaded only: as it was', { state: 'uploaded', file: { id: 'a' } }, false, 'uploaded'],
  ])('%s', async (_name, changes, isAlive, state) => {
    const reopened = open({ options: { isProcessAlive: () => isAlive } });
    extra.push(reopened);
    reopened.store.wholeFiles.save(row(changes));
    await reopened.uploads.recover({ continues: true });
    expect(only(reopened).state).toBe(state);
    expect([requests('files.upload'), requests('events.publish')]).toEqual([0, 0]);
  });

  test('what the service was reading is followed by the next process', async () => {
    const { id } = await rig.uploads.wholeFiles.sendPath(csv(counting(3)), request());
    const { jobId } = await until('following');
    const reopened = open();
    extra.push(reopened);
    reopened.store.wholeFiles.save(row({ state: 'following', jobId, file: { id } }));
    await reopened.uploads.recover({ continues: false });
    expect(await until('done', reopened)).toMatchObject({ id: 'killed', jobStatus: 'SUCCESS' });
  });
});

describe('what sending takes, before it is sent', () => {
  test.each<[string, string | Buffer, object]>([
    ['a.csv', 'a,b\n1,2\n', { type: 'CSV', parts: 1, requests: [{ operation: 'files.upload', count: 1 }] }],
    ['a.parquet', Buffer.from('PAR1\0\0\0\0PAR1'), { type: 'PARQUET', parts: 1, sizeBytes: 12 }],
  ])('%s', async (name, content, look) => {
    const [offered] = await rig.files.offer([rig.write(name, content)]);
    expect(await rig.files.lookAtWhole(offered?.fileId ?? '')).toMatchObject({ name, ...look });
  });

  test('more than a part', async () => {
    const path = rig.path('large.csv');
    writeFileSync(path, Buffer.alloc(16 * 1_024 * 1_024 + 1, 'a'));
    const [offered] = await rig.files.offer([path]);
    expect(await rig.files.lookAtWhole(offered?.fileId ?? '')).toMatchObject({
      parts: 2,
      requests: [{ count: 1 }, { operation: 'files.multipart-upload', count: 2 }, { count: 1 }],
    });
  });

  test.each<[string, string, string]>([
    ['a.jsonl', '{"a":1}\n', 'INVALID_ARGUMENT'],
    ['a.parquet', 'not parquet', 'INVALID_ARGUMENT'],
    ['empty.csv', '', 'FILE_EMPTY'],
  ])('%s is refused', async (name, content, code) => {
    const [offered] = await rig.files.offer([rig.write(name, content)]);
    const { fileId } = offered ?? { fileId: '' };
    await expect(rig.files.lookAtWhole(fileId)).rejects.toMatchObject({ code });
    await expect(rig.uploads.wholeFiles.send(fileId, request())).rejects.toMatchObject({ code });
    expect(rig.uploads.wholeFiles.list()).toEqual([]);
  });
});
