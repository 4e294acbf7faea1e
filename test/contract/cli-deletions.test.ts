/** Deletions on the command line: nothing is deleted without --yes, and the targets are listed first. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAR, LaterRig, MODEL } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  await rig.end();
});

test('events are not deleted without --yes: model, events and cost are shown first', async () => {
  const byId = ['delete-events', '--model', MODEL, '--ids', 'a, b,a'];
  const asked = await rig.text(byId);
  expect(asked.stdout).toMatch(
    /^Delete events of the model Bank churn \([-0-9a-f]{36}\), in its PRODUCTION environment/,
  );
  expect(asked.stdout).toMatch(/^2 events by id$/m);
  expect(asked.stdout).toMatch(/^ {2}a, b$/m);
  expect(asked.stdout).toMatch(/^It takes 1 of the 30 deletions of a day; 0 are used\.$/m);
  expect(asked.stderr).toBe(
    'error INVALID_ARGUMENT: Nothing was deleted. Add --yes to delete 2 events by id.\n',
  );
  expect(asked.code).not.toBe(0);
  const later = await rig.here([...byId, ...FAR]);
  expect(later.code).not.toBe(0);
  expect(JSON.parse(later.stdout)).toMatchObject({
    requests: 1,
    leftToday: 30,
    wouldDelete: { modelName: MODEL, event_ids: ['a', 'b'] },
  });
  expect(JSON.parse((await rig.here(['planned'])).stdout).items).toEqual([]);
  expect(rig.sent('events.delete')).toBe(0);
  const done = await rig.cli([...byId, '--yes']);
  expect(done.code).toBe(0);
  expect(rig.sent('events.delete')).toBe(1);
});

test('a receipts file supplies its event ids; another file is rejected and nothing is deleted', async () => {
  const command = ['delete-events', '--model', MODEL, '--receipts'];
  const receipts = rig.write('receipts.csv', 'row,line,batch,event_id\n1,2,1,a\n2,3,1,\n3,4,1,"b,c"\n');
  const asked = await rig.textHere([...command, receipts]);
  expect(asked.stdout).toMatch(/^2 events by id$/m);
  expect(asked.stdout).toMatch(/^ {2}a, b,c$/m);
  expect(asked.stderr).toContain('1 row of');
  const none = rig.write('none.csv', 'row,line,batch,event_id\n1,2,1,\n');
  expect((await rig.textHere([...command, none, '--yes'])).stderr).toContain('has no event id');
  const other = rig.write('other.csv', 'id,name\n1,a\n');
  expect((await rig.textHere([...command, other, '--yes'])).stderr).toContain('is not a receipts file');
  const both = await rig.textHere([...command, receipts, '--ids', 'a', '--yes']);
  expect(both.stderr).toContain('delete-events expects one of');
  expect(rig.sent('events.delete')).toBe(0);
  expect((await rig.here([...command, receipts, '--yes'])).code).toBe(0);
  expect(rig.sent('events.delete')).toBe(1);
});

test('a time range is shown; an invalid one is rejected before', async () => {
  const start = '2024-01-01 00:00:00';
  const range = ['delete-events', '--model', MODEL, '--start', start];
  const asked = await rig.textHere([...range, '--end', '2024-02-01 00:00:00']);
  expect(asked.stdout).toContain(`Events from ${start} up to 2024-02-01 00:00:00`);
  expect(asked.stderr).toContain('Add --yes to delete the events of this time range.');
  const wrong = await rig.textHere([...range, '--end', start]);
  expect(wrong).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('The start must be before the end'),
  });
  expect(rig.sent('events.delete')).toBe(0);
});

test('a raw deletion request is not sent without --yes', async () => {
  const { items } = await rig.raw.page(rig.raw.path('applications.list'));
  const path = `/v3/applications/${String(items[0]?.['id'])}`;
  const asked = await rig.textHere(['request', 'DELETE', path]);
  expect(asked.stderr).toMatch(/^error INVALID_ARGUMENT: Nothing was sent\. .*--yes/);
  expect([asked.code === 0, asked.stdout, rig.sent('applications.delete')]).toEqual([false, '', 0]);
  expect((await rig.textHere(['request', 'DELETE', path, '--yes'])).code).toBe(0);
  expect(rig.sent('applications.delete')).toBe(1);
});

test('data that exists only on this computer is not deleted without --yes', async () => {
  await rig.textHere(['models']);
  const log = await rig.textHere(['traffic', '--clear']);
  expect(log.stderr).toMatch(/^error INVALID_ARGUMENT: Nothing was forgotten\. Add --yes to forget the log/);
  expect(JSON.parse((await rig.here(['traffic'])).stdout).total).toBeGreaterThan(0);
  await rig.textHere(await rig.fromSpans());
  const build = await rig.textHere(['builds', 'forget']);
  expect(build.stderr).toMatch(/^error INVALID_ARGUMENT: Nothing was forgotten\. .*with its receipts/);
  expect(JSON.parse((await rig.here(['builds'])).stdout).items).toHaveLength(1);
});
