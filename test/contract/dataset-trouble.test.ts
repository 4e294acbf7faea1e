/** What goes wrong in the middle of a build: nothing is written twice unsaid, nothing is lost. */
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../electron/sample-service/faults.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { DatasetRig, type DatasetRigOptions } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const cleanUp = cleanUpAfterEach();

async function open(options: Partial<DatasetRigOptions> = {}): Promise<{ raw: RawService; rig: DatasetRig }> {
  const raw = await RawService.start();
  cleanUp(async () => {
    expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
    await raw.service.stop();
  });
  const rig = openRig(raw, options);
  return { raw, rig };
}

function openRig(raw: RawService, options: Partial<DatasetRigOptions> = {}): DatasetRig {
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, ...options });
  cleanUp(() => rig[Symbol.asyncDispose]());
  return rig;
}

const call = (action: FaultRule['action'], more: Partial<FaultRule> = {}): FaultRule => ({
  match: { operation: 'datasets.add-spans' },
  times: 1,
  ...more,
  action,
});
const making = (action: FaultRule['action']): FaultRule => ({
  match: { operation: 'datasets.create' },
  times: 1,
  action,
});

async function prepared(rig: DatasetRig, count = 450): Promise<string> {
  const buildId = await rig.newBuild();
  await rig.pick(buildId, count);
  await rig.target(buildId, 'Answers', [
    { bucket: 'inputs', field: 'intent', key: 'user.intent' },
    { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' },
  ]);
  return buildId;
}

/** Span ids the service's items come from, in its order. */
async function sources(raw: RawService, datasetId: string | null): Promise<string[]> {
  const path = raw.path('datasets.items', { dataset_id: datasetId ?? '' }, '?limit=1000');
  return (await raw.page(path)).items.map((item) => String(item['source_id']));
}

function expectOnce(ids: readonly string[], count: number): void {
  expect(ids).toHaveLength(count);
  expect(new Set(ids).size).toBe(count);
}

describe('lost answers to a call', () => {
  test.each([
    ['connection lost after it was written', { type: 'drop-after' }],
    ['answer cut half way', { type: 'cut' }],
    ['500 although it was written', { type: 'status', status: 500, isStored: true }],
    ['never answered, but written', { type: 'hang', isStored: true }],
  ] as const)('%s: the items are found and it goes on', async (_name, action) => {
    // A call that is never answered is given up by the client's own time-out.
    const { raw, rig } = await open({
      wrapClient: (client) => ({
        ...client,
        call: (operation, input, options) => client.call(operation, input, { ...options, timeoutMs: 1_500 }),
      }),
    });
    raw.service.setFaults([call(action, { after: 2 })]);
    const buildId = await prepared(rig);
    const build = await rig.commit(buildId);
    expect(build).toMatchObject({
      state: 'done',
      counts: { acknowledged: 450, unknown: 0 },
      check: { verdict: 'count-agrees' },
    });
    const { batches } = rig.datasets.builds.listBatches(buildId, 0, 10);
    expect(batches.map(({ state }) => state)).toEqual(['acknowledged', 'acknowledged', 'acknowledged']);
    expect(batches[1]?.evidence).toMatchObject({
      verdict: 'stored',
      facts: [
        'Of the 200 items of this call 200 are in the dataset.',
        'A call is written whole or not at all.',
      ],
    });
    expectOnce(await sources(raw, build.datasetId), 450);
    expect(await rig.datasets.builds.control(buildId, 'verify')).toMatchObject({
      check: { verdict: 'equal', comparedItems: 450 },
    });
  });

  test.each([
    ['connection lost before it was read', { type: 'drop' }],
    ['500', { type: 'status', status: 500 }],
    ['502 as HTML', { type: 'html', status: 502 }],
  ] as const)('%s: nothing is sent again before a person says so', async (_name, action) => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call(action, { after: 2 })]);
    const buildId = await prepared(rig);
    let build = await rig.commit(buildId);
    if (build.state === 'paused') {
      await builds.control(buildId, 'resume');
      build = await builds.whenIdle(buildId);
    }
    expect(build).toMatchObject({
      state: 'needs-decision',
      counts: { acknowledged: 250, unknown: 200, unsent: 0 },
    });
    const { batches } = builds.listBatches(buildId, 0, 10);
    const lost = batches.find(({ state }) => state === 'unknown');
    expect(lost?.evidence).toMatchObject({ verdict: 'not-stored' });
    expectOnce(await sources(raw, build.datasetId), 250);
    await builds.decideBatch(buildId, lost?.batch ?? -1, 'resend');
    expect(await builds.whenIdle(buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 450 } });
    expectOnce(await sources(raw, build.datasetId), 450);
  });

  test('soon after it was sent the service may still be at work: nobody says that it was not written', async () => {
    const { raw, rig } = await open({ options: { evidenceSettleMs: 3_600_000 } });
    raw.service.setFaults([call({ type: 'drop' })]);
    const buildId = await prepared(rig, 10);
    expect(await rig.commit(buildId)).toMatchObject({ state: 'needs-decision', counts: { unknown: 10 } });
    const { batches } = rig.datasets.builds.listBatches(buildId, 0, 10);
    expect(batches[0]?.evidence).toMatchObject({ verdict: 'undecided' });
    expect(batches[0]?.evidence?.facts.at(-1)).toMatch(
      /^It may still be at work on it. Ask again in \d+ s.$/,
    );
  });

  test('a person counts a call as stored, or gives it up', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'drop' }, { times: 2 })]);
    const buildId = await prepared(rig, 450);
    expect(await rig.commit(buildId)).toMatchObject({ counts: { acknowledged: 50, unknown: 400 } });
    await expect(builds.decideBatch(buildId, 2, 'resend')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await builds.decideBatch(buildId, 0, 'give-up')).toMatchObject({ state: 'needs-decision' });
    const done = await builds.decideBatch(buildId, 1, 'stored');
    expect(done).toMatchObject({
      state: 'done',
      counts: { acknowledged: 250, givenUp: 200, unknown: 0, unsent: 0 },
    });
    // What was counted as stored is not there: reading the items back says so.
    expect(await builds.control(buildId, 'verify')).toMatchObject({
      check: { verdict: 'differs', comparedItems: 50, equalItems: 50 },
    });
  });

  test('three lost answers in a row pause the build', async () => {
    const { raw, rig } = await open();
    raw.service.setFaults([call({ type: 'drop' }, { times: 10 })]);
    const buildId = await prepared(rig, 900);
    expect(await rig.commit(buildId)).toMatchObject({
      state: 'paused',
      counts: { unknown: 600, unsent: 300 },
    });
  });
});

describe('the new dataset', () => {
  test.each([
    ['made, but the answer was lost', { type: 'drop-after' }],
    ['not made, and no answer came', { type: 'drop' }],
  ] as const)('%s: there is one dataset in the end', async (_name, action) => {
    const { raw, rig } = await open({ haste: 1_000 });
    raw.service.setFaults([making(action)]);
    const buildId = await prepared(rig, 10);
    const build = await rig.commit(buildId);
    expect(build).toMatchObject({ state: 'done', counts: { acknowledged: 10 } });
    const { items } = await raw.page(raw.path('datasets.list', {}, '?limit=1000'));
    expect(items.filter((dataset) => dataset['name'] === 'Answers').map(({ id }) => id)).toEqual([
      build.datasetId,
    ]);
  });

  test('a name that is taken stops the build; another name lets it go on from its copy', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    await rig.commit(await prepared(rig, 5));
    const second = await prepared(rig, 10);
    expect(await rig.commit(second)).toMatchObject({
      state: 'stopped',
      reason:
        'A dataset named Answers exists in this application already. Take another name, or choose that dataset.',
      counts: { unsent: 10 },
    });
    const copy = await builds.copy(second);
    await rig.target(copy.buildId, 'Other answers');
    expect(await rig.commit(copy.buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 10 } });
  });

  test('one of that name with items in it, after a lost answer, is not taken for it', async () => {
    const { raw, rig } = await open({ haste: 1_000 });
    const first = await rig.commit(await prepared(rig, 5));
    raw.service.setFaults([making({ type: 'drop' })]);
    const second = await prepared(rig, 10);
    expect(await rig.commit(second)).toMatchObject({ state: 'stopped', error: { code: 'CONFLICT' } });
    expect(await sources(raw, first.datasetId)).toHaveLength(5);
  });

  test('deleted between two calls: stopped with the reason, the rest unsent', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'status', status: 403 }, { after: 2 })]);
    const buildId = await prepared(rig);
    const paused = await rig.commit(buildId);
    expect(paused).toMatchObject({ state: 'paused', counts: { acknowledged: 200, unsent: 250 } });
    await raw.raw('DELETE', raw.path('datasets.delete', { dataset_id: paused.datasetId ?? '' }));
    await builds.control(buildId, 'resume');
    expect(await builds.whenIdle(buildId)).toMatchObject({
      state: 'stopped',
      error: { code: 'NOT_FOUND' },
      counts: { acknowledged: 200, unsent: 250 },
    });
    await expect(
      builds.change(buildId, { target: { kind: 'existing', datasetId: 'x', name: 'x' } }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('refusals', () => {
  test('a call that is too large is halved, and the rest goes in calls of that size', async () => {
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

  test('a 422 that names no span stops the build with what the service says', async () => {
    const { raw, rig } = await open();
    raw.service.setFaults([call({ type: 'status', status: 422, message: 'The mapping is not accepted.' })]);
    const buildId = await prepared(rig, 10);
    const build = await rig.commit(buildId);
    expect(build).toMatchObject({ state: 'stopped', counts: { unsent: 10, unresolved: 0 } });
    expect(build.reason).toContain('The mapping is not accepted.');
    await rig.datasets.builds.control(buildId, 'resume');
    expect(await rig.datasets.builds.whenIdle(buildId)).toMatchObject({ state: 'done' });
  });

  test('429 and 503 are waited for, and no call is written twice', async () => {
    const { raw, rig } = await open({ haste: 100 });
    raw.service.setFaults([
      call({ type: 'status', status: 503 }, { after: 2 }),
      call({ type: 'status', status: 503 }, { after: 3 }),
    ]);
    const buildId = await prepared(rig);
    const build = await rig.commit(buildId);
    expect(build).toMatchObject({ state: 'done', counts: { acknowledged: 450 } });
    expectOnce(await sources(raw, build.datasetId), 450);
  });

  test('spans without a start time need a time range', async () => {
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
      reason: 'Some spans carry no start time. Set a time range that covers them, then go on.',
    });
    await builds.change(buildId, {
      timeRange: { startTime: '2020-01-01T00:00:00Z', endTime: '2040-01-01T00:00:00Z' },
    });
    await builds.control(buildId, 'resume');
    expect(await builds.whenIdle(buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 5 } });
    expect(builds.readSpan(buildId, null, 0)).toMatchObject({ record: null, row: { item: null } });
  });
});

describe('pause and restart', () => {
  test('paused after the call that is on its way; resumed where it stopped', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'delay', delayMs: 700 })]);
    const buildId = await prepared(rig);
    await builds.control(buildId, 'commit');
    await rig.until(() => rig.builds.find(({ counts }) => counts.sending > 0));
    expect(await builds.control(buildId, 'pause')).toMatchObject({ state: 'paused' });
    const paused = await builds.whenIdle(buildId);
    expect(paused).toMatchObject({ state: 'paused', counts: { acknowledged: 200, unsent: 250, sending: 0 } });
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', batches: { total: 3 } });
    expectOnce(await sources(raw, done.datasetId), 450);
  });

  test('resumed while the paused call is still on its way: it goes on by itself', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'delay', delayMs: 700 })]);
    const buildId = await prepared(rig);
    await builds.control(buildId, 'commit');
    await rig.until(() => rig.builds.find(({ counts }) => counts.sending > 0));
    await builds.control(buildId, 'pause');
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', batches: { total: 3 } });
    expectOnce(await sources(raw, done.datasetId), 450);
  });

  test('a call that was never answered when the program ended is unknown at the next start', async () => {
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

  test('two programs: the second may look, not send', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    raw.service.setFaults([call({ type: 'delay', delayMs: 400 })]);
    const buildId = await prepared(rig, 10);
    await builds.control(buildId, 'commit');
    await rig.until(() => rig.builds.find(({ counts }) => counts.sending > 0));
    const held = rig.store.leases.read(buildId);
    expect(held?.processId).toBe(process.pid);
    rig.store.leases.release(buildId, held?.owner ?? '');
    rig.store.leases.take(buildId, { owner: 'other', processId: process.ppid, atMs: Date.now() }, () => true);
    await builds.whenIdle(buildId);
    // Its answer came to nobody: whoever holds it now, finds it unknown.
    expect(rig.store.builds.get(buildId)).toMatchObject({ state: 'committing' });
    await expect(builds.control(buildId, 'resume')).rejects.toMatchObject({ code: 'CONFLICT' });
    rig.store.leases.release(buildId, 'other');
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 10 } });
    expectOnce(await sources(raw, done.datasetId), 10);
  });
});
