/** Failures during a build: nothing is written twice without asking, and nothing is lost. */

import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { call, expectOnce, making, open, prepared, preview, sources } from '../helpers/dataset-builds.ts';

describe('lost answers to a call', () => {
  test.each([
    ['connection lost after it was written', { type: 'drop-after' }],
    ['answer cut half way', { type: 'cut' }],
    ['500 although it was written', { type: 'status', status: 500, isStored: true }],
    ['never answered, but written', { type: 'hang', isStored: true }],
  ] as const)('%s: the items are found and it continues', async (_name, action) => {
    // A call without an answer ends by the timeout of the client.
    let calls = 0;
    const { raw, rig } = await open({
      wrapClient: (client) => ({
        ...client,
        call: (operation, input, options) => {
          if (operation === 'datasets.add-spans') calls += 1;
          const isHanging = action.type === 'hang' && operation === 'datasets.add-spans' && calls === 2;
          return client.call(operation, input, isHanging ? { ...options, timeoutMs: 3_000 } : options);
        },
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
        '200 of 200 items of this request are in the dataset.',
        'The service stores all of a request or nothing.',
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
  ] as const)('%s: nothing is sent again without a person', async (_name, action) => {
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

  test('soon after it was sent the service may still be working: it is not reported as not written', async () => {
    const { raw, rig } = await open({ options: { evidenceSettleMs: 3_600_000 } });
    raw.service.setFaults([call({ type: 'drop' })]);
    const buildId = await prepared(rig, 10);
    expect(await rig.commit(buildId)).toMatchObject({ state: 'needs-decision', counts: { unknown: 10 } });
    const { batches } = rig.datasets.builds.listBatches(buildId, 0, 10);
    expect(batches[0]?.evidence).toMatchObject({ verdict: 'undecided' });
    expect(batches[0]?.evidence?.facts.at(-1)).toMatch(
      /^The service may still be working on it. Check again in \d+ s.$/,
    );
  });

  test('the user marks a call as stored, or gives it up', async () => {
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
    // A call is marked as stored but its items are missing, which reading the items shows.
    expect(await builds.control(buildId, 'verify')).toMatchObject({
      check: { verdict: 'differs', comparedItems: 50, equalItems: 50 },
    });
  });

  test('items that were added from a file do not prove that a call was stored', async () => {
    const { raw, rig } = await open();
    const { builds, items } = rig.datasets;
    const buildId = await prepared(rig, 3);
    const body = { name: 'From both', application_id: await rig.applicationId() };
    const { value } = await rig.client.call('datasets.create', { body }, { priority: 'view' });
    const [datasetId, datasetName] = [value.id, 'From both'];
    await builds.change(buildId, { target: { kind: 'existing', datasetId, name: datasetName } });
    const fileId = rig.path('same.jsonl');
    const lines = preview(rig, buildId).map(({ span_id: span, item }) =>
      JSON.stringify({ span, inputs: item?.inputs }),
    );
    writeFileSync(fileId, lines.join('\n'));
    const { itemsId } = await items.create(
      {
        ...{ datasetId, datasetName, fileId, fileName: 'same.jsonl' },
        dialect: {
          ...{
            format: 'jsonl',
            encoding: 'utf-8',
            delimiter: ',',
            quote: '"',
            hasHeader: true,
            nullWords: [],
          },
        },
        columns: [
          { source: 'span', place: 'source_id', field: '', type: 'str' },
          { source: 'inputs', place: 'inputs', field: '', type: 'json' },
        ],
        ...{ flattens: false, onBadRow: 'stop', itemsPerRequest: 10 },
      },
      true,
      null,
    );
    expect(await items.whenIdle(itemsId)).toMatchObject({ state: 'done', counts: { added: 3 } });
    raw.service.setFaults([call({ type: 'drop' })]);
    expect(await rig.commit(buildId)).toMatchObject({ state: 'needs-decision', counts: { unknown: 3 } });
    const { batches } = builds.listBatches(buildId, 0, 10);
    expect(batches[0]?.evidence).toMatchObject({ verdict: 'not-stored' });
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

  test('an existing name stops the build; another name continues it from its copy', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    await rig.commit(await prepared(rig, 5));
    const second = await prepared(rig, 10);
    expect(await rig.commit(second)).toMatchObject({
      state: 'stopped',
      reason:
        'A dataset named Answers exists in this application already. Use another name, or choose that dataset.',
      counts: { unsent: 10 },
    });
    const copy = await builds.copy(second);
    await rig.target(copy.buildId, 'Other answers');
    expect(await rig.commit(copy.buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 10 } });
  });

  test('one of that name with items in it, after a lost answer, is not mistaken for it', async () => {
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

describe('a failing disk', () => {
  test('takes no receipt for a while: the answer is kept, nothing is sent twice', async () => {
    const { raw, rig } = await open({ haste: 100 });
    const { builds } = rig.datasets;
    const buildId = await prepared(rig, 450);
    const { commit } = rig.store;
    let refused = 0;
    rig.store.commit = (work) => {
      const answered = raw.service.report().operations['datasets.add-spans']?.requests ?? 0;
      if (answered === 2 && refused < 3) {
        refused += 1;
        throw new AppError('DISK_FULL', 'The disk is full.');
      }
      return commit(work);
    };
    const paused = await rig.commit(buildId);
    expect(refused).toBe(3);
    expect(paused).toMatchObject({ state: 'paused', counts: { unknown: 0, sending: 0 } });
    await builds.control(buildId, 'resume');
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 450 } });
    expectOnce(await sources(raw, done.datasetId), 450);
  });
});
