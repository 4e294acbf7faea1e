/** Undo of an upload on the command line: its cost is shown first, it is sent with --yes only. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';

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
  const asked = await rig.textHere(['uploads', 'undo']);
  expect(asked.stderr).toMatch(/Nothing was deleted\. Add --yes to delete \d+ events?\./);
  expect([asked.code === 0, rig.sent('events.delete')]).toEqual([false, 0]);
  const done = await rig.cli(['uploads', 'undo', '--yes']);
  expect(done.code).toBe(0);
  const { deletions, rowCounts } = JSON.parse(done.stdout);
  // Followed to its end, and confirmed by the row counts of the service.
  expect(deletions).toMatchObject([{ status: 'SUCCESS' }]);
  const { beforeUpload, beforeUndo, afterUndo } = rowCounts;
  expect(afterUndo.rowCount).toBe(beforeUpload.rowCount);
  expect(beforeUndo.rowCount).toBeGreaterThan(afterUndo.rowCount);
  expect(rig.sent('events.delete')).toBe(1);
});
