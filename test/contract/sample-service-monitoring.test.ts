/** Metric queries, baselines and custom metrics; by raw HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import {
  baselineBody,
  metricBody,
  modelQuery,
  ruleBody,
  segmentBody,
} from './sample-service-cases/monitoring.ts';
import { field, list, World } from './sample-service-cases/world.ts';

const NOW_MS = Date.UTC(2025, 10, 3, 9, 0, 0);

let world: World;
beforeAll(async () => {
  world = await World.start({ clock: new VirtualClock(NOW_MS) });
});
afterAll(() => world.stop());

async function query(body: unknown): Promise<unknown> {
  return field(await world.done('queries.run', { body }), 'data.results.a');
}

describe('metric queries', () => {
  const base = () => modelQuery(world.ids.fraud, world.ids.project);

  it('return one row for each bin, the same numbers every time, and some gaps', async () => {
    const first = await query({ ...base(), filters: { time_label: '90d', bin_size: 'Hour' } });
    const second = await query({ ...base(), filters: { time_label: '90d', bin_size: 'Hour' } });
    expect(second).toEqual(first);
    const rows = list(field(first, 'data'));
    expect(rows).toHaveLength(90 * 24);
    expect(field(first, 'col_names')).toEqual(['timestamp', 'traffic']);
    expect(field(rows, '0.0')).toBe('2025-08-05T09:00:00+00:00');
    const gaps = rows.filter((row) => field(row, '1') === null).length;
    expect(gaps).toBeGreaterThan(0);
    expect(gaps).toBeLessThan(rows.length / 10);
  });

  it('do not change a bin when the range around it changes', async () => {
    const filters = (from: string) => ({
      time_range: { start_time: from, end_time: '2025-10-20 00:00:00' },
      bin_size: 'Day',
    });
    const long = list(field(await query({ ...base(), filters: filters('2025-09-01 00:00:00') }), 'data'));
    const short = list(field(await query({ ...base(), filters: filters('2025-10-10 00:00:00') }), 'data'));
    expect(short).toHaveLength(10);
    expect(long.slice(-10)).toEqual(short);
  });

  it.each([
    ['Previous Day', '2025-10-19T00:00:00+00:00'],
    ['Previous Week', '2025-10-13T00:00:00+00:00'],
    ['Previous Month', '2025-09-20T00:00:00+00:00'],
    ['Previous Quarter', '2025-07-20T00:00:00+00:00'],
    ['Previous Year', '2024-10-20T00:00:00+00:00'],
  ])(
    'compared with the %s: as many values, at their own times, equal to those of a separate query',
    async (time_comparison, firstTime) => {
      const filters = (start_time: string, end_time: string) => ({
        time_range: { start_time, end_time },
        bin_size: 'Day',
      });
      const asked = filters('2025-10-20 00:00:00', '2025-10-25 00:00:00');
      const both = await query({ ...base(), filters: asked, time_comparison });
      expect(field(both, 'comparison.time_comparison')).toBe(time_comparison);
      const earlier = list(field(both, 'comparison.data'));
      expect(earlier).toHaveLength(list(field(both, 'data')).length);
      expect(field(earlier, '0.0')).toBe(firstTime);
      const end = String(field(earlier, '4.0')).replace('T00', 'T12');
      const alone = await query({ ...base(), filters: filters(firstTime, end) });
      expect(earlier).toEqual(list(field(alone, 'data')));
    },
  );

  it('reject an unknown comparison', async () => {
    const body = { ...base(), filters: { time_label: '7d' }, time_comparison: 'Previous Moon' };
    const { status } = await world.send('queries.run', { body });
    expect(status).toBe(400);
  });

  it('name several columns, months and weeks', async () => {
    const body = base();
    const queries = [{ ...body.queries[0], metric: 'average', columns: ['amount', 'fraud_score'] }];
    const months = await query({ ...body, queries, filters: { time_label: '12m', bin_size: 'Month' } });
    expect(field(months, 'col_names')).toEqual(['timestamp', 'average,amount', 'average,fraud_score']);
    expect(list(field(months, 'data')).map((row) => String(field(row, '0')).slice(8, 10))).toEqual(
      Array(13).fill('01'),
    );
    const weeks = await query({ ...body, queries, filters: { time_label: '30d', bin_size: 'Week' } });
    for (const row of list(field(weeks, 'data')))
      expect(new Date(String(field(row, '0'))).getUTCDay()).toBe(1);
  });

  it.each([
    ['an unknown metric', { metric: 'happiness' }, {}],
    ['a metric without its column', { metric: 'average', columns: [] }, {}],
    ['a column the metric cannot be about', { metric: 'average', columns: ['merchant_category'] }, {}],
    ['an unknown label', {}, { time_label: 'soon' }],
    ['too many bins', {}, { time_label: '12m', bin_size: 'Hour' }],
    ['a wrong time zone', {}, { time_zone: 'Moon/Tycho' }],
    [
      'a range that ends before it begins',
      {},
      { time_label: null, time_range: { start_time: 2e9, end_time: 1e9 } },
    ],
    ['no range', {}, { time_label: null }],
  ])('reject %s', async (_title, change, filters) => {
    const body = base();
    const changed = {
      ...body,
      filters: { ...body.filters, ...filters },
      queries: [{ ...body.queries[0], ...change }],
    };
    expect((await world.send('queries.run', { body: changed })).status).toBe(400);
  });

  it('answer about an application too, for every metric in its list', async () => {
    const parameters = { application_id: world.ids.application };
    const metrics = async (source: string) =>
      list(
        field(
          await world.done('applications.metrics', { parameters, query: `?source=${source}` }),
          'data.metrics',
        ),
      );
    const charts = await metrics('GENAI_CHARTS');
    const alerts = await metrics('GENAI_ALERTS');
    const types = (found: unknown[]) => [...new Set(found.map((metric) => field(metric, 'type')))].toSorted();
    expect(types(charts)).toEqual(['attribute', 'evaluator', 'latency', 'token_count', 'traffic']);
    expect(types(alerts)).toEqual(['attribute', 'latency', 'token_count', 'traffic']);
    expect(field(await world.done('applications.metrics', { parameters }), 'data.metrics')).toEqual(charts);
    const body = {
      application_id: world.ids.application,
      filters: { time_label: '7d', bin_size: 'Day' },
      queries: charts.map((metric) => ({
        query_key: String(field(metric, 'id')),
        metric: field(metric, 'id'),
      })),
    };
    const results = field(await world.done('queries.run', { body }), 'data.results');
    expect(Object.keys(Object(results))).toHaveLength(charts.length);
  });
});

describe('baselines and custom metrics', () => {
  it('cannot be deleted while a rule uses them', async () => {
    const metric = await world.make('custom-metrics.create', metricBody(world));
    const baseline = await world.make('baselines.create', baselineBody(world));
    const onMetric = await world.make('alert-rules.create', { ...ruleBody(world), metric_id: metric });
    const onBaseline = await world.make('alert-rules.create', {
      ...ruleBody(world),
      metric_id: 'psi',
      feature_names: ['amount'],
      baseline_id: baseline,
    });
    const removals = [
      ['custom-metrics.delete', { uuid: metric }, onMetric],
      ['baselines.delete', { baseline_id: baseline }, onBaseline],
    ] as const;
    for (const [operation, parameters, rule] of removals) {
      expect((await world.send(operation, { parameters })).status).toBe(400);
      await world.done('alert-rules.delete', { parameters: { alert_id: rule } });
      await world.done(operation, { parameters });
      expect((await world.send(operation, { parameters })).status).toBe(404);
    }
  });

  it.each([
    'amount',
    'sum(',
    'sum(height)',
    'frobnicate(amount)',
    "sum('x)",
    'sum(amount))',
    'sum(amount) ; 1',
  ])('a definition like %j is rejected', async (definition) => {
    const answer = await world.send('custom-metrics.create', { body: { ...metricBody(world), definition } });
    expect(answer.status).toBe(400);
    expect(field(answer.json, 'error.message')).toContain('definition');
  });

  it.each([
    ['sum(amount) > 3', 'aggregate'],
    ['amount', 'true or false'],
    ['height > 3', 'column'],
    ['amount > (3', 'parenthesis'],
  ])('a segment by %j is rejected', async (definition, word) => {
    const answer = await world.send('segments.create', { body: { ...segmentBody(world), definition } });
    expect(answer.status).toBe(400);
    expect(field(answer.json, 'error.message')).toContain(word);
  });

  it.each([
    'is_online',
    '"is_online"',
    'not is_online',
    "amount > 3 and merchant_category == 'fuel'",
    'is_null(amount)',
  ])('a segment by %j is created with its model', async (definition) => {
    const body = { ...segmentBody(world), definition };
    const { json } = await world.send('segments.create', { body });
    expect(field(json, 'data')).toMatchObject({ definition, model: { id: world.ids.fraud } });
  });

  it.each([
    { type: 'FLOATING' },
    { env_type: 'PRE_PRODUCTION' },
    { offset_delta: null },
    { window_bin_size: 'Decade' },
    { type: 'STATIC' },
    { start_time: 2_000, end_time: 1_000 },
  ])('a baseline with %j is rejected', async (change) => {
    const answer = await world.send('baselines.create', { body: { ...baselineBody(world), ...change } });
    expect(answer.status).toBe(400);
  });

  it('belong to their model', async () => {
    for (const operation of ['models.baselines', 'models.custom-metrics'] as const) {
      const own = await world.items(operation, {
        parameters: { model_id: world.ids.insurance },
        query: '?limit=100',
      });
      expect(own.length).toBeGreaterThan(0);
      for (const entry of own) expect(field(entry, 'model.id')).toBe(world.ids.insurance);
    }
    const metrics = await world.done('models.metrics', { parameters: { model_id: world.ids.insurance } });
    const ids = list(field(metrics, 'data.metrics')).map((metric) => field(metric, 'name'));
    expect(ids).toEqual(expect.arrayContaining(['MAE', 'Traffic', 'Premium per policy']));
  });
});
