/** Experiments of the sample service by raw HTTP: rules that the cases of single operations do not cover. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { experimentBody, makeExperiment, result, score } from './sample-service-cases/experiments.ts';
import { field, list, UNKNOWN_ID, World } from './sample-service-cases/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const of = (id: string) => ({ parameters: { experiment_id: id } });
const filtered = (...rules: unknown[]) =>
  `?filter=${encodeURIComponent(JSON.stringify({ condition: 'AND', rules }))}`;
const seeded = async (name: string): Promise<string> => world.raw.idOf('experiments.list', name);
const results = (id: string, query = '') => world.items('experiments.results', { ...of(id), query });
const post = (id: string, body: unknown) => world.send('experiments.add-results', { ...of(id), body });
const idsOf = (items: unknown[]) => items.map((item) => field(item, 'experiment_item.id'));

describe('the sample workspace', () => {
  test('has ten runs over two datasets, in each of the five states', async () => {
    const runs = (await world.items('experiments.list', { query: '?limit=100' })).filter(
      (run) => !String(field(run, 'name')).startsWith('Run '),
    );
    expect(runs).toHaveLength(10);
    expect(new Set(runs.map((run) => field(run, 'dataset.name'))).size).toBe(2);
    expect([...new Set(runs.map((run) => field(run, 'status')))].sort()).toEqual([
      ...['CANCELLED', 'COMPLETED', 'FAILED', 'IN_PROGRESS', 'PENDING'],
    ]);
    const failed = runs.find((run) => field(run, 'status') === 'FAILED');
    expect(failed).toMatchObject({ error_reason: expect.any(String), traceback: expect.any(String) });
  });

  test('has a run of 10,000 items, each item of its dataset eight times', async () => {
    const id = await seeded('Prompt v3, eight repetitions');
    const page = await world.done('experiments.results', { ...of(id), query: '?limit=1' });
    expect(field(page, 'data.total')).toBe(10_000);
    const last = await results(id, '?limit=100&offset=9900&ordering=timestamp');
    expect(last).toHaveLength(100);
    expect(idsOf(last)).not.toContain(undefined);
  });

  test('has the inputs and expected outputs of the dataset beside each output, and failed and skipped items', async () => {
    const id = await seeded('Larger model');
    const all = await results(id, '?limit=1000');
    const count = (status: string) =>
      all.filter((item) => field(item, 'experiment_item.status') === status).length;
    expect(all).toHaveLength(600);
    expect(count('FAILED')).toBeGreaterThan(30);
    expect(count('SKIPPED')).toBeGreaterThan(20);
    expect(count('SUCCESS')).toBe(600 - count('FAILED') - count('SKIPPED'));
    for (const item of all) {
      expect(field(item, 'dataset_item.inputs.question')).toEqual(expect.any(String));
      expect(list(field(item, 'scores')).length > 0).toBe(
        field(item, 'experiment_item.status') === 'SUCCESS',
      );
    }
  });

  test('has a second run that is worse on some items of the first', async () => {
    const scoresOf = async (name: string) => {
      const all = await results(await seeded(name), '?limit=1000');
      const entries = all.map((item) => [
        String(field(item, 'experiment_item.dataset_item_id')),
        Number(field(list(field(item, 'scores'))[0], 'value')),
      ]);
      return new Map(entries as [string, number][]);
    };
    const [before, after] = [await scoresOf('Triage rules 2.1'), await scoresOf('Triage rules 2.2')];
    const changes = [...before].map(([id, value]) => (after.get(id) ?? Number.NaN) - value);
    expect(changes.filter((change) => change < 0).length).toBeGreaterThan(20);
    expect(changes.filter((change) => change > 0).length).toBeGreaterThan(20);
  });

  test('answers 404 to all of it if it has only the operations of the specification', async () => {
    world.raw.service.setStrict(true);
    try {
      for (const operation of OPERATION_IDS.filter((each) => each.startsWith('experiments.'))) {
        const { method, path } = endpoint(operation);
        const answer = await world.raw.call(method, path.replace('{experiment_id}', UNKNOWN_ID));
        expect(answer.status, operation).toBe(404);
      }
    } finally {
      world.raw.service.setStrict(false);
    }
  });
});

describe('an experiment', () => {
  test('is new, pending and without results, and its dataset must be of the application', async () => {
    const id = await makeExperiment(world);
    const found = await world.done('experiments.get', of(id));
    expect(field(found, 'data')).toMatchObject({
      ...{ id, status: 'PENDING', duration_ms: null, error_reason: null, metadata: {} },
      dataset: { id: world.ids.dataset },
      application: { id: world.ids.application },
    });
    expect(await results(id)).toEqual([]);
    const elsewhere = experimentBody(world, { application_id: world.ids.claims });
    expect((await world.send('experiments.create', { body: elsewhere })).status).toBe(400);
  });

  test('has a name that is unique in its application, with regard to case, and never changes', async () => {
    const body = experimentBody(world);
    const id = await world.make('experiments.create', body);
    expect((await world.send('experiments.create', { body })).json).toMatchObject({
      error: { code: 409, errors: [{ reason: 'Conflict' }] },
    });
    const other = { ...body, name: String(body['name']).toUpperCase() };
    expect((await world.send('experiments.create', { body: other })).status).toBe(200);
    const renamed = await world.send('experiments.update', { ...of(id), body: { name: 'Other' } });
    expect(renamed.status).toBe(400);
  });

  test('has its description and metadata replaced, not merged, and no change may be empty', async () => {
    const id = await world.make('experiments.create', experimentBody(world, { metadata: { a: 1, b: 2 } }));
    const change = async (body: unknown) =>
      field(await world.done('experiments.update', { ...of(id), body }), 'data');
    expect(await change({ metadata: { b: 3 } })).toMatchObject({ metadata: { b: 3 } });
    expect(field(await change({ description: '' }), 'description')).toBe('');
    expect(field(await change({ metadata: {} }), 'metadata')).toEqual({});
    expect((await world.send('experiments.update', { ...of(id), body: {} })).status).toBe(400);
  });

  test('fails only with its three texts, and stays as it ended', async () => {
    const id = await makeExperiment(world);
    const change = (body: unknown) => world.send('experiments.update', { ...of(id), body });
    expect((await change({ status: 'IN_PROGRESS' })).status).toBe(200);
    expect((await change({ status: 'RUNNING' })).status).toBe(400);
    const bare = await change({ status: 'FAILED', error_reason: 'E' });
    expect(bare.status).toBe(400);
    expect(bare.text).toContain('error_message, traceback');
    const texts = { error_reason: 'E', error_message: 'no', traceback: 'line 1' };
    expect((await change({ status: 'FAILED', ...texts })).status).toBe(200);
    expect((await change({ status: 'COMPLETED' })).status).toBe(400);
    expect((await change({ description: 'Why it failed' })).status).toBe(200);
  });

  test('is deleted with its results, for good', async () => {
    const id = await makeExperiment(world);
    await post(id, { results: [result(randomUUID())] });
    expect((await world.send('experiments.delete', of(id))).status).toBe(204);
    for (const operation of ['experiments.get', 'experiments.results', 'experiments.metrics'] as const) {
      expect((await world.send(operation, of(id))).json).toMatchObject({
        error: { code: 404, errors: [{ reason: 'ObjectNotFound' }] },
      });
    }
    expect((await world.send('experiments.delete', of(id))).status).toBe(404);
  });

  test('is listed by its application, its dataset and its name', async () => {
    const rule = { field: 'dataset_id', operator: 'equal', value: world.ids.dataset };
    const ofDataset = await world.items('experiments.list', { query: `${filtered(rule)}&limit=100` });
    expect(ofDataset.length).toBeGreaterThan(5);
    for (const run of ofDataset) expect(field(run, 'dataset.id')).toBe(world.ids.dataset);
    const named = { field: 'name', operator: 'equal', value: 'Larger model' };
    expect(await world.items('experiments.list', { query: filtered(named) })).toHaveLength(1);
  });
});

describe('results of an experiment', () => {
  test('are answered without data, read back as sent, and never replaced as a whole', async () => {
    const id = await makeExperiment(world);
    const [one, two] = [randomUUID(), randomUUID()];
    const sent = await post(id, { results: [result(one, {}, [score('quality', 0.25)])] });
    expect(sent.json).toEqual({ api_version: '3.0', kind: 'NORMAL' });
    const failure = { status: 'FAILED', error_reason: 'Timeout', error_message: '30 s', outputs: {} };
    await post(id, { results: [result(two, failure)] });
    const found = await results(id);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(
      expect.objectContaining({
        experiment_item: expect.objectContaining({ id: one, outputs: { answer: 'It is here.' } }),
        scores: [score('quality', 0.25)],
      }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({
        experiment_item: expect.objectContaining({ id: two, ...failure }),
        scores: [],
      }),
    );
  });

  test('sent again add their scores, and replace one of the same evaluator and name', async () => {
    const id = await makeExperiment(world);
    const item = randomUUID();
    await post(id, { results: [result(item, {}, [score('quality', 0.25)])] });
    const later = score('overall', 1, { evaluator_name: 'OverallQuality' });
    await post(id, { results: [result(item, {}, [later])] });
    await post(id, { results: [result(item, {}, [score('quality', 0.75)])] });
    const [only, ...others] = await results(id);
    expect(others).toEqual([]);
    expect(list(field(only, 'scores')).toSorted()).toEqual([later, score('quality', 0.75)].toSorted());
  });

  test.each([
    ['none', []],
    ['more than 1,000', Array.from({ length: 1_001 }, () => result(randomUUID()))],
    ['an unknown status', [result(randomUUID(), { status: 'DONE' })]],
    ['no time', [result(randomUUID(), { timestamp: 'yesterday' })]],
    ['an id that is not a UUID', [result('item-1')]],
  ])('are refused as a whole: %s', async (_what, sent) => {
    const id = await makeExperiment(world);
    const good = result(randomUUID());
    const answer = await post(id, { results: sent.length === 0 ? [] : [good, ...sent] });
    expect(answer.status).toBe(400);
    expect(field(answer.json, 'error.errors.0.reason')).toBe('ValidationError');
    expect(await results(id)).toEqual([]);
  });

  test('are filtered by the ids of their items, and by nothing else', async () => {
    const id = await makeExperiment(world);
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    await post(id, { results: ids.map((each) => result(each)) });
    const by = (operator: string, value: unknown, name = 'experiment_item_id') =>
      filtered({ field: name, operator, value });
    expect(idsOf(await results(id, by('in', ids.slice(0, 2)))).sort()).toEqual(ids.slice(0, 2).sort());
    expect(idsOf(await results(id, by('not_in', ids.slice(0, 2))))).toEqual(ids.slice(2));
    expect(idsOf(await results(id, by('equal', ids[1])))).toEqual([ids[1]]);
    expect(await results(id, by('not_equal', ids[1]))).toHaveLength(2);
    for (const query of [by('contains', 'a'), by('equal', 'SUCCESS', 'status')]) {
      expect((await world.send('experiments.results', { ...of(id), query })).status).toBe(400);
    }
  });

  test('are ordered by their time, newest first, by arrival and by scores', async () => {
    const id = await makeExperiment(world);
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const at = (minute: number) => ({ timestamp: `2026-01-02T03:0${minute}:00Z` });
    await post(id, {
      results: [
        result(first, at(1), [score('a', 3), score('b', 1)]),
        result(second, at(2), [score('a', 1), score('b', 2)]),
        result(third, at(3), [score('a', 2), score('b', 3)]),
      ],
    });
    const order = async (ordering: string) => idsOf(await results(id, `?ordering=${ordering}`));
    expect(idsOf(await results(id))).toEqual([third, second, first]);
    expect(await order('timestamp')).toEqual([first, second, third]);
    expect(await order('scores.score_value')).toEqual([second, third, first]);
    expect(await order('-scores.b')).toEqual([third, second, first]);
    const other = await world.send('experiments.results', { ...of(id), query: '?ordering=status' });
    expect(other.status).toBe(400);
  });
});

describe('metrics of an experiment', () => {
  test('sum up each score of each evaluator, with one of three charts', async () => {
    const id = await makeExperiment(world);
    const sent = Array.from({ length: 20 }, (_, at) =>
      result(randomUUID(), {}, [
        score('steps', (at % 3) / 2),
        score('share', at / 20),
        score('tone', null, { label: at % 2 === 0 ? 'polite' : 'curt' }),
      ]),
    );
    await post(id, { results: sent });
    const answer = await world.done('experiments.metrics', of(id));
    const charts = list(field(answer, 'data.evaluators')).map((each) => [
      ...[field(each, 'name'), field(each, 'chart_type'), field(each, 'count')],
    ]);
    expect(charts).toEqual([
      ['steps', 'numeric_discrete', 20],
      ['share', 'numeric_range', 20],
      ['tone', 'categorical', 20],
    ]);
  });

  test('show the items at or beyond the tenth and the ninetieth percentile', async () => {
    const id = await makeExperiment(world);
    const sent = Array.from({ length: 20 }, (_, at) => result(randomUUID(), {}, [score('share', at / 20)]));
    await post(id, { results: sent });
    const answer = await world.done('experiments.metric-rows', of(id));
    const values = (side: string) =>
      list(field(answer, `data.${side}`)).map((row) => Number(field(list(field(row, 'flags'))[0], 'value')));
    expect(values('bottom').sort()).toEqual([0, 0.05]);
    expect(values('top').sort()).toEqual([0.85, 0.9, 0.95]);
  });
});
