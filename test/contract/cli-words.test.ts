/** Words that users read and type: short answers, numbers with nouns, durations, exit codes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { LaterRig, MODEL } from '../helpers/later-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';

let rig: LaterRig;
beforeAll(async () => {
  rig = await LaterRig.start({ limits: 'spec' });
});
afterAll(async () => {
  await rig.end();
});

test('both flags print the version, without a connection', async () => {
  for (const flag of ['--version', '-V']) {
    expect(await rig.text([flag])).toMatchObject({ code: 0, stdout: `Spandeck ${packageFile.version}\n` });
  }
});

test('a list with --json is one line', async () => {
  const { stdout } = await rig.cli(['ls', 'models']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ items: expect.any(Array), total: 3, complete: true });
});

test('a check of a file counts in words and separated numbers, and as plain numbers with --json', async () => {
  const file = rig.write('many.csv', churnCsv(1_200));
  const check = ['upload', file, '--model', MODEL, '--dry-run', '--batch-rows', '2000'];
  expect((await rig.textHere(check)).stdout).toBe(
    '1,200 rows = 1,200 good + 0 unusual + 0 bad, 1 batch. Nothing was sent.\n',
  );
  expect(JSON.parse((await rig.here(check)).stdout)).toMatchObject({ rows: 1_200, batches: 1 });
});

test('spans since a length of time are those of the same range', async () => {
  const { items } = await rig.raw.page(rig.raw.path('applications.list'));
  const application = ['--application', String(items[0]?.['id'])];
  const since = await rig.here(['spans', ...application, '--since', '5200w', '--all']);
  const end = new Date(Date.now() + 60_000).toISOString();
  const range = await rig.here([
    'spans',
    ...application,
    '--start',
    '1990-01-01T00:00:00Z',
    '--end',
    end,
    '--all',
  ]);
  expect(JSON.parse(since.stdout).total).toBeGreaterThan(0);
  expect(JSON.parse(since.stdout).total).toBe(JSON.parse(range.stdout).total);
  const asked = await rig.textHere(['delete-events', '--model', MODEL, '--since', '1h']);
  expect(asked.stdout).toMatch(
    /^Events from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d up to \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m,
  );
  expect([asked.code, rig.sent('events.delete')]).toEqual([2, 0]);
});

test('budget shows which limit blocks an operation found by a word', async () => {
  await rig.textHere(['ls', 'models']);
  const whole = (await rig.textHere(['budget', '--all'])).stdout;
  expect(whole).toContain('DELETE /v3/events ');
  const some = await rig.textHere(['budget', 'MODELS']);
  expect(some.stdout).toContain('GET /v3/models ');
  expect(some.stdout).not.toContain('/v3/events');
  const json = JSON.parse((await rig.here(['budget', 'models'])).stdout);
  expect(json.lanes.length).toBeGreaterThan(0);
  for (const { operation } of json.lanes) expect(operation).toContain('/v3/models');
  expect(await rig.textHere(['budget', 'nothing'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error NOT_FOUND: No operation with “nothing” in its name\./),
  });
});

test.each<[string, number, string[]]>([
  ['an option nobody knows', 2, ['models', '--serach', 'x']],
  ['a record that is not there', 1, ['get', 'models', 'nothing like it']],
  ['offline, what was never read', 4, ['ls', 'jobs', '--offline']],
])('%s ends with exit code %i', async (_name, code, args) => {
  expect((await rig.text(args)).code).toBe(code);
});
