/** Repeats in a session: a mirror after each reading for offline use, and exports whose time range moves along. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { draft, engineRig } from '../helpers/engine-rig.ts';
import { exportOf } from '../helpers/export-rig.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const currentRig = engineRig();
const DAY = 86_400_000;

test('a mirror that repeats after each sync starts once data for offline use was read, and then waits again', async () => {
  const raw = await RawService.start();
  const { engine, folder } = currentRig();
  const { id } = await engine.connections.save(draft(raw.service.baseUrl), TOKEN);
  const { keep, mirrors } = await engine.session(id);
  engine.saveSettings({ keepShare: 1 });
  const [dataset] = (await raw.page(raw.path('datasets.list', {}, '?limit=1'))).items;
  const start = { folder: join(folder.path, 'notebooks'), startAtMs: null, rule: { on: 'sync' } } as const;
  const { mirrorId } = await mirrors.create({ tables: null }, start);
  expect(mirrors.get(mirrorId)).toMatchObject({ state: 'ready', startAtMs: null });
  await keep.whenIdle(keep.start(planFor({ kind: 'dataset', id: String(dataset?.['id']) }), null).keptId);
  await expect.poll(() => mirrors.get(mirrorId).state).not.toBe('ready');
  expect(await mirrors.whenIdle(mirrorId)).toMatchObject({ state: 'done', error: null });
  expect(
    mirrors
      .list()
      .map(({ state }) => state)
      .toSorted(),
  ).toEqual(['done', 'ready']);
  await raw.service.stop();
});

test('a time range up to now moves along with the start of each run, a fixed one stays', async () => {
  const raw = await RawService.start();
  const rig = currentRig();
  const { engine, folder } = rig;
  const { id } = await engine.connections.save(draft(raw.service.baseUrl), TOKEN);
  const { exports } = await engine.session(id);
  const nowMs = systemClock.nowMs();
  const [dataset] = (await raw.page(raw.path('datasets.list', {}, '?limit=1'))).items;
  const application = dataset?.['application'] as { id?: unknown } | undefined;
  const spans = (endMs: number) =>
    exportOf({
      query: {
        ...{ operation: 'spans.query', path: {}, query: {} },
        body: {
          ...{ application_id: String(application?.id) },
          start_time: new Date(endMs - 7 * DAY).toISOString(),
          end_time: new Date(endMs).toISOString(),
        },
      },
    });
  const rule = { on: 'time', days: [0, 1, 2, 3, 4, 5, 6], hour: 7, minute: 0, zone: 'UTC' } as const;
  const movedBy = async (name: string, endMs: number) => {
    const start = { file: join(folder.path, name), startAtMs: null, notBeforeMs: 0 };
    const { exportId } = await exports.create(spans(endMs), {
      ...start,
      rule: { ...rule, days: [...rule.days] },
    });
    rig.aheadMs += DAY;
    exports.control(exportId, 'start');
    const { plan } = await exports.whenIdle(exportId);
    if (!('query' in plan)) throw new Error('Expected an export of a list.');
    return Date.parse(String(plan.query.body?.['end_time'])) - endMs;
  };
  expect(await movedBy('fixed.csv', nowMs - 30 * DAY)).toBe(0);
  expect(await movedBy('week.csv', nowMs + DAY)).toBeGreaterThanOrEqual(DAY);
  await raw.service.stop();
});
