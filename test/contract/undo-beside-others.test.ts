/** Undoing an upload beside other uploads and deletions of the same model that have not ended, or came later. */
import { expect, test } from 'vitest';
import { DAY_MS } from '../../electron/core/limits/limits.ts';
import type { UploadStore } from '../../electron/db/upload-store.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { MODEL, named, settled, statuses, undo, useUndoWorld } from '../helpers/undo-world.ts';

const world = useUndoWorld();
const { open, send, stored, sent } = world;

/** An undo of wrong.csv planned for later, whose events right.csv sends again unless `isSentAgain` is false. */
async function plannedUndo(onReceipts: (fileName: string) => void, isSentAgain = true) {
  const state = { aheadMs: 0 };
  const wrapStore = (store: UploadStore): UploadStore => {
    const { acknowledged, readableAcknowledged } = store.batches;
    const heard = (read: typeof acknowledged) => (jobId: string) => {
      onReceipts(store.jobs.get(jobId)?.fileName ?? '');
      return read(jobId);
    };
    const receipts = {
      ...{ acknowledged: heard(acknowledged), readableAcknowledged: heard(readableAcknowledged) },
    };
    return { ...store, batches: { ...store.batches, ...receipts } };
  };
  const later = open({ folder: world.rig.folder, aheadMs: () => state.aheadMs, wrapStore });
  const { jobId } = await send('wrong.csv', named('wrong', 5));
  await later.uploads.undo(jobId, { events: 5, deletions: 1 }, Date.now() + 2 * DAY_MS);
  if (isSentAgain) await send('right.csv', named('wrong', 5), 7, '2025-03-01');
  const other = await send('other.csv', named('other', 2));
  const begin = (lateByMs = 1) => {
    state.aheadMs = 2 * DAY_MS + lateByMs;
    later.uploads.wake();
  };
  return { later, begin, otherId: other.jobId };
}

test.each(['right.csv', 'other.csv'])(
  'events that were sent again stay if the program ends while it reads the receipts of %s',
  async (fileName) => {
    let isBegun = false;
    let stopping: Promise<void> | null = null;
    const { later, begin } = await plannedUndo((read) => {
      if (read === fileName && isBegun) stopping ??= later.uploads.stop(60_000);
    });
    isBegun = true;
    begin();
    await later.until(() => (stopping === null ? undefined : true));
    await stopping;
    const again = open({ folder: world.rig.folder, aheadMs: () => 2 * DAY_MS + 10 });
    await again.uploads.recover({ continues: true });
    again.uploads.wake();
    await expect.poll(() => statuses(again)).toEqual(['not-sent']);
    expect(again.uploads.listDeletions().deletions[0]?.error?.message).toMatch(
      /^Events of this undo were sent again with right\.csv since /,
    );
    expect(sent()).toBe(0);
    expect(stored()).toEqual(expect.arrayContaining(named('wrong', 5)));
  },
);

test('an unreadable receipt of another upload does not keep a planned undo from being sent', async () => {
  const { later, begin, otherId } = await plannedUndo(() => undefined, false);
  world.rig.store.batches.saveReceipt(otherId, 0, { eventIds: 1 } as never);
  begin();
  await settled(later, 1);
  expect(stored()).toEqual(named('other', 2));
});

test('a planned undo is not sent while it cannot be read what was sent again', async () => {
  let isBegun = false;
  const { later, begin } = await plannedUndo(() => {
    if (isBegun) throw new AppError('STORE_FAILED', 'The disk does not answer.');
  });
  isBegun = true;
  begin();
  const unsent = await later.until(() => later.deletions.find(({ error }) => error !== null));
  expect(unsent).toMatchObject({ status: 'scheduled', error: { code: 'STORE_FAILED' } });
  expect(unsent.error?.details).toMatchObject({ outcome: 'unsent' });
  isBegun = false;
  begin(120_000);
  const refused = await later.until(() => later.deletions.find(({ status }) => status === 'not-sent'));
  expect(refused.error?.message).toMatch(/^Events of this undo were sent again with right\.csv since /);
  expect(sent()).toBe(0);
});

test('events of a deletion that waits for a new token are not deleted by another one', async () => {
  const { jobId } = await send('wrong.csv', named('wrong', 5));
  world.raw.service.setFaults([
    { match: { operation: 'events.delete' }, times: 1, action: { type: 'status', status: 401 } },
  ]);
  await undo(world.rig, jobId);
  await world.rig.until(() => world.rig.deletions.find(({ status }) => status === 'paused'));
  expect(await world.rig.uploads.planUndo(jobId)).toMatchObject({ events: 0, deleted: 5, deletions: [] });
});

test('an undo is by time although an upload to another environment has not ended', async () => {
  const { jobId } = await send('wrong.csv', named('wrong', 25));
  const text = 'transaction_id,processed_at\nother-1,2025-01-01 00:00:00\n';
  const target = { envType: 'PRE_PRODUCTION', envName: 'Training' };
  const plan = await world.rig.plan(world.rig.write('other.csv', text), MODEL, target);
  await world.rig.uploads.createJob(plan, false);
  expect(await world.rig.uploads.planUndo(jobId)).toMatchObject({ deletions: [{ range: {} }] });
});
