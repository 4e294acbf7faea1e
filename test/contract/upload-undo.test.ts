/** Taking an upload back: the service holds what it held before, over days and over a kill. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../electron/core/limits/limits.ts';
import type { UploadJob } from '../../electron/shared/upload-model.ts';
import { Lives } from '../helpers/lives.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

const MODEL = 'Card fraud';
const lives = new Lives('undo-child.ts');
let raw: RawService;
let rig: UploadRig;
let rigs: UploadRig[] = [];
let modelId: string;

function open(options: Partial<UploadRigOptions> = {}): UploadRig {
  const small = { idsPerDeletion: 10, ...options.options };
  const opened = new UploadRig({
    baseUrl: raw.service.baseUrl,
    token: TOKEN,
    haste: 100,
    ...options,
    options: small,
  });
  rigs.push(opened);
  return opened;
}

beforeEach(async () => {
  raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
  rig = open();
  modelId = await rig.modelId(MODEL);
});
afterEach(async () => {
  lives.killAll();
  for (const each of rigs.toReversed()) await each[Symbol.asyncDispose]();
  rigs = [];
  await raw.service.stop();
});

function send(name: string, ids: readonly string[], batchRows = 7): Promise<UploadJob> {
  const rows = ids.map((id) => `${id},2025-01-01 00:00:00`);
  return rig.send(rig.write(name, ['transaction_id,processed_at', ...rows].join('\n')), MODEL, { batchRows });
}

const named = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}-${index}`);
const stored = () => raw.service.events(modelId).ids;
const sent = () => raw.service.report().operations['events.delete']?.requests ?? 0;
const statuses = (of: UploadRig) =>
  of.uploads
    .listDeletions()
    .deletions.map(({ status }) => status)
    .toSorted();

async function undo(of: UploadRig, jobId: string) {
  const plan = await of.uploads.planUndo(jobId);
  const agreed = { events: plan.events, deletions: plan.deletions.length };
  return { plan, ...(await of.uploads.undo(jobId, agreed)) };
}

const settled = (of: UploadRig, count: number) =>
  of.until(() =>
    statuses(of).filter((status) => status === 'SUCCESS').length === count ? count : undefined,
  );

describe('undo', () => {
  test('an upload of several batches leaves the service as it was', async () => {
    await send('before.csv', named('before', 5));
    const before = stored();
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    await send('after.csv', named('after', 3));
    const { plan } = await undo(rig, jobId);
    expect(plan).toMatchObject({ rows: 25, events: 25, problem: '' });
    expect(plan.deletions.map(({ events, isNow }) => [events, isNow])).toEqual([
      [10, true],
      [10, true],
      [5, true],
    ]);
    await settled(rig, 3);
    expect(stored()).toEqual([...before, ...named('after', 3)]);
    expect(sent()).toBe(3);
    const job = rig.uploads.getJob(jobId);
    expect(job.deletions.map(({ rows, outcome }) => [rows, outcome]).toSorted()).toEqual([
      [10, 'deleted'],
      [10, 'deleted'],
      [5, 'deleted'],
    ]);
    const again = await rig.uploads.planUndo(jobId);
    expect(again).toMatchObject({ events: 0, deleted: 25, problem: expect.stringContaining('All events') });
  });

  test('more deletions than are left today are planned for the following days and sent then', async () => {
    let aheadMs = 0;
    const later = open({ folder: rig.folder, aheadMs: () => aheadMs });
    const { jobId } = await send('wrong.csv', named('wrong', 45));
    later.budget.limit = 2;
    later.budget.usedToday = 1;
    const { plan } = await undo(later, jobId);
    const perDay = Map.groupBy(plan.deletions, ({ startAtMs }) => startAtMs);
    expect([...perDay.values()].map((of) => of.length)).toEqual([1, 2, 2]);
    await settled(later, 1);
    expect(sent()).toBe(1);
    expect(statuses(later)).toEqual(['SUCCESS', 'scheduled', 'scheduled', 'scheduled', 'scheduled']);
    expect(await later.uploads.planUndo(jobId)).toMatchObject({ events: 0, deleted: 45 });
    aheadMs = 3 * DAY_MS;
    later.uploads.wake();
    await settled(later, 5);
    expect(stored()).toEqual([]);
  });

  test('killed while one is being sent: the others go on, and that one is undone again', async () => {
    const { jobId } = await send('wrong.csv', named('wrong', 30));
    const before = stored().length;
    const hang = { type: 'hang' } as const;
    raw.service.setFaults([{ match: { operation: 'events.delete' }, after: 2, times: 1, action: hang }]);
    const child = lives.start({ url: raw.service.baseUrl, token: TOKEN, folder: rig.folder, job: jobId });
    await child.heard('second is being sent');
    // Written down before it leaves: that it has arrived only the service can say.
    await expect.poll(() => raw.service.report().faults, { timeout: 60_000 }).toBe(1);
    child.kill();
    raw.service.setFaults([]);
    const next = open({ folder: rig.folder, options: { isProcessAlive: () => false } });
    await next.uploads.recover({ continues: true });
    await settled(next, 2);
    expect(statuses(next)).toEqual(['SUCCESS', 'SUCCESS', 'unknown']);
    expect(before - stored().length).toBe(20);
    const { plan } = await undo(next, jobId);
    expect(plan).toMatchObject({ events: 10, deleted: 20 });
    await settled(next, 3);
    expect(stored()).toEqual([]);
  });

  test('two at once delete nothing twice; what is not agreed to any more is refused', async () => {
    const { jobId } = await send('wrong.csv', named('wrong', 20));
    const agreed = { events: 20, deletions: 2 };
    const [first, second] = await Promise.allSettled([
      rig.uploads.undo(jobId, agreed),
      rig.uploads.undo(jobId, agreed),
    ]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    await settled(rig, 2);
    expect(sent()).toBe(2);
  });

  test('events without a receipt or shared with another upload are counted and stay', async () => {
    await send('other.csv', ['shared-1', 'other-1']);
    raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const { jobId } = await send('wrong.csv', [...named('lost', 2), 'shared-1', 'wrong-1'], 2);
    await rig.uploads.controlJob(jobId, 'cancel');
    const { plan } = await undo(rig, jobId);
    expect(plan).toMatchObject({ events: 1, left: { unknown: 2, withoutId: 0, shared: 1 } });
    await settled(rig, 1);
    expect(stored()).not.toContain('wrong-1');
    expect(stored()).toEqual(expect.arrayContaining(['shared-1', 'other-1', 'lost-0']));
  });

  test('changed events are no upload to take back: nothing is sent', async () => {
    await send('base.csv', ['a']);
    const text = 'transaction_id,processed_at\na,2025-01-02 00:00:00\n';
    const plan = await rig.plan(rig.write('update.csv', text), MODEL, { mode: 'update' });
    const { jobId } = await rig.uploads.createJob(plan, false);
    expect((await rig.uploads.planUndo(jobId)).problem).toContain('changed events');
    await expect(rig.uploads.undo(jobId, { events: 1, deletions: 1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(sent()).toBe(0);
  });
});
