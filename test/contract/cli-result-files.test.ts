/** A result file that cannot be written does not hide what was sent. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

/** Resumes an upload that a refused token paused. */
async function pausedUpload(): Promise<string[]> {
  const refusal = { type: 'status', status: 401 } as const;
  rig.raw.service.setFaults([
    { match: { operation: 'events.publish' }, after: 2, times: 1, action: refusal },
  ]);
  await rig.here([...rig.upload(), '--batch-rows', '10']);
  return ['uploads', 'resume'];
}

const CASES: [string, () => string[] | Promise<string[]>, RegExp][] = [
  ['an upload', () => pausedUpload(), /^done\n30 of 30 rows acknowledged/],
  ['a build', () => rig.fromSpans(), /^done\n250 of 250 spans written/],
  [
    'items',
    () => ['items', 'add', 'Escalations, to be collected', rig.write('q.csv', 'question\none\ntwo\n')],
    /^done\n2 items added/,
  ],
  ['scores', () => rig.scores(), /^done\n\d+ of \d+ items scored/],
];

test.each(CASES)('%s', async (_kind, command, answer) => {
  const output = join(rig.folder.path, 'no such folder', 'result.csv');
  const ended = await rig.textHere([...(await command()), '--output', output]);
  expect(ended.stdout).toMatch(answer);
  expect(ended.stdout).not.toContain('result.csv');
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^error FILE_UNREADABLE: result\.csv could not be written/m);
});
