/** Data that is being read for offline use, is removed or paused, and is restored or resumed at once. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, type KeepRigOptions, planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

let raw: RawService;
let folder: DataFolder;
beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
});
afterEach(async () => {
  await raw.service.stop();
  folder[Symbol.dispose]();
});

test.each([
  ['after its requests have ended', true],
  ['before its requests have ended', false],
])('an entry that is restored %s is read to its end', async (_, isLater) => {
  const { items } = await raw.page(raw.path('datasets.list'));
  const id = String(items[0]?.['id']);
  // Without the timer that looks for abandoned jobs, so that only the restoring can continue this one.
  const setTimer: KeepRigOptions['setTimer'] = (callback, delayMs) =>
    delayMs < 10_000 ? systemClock.setTimer(callback, delayMs) : () => undefined;
  await using rig = new KeepRig({ baseUrl: raw.service.baseUrl, token: TOKEN, folder, setTimer });
  rig.keep.recover(true);
  raw.service.setFaults([
    { match: { operation: 'datasets.items' }, times: 1, action: { type: 'delay', delayMs: 200 } },
  ]);
  const { keptId } = rig.keep.start(planFor({ kind: 'dataset', id }), null);
  await expect.poll(() => raw.service.report().faults).toBeGreaterThan(0);
  rig.keep.softDelete(keptId);
  const ended = rig.keep.whenIdle(keptId).catch(() => undefined);
  if (isLater) await ended;
  rig.keep.restore(keptId);
  await expect.poll(() => rig.keep.get(keptId).state).toBe('done');
});

test('an entry that is paused and resumed at once is read to its end', async () => {
  const { items } = await raw.page(raw.path('datasets.list'));
  const id = String(items[0]?.['id']);
  let restart: () => void = () => undefined;
  await using rig = new KeepRig({
    ...{ baseUrl: raw.service.baseUrl, token: TOKEN, folder },
    wrapClient: (client) => ({
      ...client,
      rows: async (...asked) => {
        const answer = await client.rows(...asked);
        restart();
        return answer;
      },
    }),
  });
  const { keptId } = rig.keep.start(planFor({ kind: 'dataset', id }), null);
  restart = () => {
    restart = () => undefined;
    rig.keep.control(keptId, 'pause');
    rig.keep.control(keptId, 'resume');
  };
  expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done', counts: { read: 4, failed: 0 } });
});
