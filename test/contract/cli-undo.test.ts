/** Undoing an upload on the command line: the cost is shown first, and nothing is sent without --yes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerOf, LaterRig } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  await rig.end();
});

test('uploads undo shows events, cost and days; it deletes with --yes only', async () => {
  await rig.here(await rig.upload());
  const preview = await rig.textHere(['uploads', 'undo', '--plan']);
  expect(preview.code).toBe(0);
  expect(preview.stdout).toMatch(/^Delete \d+ events? \(\d+ rows?\) of \S+ from the model /m);
  expect(preview.stdout).toMatch(/^It takes 1 deletion; 0 of the 30 of a day are used\.$/m);
  const { wouldUndo } = answerOf(await rig.here(['uploads', 'undo', '--plan']));
  expect(wouldUndo).toHaveProperty('why', wouldUndo.reason);
  const asked = await rig.textHere(['uploads', 'undo']);
  expect(asked.stderr).toMatch(/Nothing was deleted\. Add --yes to delete \d+ events?\./);
  expect([asked.code === 0, rig.sent('events.delete')]).toEqual([false, 0]);
  const done = await rig.cli(['uploads', 'undo', '--yes']);
  expect(done.code).toBe(0);
  const { deletions, rowCounts } = JSON.parse(done.stdout);
  // The deletion is followed to its end, and confirmed by the row counts of the service.
  expect(deletions).toMatchObject([{ status: 'SUCCESS' }]);
  const { beforeUpload, beforeUndo, afterUndo } = rowCounts;
  expect(afterUndo.rowCount).toBe(beforeUpload.rowCount);
  expect(beforeUndo.rowCount).toBeGreaterThan(afterUndo.rowCount);
  expect(rig.sent('events.delete')).toBe(1);
  expect(afterUndo).toMatchObject({ reason: '', why: '' });
  const job = answerOf(await rig.here(['jobs', 'show', answerOf(await rig.here(['uploads'])).items[0].id]));
  expect(job.own.rowCounts.afterUndo).toMatchObject({ reason: '', why: '' });
});

test('a deletion without an answer is reported with its rows, by the undo, by the list and by the next plan', async () => {
  const uploaded = answerOf(await rig.here(rig.upload()));
  const lost = { type: 'drop-after' } as const;
  rig.raw.service.setFaults([{ match: { operation: 'events.delete' }, times: 1, action: lost }]);
  const undone = await rig.textHere(['uploads', 'undo', '--yes']);
  expect(undone.code).toBe(1);
  expect(undone.stderr).toMatch(
    /^error CONNECTION_LOST: 1 deletion of 30 rows has no answer, so these rows may or may not be deleted\. .+ Compare the row counts, then run: uploads undo \S+ --plan/m,
  );
  expect(undone.stderr).not.toContain('Try again');
  const listed = await rig.here(['uploads']);
  expect(answerOf(listed)).toMatchObject({ items: [{ deleted: 0, maybeDeleted: 30 }] });
  expect((await rig.textHere(['uploads'])).stdout).toMatch(/ maybeDeleted\n.+ 0 +30$/m);
  const plan = await rig.textHere(['uploads', 'undo', '--plan']);
  expect(plan.stdout).toMatch(
    /^An earlier deletion of 30 rows has no answer: they may be deleted already\.$/m,
  );
  const again = await rig.here(['uploads', 'undo', uploaded.jobId, '--yes']);
  expect(again.code).toBe(0);
  expect(answerOf(await rig.here(['uploads']))).toMatchObject({ items: [{ deleted: 30, maybeDeleted: 0 }] });
  expect(rig.sent('events.delete')).toBe(2);
});
