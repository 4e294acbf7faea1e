/**
 * Files sent unchanged that are planned for later are stored, and sent exactly once at their time, even after a
 * restart.
 */

import { appendFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { listedJobs } from '../helpers/listed-jobs.ts';
import type { UploadRig, UploadRigOptions } from '../helpers/upload-rig.ts';
import {
  counting,
  csv,
  extra,
  ids,
  only,
  open,
  PART,
  request,
  requests,
  rig,
  useWholeFiles,
} from '../helpers/whole-files.ts';

const HOUR_MS = 3_600_000;
const OFFLINE = new AppError('OFFLINE', 'Working offline.', { outcome: 'unsent' });
const READ_ONLY = new AppError('READ_ONLY', 'The connection is read-only.', { outcome: 'unsent' });

let aheadMs = 0;
let blockingError: AppError | null = null;
let own: UploadRig;
const now = () => systemClock.nowMs() + aheadMs;

useWholeFiles();

/** Another rig on the same folder. Timers are so fast that checks happen at once. */
function onFolder(options: Partial<UploadRigOptions> = {}): UploadRig {
  const other = open({
    folder: rig.folder,
    haste: 5_000,
    aheadMs: () => aheadMs,
    blockingError: () => blockingError,
    ...options,
  });
  extra.push(other);
  return other;
}

beforeEach(async () => {
  [aheadMs, blockingError] = [0, null];
  own = onFolder();
  await own.uploads.recover({ continues: true });
});

const plan = (startAtMs: number, of = own) =>
  of.uploads.wholeFiles.sendPath(csv(counting(100)), request(), PART, startAtMs);
const planned = (of = own) =>
  of.uploads.sources.flatMap((source) => listedJobs(source)).filter(({ startAtMs }) => startAtMs !== null);
const published = () => own.until(() => own.wholeFiles.find(({ state }) => state === 'done'));

describe('a file planned for later', () => {
  test('waits for its time, is listed with its requests, and is sent and published once', async () => {
    const startAtMs = now() + HOUR_MS;
    const { id } = await plan(startAtMs);
    expect(only(own)).toMatchObject({ state: 'scheduled', startAtMs, lateStart: null, again: null });
    own.uploads.wake();
    const { parts } = only(own);
    expect(planned()).toMatchObject([{ kind: 'file', id, title: 'fraud.csv', startAtMs, error: null }]);
    expect(planned()[0]?.requests).toEqual([
      { operation: 'files.multipart-init', count: 1 },
      { operation: 'files.multipart-upload', count: parts },
      { operation: 'files.multipart-complete', count: 1 },
      { operation: 'events.publish', count: 1 },
    ]);
    expect(earliestPlannedStart(own.path('uploads.db'), Date.now())).toBe(startAtMs);
    expect(requests('files.multipart-init')).toBe(0);
    aheadMs = HOUR_MS;
    expect(await published()).toMatchObject({ startAtMs: null, lateStart: null });
    expect(ids()).toHaveLength(100);
    expect(requests('events.publish')).toBe(1);
    expect(planned()).toEqual([]);
  });

  test('can be rescheduled, cancelled and sent again, or sent now', async () => {
    const { wholeFiles } = own.uploads;
    await expect(plan(now() - 1)).rejects.toThrow('in the future');
    expect(wholeFiles.list()).toEqual([]);
    const { id } = await plan(now() + HOUR_MS);
    const later = now() + 9 * HOUR_MS;
    expect(await wholeFiles.control(id, 'schedule', later)).toMatchObject({ startAtMs: later });
    aheadMs = 2 * HOUR_MS;
    own.uploads.wake();
    expect(only(own).state).toBe('scheduled');
    expect(await wholeFiles.control(id, 'cancel')).toMatchObject({ state: 'cancelled', again: 'send' });
    await expect(wholeFiles.control(id, 'start')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(wholeFiles.control(id, 'schedule', later)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    aheadMs = 20 * HOUR_MS;
    own.uploads.wake();
    expect(requests('files.multipart-init')).toBe(0);
    await wholeFiles.control(id, 'forget');
    const second = await plan(now() + HOUR_MS);
    await wholeFiles.control(second.id, 'start');
    expect(await published()).toMatchObject({ id: second.id, lateStart: null });
    expect(ids()).toHaveLength(100);
  });

  test('whose time came while the application was closed is sent at the next start, and reports it', async () => {
    const plannedAtMs = now() + HOUR_MS;
    await plan(plannedAtMs);
    await own.uploads.stop();
    aheadMs = 8 * HOUR_MS;
    own = onFolder();
    await own.uploads.recover({ continues: true });
    expect((await published()).lateStart?.plannedAtMs).toBe(plannedAtMs);
    expect(requests('events.publish')).toBe(1);
  });

  test('without a connection to the service stays planned and says why; it is sent once there is one', async () => {
    blockingError = OFFLINE;
    await plan(now() + HOUR_MS);
    aheadMs = HOUR_MS;
    const waiting = await own.until(() => own.wholeFiles.find(({ error }) => error !== null));
    expect(waiting).toMatchObject({ state: 'scheduled', error: { code: 'OFFLINE' } });
    expect(planned()).toMatchObject([{ error: { code: 'OFFLINE' } }]);
    blockingError = null;
    own.uploads.wake();
    await published();
    expect(requests('events.publish')).toBe(1);
  });

  test('whose first request finds no connection becomes planned again', async () => {
    await plan(now() + HOUR_MS);
    own.rig.switches.isOffline = true;
    aheadMs = HOUR_MS;
    const waiting = await own.until(() => own.wholeFiles.find(({ error }) => error !== null));
    expect(waiting).toMatchObject({ state: 'scheduled', startAtMs: expect.any(Number) });
    own.rig.switches.isOffline = false;
    own.uploads.wake();
    await published();
    expect(ids()).toHaveLength(100);
  });

  test('on a connection that became read-only, or of a changed file, is not sent and says why', async () => {
    const { id } = await plan(now() + HOUR_MS);
    blockingError = READ_ONLY;
    await expect(plan(now() + HOUR_MS)).rejects.toMatchObject({ code: 'READ_ONLY' });
    aheadMs = HOUR_MS;
    const failed = await own.uploads.wholeFiles.whenSettled(id);
    expect(failed).toMatchObject({ state: 'failed', startAtMs: null, error: { code: 'READ_ONLY' } });
    blockingError = null;
    await own.uploads.wholeFiles.control(id, 'forget');
    const changed = await plan(now() + HOUR_MS);
    appendFileSync(own.path('fraud.csv'), '\nmore,2025-10-01 08:00:00');
    aheadMs = 3 * HOUR_MS;
    const ended = await own.uploads.wholeFiles.whenSettled(changed.id);
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'FILE_CHANGED' } });
    expect(requests('events.publish')).toBe(0);
  });

  test('is sent once by two processes that monitor it', async () => {
    await plan(now() + HOUR_MS);
    const window = onFolder({ options: { processId: process.pid + 1, isProcessAlive: () => true } });
    await window.uploads.recover({ continues: true });
    aheadMs = 2 * HOUR_MS;
    await Promise.race([
      published(),
      window.until(() => window.wholeFiles.find(({ state }) => state === 'done')),
    ]);
    expect(requests('files.multipart-init')).toBe(1);
    expect(requests('events.publish')).toBe(1);
    expect(ids()).toHaveLength(100);
  });
});
