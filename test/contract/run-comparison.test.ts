/** Compares runs with a real service and real stores: experiments, score runs made here, and both without a network. */
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { createColumnFiles } from '../../electron/db/run-column-files.ts';
import type { ComparedItem, RunRef, RunsQuery } from '../../electron/shared/run-comparison.ts';
import { NO_FILTER, runKey } from '../../electron/shared/run-comparison.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { relevancePlan } from '../helpers/score-plan.ts';

const cleanUp = cleanUpAfterEach();

async function open() {
  const raw = await RawService.start();
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, schedulerHaste: 1_000 });
  cleanUp(async () => {
    await rig[Symbol.asyncDispose]();
    await raw.service.stop();
  });
  // Runs are read completely by one request.
  Object.assign(rig.library.settings, { pageRows: 1_000, prefetchRows: 20_000 });
  await rig.library.read({ operation: 'experiments.list', path: {}, query: {} });
  const experiment = async (name: string): Promise<RunRef> => {
    const id = await raw.idOf('experiments.list', name);
    await rig.library.read({ operation: 'experiments.results', path: { experiment_id: id }, query: {} });
    return { kind: 'experiment', id };
  };
  return { raw, rig, experiment, comparisons: rig.datasets.comparisons };
}

const query = (runs: RunRef[], more: Partial<RunsQuery> = {}): RunsQuery => ({
  ...{ runs, baseline: 0, score: null, lowerIsBetter: false, filter: NO_FILTER },
  ...{ hasShape: false, offset: 0, limit: 100 },
  ...more,
});
const differences = (rows: readonly ComparedItem[]) => rows.map(({ sides }) => sides[1]?.difference ?? null);

describe('two experiments', () => {
  test('are paired item by item, with their sentence, offline', async () => {
    const { rig, experiment, comparisons } = await open();
    const runs = [await experiment('Triage rules 2.1'), await experiment('Triage rules 2.2')];
    rig.library.clientRig.switches.isOffline = true;
    const answer = await comparisons.compare(query(runs));
    expect(answer.runs.map(({ name }) => name)).toEqual(['Triage rules 2.1', 'Triage rules 2.2']);
    expect(answer.runs[1]).toMatchObject({ isComplete: true, items: 320, repetitions: 1, shared: 320 });
    expect(answer.runs[1]?.results.skipped).toBeGreaterThan(0);
    expect(answer.skipped).toBe(answer.runs[1]?.results.skipped);
    expect(answer.scores.map(({ key }) => key).sort()).toEqual(['faithfulness', 'relevance', 'tone']);
    const relevance = answer.scores.find(({ key }) => key === 'relevance');
    expect(relevance?.evaluators).toEqual(['Answer Relevance']);
    expect(relevance?.runs[1]?.figures?.difference?.interval).toHaveLength(2);
    expect(relevance?.runs[1]?.adjusted).toBeTypeOf('number');
    expect(answer.measures.map(({ name }) => name)).toEqual([
      ...['duration_ms', 'usage.input_tokens', 'usage.output_tokens', 'cost_usd'],
    ]);
    // Regressions come first, the largest at the top.
    const worse = answer.rows.filter(({ sides }) => sides[1]?.change === 'worse');
    expect(answer.rows.slice(0, worse.length)).toEqual(worse);
    expect(differences(worse)).toEqual(differences(worse).toSorted((a, b) => (a ?? 0) - (b ?? 0)));
    expect(answer.rows[0]).toMatchObject({ title: expect.stringMatching(/\w/) });
    expect(answer.rows[0]?.sides[0]?.output).not.toBe('');
  });

  test('are filtered by words of an output, and by difference; a page is a part of the whole', async () => {
    const { experiment, comparisons } = await open();
    const runs = [await experiment('Triage rules 2.1'), await experiment('Triage rules 2.2')];
    const words = { ...NO_FILTER, words: 'cannot HELP with that' };
    const found = await comparisons.compare(query(runs, { filter: words, limit: 500 }));
    expect(found.total).toBeGreaterThan(0);
    expect(found.total).toBeLessThan(found.items);
    // The user typed more of the same text while the texts are being read for the search.
    const typed = { ...NO_FILTER, words: 'Cannot help with tha' };
    expect((await comparisons.compare(query(runs, { filter: typed, limit: 500 }))).total).toBe(found.total);
    for (const { sides } of found.rows)
      expect(sides.some((side) => side?.output.includes('cannot help'))).toBe(true);
    const least = { ...NO_FILTER, change: 'worse', atLeast: 0.6 } as const;
    const large = await comparisons.compare(
      query(runs, { score: 'faithfulness', filter: least, limit: 500 }),
    );
    expect(large.total).toBe(large.rows.length);
    for (const difference of differences(large.rows)) expect(difference).toBeLessThanOrEqual(-0.6);
    const page = await comparisons.compare(
      query(runs, { score: 'faithfulness', filter: least, offset: 1, limit: 2 }),
    );
    expect(page.rows).toEqual(large.rows.slice(1, 3));
    const items = await comparisons.items(query(runs, { score: 'faithfulness', filter: least, limit: 500 }));
    expect(items.map(({ itemId }) => itemId)).toEqual(large.rows.map(({ itemId }) => itemId));
  });

  test('show an item side by side with its complete texts', async () => {
    const { experiment, comparisons } = await open();
    const runs = [await experiment('Triage rules 2.1'), await experiment('Triage rules 2.2')];
    const { rows } = await comparisons.compare(query(runs, { limit: 1 }));
    const { sides, source } = await comparisons.item(runs, rows[0]?.itemId ?? '');
    expect(sides.map((results) => results.length)).toEqual([1, 1]);
    expect(sides[0]?.[0]).toMatchObject({ fate: 'good', resultId: expect.any(String), isCut: false });
    expect(sides[0]?.[0]?.outputs).toMatchObject({ answer: expect.any(String) });
    expect(sides[1]?.[0]?.scores.map(({ name }) => name)).toContain('relevance');
    expect(source).toBeNull();
  });
});

test('repetitions of a run are one number for each item, and failed results are counted apart', async () => {
  const { experiment, comparisons } = await open();
  const runs: RunRef[] = [];
  for (const name of ['Baseline, prompt v1', 'Prompt v3, eight repetitions', 'Larger model'])
    runs.push(await experiment(name));
  const answer = await comparisons.compare(query(runs, { limit: 5 }));
  expect(answer.runs[1]).toMatchObject({ items: 1_250, repetitions: 8, shared: 1_250 });
  expect(answer.runs[1]?.results.good).toBe(10_000);
  expect(answer.runs[2]).toMatchObject({ items: 600, onlyBaseline: 650, onlyHere: 0 });
  expect(answer.runs[2]?.results.failed).toBeGreaterThan(40);
  expect(answer.rows[0]?.sides.map((side) => side?.results)).toContain(8);
  const relevance = answer.scores.find(({ key }) => key === 'relevance');
  expect(relevance?.runs[2]?.counts.missing).toBeGreaterThan(650);
});

test('score runs made here are compared in the same way', async () => {
  const { raw, rig, comparisons } = await open();
  const { plan, items } = await relevancePlan(raw);
  const itemIds = items.slice(0, 40).map(({ id }) => String(id));
  const { scores } = rig.datasets;
  const refs: RunRef[] = [];
  for (const name of ['first', 'second']) {
    const { runId } = scores.start({ ...plan, itemIds, name });
    await scores.whenIdle(runId);
    refs.push({ kind: 'scores', id: runId });
  }
  const answer = await comparisons.compare(query(refs));
  expect(answer.runs).toMatchObject([{ name: 'first' }, { name: 'second', onlyHere: 0, onlyBaseline: 0 }]);
  expect(answer.counts).toMatchObject({ worse: 0, better: 0, missing: 0 });
  expect(answer.rows[0]?.sides[1]).toMatchObject({ fate: 'good', difference: 0, durationMs: null });
  expect(answer.rows[0]?.title).not.toBe('');
});

test('a score counts although the item failed because of another score; a score without results is not listed', async () => {
  const { raw, rig, comparisons } = await open();
  const { plan, items } = await relevancePlan(raw);
  const itemIds = items.slice(0, 40).map(({ id }) => String(id));
  const { scores } = rig.datasets;
  const { runId } = scores.start({ ...plan, itemIds });
  await scores.whenIdle(runId);
  const [name = ''] = scores.get(runId).scoreNames;
  const db = new BetterSqlite(rig.path('datasets.db'));
  // Items as they are stored if one of several scores of an evaluator is empty.
  db.prepare(
    `UPDATE score_item SET state = 'failed',
       scores_json = json_insert(scores_json, '$[#]', json('{"name":"empty","value":null,"label":null,"reasoning":"?"}'))
     WHERE run_id = ? AND position < 10`,
  ).run(runId);
  db.prepare('UPDATE job SET revision = revision + 1').run();
  db.close();
  expect(scores.get(runId).scoreNames).toEqual([name]);
  const answer = await comparisons.compare(query([{ kind: 'scores', id: runId }], { score: name }));
  expect(answer.failed).toBe(10);
  expect(answer.scores.map(({ key, runs }) => [key, runs[0]?.figures?.after.items])).toEqual([[name, 40]]);
});

test('the kept columns of a score run are deleted with it', async () => {
  const { raw, rig } = await open();
  const { plan, items } = await relevancePlan(raw);
  const { scores } = rig.datasets;
  const { runId } = scores.start({ ...plan, itemIds: [String(items[0]?.['id'])] });
  await scores.whenIdle(runId);
  const run = runKey({ kind: 'scores', id: runId });
  const files = createColumnFiles(rig.path('analysis'), () => 5_000);
  const builder = new RunColumnsBuilder();
  for (let position = 0; position < 5_000; position += 1)
    builder.add({ itemId: `item ${position}`, position, fate: 'good', durationMs: null, scores: [] });
  files.save(run, '1', builder.finish());
  expect(files.load(run, '1')).not.toBeNull();
  scores.forget(runId);
  expect(files.load(run, '1')).toBeNull();
});

test('items lead back to the spans they were made from, until their draft is removed', async () => {
  const { rig, comparisons } = await open();
  const { builds, scores } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 4, ({ span_type }) => span_type === 'llm');
  await rig.target(buildId, 'Scored');
  const { datasetId } = await rig.commit(buildId);
  const refs: RunRef[] = [];
  for (const text of ['Yes.', 'word '.repeat(80)]) {
    const inputs = [{ input: 'response', from: { kind: 'text' as const, text } }];
    const plan = { evaluator: 'conciseness', parameters: {}, inputs, itemIds: null };
    const { runId } = scores.start({ ...plan, datasetId: datasetId ?? '', datasetName: 'Scored' });
    await scores.whenIdle(runId);
    refs.push({ kind: 'scores', id: runId });
  }
  const answer = await comparisons.compare(query(refs));
  expect(answer.dataset).toEqual({ id: datasetId, name: 'Scored' });
  const items = await comparisons.items(query(refs));
  expect(items).toHaveLength(4);
  expect(items.map(({ origin }) => origin?.buildId)).toEqual([buildId, buildId, buildId, buildId]);
  expect(items.map(({ origin }) => origin?.position).toSorted()).toEqual([0, 1, 2, 3]);
  expect(items.every(({ traceId }) => traceId !== null)).toBe(true);
  const { traceId, itemId = '' } = items[0] ?? {};
  const { applicationId: id, applicationName: name } = builds.get(buildId);
  const { source } = await comparisons.item(refs, itemId);
  expect(source).toMatchObject({ traceId, application: { id, name } });
  builds.forget(buildId);
  expect((await comparisons.items(query(refs))).map(({ origin }) => origin)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

describe('invalid comparisons and missing results', () => {
  test('runs over two datasets, equal runs and an unknown score are refused with the reason', async () => {
    const { experiment, comparisons } = await open();
    const [one, other] = [await experiment('Triage rules 2.1'), await experiment('Larger model')];
    const of = (more: Partial<RunsQuery>) => comparisons.compare(query([one], more));
    await expect(of({ runs: [one, other] })).rejects.toMatchObject({
      message: expect.stringContaining(
        'got Triage rules 2.1 over Claims triage, edge cases and Larger model over Support answers, golden set',
      ),
    });
    await expect(of({ runs: [one, one] })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(of({ baseline: 1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(of({ score: 'quality' })).rejects.toMatchObject({
      message: expect.stringContaining('got quality. They have'),
    });
  });

  test('a run without stored results has no items and is incomplete', async () => {
    const { raw, experiment, comparisons } = await open();
    const one = await experiment('Triage rules 2.1');
    const other: RunRef = { kind: 'experiment', id: await raw.idOf('experiments.list', 'Triage rules 2.2') };
    const { runs } = await comparisons.compare(query([one, other]));
    expect(runs[1]).toMatchObject({ name: 'Triage rules 2.2', isComplete: false, items: 0, asOfMs: null });
  });
});
