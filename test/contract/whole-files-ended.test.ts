/** Files sent unchanged: cancelled, killed midway, and checked before they are sent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { StoredWholeFile } from '../../electron/db/upload-store.ts';
import type { WholeFileState } from '../../electron/shared/whole-file-contract.ts';
import type { UploadRig } from '../helpers/upload-rig.ts';
import {
  counting,
  csv,
  extra,
  held,
  ids,
  only,
  open,
  PART,
  request,
  requests,
  rig,
  until,
  useWholeFiles,
} from '../helpers/whole-files.ts';

useWholeFiles();

describe('cancelled and killed file jobs', () => {
  test('a file cancelled between two parts is not published, and can be removed', async () => {
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

  test('cancelled before publishing was sent: the file is uploaded, nothing is published', async () => {
    const gate = held('events.publish');
    const slow = open({ wrapClient: gate.wrapClient });
    extra.push(slow);
    const { id } = await slow.uploads.wholeFiles.sendPath(csv(['whole-1']), request());
    await gate.whenReached;
    const cancelled = await slow.uploads.wholeFiles.control(id, 'cancel');
    expect(cancelled).toMatchObject({ state: 'cancelled', again: 'publish' });
    expect(requests('events.publish')).toBe(0);
  });

  test('the program ends in the middle of the parts: interrupted, and a retry starts over', async () => {
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
    startAtMs: null,
    lateStart: null,
    file: null,
    jobId: null,
    jobStatus: null,
    progress: null,
    reason: '',
    error: null,
    createdAtMs: 1,
    endedAtMs: null,
    ...changes,
  });

  /** Stores a file as process 1,000 left it, or as it still owns it. */
  function leave({ store }: UploadRig, changes: Partial<StoredWholeFile>): void {
    store.wholeFiles.create(row(changes));
    const lease = { owner: 'another', processId: 1_000, atMs: Date.now() };
    store.wholeFiles.leases.take('killed', lease, () => true);
  }

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
    leave(reopened, changes);
    await reopened.uploads.recover({ continues: true });
    expect(only(reopened).state).toBe(state);
    expect([requests('files.upload'), requests('events.publish')]).toEqual([0, 0]);
  });

  test('owned by a process that may still be running: not touched', async () => {
    const reopened = open();
    extra.push(reopened);
    leave(reopened, { state: 'sending' });
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill'), { code: 'EAGAIN' });
    });
    await reopened.uploads.recover({ continues: true });
    kill.mockRestore();
    expect(only(reopened).state).toBe('sending');
  });

  test('a file that the service was reading is followed by the next process', async () => {
    const { id } = await rig.uploads.wholeFiles.sendPath(csv(counting(3)), request());
    const { jobId } = await until('following');
    const reopened = open();
    extra.push(reopened);
    reopened.store.wholeFiles.create(row({ state: 'following', jobId, file: { id } }));
    await reopened.uploads.recover({ continues: false });
    expect(await until('done', reopened)).toMatchObject({ id: 'killed', jobStatus: 'SUCCESS' });
  });
});

describe('checks before sending', () => {
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
  ])('%s is rejected', async (name, content, code) => {
    const [offered] = await rig.files.offer([rig.write(name, content)]);
    const { fileId } = offered ?? { fileId: '' };
    await expect(rig.files.lookAtWhole(fileId)).rejects.toMatchObject({ code });
    await expect(rig.uploads.wholeFiles.send(fileId, request())).rejects.toMatchObject({ code });
    expect(rig.uploads.wholeFiles.list()).toEqual([]);
  });
});
