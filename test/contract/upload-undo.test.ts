/**
 * Undoing an upload: the service has its previous content again, even if that takes days or is interrupted by a kill.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../electron/api/types.ts';
import { DAY_MS } from '../../electron/core/limits/limits.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { Lives } from '../helpers/lives.ts';
import { runs } from '../helpers/runs.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { MODEL, named, settled, statuses, undo, useUndoWorld } from '../helpers/undo-world.ts';
import { publishFault, RequestGate } from '../helpers/upload-rig.ts';

const world = useUndoWorld();
const { open, send, stored, sent } = world;

const lives = new Lives('undo-child.ts');
afterEach(() => lives.killAll());

/** Another writer stores an event. From then on, it is not known here what a time range contains. */
async function storeElsewhere(id: string): Promise<void> {
  const events = [{ transaction_id: id, processed_at: '2025-01-01 12:00:00' }];
  const body = { model_id: world.modelId, env_type: 'PRODUCTION', source: { type: 'EVENTS', events } };
  await world.raw.call('POST', '/v3/events', { body });
}

describe('undo of an upload', () => {
  test('a paused upload whose last request is still being answered says so, and not that it must be paused', async () => {
    const gate = new RequestGate(1, 'answer');
    const slow = open({ wrapClient: gate.wrap });
    const ids = named('paused', 14);
    const text = ['transaction_id,processed_at', ...ids.map((id) => `${id},2025-01-01 00:00:00`)].join('\n');
    const plan = await slow.plan(slow.write('paused.csv', text), MODEL, { batchRows: 7 });
    const { jobId } = await slow.uploads.createJob(plan, true);
    await gate.reached();
    await slow.uploads.controlJob(jobId, 'pause');
    const { problem } = await slow.uploads.planUndo(jobId);
    expect(problem).toBe('The last requests of this upload are still being answered. Try again in a moment.');
    gate.open();
    await slow.uploads.whenIdle(jobId);
    expect(await slow.uploads.planUndo(jobId)).toMatchObject({ problem: '', events: 14 });
  });

  test('an upload of several batches leaves the service as it was', async () => {
    const first = stored().length;
    await send('before.csv', named('before', 5));
    const before = stored();
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    await send('after.csv', named('after', 3));
    const { plan } = await undo(world.rig, jobId);
    expect(plan).toMatchObject({ rows: 25, events: 25, problem: '' });
    expect(plan.deletions.map(({ events, isNow }) => [events, isNow])).toEqual([
      [10, true],
      [10, true],
      [5, true],
    ]);
    await settled(world.rig, 3);
    expect(stored()).toEqual([...before, ...named('after', 3)]);
    expect(sent()).toBe(3);
    const job = world.rig.uploads.getJob(jobId);
    expect(job.deletions.map(({ rows, outcome }) => [rows, outcome]).toSorted()).toEqual([
      [10, 'deleted'],
      [10, 'deleted'],
      [5, 'deleted'],
    ]);
    // The service confirms it by its row counts before the upload, before the undo, and afterwards.
    const { rowCounts } = await world.rig.until(() =>
      world.rig.jobs.find((each) => each.jobId === jobId && each.rowCounts.afterUndo !== null),
    );
    expect(Object.values(rowCounts).map((count) => count?.rowCount)).toEqual([
      first + 5,
      first + 33,
      first + 8,
    ]);
    const again = await world.rig.uploads.planUndo(jobId);
    expect(again).toMatchObject({ events: 0, deleted: 25, problem: expect.stringContaining('All events') });
  });

  test('an upload to the former address of a connection is not undone at the present one', async () => {
    const { jobId } = await send('before.csv', named('before', 5));
    const atMs = world.rig.uploads.getJob(jobId).createdAtMs + 1;
    const movedFrom = { baseUrl: 'https://former.example', atMs };
    const connection = { baseUrl: 'https://present.example', movedFrom };
    world.continueWith({ folder: world.rig.folder, connection });
    const { problem } = await world.rig.uploads.planUndo(jobId);
    expect(problem).toContain('changed from https://former.example to https://present.example');
    await expect(undo(world.rig, jobId)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: problem,
    });
    expect(sent()).toBe(0);
    const later = await send('after.csv', named('after', 5));
    await undo(world.rig, later.jobId);
    await settled(world.rig, 1);
    expect(stored()).toEqual(named('before', 5));
  });

  test('if the service does not report row counts, the undo continues and says so', async () => {
    const { jobId } = await send('wrong.csv', named('wrong', 5));
    const list: ServiceClient['list'] = async () => {
      throw new AppError('NOT_FOUND', 'There is no such path.', { status: 404 });
    };
    const uncounted = open({ folder: world.rig.folder, wrapClient: (client) => ({ ...client, list }) });
    await undo(uncounted, jobId);
    const { rowCounts } = await uncounted.until(() =>
      uncounted.jobs.find((each) => each.jobId === jobId && each.rowCounts.afterUndo !== null),
    );
    const none = { rowCount: null, reason: 'There is no such path.' };
    expect(rowCounts).toMatchObject({ beforeUndo: none, afterUndo: none });
    // Requested again by a caller who knows that the service reports it by now.
    expect((await world.rig.uploads.controlJob(jobId, 'gather-evidence')).rowCounts.afterUndo?.rowCount).toBe(
      stored().length,
    );
    expect(stored()).not.toContain('wrong-0');
  });

  test('a deletion planned for later uses its own day, is never by time, and is sent then', async () => {
    let aheadMs = 0;
    const later = open({ folder: world.rig.folder, aheadMs: () => aheadMs });
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    later.budget.limit = 3;
    later.budget.usedToday = 2;
    expect(await later.uploads.planUndo(jobId)).toMatchObject({ deletions: [{ isNow: true, range: {} }] });
    const startAtMs = Date.now() + 2 * DAY_MS;
    const plan = await later.uploads.planUndo(jobId, startAtMs);
    expect(plan.deletions.map((each) => each.startAtMs)).toEqual([startAtMs, startAtMs, startAtMs]);
    expect(plan).toMatchObject({ deletions: [{ isNow: false, range: null }, {}, {}] });
    expect(plan.reason).toContain('Not by time');
    const soon = await later.uploads.planUndo(jobId, Date.now() + 3_600_000);
    expect(new Set(soon.deletions.map((each) => each.startAtMs)).size).toBe(2);
    await expect(later.uploads.planUndo(jobId, Date.now() - 1)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await later.uploads.undo(jobId, { events: 25, deletions: 3 }, startAtMs);
    expect(sent()).toBe(0);
    aheadMs = 2 * DAY_MS + 1;
    later.uploads.wake();
    await settled(later, 3);
    expect(stored()).toEqual([]);
  });

  test('more deletions than the daily limit allows are planned for the following days and sent then', async () => {
    let aheadMs = 0;
    const later = open({ folder: world.rig.folder, aheadMs: () => aheadMs });
    await storeElsewhere('elsewhere');
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
    expect(stored()).toEqual(['elsewhere']);
  });

  test('after a kill during a deletion, the other deletions continue, and that one is sent again', async () => {
    await storeElsewhere('elsewhere');
    const { jobId } = await send('wrong.csv', named('wrong', 30));
    const before = stored().length;
    const hang = { type: 'hang' } as const;
    world.raw.service.setFaults([
      { match: { operation: 'events.delete' }, after: 2, times: 1, action: hang },
    ]);
    const child = lives.start({
      url: world.raw.service.baseUrl,
      token: TOKEN,
      folder: world.rig.folder,
      job: jobId,
    });
    await child.heard('second is being sent');
    // The deletion is stored before it is sent: only the service can say whether it was received.
    await expect.poll(() => world.raw.service.report().faults, { timeout: 60_000 }).toBe(1);
    child.kill();
    world.raw.service.setFaults([]);
    const next = open({ folder: world.rig.folder, options: { isProcessAlive: () => false } });
    await next.uploads.recover({ continues: true });
    await settled(next, 2);
    expect(statuses(next)).toEqual(['SUCCESS', 'SUCCESS', 'unknown']);
    expect(before - stored().length).toBe(20);
    const { plan } = await undo(next, jobId);
    expect(plan).toMatchObject({ events: 10, deleted: 20 });
    await settled(next, 3);
    expect(stored()).toEqual(['elsewhere']);
  });

  test('two undos at once delete nothing twice; a plan that the user did not confirm is rejected', async () => {
    await storeElsewhere('elsewhere');
    const { jobId } = await send('wrong.csv', named('wrong', 20));
    const agreed = { events: 20, deletions: 2 };
    const [first, second] = await Promise.allSettled([
      world.rig.uploads.undo(jobId, agreed),
      world.rig.uploads.undo(jobId, agreed),
    ]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    await settled(world.rig, 2);
    expect(sent()).toBe(2);
  });

  test('resumed while the rows are counted before it: nothing is deleted, and the new plan has all rows', async () => {
    let jobId = '';
    let isResumed = false;
    world.continueWith({
      haste: 1,
      wrapClient: (client: ServiceClient): ServiceClient => ({
        ...client,
        list: async (operation, input, options) => {
          const page = await client.list(operation, input, options);
          if (operation === 'models.environments' && jobId !== '' && !isResumed) {
            isResumed = true;
            await world.rig.uploads.controlJob(jobId, 'resume');
            await world.rig.uploads.whenIdle(jobId);
          }
          return page;
        },
      }),
    });
    // The third batch lacks permission, so the upload is suspended half way.
    world.raw.service.setFaults([publishFault({ type: 'status', status: 403 }, { after: 3 })]);
    const job = await send('half.csv', named('half', 28));
    expect(job).toMatchObject({ state: 'paused', counts: { acknowledged: 14 } });
    const plan = await world.rig.uploads.planUndo(job.jobId);
    ({ jobId } = job);
    const agreed = { events: plan.events, deletions: plan.deletions.length };
    await expect(world.rig.uploads.undo(job.jobId, agreed)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(sent()).toBe(0);
    expect(await world.rig.uploads.planUndo(job.jobId)).toMatchObject({ events: 28 });
  });

  test('events without a receipt or shared with another upload are counted and stay', async () => {
    await send('other.csv', ['shared-1', 'other-1']);
    world.raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const { jobId } = await send('wrong.csv', [...named('lost', 2), 'shared-1', 'wrong-1'], 2);
    await world.rig.uploads.controlJob(jobId, 'cancel');
    const { plan } = await undo(world.rig, jobId);
    expect(plan).toMatchObject({ events: 1, left: { unknown: 2, withoutId: 0, shared: 1 } });
    await settled(world.rig, 1);
    expect(stored()).not.toContain('wrong-1');
    expect(stored()).toEqual(expect.arrayContaining(['shared-1', 'other-1', 'lost-0']));
  });

  test('an id that another upload may have stored, without an answer, is shared too', async () => {
    const { jobId } = await send('wrong.csv', ['lost-1', 'wrong-1']);
    world.raw.service.setFaults([
      { match: { operation: 'events.publish' }, times: 1, action: { type: 'drop-after' } },
    ]);
    await send('other.csv', ['lost-1']);
    const { plan } = await undo(world.rig, jobId);
    expect(plan).toMatchObject({ events: 1, left: { shared: 1 } });
    await settled(world.rig, 1);
    expect(stored()).toContain('lost-1');
    expect(stored()).not.toContain('wrong-1');
  });

  test('a planned undo does not delete events that were sent again since', async () => {
    let aheadMs = 0;
    const later = open({ folder: world.rig.folder, aheadMs: () => aheadMs });
    const { jobId } = await send('wrong.csv', named('wrong', 15));
    await later.uploads.undo(jobId, { events: 15, deletions: 2 }, Date.now() + 2 * DAY_MS);
    // The ids of the second deletion.
    await send('right.csv', named('wrong', 15).slice(10), 7, '2025-03-01');
    aheadMs = 2 * DAY_MS + 1;
    later.uploads.wake();
    await settled(later, 1);
    const refused = await later.until(() => later.deletions.find(({ error }) => error !== null));
    expect(refused.error?.message).toMatch(/^Events of this undo were sent again with right\.csv since /);
    expect(sent()).toBe(1);
    expect(new Set(stored())).toEqual(new Set(named('wrong', 15).slice(10)));
  });

  test('an undo is not by time while another upload of the model has not ended', async () => {
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    const text = 'transaction_id,processed_at\nother-1,2025-01-01 00:00:00\n';
    const plan = await world.rig.plan(world.rig.write('other.csv', text), MODEL);
    const other = await world.rig.uploads.createJob(plan, false);
    const found = await world.rig.uploads.planUndo(jobId);
    expect(found).toMatchObject({ deletions: [{ range: null }, {}, {}] });
    expect(found.reason).toBe('Not by time: other.csv may still be sent to this model.');
    await world.rig.uploads.controlJob(other.jobId, 'cancel');
    expect(await world.rig.uploads.planUndo(jobId)).toMatchObject({ deletions: [{ range: {} }] });
  });

  test('changed events are not an upload to undo: nothing is sent', async () => {
    await send('base.csv', ['a']);
    const text = 'transaction_id,processed_at\na,2025-01-02 00:00:00\n';
    const plan = await world.rig.plan(world.rig.write('update.csv', text), MODEL, { mode: 'update' });
    const { jobId } = await world.rig.uploads.createJob(plan, false);
    expect((await world.rig.uploads.planUndo(jobId)).problem).toContain('changed events');
    await expect(world.rig.uploads.undo(jobId, { events: 1, deletions: 1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(sent()).toBe(0);
  });

  test('one deletion by time undoes an upload that is alone in its days; it can be sent and undone again', async () => {
    await send('before.csv', named('before', 5), 7, '2025-02-01');
    const before = stored();
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    const { plan } = await undo(world.rig, jobId);
    const range = { startTime: '2024-12-31 00:00:00', endTime: '2025-01-03 00:00:00' };
    expect(plan).toMatchObject({ events: 25, deletions: [{ events: 25, isNow: true, range }] });
    expect(plan.reason).toContain('counts 30 events');
    await settled(world.rig, 1);
    expect(stored()).toEqual(before);
    expect(world.rig.uploads.getJob(jobId).deletions).toMatchObject([{ rows: 25, outcome: 'deleted' }]);
    expect(await world.rig.uploads.planUndo(jobId)).toMatchObject({ events: 0, deleted: 25 });
    const again = await send('again.csv', named('wrong', 25));
    const second = await undo(world.rig, again.jobId);
    expect(second.plan.deletions).toMatchObject([{ events: 25, range }]);
    await settled(world.rig, 2);
    expect(stored()).toEqual(before);
  });

  /** Uploads whose deletions cannot be sent while `isAway`. */
  function openAway(state: { aheadMs: number; isAway: boolean; attempts?: number }) {
    const wrapClient = (client: ServiceClient): ServiceClient => ({
      ...client,
      call: (operation, ...asked) => {
        if (!state.isAway || operation !== 'events.delete') return client.call(operation, ...asked);
        state.attempts = (state.attempts ?? 0) + 1;
        return Promise.reject(new AppError('OFFLINE', 'Away.', { outcome: 'unsent' }));
      },
    });
    return open({ folder: world.rig.folder, aheadMs: () => state.aheadMs, haste: 1, wrapClient });
  }

  /** A deletion by time that was proven just now, but could not be sent. */
  async function unsentByTime(state: { aheadMs: number; isAway: boolean; attempts?: number }) {
    const away = openAway(state);
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    expect((await undo(away, jobId)).plan.deletions).toMatchObject([{ range: {} }]);
    await away.until(() => away.deletions.find(({ error }) => error !== null));
    const { deletionId = '' } = away.uploads.listDeletions().deletions[0] ?? {};
    return { away, deletionId };
  }

  test('a deletion by time cannot be planned for a time at which its proof is outdated', async () => {
    const { away, deletionId } = await unsentByTime({ aheadMs: 0, isAway: true });
    await expect(
      away.uploads.controlDeletion(deletionId, 'schedule', Date.now() + DAY_MS),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(statuses(away)).toEqual(['scheduled']);
  });

  test('a deletion by time is not started after the clock was set back', async () => {
    const state = { aheadMs: 30 * DAY_MS, isAway: true };
    const { away, deletionId } = await unsentByTime(state);
    Object.assign(state, { aheadMs: 0, isAway: false });
    await expect(away.uploads.controlDeletion(deletionId, 'start', null)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(sent()).toBe(0);
  });

  test('plans and attempts do not lengthen the time for which a deletion by time is proven', async () => {
    const state = { aheadMs: 0, isAway: true, attempts: 0 };
    const { away, deletionId } = await unsentByTime(state);
    await away.uploads.controlDeletion(deletionId, 'schedule', Date.now() + 540_000);
    const { attempts } = state;
    state.aheadMs = 550_000;
    away.uploads.wake();
    await away.until(() => (state.attempts > attempts ? true : undefined));
    await away.until(() => (statuses(away)[0] === 'scheduled' ? true : undefined));
    Object.assign(state, { aheadMs: 900_000, isAway: false });
    away.uploads.wake();
    await away.until(() => (statuses(away)[0] === 'scheduled' ? undefined : true));
    expect(away.uploads.listDeletions().deletions[0]?.error?.message).toContain('Undo the upload again');
    expect(sent()).toBe(0);
  });

  test('a deletion by time that could not be sent at once is sent soon after, or not at all', async () => {
    const state = { aheadMs: 0, isAway: true };
    const away = openAway(state);
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    const isPostponed = () => away.until(() => away.deletions.find(({ error }) => error !== null));
    expect((await undo(away, jobId)).plan.deletions).toMatchObject([{ range: {} }]);
    await isPostponed();
    expect(statuses(away)).toEqual(['scheduled']);
    await storeElsewhere('elsewhere');
    state.isAway = false;
    state.aheadMs = 700_000;
    away.uploads.wake();
    await away.until(() => (statuses(away)[0] === 'scheduled' ? undefined : true));
    expect(sent()).toBe(0);
    expect(away.uploads.listDeletions().deletions[0]?.error?.message).toContain('Undo the upload again');
    // The first attempt deleted nothing, so everything can be undone, now by ids.
    expect(await away.uploads.planUndo(jobId)).toMatchObject({
      events: 25,
      deleted: 0,
      deletions: [{}, {}, {}],
    });
    expect(stored()).toEqual([...named('wrong', 25), 'elsewhere']);
  });

  test('by ids, with the reason, if other events may be in its days', async () => {
    const { jobId } = await send('wrong.csv', named('wrong', 25));
    const plan = () => world.rig.uploads.planUndo(jobId);
    expect((await plan()).deletions).toHaveLength(1);
    const near = await send('near.csv', named('near', 13), 7, '2025-01-03');
    expect((await plan()).reason).toContain('same days');
    world.rig.write('near.csv', 'transaction_id,processed_at\nother,2030-01-01 00:00:00');
    expect((await plan()).reason).toContain('near.csv changed');
    expect((await world.rig.uploads.planUndo(near.jobId)).deletions).toMatchObject([
      { events: 10, range: null },
      { events: 3, range: null },
    ]);
    await storeElsewhere('elsewhere');
    expect((await plan()).reason).toContain('service counts 39 events, receipts on this computer 38');
    expect((await plan()).deletions).toHaveLength(3);
  });

  test('random uploads, undone one after another, over days if necessary: the service is as it was', async () => {
    let aheadMs = 0;
    // The days also pass for the limiter of requests.
    const of = open({ folder: world.rig.folder, aheadMs: () => aheadMs, schedulerHaste: 1_000_000 });
    of.budget.limit = 3;
    const wanted = fc.record({
      rows: fc.integer({ min: 1, max: 45 }),
      batchRows: fc.integer({ min: 9, max: 30 }),
      month: fc.integer({ min: 1, max: 4 }),
      used: fc.integer({ min: 0, max: 3 }),
      stays: fc.boolean(),
      isAmongOthers: fc.boolean(),
    });
    const kept = new Set<number>();
    let isElsewhere = false;
    let done = 0;
    for (const [at, { rows, batchRows, month, used, stays, isAmongOthers }] of fc
      .sample(wanted, { numRuns: runs(8, 50), seed: 14 })
      .entries()) {
      if (isAmongOthers && at % 4 === 3 && !isElsewhere) {
        isElsewhere = true;
        await storeElsewhere('elsewhere');
      }
      if (stays && kept.size < 3) {
        await send(`stays-${at}.csv`, named(`stays-${at}`, 4), 7, `2025-0${month}-10`);
        kept.add(month);
      }
      const before = stored();
      const ownMonth = (month % 4) + 1;
      const { jobId } = await send(
        `wrong-${at}.csv`,
        named(`wrong-${at}`, rows),
        batchRows,
        `2025-0${ownMonth}-10`,
      );
      of.budget.usedToday = used;
      const { plan } = await undo(of, jobId);
      const byIds = Math.ceil(rows / 10);
      const isAlone = !isElsewhere && !kept.has(ownMonth);
      expect(plan.deletions).toHaveLength(isAlone && used < 3 ? 1 : byIds);
      for (const [startAtMs, parts] of Map.groupBy(plan.deletions, (each) => each.startAtMs))
        expect(parts.length).toBeLessThanOrEqual(parts[0]?.isNow === true ? 3 - used : startAtMs > 0 ? 3 : 0);
      done += plan.deletions.length;
      of.budget.usedToday = 0;
      aheadMs += 6 * DAY_MS;
      of.uploads.wake();
      await settled(of, done);
      expect(stored()).toEqual(before);
    }
  }, 900_000);
});
