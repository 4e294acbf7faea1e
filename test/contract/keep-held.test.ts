/** Reads for offline use that the user plans: they wait for the computer, and their duration is stated before. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, type KeepRigOptions, planFor } from '../helpers/keep-rig.ts';
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

function open(options: Partial<KeepRigOptions> = {}): KeepRig {
  const rig = new KeepRig({ baseUrl: raw.service.baseUrl, token: TOKEN, folder, ...options });
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

test('another reading is planned by the limits and by the length of the last one, without a request', async () => {
  const [id = ''] = await datasetIds();
  const before = open();
  const { keptId } = before.keep.start(planFor({ kind: 'dataset', id }), null);
  expect(before.keep.planSync(keptId).lastMs).toBeNull();
  const { createdAtMs, endedAtMs } = await before.keep.whenIdle(keptId);
  const { pageRows } = before.library.settings;
  await before.keep.stop();

  const { total } = await raw.page(raw.path('datasets.items', { dataset_id: id }, '?limit=1'));
  const sent = raw.service.report().requests;
  const after = open({ windows: [{ count: 1, lengthMs: 60_000 }] });
  const pages = Math.max(1, Math.ceil(total / pageRows));
  expect(after.keep.planSync(keptId)).toEqual({
    requests: pages + 3,
    // The other three queries are one request each, of other operations.
    byLimitsMs: (pages - 1) * 60_000,
    lastMs: (endedAtMs ?? 0) - createdAtMs,
  });
  expect(raw.service.report().requests).toBe(sent);
});

test('after a retry of failed parts, the length of the last complete reading is kept', async () => {
  const [id = ''] = await datasetIds();
  const rig = open();
  raw.service.setFaults([
    { match: { operation: 'datasets.items' }, action: { type: 'status', status: 500 } },
  ]);
  const { keptId } = await rig.kept(planFor({ kind: 'dataset', id }));
  const { lastMs } = rig.keep.planSync(keptId);
  expect(lastMs).toEqual(expect.any(Number));

  rig.library.aheadMs = 24 * HOUR;
  raw.service.setFaults([]);
  rig.keep.control(keptId, 'retry');
  expect(await rig.keep.whenIdle(keptId)).toMatchObject({ counts: { read: 4, failed: 0 } });
  expect(rig.keep.planSync(keptId).lastMs).toBe(lastMs);
});
