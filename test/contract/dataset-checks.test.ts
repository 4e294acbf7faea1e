/**
 * Checks without a model: runs over items that are stored here. They send no request, and can be compared like any
 * score run.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import type { ScoreCheck } from '../../electron/shared/score-check.ts';
import type { ScorePlan } from '../../electron/shared/score-model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { relevancePlan } from '../helpers/score-plan.ts';

const cleanUp = cleanUpAfterEach();

async function open() {
  const raw = await RawService.start();
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN });
  cleanUp(async () => {
    await rig[Symbol.asyncDispose]();
    await raw.service.stop();
  });
  const { items, plan } = await relevancePlan(raw);
  const answer = { kind: 'field', bucket: 'expected_outputs', field: 'answer' } as const;
  const planOf = (check: ScoreCheck): ScorePlan => ({
    ...plan,
    ...{ evaluator: 'check', check, parameters: {}, inputs: [{ input: 'text', from: answer }] },
  });
  const requests = () =>
    Object.values(raw.service.report().operations).reduce((sum, each) => sum + each.requests, 0);
  return { raw, rig, items, planOf, requests };
}
const atMost = (most: number): ScoreCheck => ({ kind: 'length', unit: 'words', least: null, most });

test('every item is checked without a request once the items are stored, also offline', async () => {
  const { rig, items, planOf, requests } = await open();
  const { scores } = rig.datasets;
  const query = { operation: 'datasets.items', path: { dataset_id: planOf(atMost(9)).datasetId }, query: {} };
  await rig.library.library.fetchAll({
    ...{ query, form: 'list', generationId: null, notBeforeMs: 0, until: 'end', group: 'kept' },
    ...{
      client: rig.library.clientRig.client,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    },
  });
  const before = requests();
  rig.library.clientRig.switches.isOffline = true;
  const done = await scores.whenIdle(scores.start(planOf(atMost(9))).runId);
  expect(done).toMatchObject({
    ...{ state: 'done', scoreNames: ['length'], name: 'length at most 9 words · answer' },
    counts: { items: items.length, scored: items.length, failed: 0, skipped: 0, unscored: 0 },
  });
  expect(requests()).toBe(before);
  const { results } = scores.listResults(done.runId, { show: 'all', offset: 0, limit: 200 });
  for (const {
    itemId,
    scores: [score],
  } of results) {
    const item = items.find(({ id }) => id === itemId);
    const answer = String((item?.['expected_outputs'] as Record<string, unknown> | undefined)?.['answer']);
    expect(score?.label).toBe(answer.split(/\s+/).length <= 9 ? 'pass' : 'fail');
  }
  // A run with another bound is compared item by item, and the same statistics give the verdict.
  const looser = await scores.whenIdle(scores.start(planOf(atMost(1_000))).runId);
  const compared = await rig.datasets.comparisons.compare({
    runs: [done, looser].map(({ runId: id }) => ({ kind: 'scores', id })),
    ...{ baseline: 0, score: null, lowerIsBetter: false, filter: NO_FILTER },
    ...{ hasShape: true, offset: 0, limit: 10 },
  });
  expect(compared).toMatchObject({
    ...{ score: 'length', scores: [{ runs: [{}, { figures: { kind: 'share', after: { value: 1 } } }] }] },
  });
  expect(compared.shape?.agreement?.items).toBe(items.length);
  await scores.writeFile(looser.runId, rig.path('checks.csv'));
  expect(readFileSync(rig.path('checks.csv'), 'utf8').split('\n')[0]).toContain('length label');
});

test('items that are not stored are read from the service, without calls of an evaluator', async () => {
  const { raw, rig, items, planOf } = await open();
  const { scores } = rig.datasets;
  const done = await scores.whenIdle(scores.start(planOf(atMost(9))).runId);
  expect(done.counts.scored).toBe(items.length);
  expect(raw.service.report().operations['evaluators.score']?.requests ?? 0).toBe(0);
});

test('an invalid check is refused before a run is stored', async () => {
  const { rig, planOf } = await open();
  const { scores } = rig.datasets;
  const start = (check: ScoreCheck) => () => scores.start(planOf(check));
  expect(start({ kind: 'regex', pattern: '[', ignoresCase: false })).toThrow('not valid');
  expect(start({ kind: 'equals', ignoresCase: false })).toThrow('Choose a source for expected');
  expect(scores.list(null)).toEqual([]);
});

test('a run that was paused continues with the items that are left', async () => {
  const { rig, items, planOf } = await open();
  const { scores } = rig.datasets;
  const { runId } = scores.start(planOf(atMost(9)));
  scores.control(runId, 'pause');
  await scores.whenIdle(runId);
  expect(scores.get(runId).state).toBe('paused');
  scores.control(runId, 'resume');
  expect(await scores.whenIdle(runId)).toMatchObject({ state: 'done', counts: { scored: items.length } });
});

test('the results of an experiment are checked without a request, and two runs are compared by their items', async () => {
  const { rig, requests } = await open();
  const listed = await rig.client.list(
    'experiments.list',
    { paging: { limit: 50, offset: 0 } },
    { priority: 'view', group: 'test' },
  );
  const found = listed.value.items.map((record) => ({
    ...{ id: String(record['id']), name: String(record['name']) },
    dataset: record['dataset'] as { id: string; name: string },
  }));
  const named = (name: string) => {
    const one = found.find((each) => each.name.startsWith(name));
    if (one === undefined) throw new Error(`No experiment ${name}.`);
    return one;
  };
  const planOf = (
    { id, name, dataset }: ReturnType<typeof named>,
    bucket: 'outputs' | 'inputs' = 'outputs',
  ) =>
    ({
      ...{ datasetId: dataset.id, datasetName: dataset.name, evaluator: 'check', check: atMost(12) },
      ...{ parameters: {}, itemIds: null, experiment: { id, name } },
      inputs: [{ input: 'text', from: { kind: 'field', bucket, field: 'answer' } }],
    }) satisfies ScorePlan;
  const [v1, v2] = [named('Baseline'), named('Prompt v2')];
  const { scores } = rig.datasets;
  expect(() => scores.start(planOf(v1))).toThrow(
    'Expected all results of Baseline, prompt v1 on this computer.',
  );
  const { experiment: _, ...withoutExperiment } = planOf(v1);
  expect(() => scores.start(withoutExperiment)).toThrow('Items of a dataset have no outputs.');
  for (const { id } of [v1, v2])
    await rig.library.library.fetchAll({
      query: { operation: 'experiments.results', path: { experiment_id: id }, query: {} },
      ...{ form: 'list', generationId: null, notBeforeMs: 0, until: 'end', group: 'kept' },
      client: rig.library.clientRig.client,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  const before = requests();
  rig.library.clientRig.switches.isOffline = true;
  const first = await scores.whenIdle(scores.start(planOf(v1)).runId);
  expect(first).toMatchObject({
    ...{ state: 'done', name: 'length at most 12 words · answer · Baseline, prompt v1' },
    counts: { items: 1_250, scored: 1_234, skipped: 16, failed: 0, unscored: 0 },
  });
  const { results } = scores.listResults(first.runId, { show: 'skipped', offset: 0, limit: 1 });
  expect(results[0]?.error?.message).toContain('The item failed in the experiment');
  const second = await scores.whenIdle(scores.start(planOf(v2)).runId);
  const compare = (...ids: string[]) =>
    rig.datasets.comparisons.compare({
      runs: ids.map((id) => ({ kind: 'scores', id })),
      ...{ baseline: 0, score: null, lowerIsBetter: false, filter: NO_FILTER },
      ...{ hasShape: true, offset: 0, limit: 10 },
    });
  const compared = await compare(first.runId, second.runId);
  expect(compared.scores[0]?.runs[1]?.figures?.difference?.items).toBeGreaterThan(1_200);
  // The outputs of two experiments are different texts, so their checks cannot agree.
  expect(compared.shape?.agreement).toBeNull();
  const again = await scores.whenIdle(scores.start(planOf(v1)).runId);
  expect((await compare(first.runId, again.runId)).shape?.agreement?.items).toBe(1_234);
  expect(requests()).toBe(before);
  const nothing = await scores.whenIdle(scores.start(planOf(v1, 'inputs')).runId);
  expect(nothing.counts).toMatchObject({ scored: 0, skipped: 1_250 });
});
