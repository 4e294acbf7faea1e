/** Two builds of the same spans into one dataset, in one process or in two: no span is added twice without asking. */
import { expect, test } from 'vitest';
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
import type { DatasetRig } from '../helpers/dataset-rig.ts';
import type { RawService } from '../helpers/sample-service.ts';

/** A window and a command line on the same data folder. */
async function two(): Promise<{ raw: RawService; window: DatasetRig; other: DatasetRig }> {
  const keptFolder = new DataFolder();
  cleanUp(() => keptFolder[Symbol.dispose]());
  const { raw, rig: window } = await open({ keptFolder });
  return { raw, window, other: openRig(raw, { keptFolder, processId: process.pid + 1 }) };
}

const created = async (rig: DatasetRig): Promise<string> => {
  const body = { name: 'Answers', application_id: await rig.applicationId() };
  return (await rig.client.call('datasets.create', { body }, { priority: 'view' })).value.id;
};

async function into(rig: DatasetRig, datasetId: string, count: number): Promise<string> {
  const buildId = await prepared(rig, count);
  await rig.datasets.builds.change(buildId, { target: { kind: 'existing', datasetId, name: 'Answers' } });
  return buildId;
}

async function resumed(rig: DatasetRig, buildId: string) {
  await rig.datasets.builds.control(buildId, 'resume');
  return rig.datasets.builds.whenIdle(buildId);
}

test.each(['in two processes', 'in one process'])(
  'two builds of the same spans at once %s: one asks, and each span is added once',
  async (where) => {
    const { raw, window, other } = await two();
    const second = where === 'in one process' ? window : other;
    const datasetId = await created(window);
    const builds = [await into(window, datasetId, 450), await into(second, datasetId, 450)] as const;
    raw.service.setFaults([call({ type: 'delay', delayMs: 100 }, { times: 100 })]);
    const ends = await Promise.all([window.commit(builds[0]), second.commit(builds[1])]);
    const asking = ends.find(({ state }) => state === 'paused');
    expect(asking).toMatchObject({
      error: { code: 'NEEDS_DECISION', details: { nextStep: expect.stringContaining('then resume') } },
      reason: expect.stringContaining('of the next request on the way to the same dataset'),
    });
    for (const [index, rig] of [window, second].entries()) {
      if (ends[index]?.state === 'paused') await resumed(rig, builds[index] ?? '');
    }
    const counts = await Promise.all([
      window.datasets.builds.whenIdle(builds[0]),
      second.datasets.builds.whenIdle(builds[1]),
    ]).then((all) => all.map(({ counts: { acknowledged, added } }) => acknowledged + added));
    expect(counts).toEqual([450, 450]);
    expectOnce(await sources(raw, datasetId), 450);
  },
);

test('spans of a call without an answer are not sent again by another build until that call is resolved', async () => {
  const { raw, window, other } = await two();
  const datasetId = await created(window);
  const first = await into(window, datasetId, 100);
  const second = await into(other, datasetId, 150);
  raw.service.setFaults([call({ type: 'hang', isStored: true })]);
  await window.datasets.builds.control(first, 'commit');
  await arrived(raw);
  await window.datasets.stop(0);
  expect(other.datasets.builds.get(first).counts).toMatchObject({ sending: 0, unknown: 100 });
  expect(await other.commit(second)).toMatchObject({
    state: 'paused',
    error: { code: 'NEEDS_DECISION' },
    counts: { acknowledged: 0, unsent: 150 },
  });
  expect(callsOf(raw).requests).toBeLessThan(2);
});

test('a user who was asked adds the rest anyway; spans skipped before stay skipped', async () => {
  const { raw, window, other } = await two();
  const datasetId = await created(window);
  const done = await into(window, datasetId, 50);
  await window.commit(done);
  const first = await into(window, datasetId, 150);
  const second = await into(other, datasetId, 150);
  raw.service.setFaults([call({ type: 'hang', isStored: true })]);
  await window.datasets.builds.control(first, 'commit');
  await arrived(raw);
  await window.datasets.stop(0);
  expect(await other.commit(second)).toMatchObject({ state: 'paused', error: { code: 'NEEDS_DECISION' } });
  expect(other.datasets.builds.get(second).counts).toMatchObject({ added: 50, unsent: 100 });
  await other.datasets.builds.change(second, { skipsAdded: false });
  expect(await resumed(other, second)).toMatchObject({
    state: 'done',
    counts: { added: 50, acknowledged: 100 },
  });
});

test('whether spans are skipped is fixed by the first call, unless the build asks about them', async () => {
  const { window } = await two();
  const build = await into(window, await created(window), 50);
  await window.commit(build);
  await expect(window.datasets.builds.change(build, { skipsAdded: false })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

test('a user who adds spans again is not asked', async () => {
  const { raw, window, other } = await two();
  const datasetId = await created(window);
  const builds = [await into(window, datasetId, 200), await into(other, datasetId, 200)] as const;
  await other.datasets.builds.change(builds[1], { skipsAdded: false });
  raw.service.setFaults([call({ type: 'delay', delayMs: 100 }, { times: 100 })]);
  const [, again] = await Promise.all([window.commit(builds[0]), other.commit(builds[1])]);
  expect(again).toMatchObject({ state: 'done', counts: { acknowledged: 200, added: 0 } });
});
