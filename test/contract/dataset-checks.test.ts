/** Checks without a model: runs over items that are stored here, without a request, comparable like any score run. */
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
  // Another bound, compared item by item, with the verdict of the same statistics.
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

test('without stored items they are read from the service, and only those', async () => {
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
