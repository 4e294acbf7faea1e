/** Builds that are rejected, paused, ended and restarted. */
import { describe, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import {
  arrived,
  call,
  callsOf,
  cleanUp,
  expectOnce,
  open,
  openRig,
  prepared,
  sources,
} from '../helpers/dataset-builds.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

describe('rejections', () => {
  test('a call that is too large is halved, and the rest is sent in calls of that size', async () => {
    const { raw, rig } = await open();
    raw.service.setFaults([call({ type: 'status', status: 413 }, { times: 2 })]);
    const buildId = await prepared(rig, 120);
    expect(await rig.commit(buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 120 } });
    const { batches } = rig.datasets.builds.listBatches(buildId, 0, 20);
    expect(batches.map(({ spans, state }) => [spans, state])).toEqual([
      [120, 'refused'],
      [60, 'refused'],
      [30, 'acknowledged'],
      [30, 'acknowledged'],
      [30, 'acknowledged'],
      [30, 'acknowledged'],
    ]);
  });

  test('a service that rejects every size as too large pauses the build instead of halving it to single spans', async () => {
    const { raw, rig } = await open();
    raw.service.setFaults([call({ type: 'status', status: 413 }, { times: 1_000 })]);
    const buildId = await prepared(rig, 200);
    expect(await rig.commit(buildId)).toMatchObject({
      state: 'paused',
      reason: expect.stringMatching(/^Even a request of [\d,]+ bytes was refused as too large \(413\)/),
      counts: { acknowledged: 0, unsent: 200 },
    });
    raw.service.setFaults([]);
    await rig.datasets.builds.control(buildId, 'resume');
    expect(await rig.datasets.builds.whenIdle(buildId)).toMatchObject({ counts: { acknowledged: 200 } });
    expect(callsOf(raw).requests).toBeLessThan(20);
  });

  test('a 422 that names no span stops the build with the message of the service', async () => {
    const { raw, rig } = await open();
    raw.service.setFaults([call({ type: 'status', status: 422, message: 'The mapping is not accepted.' })]);
    const buildId = await prepared(rig, 10);
    const build = await rig.commit(buildId);
    expect(build).toMatchObject({ state: 'stopped', counts: { unsent: 10, unresolved: 0 } });
    expect(build.reason).toContain('The mapping is not accepted.');
    await rig.datasets.builds.control(buildId, 'resume');
    expect(await rig.datasets.builds.whenIdle(buildId)).toMatchObject({ state: 'done' });
  });

  test('a 503 after the work was done leaves the call unknown, and none is written twice', async () => {
    const { raw, rig } = await open({ haste: 100 });
    raw.service.setFaults([
      call({ type: 'status', status: 503, isStored: true }, { after: 2 }),
      call({ type: 'status', status: 429 }, { after: 3 }),
    ]);
    const buildId = await prepared(rig);
    const build = await rig.commit(buildId);
    expect(build).toMatchObject({ state: 'done', counts: { acknowledged: 450 } });
    expectOnce(await sources(raw, build.datasetId), 450);
  });

  test('spans without a start time require a time range', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const from = await rig.newBuild();
    const records = await rig.pick(from, 5);
    const buildId = await rig.newBuild();
    const refs = records.map(({ trace_id, span_id }) => ({
      trace_id: String(trace_id),
      span_id: String(span_id),
      start_time: null,
      record: null,
    }));
    expect(await builds.pickGiven(buildId, refs)).toMatchObject({
      added: 5,
      build: { counts: { withoutRecord: 5 } },
    });
    await rig.target(buildId, 'By identity');
    expect(await rig.commit(buildId)).toMatchObject({
      state: 'stopped',
      reason: 'Some spans have no start time. Set a time range that covers them, then continue.',
    });
    await builds.change(buildId, {
      timeRange: { startTime: '2020-01-01T00:00:00Z', endTime: '2040-01-01T00:00:00Z' },
    });
    await builds.control(buildId, 'resume');
    expect(await builds.whenIdle(buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 5 } });
    expect(builds.readSpan(buildId, null, 0)).toMatchObject({ record: null, row: { item: null } });
  });
});

/** A build of 450 spans whose first call stays in flight for a while. */
async function committing() {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  raw.service.setFaults([call({ type: 'delay', delayMs: 700 })]);
  const buildId = await prepared(rig);
  await builds.control(buildId, 'commit');
  await arrived(raw);
  return { raw, rig, builds, buildId };
}

describe('pause and restart', () => {
  test('paused after the call in flight; resumed at the same place', async () => {
    const { raw, builds, buildId } = await committing();
    expect(await builds.control(buildId, 'pause')).toMatchObject({ state: 'paused' });
    const paused = await builds.whenIdle(buildId);
    expect(paused).toMatchObject({ state: 'paused', counts: { acknowledged: 200, unsent: 250, sending: 0 } });
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', batches: { total: 3 } });
    expectOnce(await sources(raw, done.datasetId), 450);
  });

  test('after a cancel, the call in flight is answered and has receipts, and the rest is never sent', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'delay', delayMs: 700 })]);
    const buildId = await prepared(rig);
    await expect(builds.control(buildId, 'cancel')).rejects.toThrow(/stop/);
    await builds.control(buildId, 'commit');
    await arrived(raw);
    expect(await builds.control(buildId, 'cancel')).toMatchObject({ state: 'cancelled' });
    const over = await builds.whenIdle(buildId);
    expect(over).toMatchObject({
      state: 'cancelled',
      counts: { acknowledged: 200, unsent: 250, sending: 0 },
    });
    await expect(builds.control(buildId, 'resume')).rejects.toThrow(/continue|resume/);
    expect(await builds.writeFile(buildId, 'receipts', rig.path('receipts.csv'))).toEqual({ rows: 200 });
    expectOnce(await sources(raw, over.datasetId), 200);
    // A copy continues with the remaining spans, and adds nothing twice.
    const { buildId: copyId } = await builds.copy(buildId);
    expect(await rig.commit(copyId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 250, added: 200 },
    });
    expectOnce(await sources(raw, over.datasetId), 450);
  });

  test('resumed with the call of the pause still in flight: it continues automatically', async () => {
    const { raw, builds, buildId } = await committing();
    await builds.control(buildId, 'pause');
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', batches: { total: 3 } });
    expectOnce(await sources(raw, done.datasetId), 450);
  });

  test('stopping a selection that has ended leaves the build, which is being sent, alone', async () => {
    const { raw, rig, builds, buildId } = await committing();
    builds.stopPicking(buildId);
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 450 } });
    expect(rig.builds.filter(({ counts }) => counts.unknown > 0)).toEqual([]);
    expectOnce(await sources(raw, done.datasetId), 450);
  });

  test('a call without an answer when the program ended is unknown at the next start', async () => {
    const folder = new DataFolder();
    cleanUp(() => folder[Symbol.dispose]());
    const raw = await RawService.start();
    cleanUp(() => raw.service.stop());
    const first = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder });
    raw.service.setFaults([call({ type: 'hang', isStored: true }, { after: 2 })]);
    const buildId = await prepared(first);
    await first.datasets.builds.control(buildId, 'commit');
    await first.until(() =>
      first.builds.find(({ counts }) => counts.acknowledged === 200 && counts.sending > 0),
    );
    await arrived(raw);
    await first[Symbol.asyncDispose]();
    raw.service.setFaults([]);

    const second = openRig(raw, { keptFolder: folder });
    second.datasets.recover({ continues: false });
    expect(second.datasets.builds.get(buildId)).toMatchObject({
      state: 'paused',
      counts: { acknowledged: 200, unknown: 200, unsent: 50 },
    });
    await second.datasets.builds.control(buildId, 'resume');
    const done = await second.datasets.builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 450 } });
    expectOnce(await sources(raw, done.datasetId), 450);
  });

  test('two programs: the second may read, not send', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'delay', delayMs: 400 })]);
    const buildId = await prepared(rig, 10);
    await builds.control(buildId, 'commit');
    await rig.until(() => rig.builds.find(({ counts }) => counts.sending > 0));
    const held = rig.store.builds.leases.read(buildId);
    expect(held?.processId).toBe(process.pid);
    rig.store.builds.leases.release(buildId, held?.owner ?? '');
    rig.store.builds.leases.take(
      buildId,
      { owner: 'other', processId: process.ppid, atMs: Date.now() },
      () => true,
    );
    await builds.whenIdle(buildId);
    // The answer was lost, so the process that owns the build now does not know the outcome.
    expect(rig.store.builds.get(buildId)).toMatchObject({ state: 'committing' });
    await expect(builds.control(buildId, 'resume')).rejects.toMatchObject({ code: 'CONFLICT' });
    rig.store.builds.leases.release(buildId, 'other');
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 10 } });
    expectOnce(await sources(raw, done.datasetId), 10);
  });
});
