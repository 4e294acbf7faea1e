/** Deletions of events are stored before they are sent, never sent twice, and followed until they end. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeletionRequest } from '../../electron/uploads/types.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';

let raw: RawService;
let rig: UploadRig;
let modelId: string;
beforeEach(async () => {
  raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
  rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100 });
  modelId = await rig.modelId('Card fraud');
  const rows = ['a', 'b', 'c', 'd'].map((id, index) => `${id},2025-01-0${index + 1} 00:00:00`);
  await rig.send(rig.write('events.csv', ['transaction_id,processed_at', ...rows].join('\n')), 'Card fraud');
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

const request = (changes: Partial<DeletionRequest>): DeletionRequest => ({
  modelId,
  eventIds: null,
  timeRange: null,
  updateMetrics: false,
  ...changes,
});
const requests = () => raw.service.report().operations['events.delete']?.requests ?? 0;

describe('deletions', () => {
  test('by id: sent once, followed to its end', async () => {
    const started = await rig.uploads.deleteEvents(request({ eventIds: ['a', 'b', 'a'] }));
    expect(started).toMatchObject({ what: '2 events by id', error: null });
    const ended = await rig.until(() => rig.deletions.find(({ status }) => status === 'SUCCESS'));
    expect(ended.deletionId).toBe(started.deletionId);
    expect(raw.service.events(modelId).ids).toEqual(['c', 'd']);
    expect(requests()).toBe(1);
    expect(rig.uploads.listDeletions()).toMatchObject({
      deletions: [{ status: 'SUCCESS' }],
      budget: { limit: 30 },
    });
  });

  test('by time: start inclusive, end exclusive, like the service', async () => {
    const timeRange = { startTime: '2025-01-02 00:00:00', endTime: '2025-01-04 00:00:00' };
    await rig.uploads.deleteEvents(request({ timeRange }));
    await rig.until(() => rig.deletions.find(({ status }) => status === 'SUCCESS'));
    expect(raw.service.events(modelId).ids).toEqual(['a', 'd']);
  });

  test.each<[string, Partial<DeletionRequest>, string]>([
    ['neither', {}, 'exactly one'],
    ['both', { eventIds: ['a'], timeRange: { startTime: '', endTime: '' } }, 'exactly one'],
    ['no id', { eventIds: [' '] }, 'at least one'],
    [
      'a wrong form',
      { timeRange: { startTime: '2024-01-01T00:00:00', endTime: '2024-01-02 00:00:00' } },
      'YYYY-MM-DD',
    ],
    [
      'no such day',
      { timeRange: { startTime: '2024-02-30 00:00:00', endTime: '2024-03-02 00:00:00' } },
      'YYYY-MM-DD',
    ],
    [
      'backwards',
      { timeRange: { startTime: '2024-03-01 00:00:00', endTime: '2024-03-01 00:00:00' } },
      'before the end',
    ],
  ])('%s is rejected before anything is sent', async (_name, changes, text) => {
    await expect(rig.uploads.deleteEvents(request(changes))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(text),
    });
    expect(requests()).toBe(0);
    expect(rig.uploads.listDeletions().deletions).toEqual([]);
  });

  test('if the service does not report the job, the deletion counts as accepted, without further state', async () => {
    const error = { type: 'status' as const, status: 404 };
    raw.service.setFaults([{ match: { operation: 'jobs.get' }, action: error }]);
    await rig.uploads.deleteEvents(request({ eventIds: ['a'] }));
    const ended = await rig.until(() => rig.deletions.find(({ status }) => status === 'accepted'));
    expect(ended).toMatchObject({ error: null, jobId: expect.any(String) });
  });

  test('an upload whose events were deleted says so, and the deletion names the upload', async () => {
    const text = 'transaction_id,processed_at\ne,2025-01-05 00:00:00\nf,2025-01-06 00:00:00\n';
    const other = await rig.send(rig.write('other.csv', text), 'Card fraud');
    await rig.uploads.deleteEvents(request({ eventIds: ['a', 'b', 'c', 'not-ours'] }));
    const [ended] = await rig.until(() => {
      const found = rig.deletions.filter(({ status, uploads }) => status === 'SUCCESS' && uploads.length > 0);
      return found.length > 0 ? found : undefined;
    });
    expect(ended?.uploads).toMatchObject([{ fileName: 'events.csv', rows: 3 }]);
    const [{ jobId = '' } = {}] = ended?.uploads ?? [];
    const deletions = [{ deletionId: ended?.deletionId, rows: 3, outcome: 'deleted' }];
    expect(rig.uploads.getJob(jobId)).toMatchObject({ counts: { acknowledged: 4 }, deletions });
    expect(rig.jobs.findLast((job) => job.jobId === jobId)).toMatchObject({ deletions });
    expect(rig.uploads.getJob(other.jobId).deletions).toEqual([]);
  });

  test('events of an upload named by a rejected deletion are not reported as deleted', async () => {
    raw.service.setFaults([
      { match: { operation: 'events.delete' }, times: 1, action: { type: 'status', status: 403 } },
    ]);
    const { uploads } = await rig.uploads.deleteEvents(request({ eventIds: ['a'] }));
    expect(uploads).toEqual([]);
    expect(rig.uploads.listJobs().flatMap(({ deletions }) => deletions)).toEqual([]);
  });

  test('an earlier deletion is traced at the next start; rows sent after it are not deleted', async () => {
    const job = rig.uploads.listJobs()[0];
    const stored = {
      ...{ modelId, body: { event_ids: ['a'] }, what: '', startAtMs: null, lateStart: null },
      ...{ serviceJobId: 'x', state: 'SUCCESS', reason: '', progress: null, error: null, endedAtMs: null },
      provenAtMs: null,
    };
    const [early, late] = [1, Date.now() + 1_000];
    rig.store.deletions.create({ ...stored, id: 'early', createdAtMs: early });
    rig.store.deletions.create({ ...stored, id: 'late', createdAtMs: late });
    await rig.uploads.recover({ continues: true });
    await rig.until(() => rig.deletions.find(({ deletionId }) => deletionId === 'late'));
    expect(rig.uploads.getJob(job?.jobId ?? '').deletions).toMatchObject([{ deletionId: 'late', rows: 1 }]);
  });

  test.each([
    ['CONNECTION_LOST', { type: 'drop-after' }],
    ['SERVICE_UNAVAILABLE', { type: 'status', status: 503, isStored: true }],
  ] as const)('a deletion with a lost answer (%s) is not repeated', async (code, action) => {
    raw.service.setFaults([{ match: { operation: 'events.delete' }, times: 1, action }]);
    const lost = await rig.uploads.deleteEvents(request({ eventIds: ['x'] }));
    expect(lost).toMatchObject({ status: 'unknown', jobId: null, error: { code } });
    await rig.uploads.recover({ continues: true });
    rig.uploads.wake();
    expect(requests()).toBe(1);
  });

  test('a rejection is reported with the reason', async () => {
    raw.service.setFaults([
      { match: { operation: 'events.delete' }, times: 1, action: { type: 'status', status: 403 } },
    ]);
    expect(await rig.uploads.deleteEvents(request({ eventIds: ['x'] }))).toMatchObject({
      status: 'refused',
      error: { code: 'FORBIDDEN' },
    });
  });

  test('a deletion that a killed process was sending is unknown, one that the service works on is followed', async () => {
    const plan = { startAtMs: null, lateStart: null, endedAtMs: null, reason: '', provenAtMs: null };
    const stored = { modelId, body: {}, what: 'x', createdAtMs: 1, ...plan, progress: null, error: null };
    rig.store.deletions.create({ ...stored, id: 'a', state: 'sending', serviceJobId: null });
    const { jobId } = await rig.uploads.deleteEvents(request({ eventIds: ['x'] }));
    rig.store.deletions.create({ ...stored, id: 'b', state: 'PENDING', serviceJobId: jobId });
    await rig.uploads.recover({ continues: true });
    await rig.until(() =>
      rig.deletions.find(({ deletionId, status }) => deletionId === 'b' && status === 'SUCCESS'),
    );
    const { deletions } = rig.uploads.listDeletions();
    expect(deletions.find(({ deletionId }) => deletionId === 'a')?.status).toBe('unknown');
  });

  test('with an exhausted daily limit nothing is sent', async () => {
    rig.budget.usedToday = 30;
    rig.budget.resetsAtMs = new Date(2026, 4, 1, 2, 30).getTime();
    await expect(rig.uploads.deleteEvents(request({ eventIds: ['x'] }))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('Try again after 1 May 2026 02:30.'),
    });
    expect(requests()).toBe(0);
  });
});
