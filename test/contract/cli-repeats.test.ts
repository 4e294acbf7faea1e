/** `--repeat` on the command line: exports and mirrors that repeat automatically. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAR, LaterRig, leave, plannedIdOf } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const ask = async (...words: string[]) => {
  const { code, stdout, stderr } = await rig.here(words);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};
const addDataset = async () => {
  const { items } = await rig.raw.page(rig.raw.path('applications.list'));
  const body = { name: 'Added meanwhile', application_id: items[0]?.['id'] };
  await rig.raw.call('POST', rig.raw.path('datasets.create'), { body });
};
interface Listed {
  id: string;
  kind: string;
  state: string;
  startAt: string | null;
  repeat: string | null;
}
const jobs = async (): Promise<Listed[]> => (await ask('jobs')).items;

test('a mirror repeats: listed with its rule and next start, changed, paused, resumed and ended', async () => {
  const folder = join(rig.folder.path, 'notebooks');
  const { id, repeat, startAt } = await ask('mirror', folder, '--repeat', 'weekdays 07:00');
  expect(repeat).toBe('every weekday at 07:00');
  expect(new Date(startAt).getHours()).toBe(7);
  expect(existsSync(folder)).toBe(false);
  expect(await jobs()).toMatchObject([{ id, state: 'ready', startAt, repeat }]);
  const { stdout } = await rig.textHere(['jobs']);
  expect(stdout).toMatch(/starts +repeat/);
  expect(stdout).toContain(' 07:00  every weekday at 07:00');

  const set = (typed: string, ...more: string[]) => ask('jobs', 'repeat', id, '--repeat', typed, ...more);
  expect(await set('monday 09:30')).toMatchObject({ id, repeat: 'every Monday at 09:30', isPaused: false });
  expect(await set('pause')).toMatchObject({ startAt: null, isPaused: true });
  expect((await jobs())[0]?.repeat).toBe('every Monday at 09:30 (paused)');
  expect(await set('resume')).toMatchObject({ isPaused: false, startAt: expect.any(String) });
  expect(await set('after sync')).toMatchObject({ repeat: 'after each sync', startAt: null });
  const said = await rig.here(['jobs', 'repeat', id, '--repeat', 'after sync']);
  expect(said.stderr).toContain('in a window of Spandeck on this connection, after each reading');
  expect(await set('end')).toMatchObject({ repeat: null, startAt: null });
  expect(await jobs()).toMatchObject([{ state: 'cancelled', repeat: null }]);
});

test('cancelling the next start of a repeat ends it, and says so', async () => {
  const { id } = await ask('mirror', join(rig.folder.path, 'notebooks'), '--repeat', 'daily 07:00');
  const { stdout, stderr } = await rig.textHere(['planned', 'cancel', id]);
  expect(stdout).toContain('Ended the repeat of notebooks.');
  expect(stderr).not.toContain('It is kept');
  expect(await jobs()).toMatchObject([{ id, state: 'cancelled', repeat: null, startAt: null }]);
});

test('an export that repeats is planned anew when a run ends, and the run keeps its result', async () => {
  const file = join(rig.folder.path, 'datasets.csv');
  const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n').length;
  await ask('export', 'datasets', '--output', file);
  const before = lines();
  expect(before).toBeGreaterThan(1);
  const { id } = await ask('export', 'datasets', '--output', file, '--repeat', 'daily 07:00');
  await addDataset();
  await ask('planned', 'start', id);
  // The first run reads again data that was read just before.
  expect(lines()).toBe(before + 1);
  const [next, run] = await jobs();
  const waiting = { id: next?.id, state: 'ready', startAt: next?.startAt };
  expect(run).toMatchObject({ id, state: 'done', repeat: null, startAt: null });
  expect(next).toMatchObject({ state: 'ready', repeat: 'every day at 07:00', startAt: expect.any(String) });
  // A second repeat would write to the same file.
  const again = await rig.here(['export', 'datasets', '--output', file, '--repeat', 'after sync']);
  expect(again.stderr).toContain('written every day at 07:00 already');
  // The next run must not be mistaken for an export that was stopped.
  await ask('export', 'datasets', '--output', file, '--resume');
  expect(await jobs()).toContainEqual(expect.objectContaining(waiting));
  for (const later of [['--repeat', 'daily 07:00'], FAR]) {
    const both = await rig.here(['export', 'datasets', '--output', file, '--resume', ...later]);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain(`Expected --resume or ${later[0]}, got both`);
  }
  // The id that was printed for an earlier run can be used for the last run too.
  expect(await ask('jobs', 'repeat', id, '--repeat', 'pause')).toMatchObject({
    id: next?.id,
    isPaused: true,
  });
});

test('refuses what changes data, unknown rules and a first start without a rule', async () => {
  const upload = plannedIdOf(await rig.here([...rig.upload(), ...FAR], leave));
  const refused = await rig.here(['jobs', 'repeat', upload, '--repeat', 'daily 07:00']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('Expected a job that only reads to repeat (an export or a mirror), but');
  expect(refused.stderr).toContain('Start it again by hand');
  const folder = join(rig.folder.path, 'notebooks');
  const unknown = await rig.here(['mirror', folder, '--repeat', 'hourly']);
  expect(unknown.stderr).toContain('--repeat expects "daily 07:00"');
  expect(unknown.stderr).toContain('got "hourly"');
  const none = await rig.here(['jobs', 'repeat', upload]);
  expect(none.stderr).toContain('jobs repeat expects --repeat RULE');
  const early = await rig.here(['jobs', 'repeat', upload, '--repeat', 'end', ...FAR]);
  expect(early.stderr).toContain('--start-at expects a RULE');
});
