import { expect, test } from 'vitest';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { open, prepared } from '../helpers/dataset-builds.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

test('near-duplicates are excluded, kept on demand, and restored when they are no longer near-duplicates', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await prepared(rig, 120);
  const { nearDuplicates, counts } = await builds.findNearDuplicates(buildId, 0.85);
  const found = nearDuplicates?.found ?? 0;
  expect(found).toBeGreaterThan(1);
  expect(nearDuplicates).toEqual({ threshold: 0.85, found, skipped: found });
  expect(counts).toMatchObject({ picked: 120, excluded: found, unsent: 120 - found });

  const page = builds.readRows(buildId, { mapping: null, show: 'near-duplicates', offset: 0, limit: 200 });
  expect(page.matchingRows).toBe(found);
  const [first, second] = page.rows;
  if (first?.nearDuplicate?.of.kind !== 'span' || second === undefined)
    throw new Error('There is no near-duplicate of a span.');
  const pair = builds.readNearDuplicate(buildId, first.position);
  const side = (left: 'removed' | 'added') =>
    pair.pieces
      .filter(({ kind }) => kind !== left)
      .map(({ text }) => text)
      .join('');
  for (const { input, position } of [
    { input: side('removed'), position: first.position },
    { input: side('added'), position: first.nearDuplicate.of.position },
  ]) {
    expect(input).toContain(String(builds.readSpan(buildId, null, position).row.item?.inputs['intent']));
  }

  builds.exclude(buildId, [first.position], false);
  const again = await builds.findNearDuplicates(buildId, 0.85);
  expect(again).toMatchObject({
    nearDuplicates: { found, skipped: found - 1 },
    counts: { excluded: found - 1, unsent: 121 - found },
  });
  // Spans that the user excludes neither are nor have near-duplicates.
  const other = builds
    .readRows(buildId, { mapping: null, show: 'to-send', offset: 0, limit: 200 })
    .rows.at(-1);
  builds.exclude(buildId, [other?.position ?? 0], true);
  const strict = await builds.findNearDuplicates(buildId, 1);
  expect(strict.counts.excluded).toBe((strict.nearDuplicates?.skipped ?? 0) + 1);
  expect(strict.nearDuplicates?.found).toBeLessThanOrEqual(found);
});

test('by default, inputs that the dataset has and long ones are excluded; short ones are only marked', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  const long = 'I returned the linen duvet last week and paid a part of it with a voucher. '.repeat(4);
  const inputs = [
    'Where is my order?',
    'Where is my order?',
    long,
    `${long} Thank you.`,
    'Stop my subscription',
  ];
  await builds.pickGiven(
    buildId,
    inputs.map((question, at) => ({
      ...{ trace_id: 't', span_id: `s${at}`, start_time: '2026-01-01T00:00:00Z' },
      record: { span_attributes: { 'user.question': question, 'user.answer': `Answer ${at}` } },
    })),
  );
  const store = openSnapshotStore({
    ...{ file: rig.path('snapshots.db'), clock: systemClock, logger: silentLogger },
  });
  const item = {
    id: 'item-1',
    inputs: { question: 'stop my  subscription' },
    expected_outputs: { answer: 'Done' },
  };
  store.take('the-dataset', [{ identity: 'item-1', json: JSON.stringify(item) }], 1, 1);
  store.close();
  await builds.change(buildId, {
    target: { kind: 'existing', datasetId: 'the-dataset', name: 'The dataset' },
    mapping: [
      { bucket: 'inputs', field: 'question', key: 'user.question' },
      { bucket: 'expected_outputs', field: 'answer', key: 'user.answer' },
    ],
  });
  const statesOf = () =>
    builds
      .readRows(buildId, { mapping: null, show: 'all', offset: 0, limit: 10 })
      .rows.map(({ state, nearDuplicate }) => [state, nearDuplicate?.of]);
  expect((await builds.findNearDuplicates(buildId, 0.85, 'sure')).nearDuplicates).toMatchObject({
    found: 3,
    skipped: 2,
  });
  expect(statesOf()).toEqual([
    ['unsent', undefined],
    ['unsent', { kind: 'span', position: 0 }],
    ['unsent', undefined],
    ['excluded', { kind: 'span', position: 2 }],
    ['excluded', { kind: 'item', itemId: 'item-1' }],
  ]);
  expect(
    builds
      .readNearDuplicate(buildId, 4)
      .pieces.map(({ text }) => text)
      .join(''),
  ).toContain('subscription');
  // If the user asks for it, the short text is excluded too, and stays so when near-duplicates are computed by default
  // again.
  expect((await builds.findNearDuplicates(buildId, 0.85, 'all')).nearDuplicates).toMatchObject({
    found: 3,
    skipped: 3,
  });
  builds.exclude(buildId, [4], false);
  expect((await builds.findNearDuplicates(buildId, 0.85, 'sure')).nearDuplicates).toMatchObject({
    found: 3,
    skipped: 2,
  });
  expect(statesOf().map(([state]) => state)).toEqual(['unsent', 'excluded', 'unsent', 'excluded', 'unsent']);
});

test('a span that is already an item of the dataset is excluded, whatever the creator or the input of the item', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  const inputs = ['Where is my order?', 'Where is my order?', 'Stop my subscription'];
  await builds.pickGiven(
    buildId,
    inputs.map((question, at) => ({
      ...{ trace_id: 't', span_id: `s${at}`, start_time: '2026-01-01T00:00:00Z' },
      record: { span_attributes: { 'user.question': question } },
    })),
  );
  const store = openSnapshotStore({
    ...{ file: rig.path('snapshots.db'), clock: systemClock, logger: silentLogger },
  });
  const item = { id: 'item-1', inputs: { q: 'As a colleague put it' }, source_name: 'span', source_id: 's0' };
  store.take('the-dataset', [{ identity: 'item-1', json: JSON.stringify(item) }], 1, 1);
  store.close();
  await builds.change(buildId, {
    target: { kind: 'existing', datasetId: 'the-dataset', name: 'The dataset' },
    mapping: [{ bucket: 'inputs', field: 'question', key: 'user.question' }],
  });
  expect((await builds.findNearDuplicates(buildId, 0.85, 'sure')).nearDuplicates).toMatchObject({
    found: 1,
    skipped: 1,
  });
  const { rows } = builds.readRows(buildId, { mapping: null, show: 'all', offset: 0, limit: 10 });
  // The second span resembles none of those that are sent.
  expect(rows.map(({ state, nearDuplicate }) => [state, nearDuplicate?.of])).toEqual([
    ['excluded', { kind: 'item', itemId: 'item-1', isSameSpan: true }],
    ['unsent', undefined],
    ['unsent', undefined],
  ]);
  expect(builds.readNearDuplicate(buildId, 0).of).toMatchObject({ isSameSpan: true });
});
