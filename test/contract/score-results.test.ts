/**
 * Scores that were made here are sent to the service as results of an experiment: as new results, or as scores added to
 * existing ones.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ExperimentResult, readResult } from '../../electron/shared/experiment-result.ts';
import type { ItemsPlan } from '../../electron/shared/items-model.ts';
import { suggestResultColumns } from '../../electron/shared/result-columns.ts';
import type { ScorePlan } from '../../electron/shared/score-model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const RESULTS = 1_250;
const CHECKED = 1_234;
const PAGE = 1_000;
const cleanUp = cleanUpAfterEach();

async function open() {
  const raw = await RawService.start({ limits: 'off' });
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN });
  cleanUp(async () => {
    await rig[Symbol.asyncDispose]();
    await raw.service.stop();
  });
  const { items: experiments } = await raw.page(raw.path('experiments.list', {}, '?limit=100'));
  const named = (name: string) => {
    const found = experiments.find((each) => String(each['name']).startsWith(name));
    const dataset = found?.['dataset'] as { id: string; name: string };
    return { id: String(found?.['id']), name: String(found?.['name']), dataset };
  };
  const resultsOf = async (id: string): Promise<ExperimentResult[]> => {
    const found: ExperimentResult[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const query = `?limit=${PAGE}&offset=${offset}&ordering=timestamp`;
      const page = await raw.page(raw.path('experiments.results', { experiment_id: id }, query));
      found.push(...page.items.map(readResult));
      if (found.length >= (page.total ?? 0)) return found;
    }
  };
  const upload = async (path: string, experiment: ReturnType<typeof named>) => {
    const [first = '{}'] = readFileSync(path, 'utf8').split('\n');
    const types = { outputs: 'json', scores: 'json', duration_ms: 'int' } as const;
    const columns = Object.keys(JSON.parse(first) as object).map((name) => ({
      ...{ name, type: name in types ? types[name as keyof typeof types] : ('str' as const) },
    }));
    const plan: ItemsPlan = {
      ...{ datasetId: experiment.dataset.id, datasetName: experiment.dataset.name },
      experiment: { id: experiment.id, name: experiment.name },
      ...{ fileId: path, fileName: 'results.jsonl', flattens: false, onBadRow: 'stop', itemsPerRequest: 100 },
      dialect: {
        ...{ format: 'jsonl', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
      },
      columns: suggestResultColumns(columns),
    };
    const { items } = rig.datasets;
    const { itemsId } = await items.create(plan, false, null);
    items.control(itemsId, 'start', null);
    return items.whenIdle(itemsId);
  };
  return { raw, rig, named, resultsOf, upload };
}

test('a check over the results of an experiment adds its score to each result, once, though answers are lost', async () => {
  const { raw, rig, named, resultsOf, upload } = await open();
  const baseline = named('Baseline');
  await rig.library.library.fetchAll({
    query: { operation: 'experiments.results', path: { experiment_id: baseline.id }, query: {} },
    ...{ form: 'list', generationId: null, notBeforeMs: 0, until: 'end', group: 'kept' },
    client: rig.library.clientRig.client,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const plan: ScorePlan = {
    ...{ datasetId: baseline.dataset.id, datasetName: baseline.dataset.name, evaluator: 'check' },
    ...{ parameters: {}, itemIds: null, experiment: { id: baseline.id, name: baseline.name } },
    check: { kind: 'length', unit: 'words', least: null, most: 12 },
    inputs: [{ input: 'text', from: { kind: 'field', bucket: 'outputs', field: 'answer' } }],
  };
  const { scores, items } = rig.datasets;
  const run = await scores.whenIdle(scores.start(plan).runId);
  const path = rig.path('results.jsonl');
  expect(await scores.writeResults(run.runId, path)).toEqual({
    ...{ rows: CHECKED, notes: ['16 results not checked, so without a score.'] },
  });
  const before = await resultsOf(baseline.id);

  const other = await upload(path, named('Triage rules 2.1'));
  expect(other).toMatchObject({ state: 'failed', counts: { added: 0 } });
  expect(other.reason).toContain('Expected results of this experiment, got those of another');

  // The service stores the fourth request but not the seventh. Neither is answered.
  const match = { operation: 'experiments.add-results' } as const;
  raw.service.setFaults([
    { match, after: 3, times: 1, action: { type: 'drop-after' } },
    { match, after: 6, times: 1, action: { type: 'drop' } },
  ]);
  const halted = await upload(path, baseline);
  raw.service.setFaults([]);
  expect(halted.state).toBe('needs-decision');
  const { parts } = items.listParts(halted.itemsId, ['unknown'], 0, 10);
  // All results existed before, so only those with the new score count.
  expect(parts.map(({ evidence }) => evidence?.found)).toEqual([0]);
  for (const { part } of parts) items.decide(halted.itemsId, part, 'resend');
  const done = await items.whenIdle(halted.itemsId);
  expect(done).toMatchObject({ state: 'done', counts: { added: CHECKED, unknown: 0 } });

  const after = new Map((await resultsOf(baseline.id)).map((result) => [result.itemId, result]));
  expect(after.size).toBe(RESULTS);
  let added = 0;
  for (const result of before) {
    const now = after.get(result.itemId);
    const own = now?.scores.filter(({ name }) => name === 'length') ?? [];
    added += own.length;
    // Everything else in the result is unchanged.
    expect({ ...now, scores: now?.scores.filter(({ name }) => name !== 'length') }).toEqual(result);
    expect(own).toHaveLength(result.status === 'FAILED' ? 0 : 1);
  }
  expect(added).toBe(CHECKED);
  await items.writeReceipts(halted.itemsId, rig.path('receipts.csv'));
  expect(readFileSync(rig.path('receipts.csv'), 'utf8')).toContain(
    before.find(({ status }) => status === 'SUCCESS')?.itemId,
  );
});

test('scores of the items of a dataset become new results, with skipped items as skipped ones', async () => {
  const { rig, named, resultsOf, upload } = await open();
  const target = named('Triage rules 2.3');
  const { scores } = rig.datasets;
  const plan: ScorePlan = {
    ...{ datasetId: target.dataset.id, datasetName: target.dataset.name, evaluator: 'check' },
    ...{ parameters: {}, itemIds: null, check: { kind: 'regex', pattern: '.', ignoresCase: false } },
    inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field: 'nowhere' } }],
  };
  const nothing = await scores.whenIdle(scores.start(plan).runId);
  await expect(scores.writeResults(nothing.runId, rig.path('none.jsonl'))).rejects.toThrow(
    'no item of it is scored',
  );
  const [field = 'decision'] = Object.keys(
    (await resultsOf(named('Triage rules 2.1').id))[0]?.expectedOutputs ?? {},
  );
  const run = await scores.whenIdle(
    scores.start({
      ...plan,
      inputs: [{ input: 'text', from: { kind: 'field', bucket: 'expected_outputs', field } }],
    }).runId,
  );
  const path = rig.path('new.jsonl');
  const { rows } = await scores.writeResults(run.runId, path);
  expect(rows).toBe(run.counts.items);
  const had = (await resultsOf(target.id)).length;
  expect(await upload(path, target)).toMatchObject({ state: 'done', counts: { added: rows } });
  const made = await resultsOf(target.id);
  expect(made).toHaveLength(had + rows);
  const own = made.filter(({ scores: of }) => of.some(({ evaluator }) => evaluator === 'matches /./'));
  expect(own).toHaveLength(run.counts.scored);
  expect(own[0]?.outputs).toHaveProperty('text');
});
