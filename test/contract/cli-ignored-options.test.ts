/** Options that a command cannot follow are refused, because without them it would do something else. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-ignored-options');
const DATASET = 'Claims triage, edge cases';
const requestsTo = (operation: 'datasets.delete' | 'datasets.update') =>
  rig.service.report().operations[operation]?.requests ?? 0;

test('a change of a record that is named by a flag does not start before its time', async () => {
  const later = ['--dataset', DATASET, '--start-at', '2h'];
  for (const words of [
    ['delete', 'datasets', ...later, '--yes'],
    ['update', 'datasets', ...later, '--body', '{"active": false}'],
  ])
    expect(await rig.run(...words)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/--start-at expects the records as ID: \w+ datasets ID --start-at WHEN/),
    });
  expect([requestsTo('datasets.delete'), requestsTo('datasets.update')]).toEqual([0, 0]);
  // Without a later start, the flag names the record.
  expect((await rig.run('delete', 'datasets', '--dataset', DATASET, '--plan')).stdout).toContain(DATASET);
});

test('a filter does not clear the whole log of requests, and no option for requests is ignored', async () => {
  await rig.run('models');
  const before = (await rig.answered('traffic')).total;
  expect(before).toBeGreaterThan(0);
  expect(await rig.run('traffic', '--clear', '--operation', 'GET /v3/users', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/traffic --clear takes no --operation\. It forgets all requests/),
  });
  expect((await rig.answered('traffic')).total).toBe(before);
  for (const words of [
    ['--har', rig.file('log.har'), '--clear', '--yes'],
    ['--har', rig.file('log.har'), '--limit', '1'],
    ['--request', 'ID', '--status', 'problems'],
    ['--shell', 'posix'],
    ['--yes'],
  ])
    expect(await rig.run('traffic', ...words)).toMatchObject({ code: 2, stdout: '' });
});

const SCORE = ['score-items', DATASET, '--input', 'text=inputs.question'];

test.each<[string[], RegExp]>([
  [['sql', '--views', '--output', 'views.csv'], /sql --views takes no --output\./],
  [['sql', 'SELECT 1', '--views'], /sql takes a SELECT or --views, not both\./],
  [['sql', 'SELECT 1', '--limit', '1', '--output', 'one.csv'], /writes all rows and takes no --limit/],
  [['sql', 'SELECT 1', '--kinds'], /--kinds belongs to --views\./],
  [['keep', 'dataset', DATASET, '--since', '7d'], /keep dataset takes no --since\./],
  [['keep', 'alert-rule', 'Traffic drops', '--no-values'], /keep alert-rule takes no --no-values\./],
  [['request', 'GET', '-', '--query', 'limit=1'], /request GET - takes no --query: each path has its own/],
  [[...SCORE, '--check', 'contains', '--pattern', 'x'], /--check contains takes no --pattern\./],
  [[...SCORE, '--check', 'regex', '--pattern', 'x', '--least', '3'], /--check regex takes no --least\./],
  [[...SCORE, '--evaluator', 'tone', '--ignore-case'], /--evaluator takes no --ignore-case\./],
  [
    ['export', 'refused-rows', '--output', 'rows.csv', '--start-at', '2h'],
    /refused-rows takes no --start-at/,
  ],
  [['outbox', 'send', '--mine'], /outbox send --mine expects the ID of one change/],
  [
    ['snapshots', DATASET, '--application', 'Claims triage agent'],
    /--application belongs to --new-dataset\./,
  ],
  [['budget', '--forget', 'GET /v3/models', '--watch'], /budget --forget takes no --watch/],
  [['budget', 'models', '--forget', 'GET /v3/models'], /budget --forget takes no models/],
  [['settings', 'get', 'timeZone', 'UTC'], /settings get timeZone takes no further word, got UTC\./],
  [
    ['settings', 'reset', 'timeZone', 'language'],
    /settings reset timeZone takes no further word, got language/,
  ],
  [['kept', 'schema', '7'], /kept schema takes no further word, got 7\./],
  [['agents', 'log', 'Work'], /agents log takes no further word, got Work\./],
  [['models', '--offset', ''], /--offset expects a whole number of at least 0, got nothing\./],
])('%j is refused', async (words, reason) => {
  const { code, stdout, stderr } = await rig.run(...words);
  expect(stderr).toMatch(reason);
  expect([code, stdout]).toEqual([2, '']);
});

test('a file without a model takes no environment, and a job none of the options of another kind', async () => {
  const file = rig.file('events.csv');
  writeFileSync(file, 'a,b\n1,2\n');
  expect(await rig.run('upload-file', file, '--env-name', 'shadow')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--env-name expects --model too'),
  });
  await rig.run('upload-file', file, '--offline');
  const [{ id }] = (await rig.answered('planned')).items;
  for (const words of [
    ['jobs', 'start', id, '--verify'],
    ['planned', 'start', id, '--output', rig.file('receipts.csv')],
  ])
    expect(await rig.run(...words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/takes no --\w+ for this job \(file\)\. Nothing was started\./),
    });
  expect((await rig.answered('planned')).total).toBe(1);
});
