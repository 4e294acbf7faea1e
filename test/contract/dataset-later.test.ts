/** Builds that are planned for later are stored, and start exactly once at their time, even after a restart. */
import { describe, expect, test } from 'vitest';
import { earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { callsOf, expectOnce, prepared, sources } from '../helpers/dataset-builds.ts';
import { HOUR_MS, planned, rigs } from '../helpers/datasets-later.ts';
import type { RawService } from '../helpers/sample-service.ts';

const calls = (raw: RawService) => callsOf(raw)?.requests ?? 0;

describe('a build', () => {
  test('waits for its time, is listed with its requests, and starts at its time', async () => {
    const { raw, rig, time, now, folder } = await rigs();
    const { builds } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const buildId = await prepared(rig, 250);
    const startAtMs = now() + HOUR_MS;
    expect(await builds.control(buildId, 'schedule', startAtMs)).toMatchObject({
      state: 'editing',
      startAtMs,
    });
    rig.datasets.wake();
    expect(planned(rig)).toMatchObject([
      { kind: 'build', id: buildId, title: 'Answers', startAtMs, error: null },
    ]);
    expect(planned(rig)[0]?.requests).toEqual([
      { operation: 'datasets.create', count: 1 },
      { operation: 'datasets.schema', count: 2 },
      { operation: 'datasets.add-spans', count: 2 },
    ]);
    expect(earliestPlannedStart(folder.file('datasets.db'), Date.now())).toBe(startAtMs);
    expect(calls(raw)).toBe(0);
    time.aheadMs = HOUR_MS;
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', startAtMs: null, lateStart: null });
    expectOnce(await sources(raw, done.datasetId), 250);
    expect(planned(rig)).toEqual([]);
    expect(earliestPlannedStart(folder.file('datasets.db'), Date.now())).toBeNull();
  });

  test('can be changed meanwhile: its requests follow, and the current spans are sent at its time', async () => {
    const { raw, rig, time, now } = await rigs();
    const { builds } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const buildId = await prepared(rig, 250);
    await builds.control(buildId, 'schedule', now() + HOUR_MS);
    builds.exclude(
      buildId,
      Array.from({ length: 150 }, (_, position) => position),
      true,
    );
    const mapping = [{ bucket: 'inputs' as const, field: 'tokens', key: 'system.gen_ai.usage.total_tokens' }];
    expect(await builds.change(buildId, { mapping })).toMatchObject({ startAtMs: expect.any(Number) });
    expect(builds.plan(buildId)).toMatchObject({ spans: 100, calls: 1 });
    expect(planned(rig)[0]?.requests.at(-1)).toEqual({ operation: 'datasets.add-spans', count: 1 });
    time.aheadMs = HOUR_MS;
    const done = await builds.whenIdle(buildId);
    expect(done.counts).toMatchObject({ acknowledged: 100, excluded: 150 });
    const path = raw.path('datasets.items', { dataset_id: done.datasetId ?? '' }, '?limit=200');
    const { items } = await raw.page(path);
    // Only spans of models have this attribute.
    const keys = items.flatMap(({ inputs }) => Object.keys(Object(inputs)));
    expect(new Set(keys)).toEqual(new Set(['tokens']));
    expect(items.every((item) => JSON.stringify(item['expected_outputs']) === '{}')).toBe(true);
  });

  test('that cannot be sent any more at its time says why and waits for the user', async () => {
    const { raw, rig, time, now } = await rigs();
    const { builds } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const buildId = await prepared(rig, 5);
    await builds.control(buildId, 'schedule', now() + HOUR_MS);
    await builds.change(buildId, { mapping: [] });
    time.aheadMs = HOUR_MS;
    const missed = await builds.whenIdle(buildId);
    expect(missed).toMatchObject({ state: 'editing', startAtMs: null, error: { code: 'INVALID_ARGUMENT' } });
    expect(missed.reason).toContain('Nothing was sent.');
    await expect(builds.control(buildId, 'schedule', now() + HOUR_MS)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(calls(raw)).toBe(0);
    // Once corrected, the build can be planned again, and the error is gone.
    await rig.target(buildId, 'Answers');
    const again = await builds.control(buildId, 'schedule', now() + HOUR_MS);
    expect(again).toMatchObject({ reason: '', error: null });
    rig.library.clientRig.switches.isReadOnly = true;
    time.aheadMs = 3 * HOUR_MS;
    expect(await builds.whenIdle(buildId)).toMatchObject({ state: 'editing', error: { code: 'READ_ONLY' } });
    await expect(builds.control(buildId, 'schedule', now() + HOUR_MS)).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
    rig.library.clientRig.switches.isReadOnly = false;
  });

  test('can be rescheduled, cancelled, started now, and planned while it is paused', async () => {
    const { raw, rig, time, now } = await rigs();
    const { builds } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const source = rig.datasets.sources.find(({ kind }) => kind === 'build');
    const buildId = await prepared(rig, 250);
    await expect(builds.control(buildId, 'schedule', now() - 1)).rejects.toThrow('in the future');
    await expect(builds.control(buildId, 'unschedule')).rejects.toThrow(
      'Cannot cancel the start: this build is',
    );
    await builds.control(buildId, 'schedule', now() + HOUR_MS);
    const later = now() + 9 * HOUR_MS;
    await source?.control(buildId, 'schedule', later);
    time.aheadMs = 2 * HOUR_MS;
    rig.datasets.wake();
    expect(builds.get(buildId)).toMatchObject({ state: 'editing', startAtMs: later });
    await source?.control(buildId, 'unschedule', null);
    expect(builds.get(buildId)).toMatchObject({ state: 'editing', startAtMs: null });
    await builds.control(buildId, 'schedule', now() + HOUR_MS);
    raw.service.setFaults([
      { match: { operation: 'datasets.add-spans' }, times: 1, action: { type: 'delay', delayMs: 200 } },
    ]);
    await source?.control(buildId, 'start', null);
    await rig.until(() => rig.builds.find(({ counts }) => counts.sending > 0));
    await builds.control(buildId, 'pause');
    expect(await builds.whenIdle(buildId)).toMatchObject({
      state: 'paused',
      startAtMs: null,
      lateStart: null,
    });
    expect(await builds.control(buildId, 'schedule', now() + HOUR_MS)).toMatchObject({ state: 'paused' });
    time.aheadMs = 5 * HOUR_MS;
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 250 } });
    await expect(builds.control(buildId, 'schedule', now() + HOUR_MS)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expectOnce(await sources(raw, done.datasetId), 250);
  });

  test('whose time came while the application was closed starts at the next start, and reports it', async () => {
    const { raw, rig, again, time, now } = await rigs();
    const buildId = await prepared(rig, 30);
    const plannedAtMs = now() + HOUR_MS;
    await rig.datasets.builds.control(buildId, 'schedule', plannedAtMs);
    await rig.datasets.stop(0);
    time.aheadMs = 8 * HOUR_MS;
    const next = again();
    next.datasets.recover({ continues: true });
    const done = await next.datasets.builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', lateStart: { plannedAtMs } });
    expect(done.lateStart?.startedAtMs).toBeGreaterThan(plannedAtMs + 6 * HOUR_MS);
    expectOnce(await sources(raw, done.datasetId), 30);
  });

  test('without a connection to the service starts at its time, waits with the reason, and continues automatically', async () => {
    const { raw, rig, time, now } = await rigs();
    const { builds } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const buildId = await prepared(rig, 30);
    await builds.control(buildId, 'schedule', now() + HOUR_MS);
    rig.library.clientRig.switches.isOffline = true;
    time.aheadMs = HOUR_MS;
    const waiting = await rig.until(() => rig.builds.find(({ state }) => state === 'waiting'));
    expect(waiting).toMatchObject({ error: { code: 'OFFLINE' }, startAtMs: null });
    expect(waiting.reason).not.toBe('');
    rig.library.clientRig.switches.isOffline = false;
    rig.datasets.wake();
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done' });
    expectOnce(await sources(raw, done.datasetId), 30);
  });

  test('is sent by one of two processes that monitor it, and ignored by a command line that did not plan it', async () => {
    const { raw, rig, again, time, now } = await rigs();
    const buildId = await prepared(rig, 250);
    const window = again({ processId: process.pid + 1 });
    const bystander = again({ processId: process.pid + 2 });
    window.datasets.recover({ continues: true });
    bystander.datasets.recover({ continues: false });
    await rig.datasets.builds.control(buildId, 'schedule', now() + HOUR_MS);
    time.aheadMs = 2 * HOUR_MS;
    expect((await bystander.datasets.builds.whenIdle(buildId)).startAtMs).not.toBeNull();
    await Promise.all([rig, window].map((each) => each.datasets.builds.whenIdle(buildId)));
    await Promise.all([rig, window].map((each) => each.datasets.builds.whenIdle(buildId)));
    const done = rig.datasets.builds.get(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 250, unknown: 0 } });
    expectOnce(await sources(raw, done.datasetId), 250);
    expect(calls(raw)).toBe(2);
  });

  test('planned by a command line that ended is started by a window that was open all the time', async () => {
    const { raw, rig, again, time, now } = await rigs();
    const window = again({ processId: process.pid + 1 });
    window.datasets.recover({ continues: true });
    const heard: number[] = [];
    for (const { jobs } of window.datasets.sources)
      jobs.starts.listen(() => heard.push(planned(window).length));
    const buildId = await prepared(rig, 30);
    await rig.datasets.builds.control(buildId, 'schedule', now() + HOUR_MS);
    await rig.datasets.stop(0);
    await window.until(() => (heard.includes(1) ? true : planned(window).length === 0 ? undefined : true));
    time.aheadMs = HOUR_MS;
    const done = await window.until(() => window.builds.find(({ state }) => state === 'done'));
    expectOnce(await sources(raw, done.datasetId), 30);
  });

  test('starts once at its time although the clock is set back and forth; a copy of it is not planned', async () => {
    const { raw, rig, time, now } = await rigs();
    const { builds } = rig.datasets;
    rig.datasets.recover({ continues: true });
    const buildId = await prepared(rig, 30);
    time.aheadMs = 20 * HOUR_MS;
    await builds.control(buildId, 'schedule', now() + HOUR_MS);
    const copy = await builds.copy(buildId);
    expect(copy).toMatchObject({ startAtMs: null, lateStart: null });
    time.aheadMs = 0;
    rig.datasets.wake();
    expect(builds.get(buildId).startAtMs).not.toBeNull();
    time.aheadMs = 22 * HOUR_MS;
    rig.datasets.wake();
    time.aheadMs = 0;
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', lateStart: { plannedAtMs: expect.any(Number) } });
    expectOnce(await sources(raw, done.datasetId), 30);
  });

  test('that is removed is no longer planned', async () => {
    const { rig, now } = await rigs();
    rig.datasets.recover({ continues: true });
    const buildId = await prepared(rig, 5);
    await rig.datasets.builds.control(buildId, 'schedule', now() + HOUR_MS);
    rig.datasets.builds.forget(buildId);
    expect(planned(rig)).toEqual([]);
  });
});
