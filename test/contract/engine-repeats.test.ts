/** Repeats in a session: a mirror after each read for offline use, and exports whose time range moves with the date. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { applicationAnswers, draft, engineRig } from '../helpers/engine-rig.ts';
import { exportOf } from '../helpers/export-rig.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const currentRig = engineRig();
const DAY = 86_400_000;
const DAILY = { on: 'time', days: [0, 1, 2, 3, 4, 5, 6], hour: 7, minute: 0, zone: 'UTC' } as const;
const isoOf = (ms: number) => new Date(ms).toISOString();

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

test.each(['paused', 'dropped'])(
  'a reading that ended while another one was running counts once the other one is %s',
  async (end) => {
    const { engine, folder, server } = currentRig();
    server.answer((request, response) => {
      if (!request.url.includes('held')) applicationAnswers(request, response);
    });
    const { id } = await engine.connections.save(draft(server.baseUrl), TOKEN);
    const { keep, mirrors } = await engine.session(id);
    engine.saveSettings({ keepShare: 1 });
    const start = { folder: join(folder.path, 'notebooks'), startAtMs: null, rule: { on: 'sync' } } as const;
    const { mirrorId } = await mirrors.create({ tables: null }, start);
    const held = keep.start(planFor({ kind: 'dataset', id: 'held' }), null).keptId;
    await keep.whenIdle(keep.start(planFor({ kind: 'dataset', id: 'free' }), null).keptId);
    expect(keep.get(held).state).toBe('running');
    expect(mirrors.get(mirrorId).state).toBe('ready');
    if (end === 'paused') keep.control(held, 'pause');
    else keep.drop(held);
    await expect.poll(() => mirrors.list().length).toBe(2);
  },
);

test('a repeat set on a planned export moves its time range along', async () => {
  const rig = currentRig();
  const { engine, folder, server } = rig;
  const { id } = await engine.connections.save(draft(server.baseUrl), TOKEN);
  const { exports } = await engine.session(id);
  const nowMs = systemClock.nowMs();
  const times = { start_time: isoOf(nowMs - 7 * DAY), end_time: isoOf(nowMs) };
  const body = { application_id: 'a', ...times };
  const plan = exportOf({ query: { operation: 'spans.query', path: {}, query: {}, body } });
  const start = { file: join(folder.path, 'week.csv'), startAtMs: nowMs + 9 * DAY, notBeforeMs: 0 };
  const { exportId } = await exports.create(plan, start);
  exports.repeat(exportId, { type: 'set', rule: { ...DAILY, days: [...DAILY.days] }, startAtMs: null });
  rig.aheadMs += DAY;
  exports.control(exportId, 'start');
  const moved = await exports.whenIdle(exportId);
  if (!('query' in moved.plan)) throw new Error('Expected an export of a list.');
  expect(Date.parse(String(moved.plan.query.body?.['end_time'])) - nowMs).toBeGreaterThanOrEqual(DAY);
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
          start_time: isoOf(endMs - 7 * DAY),
          end_time: isoOf(endMs),
        },
      },
    });
  const movedBy = async (name: string, endMs: number) => {
    const start = { file: join(folder.path, name), startAtMs: null, notBeforeMs: 0 };
    const { exportId } = await exports.create(spans(endMs), {
      ...start,
      rule: { ...DAILY, days: [...DAILY.days] },
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

test('two connections do not write one file by turns', async () => {
  const { engine, folder, server } = currentRig();
  server.answer(applicationAnswers);
  const file = join(folder.path, 'applications.csv');
  const rule = { ...DAILY, days: [...DAILY.days] };
  const plan = exportOf({ query: { operation: 'applications.list', path: {}, query: {} } });
  const exportsOf = async (token: string) => {
    const { id } = await engine.connections.save(draft(server.baseUrl), token);
    return (await engine.session(id)).exports;
  };
  const [mine, other] = [await exportsOf(TOKEN), await exportsOf('another-token-0123')];
  const first = await mine.create(plan, { file, startAtMs: null, notBeforeMs: 0, rule });
  mine.control(first.exportId, 'start');
  expect(await mine.whenIdle(first.exportId)).toMatchObject({ state: 'done' });
  await expect(other.create(plan, { file, startAtMs: null, notBeforeMs: 0, rule })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(/^Expected a file that no other repeat writes, .* Choose another file/),
  });
  // A single export may replace the file. A repeat added to that export takes the file over.
  const once = await other.create(plan, { file, startAtMs: null, notBeforeMs: 0 });
  expect(await other.whenIdle(once.exportId)).toMatchObject({ state: 'done' });
  const { exportId } = other.repeat(once.exportId, { type: 'set', rule, startAtMs: null });
  other.control(exportId, 'start');
  expect(await other.whenIdle(exportId)).toMatchObject({ state: 'done' });
  const next = mine.list().find(({ state }) => state === 'ready')?.exportId ?? '';
  mine.control(next, 'start');
  const held = await mine.whenIdle(next);
  expect(held).toMatchObject({ state: 'paused', error: { code: 'CONFLICT' } });
  expect(held.reason).toContain('wrote applications.csv at');
});
