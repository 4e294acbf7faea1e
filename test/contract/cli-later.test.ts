/** `--plan` and `--start-at` of builds, score runs, files and deletions, with a real service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAR, FAR_ISO, killWaiting, LaterRig, leave } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const cli: LaterRig['here'] = (args, onStart) => rig.here(args, onStart);
const sent: LaterRig['sent'] = (operation) => rig.sent(operation);

test('a build shows its cost, stays planned if interrupted, and is started by hand', async () => {
  const command = await rig.fromSpans();
  const plan = JSON.parse((await cli([...command, ...FAR, '--plan'])).stdout);
  expect(plan).toMatchObject({ calls: 2, startAtMs: Date.parse(FAR_ISO), problems: [] });
  expect(plan.finishAtMs).toBeGreaterThanOrEqual(plan.startAtMs);
  expect(plan.budgets.map(({ requests }: { requests: number }) => requests)).toEqual([1, 2, 2]);
  const wrong = await cli([...command, '--start-at', 'tonight']);
  expect(wrong.stderr).toMatch(/^error INVALID_ARGUMENT: --start-at expects a time such as 02:00/m);
  const planned = await cli([...command, ...FAR], leave);
  expect(planned.stderr).toMatch(/^Plan: 1 to .*2 to .*ends 1 Jan 2099 02:00/m);
  expect(planned.stderr).toMatch(/^Stays planned for 1 Jan 2099 02:00: .*planned start /m);
  expect(planned.code).toBe(0);
  expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'editing', startAt: FAR_ISO, written: 0 });
  const { items } = JSON.parse((await cli(['builds'])).stdout);
  expect(items).toMatchObject([{ startAt: FAR_ISO }]);
  expect(sent('datasets.add-spans')).toBe(0);
  await cli(['builds', 'forget', '--yes']);
  const killed = await rig.cli([...command, ...FAR], killWaiting);
  expect(killed.code).toBeNull();
  expect(JSON.parse((await cli(['builds'])).stdout).items).toMatchObject([{ startAt: FAR_ISO }]);
  const done = await cli(['builds', 'resume']);
  expect(JSON.parse(done.stdout)).toMatchObject({ state: 'done', written: 250, startAt: null });
  expect(sent('datasets.add-spans')).toBe(2);
});

test('a score run shows its cost first, and stays planned if interrupted', async () => {
  const command = rig.scores();
  const plan = JSON.parse((await cli([...command, '--plan'])).stdout);
  expect(plan.requests).toBeGreaterThan(1);
  expect(plan.budgets).toMatchObject([{ operation: 'POST /v3/evals/score', requests: plan.requests }]);
  const planned = await cli([...command, ...FAR], leave);
  expect(planned.code).toBe(0);
  expect(planned.stderr).toContain(`Plan: ${plan.requests} to `);
  expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'paused', startAt: FAR_ISO, items: 0 });
  expect(sent('evaluators.score')).toBe(0);
});

test('a file and a deletion show their cost first, and stay planned; nothing of them is sent', async () => {
  const upload = rig.uploadFile();
  const plan = JSON.parse((await cli([...upload, '--plan'])).stdout);
  expect(plan.budgets).toHaveLength(4);
  const planned = await cli([...upload, ...FAR], leave);
  expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining('Stays planned')]);
  expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'scheduled', startAt: FAR_ISO });
  const deletion = rig.deletion();
  expect(JSON.parse((await cli([...deletion, '--plan'])).stdout)).toMatchObject({
    requests: 1,
    leftToday: 30,
  });
  const later = await cli([...deletion, ...FAR], leave);
  expect([later.code, later.stderr]).toEqual([0, expect.stringContaining('(30 per day, 30 left)')]);
  expect(later.stderr).toContain('30 left today');
  expect(JSON.parse(later.stdout)).toMatchObject({ status: 'scheduled', startAtMs: Date.parse(FAR_ISO) });
  expect([sent('files.multipart-init'), sent('events.delete')]).toEqual([0, 0]);
});

test('a job planned by a command line starts there at its time, and the command ends with it', async () => {
  const inAWhile = new Date(Date.now() + 3_000_000).toISOString();
  // The clock of the process advances by an hour while it waits.
  const jump = join(rig.folder.path, 'jump');
  rig.env['SPANDECK_TEST_JUMP'] = jump;
  rig.env['NODE_OPTIONS'] =
    `--require ${JSON.stringify(join(import.meta.dirname, '../helpers/clock-jump.cjs'))}`;
  const ended = await rig.cli([...rig.deletion(), '--start-at', inAWhile], (child) => {
    child.stderr?.on('data', (text: Buffer) => {
      if (text.toString().includes('Starts at')) writeFileSync(jump, '');
    });
  });
  expect(ended.stderr).toContain('Keep this running until then.');
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ startAtMs: null, jobId: expect.any(String) });
  expect(sent('events.delete')).toBe(1);
});
