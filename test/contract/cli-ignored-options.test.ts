/** Options that a command cannot follow are refused, because without them it would do something else. */
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
