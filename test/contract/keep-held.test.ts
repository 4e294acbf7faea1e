/** Planned readings for offline use wait for the computer. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const HOUR = 3_600_000;
let raw: RawService;
let folder: DataFolder;
let rigs: KeepRig[] = [];

beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
});
afterEach(async () => {
  for (const rig of rigs) await rig[Symbol.asyncDispose]();
  rigs = [];
  await raw.service.stop();
  folder[Symbol.dispose]();
});

function open(): KeepRig {
  const rig = new KeepRig({ baseUrl: raw.service.baseUrl, token: TOKEN, folder });
  rigs.push(rig);
  return rig;
}

async function datasetIds(): Promise<string[]> {
  const { items } = await raw.page(raw.path('datasets.list'));
  return items.map(({ id }) => String(id));
}

test.each([
  { name: 'at each start', hours: 0, aheadMs: 60_000 },
  { name: 'every six hours', hours: 6, aheadMs: 6 * HOUR + 60_000 },
])(
  'a planned reading waits for the computer, and one by hand does not: $name',
  async ({ hours, aheadMs }) => {
    const [id = '', second = ''] = await datasetIds();
    const before = open();
    const { keptId } = before.keep.start(planFor({ kind: 'dataset', id }), hours);
    const { endedAtMs } = await before.keep.whenIdle(keptId);
    await before.keep.stop();

    const after = open();
    after.library.aheadMs = aheadMs;
    after.heldBy = 'on battery, until the computer is plugged in';
    after.keep.recover(true);
    const { keptId: byHand } = after.keep.start(planFor({ kind: 'dataset', id: second }), null);
    await after.keep.whenIdle(byHand);
    expect(after.keep.get(keptId)).toMatchObject({ state: 'done', endedAtMs, startAtMs: expect.any(Number) });

    after.heldBy = null;
    after.keep.wake();
    await expect
      .poll(() => (after.keep.get(keptId).endedAtMs ?? 0) > (endedAtMs ?? 0), { timeout: 20_000 })
      .toBe(true);
  },
);
