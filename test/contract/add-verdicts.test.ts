/**
 * Adds the verdicts of a review to a run that exists already: shows a preview, then sends them once by a durable job.
 */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { createVerdictSender } from '../../electron/engine/send-verdicts.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { readResult } from '../../electron/shared/experiment-result.ts';
import type { ReviewEvent, Verdict } from '../../electron/shared/review-model.ts';
import { open } from '../helpers/dataset-builds.ts';

const mark = (position: number, verdict: Verdict): ReviewEvent => ({
  ...{ type: 'mark', position, patch: { verdict }, atMs: 1 },
});

/** A review of four spans, their dataset, and a run over it whose results have two of the judged outputs. */
async function reviewed() {
  const { raw, rig } = await open();
  const { builds, items } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 4, (record) => record['span_type'] === 'llm');
  await rig.target(buildId, 'Judged');
  const { datasetId } = await rig.commit(buildId);
  const dataset = { id: datasetId ?? '', name: 'Judged' };
  const { items: stored } = await raw.page(raw.path('datasets.items', { dataset_id: dataset.id }));
  const application_id = await rig.applicationId();
  const how = { priority: 'click' } as const;
  const body = { name: 'Machine', dataset_id: dataset.id, application_id };
  const { value } = await rig.client.call('experiments.create', { body }, how);
  const experiment = { id: (value as { id: string }).id, name: 'Machine' };
  const results = stored.map((item, at) => ({
    experiment_item: {
      ...{ id: systemRandom.uuid(), dataset_item_id: item['id'], status: 'SUCCESS', duration_ms: 5 },
      outputs: at < 2 ? item['expected_outputs'] : { answer: `Something else ${at}` },
      ...{ timestamp: '2026-11-01T00:00:00Z', error_reason: null, error_message: null },
    },
    scores: [],
  }));
  await rig.client.call(
    'experiments.add-results',
    { path: { experiment_id: experiment.id }, bodyText: JSON.stringify({ results }) },
    { ...how, isOnce: true },
  );
  const copiesDir = rig.path('copies');
  mkdirSync(copiesDir);
  const verdicts = createVerdictSender({
    ...{ builds, items, library: rig.library.library, client: rig.client, clock: systemClock },
    settings: () => ({ staleAfterMs: 0 }),
    files: {
      offer: async ([path = '']) => {
        copyFileSync(path, rig.path('sent.jsonl'));
        return [
          { fileId: rig.path('sent.jsonl'), name: basename(path), sizeBytes: 1, packed: null, error: null },
        ];
      },
    },
    ...{ copiesDir, random: systemRandom },
  });
  const human = async () => {
    const page = await raw.page(raw.path('experiments.results', { experiment_id: experiment.id }));
    return page.items
      .flatMap((each) => readResult(each).scores)
      .filter(({ evaluator }) => evaluator === 'Human');
  };
  return { raw, rig, buildId, target: { buildId, dataset, experiment }, verdicts, human, copiesDir };
}

test('added once to the results with the judged output; then they are there already, or judged otherwise', async () => {
  const { rig, buildId, target, verdicts, human } = await reviewed();
  const { builds, items } = rig.datasets;
  await builds.addReview(buildId, 0, [
    ...[mark(0, 'accepted'), mark(1, 'rejected'), mark(2, 'accepted'), mark(3, 'skipped')],
  ]);
  const preview = await verdicts.preview(target);
  expect(preview).toMatchObject({ alreadyThere: 0, judgedOtherwise: 0, withoutItem: 0 });
  expect(preview.rows + preview.withoutResult + preview.undecided).toBe(4);
  expect(preview.rows).toBeGreaterThan(0);
  expect(await human()).toEqual([]);

  const { itemsId } = await verdicts.send(target);
  expect(await items.whenIdle(itemsId)).toMatchObject({ state: 'done', counts: { added: preview.rows } });
  expect((await human()).filter(({ name }) => name === 'verdict')).toHaveLength(preview.rows);
  expect(items.get(itemsId).plan).toMatchObject({ experiment: target.experiment });
  const receipts = rig.path('receipts.csv');
  expect(await items.writeReceipts(itemsId, receipts)).toEqual({ rows: preview.rows });

  expect(await verdicts.preview(target)).toMatchObject({ rows: 0, alreadyThere: preview.rows });
  await expect(verdicts.send(target)).rejects.toThrow('Expected at least one verdict to add');
  await builds.addReview(buildId, 4, [mark(0, 'rejected'), mark(1, 'accepted')]);
  expect(await verdicts.preview(target)).toMatchObject({ rows: 0, judgedOtherwise: preview.rows });
  expect((await human()).filter(({ name }) => name === 'verdict')).toHaveLength(preview.rows);
});

test('verdicts are added without the service, from the stored results alone; a refused start leaves no file', async () => {
  const { raw, rig, buildId, target, verdicts, copiesDir } = await reviewed();
  await rig.datasets.builds.addReview(buildId, 0, [mark(0, 'accepted'), mark(1, 'accepted')]);
  const before = await verdicts.preview(target);
  await raw.service.stop();
  expect(await verdicts.preview(target)).toEqual(before);
  const unread = { ...target, experiment: { id: systemRandom.uuid(), name: 'Other' } };
  await expect(verdicts.preview(unread)).rejects.toMatchObject({ code: 'CONNECTION_REFUSED' });
  await expect(verdicts.send(unread)).rejects.toMatchObject({ code: 'CONNECTION_REFUSED' });
  expect(readdirSync(copiesDir)).toEqual([]);
});

test('verdicts are not added twice while the first job is unfinished, even by two clicks at once', async () => {
  const { raw, rig, buildId, target, verdicts, copiesDir } = await reviewed();
  const { builds, items } = rig.datasets;
  await builds.addReview(buildId, 0, [mark(0, 'accepted'), mark(1, 'accepted')]);
  await verdicts.preview(target);
  await raw.service.stop();
  const [first, second] = await Promise.allSettled([verdicts.send(target), verdicts.send(target)]);
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } });
  const itemsId = first.status === 'fulfilled' ? first.value.itemsId : '';
  const refused = { code: 'CONFLICT', message: expect.stringContaining('verdicts to Machine') };
  await expect(verdicts.send(target)).rejects.toMatchObject(refused);
  items.control(itemsId, 'pause', null);
  await expect(verdicts.send(target)).rejects.toMatchObject(refused);
  await expect(verdicts.preview(target)).rejects.toMatchObject(refused);
  expect(items.list(null)).toHaveLength(1);
  expect(readdirSync(copiesDir)).toHaveLength(1);
  items.control(itemsId, 'cancel', null);
  await verdicts.send(target);
  expect(items.list(null)).toHaveLength(2);
});

test('verdicts are not added again while a failed job can be resumed, which adds each verdict once', async () => {
  const { raw, rig, buildId, target, verdicts, human } = await reviewed();
  const { builds, items } = rig.datasets;
  await builds.addReview(buildId, 0, [mark(0, 'accepted'), mark(1, 'accepted')]);
  const match = { operation: 'experiments.add-results' } as const;
  raw.service.setFaults([{ match, action: { type: 'status', status: 404 } }]);
  const { itemsId } = await verdicts.send(target);
  expect(await items.whenIdle(itemsId)).toMatchObject({ state: 'failed' });
  raw.service.setFaults([]);
  const refused = {
    code: 'CONFLICT',
    message: expect.stringContaining('one that is failed. Resume or remove it'),
  };
  await expect(verdicts.send(target)).rejects.toMatchObject(refused);
  items.control(itemsId, 'resume', null);
  await items.whenIdle(itemsId);
  expect((await human()).filter(({ name }) => name === 'verdict')).toHaveLength(2);
  await expect(verdicts.send(target)).rejects.toThrow('Expected at least one verdict to add');
});
