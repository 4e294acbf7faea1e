/**
 * Files sent unchanged are stored before they are sent, published once, and followed until the job of the service ends.
 */
import { appendFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { WholeFileRequest } from '../../electron/uploads/types.ts';
import { churnCsv } from '../helpers/make-files.ts';
import {
  counting,
  csv,
  extra,
  ids,
  only,
  open,
  PART,
  raw,
  request,
  requests,
  rig,
  until,
  useWholeFiles,
} from '../helpers/whole-files.ts';

useWholeFiles();

describe('a raw file', () => {
  test('at once: published by a job, every event stored, one request each', async () => {
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

  test('a failed job says why, and the file is not offered to be sent again', async () => {
    const path = rig.write('bad.csv', 'transaction_id,processed_at\na,not a time\n');
    await rig.uploads.wholeFiles.sendPath({ path, name: 'bad.csv' }, request());
    const failed = await until('failed');
    expect(failed).toMatchObject({ jobStatus: 'FAILURE', again: null, error: { code: 'SERVICE_FAILED' } });
    expect(failed.error?.message).toContain('Line 2');
  });
});

describe('unknown or unsent', () => {
  test.each([
    ['CONNECTION_LOST', { type: 'drop-after' }],
    ['SERVICE_UNAVAILABLE', { type: 'status', status: 503, isStored: true }],
  ] as const)('a lost answer to publishing (%s) is unknown, and never repeated', async (code, action) => {
    raw.service.setFaults([{ match: { operation: 'events.publish' }, times: 1, action }]);
    const { id } = await rig.uploads.wholeFiles.sendPath(csv(['whole-1']), request());
    expect(await until('unknown')).toMatchObject({ again: null, error: { code } });
    await expect(rig.uploads.wholeFiles.control(id, 'again')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await rig.uploads.recover({ continues: true });
    rig.uploads.wake();
    expect(requests('events.publish')).toBe(1);
  });

  test('a lost answer to a part: nothing was published, and a retry starts over', async () => {
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

  test('a rejected publish request leaves the file uploaded; a retry publishes without sending it', async () => {
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

  test('a token that is refused while publishing pauses the file, which is then only published', async () => {
    raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'status', status: 401 } },
    ]);
    await rig.uploads.wholeFiles.sendPath(csv(counting(3)), request());
    expect(await until('paused')).toMatchObject({ again: 'publish', error: { code: 'UNAUTHORIZED' } });
    expect([requests('files.upload'), requests('events.publish')]).toEqual([1, 1]);
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
    ['no model', { modelId: null }, null, 'INVALID_ARGUMENT'],
  ])('%s: rejected before anything is stored or sent', async (_name, changes, blockingError, code) => {
    const refusing = open({ blockingError: () => blockingError });
    extra.push(refusing);
    const sending = refusing.uploads.wholeFiles.sendPath(csv(['whole-1']), request(changes));
    await expect(sending).rejects.toMatchObject({ code });
    expect(refusing.uploads.wholeFiles.list()).toEqual([]);
    expect(requests('files.upload')).toBe(0);
  });
});
