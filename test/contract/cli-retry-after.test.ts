/** Ctrl-C while a request waits for a Retry-After: each command ends at once, and sends nothing afterwards. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { LaterRig } from '../helpers/later-rig.ts';
import type { Running } from '../helpers/run-here.ts';

const DATASET = 'Escalations, to be collected';

let rig: LaterRig;
beforeEach(async () => {
  // The requests of a change of many records leave together. On a busy computer, the last one arrives long after the
  // first answer.
  rig = await LaterRig.start({ settings: { retryAfterGraceMs: 10_000 } });
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({
    ...{ violations: 0, unknownRoutes: 0, malformedRequests: 0, latest: [] },
  });
});

const items = () => ['items', 'add', DATASET, rig.write('q.csv', 'question\none\ntwo\n')];
const undo = async () => {
  await rig.here(rig.upload());
  return ['uploads', 'undo', '--yes'];
};
/** A deletion remains planned. */
const ENDED = /^130 |^0 [\s\S]*with: planned start (?:[0-9a-f-]{36}|ID)$/m;
const COMMANDS: [string, OperationId, () => string[] | Promise<string[]>][] = [
  ['items', 'datasets.add-items', items],
  ['a build', 'datasets.add-spans', () => rig.fromSpans()],
  ['scores', 'evaluators.score', () => rig.scores()],
  ['a deletion', 'events.delete', () => rig.deletion()],
  ['an undo', 'events.delete', undo],
  ['a bulk change', 'datasets.update', async () => rig.change(await rig.datasetIds())],
  [
    'an offline download',
    'datasets.items',
    async () => ['keep', 'dataset', (await rig.datasetIds())[0] ?? ''],
  ],
  ['an export', 'datasets.list', () => ['export', 'datasets', '--output', rig.write('list.csv', '')]],
];

test.each(COMMANDS)('%s', async (_kind, operation, command) => {
  const later = { type: 'status', status: 429, retryAfterS: 3_600 } as const;
  const args = await command();
  rig.raw.service.setFaults([{ match: { operation }, times: 1_000, action: later }]);
  const interrupt = (running: Running) => {
    const look = setInterval(() => {
      if (rig.faults === 0) return;
      clearInterval(look);
      running.kill('SIGINT');
    }, 20);
  };
  const stopped = await rig.textHere(args, interrupt);
  expect(`${stopped.code} ${stopped.stderr}`).toMatch(ENDED);
  const sent = rig.sent(operation);
  rig.raw.service.setFaults([]);
  const listed = await rig.here(['jobs']);
  expect(listed.code).toBe(0);
  expect(listed.stdout).not.toMatch(/"unknown":[1-9]/);
  expect(rig.sent(operation)).toBe(sent);
});
