/** The home page of a model: texts about its columns, and its traffic by day. */
import { describe, expect, test } from 'vitest';
import { constantWords, modelColumns } from '../../renderer/lib/model-words.ts';
import { modelAlerts, newestAlerts } from '../../renderer/lib/monitoring/model-alerts.ts';
import { busyDaysText, readTraffic, trafficQuery } from '../../renderer/lib/monitoring/model-traffic.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-01T00:00Z');

test('columns have their role, type and values in words, results before inputs', () => {
  const record = {
    schema: {
      columns: [
        { name: 'amount', data_type: 'FLOAT', min: 0, max: 25_000 },
        { name: 'country', data_type: 'CATEGORY', categories: ['DE', 'FR', 'ES', 'IT', 'PT'] },
        { name: 'embedding', data_type: 'VECTOR', n_dimensions: 384 },
        { name: 'score', data_type: 'FLOAT', min: null, max: 1 },
        'not a column',
      ],
    },
    spec: { inputs: ['amount', 'country', 'score'], outputs: ['score'] },
  };
  expect(modelColumns(record)).toEqual([
    { name: 'score', role: 'output', type: 'float', values: '' },
    { name: 'amount', role: 'input', type: 'float', values: '0 to 25,000' },
    { name: 'country', role: 'input', type: 'category', values: 'DE, FR, ES and 2 more' },
    { name: 'embedding', role: '', type: 'vector', values: '384 dimensions' },
  ]);
  expect(modelColumns({ schema: null, spec: 'x' })).toEqual([]);
});

test('a constant of the service is written in words', () => {
  expect(constantWords('BINARY_CLASSIFICATION')).toBe('Binary classification');
  expect(constantWords('LLM')).toBe('LLM');
  expect(constantWords(null)).toBe('');
});

describe('traffic of a model', () => {
  const range = { startMs: START, endMs: START + 3 * DAY };
  const query = trafficQuery({ id: 'm', projectId: 'p' }, range);
  const answer = (values: readonly (number | null)[]) => ({
    results: {
      traffic: {
        ...{ query_key: 'traffic', metric: 'traffic', viz_type: 'line', col_names: ['timestamp', 'traffic'] },
        data: values.map((value, at) => [new Date(START + at * DAY).toISOString(), value]),
      },
    },
  });

  test('counts whole days only: the day in which it was read is partial', () => {
    const found = readTraffic(answer([100, 200, 7]), query, START + 2.5 * DAY);
    expect(found.days.map(({ value }) => value)).toEqual([100, 200]);
    expect(found.perDay).toBe(150);
    expect(found.lastMs).toBe(START + 2 * DAY);
  });

  test('counts days that the service has nothing for as days without events, and says on how many there were some', () => {
    const month = trafficQuery({ id: 'm', projectId: 'p' }, { startMs: START, endMs: START + 30 * DAY });
    const once = readTraffic(
      answer([null, 3_000, ...Array.from({ length: 28 }, () => null)]),
      month,
      START + 31 * DAY,
    );
    expect(once.perDay).toBe(3_000 / 29);
    expect(busyDaysText(once)).toBe(', on 1 of 29 whole days');
    const lacking = readTraffic(answer([200]), query, START + 2.5 * DAY);
    expect(lacking.perDay).toBe(100);
    expect(busyDaysText(lacking)).toBe(', on 1 of 2 whole days');
    expect(busyDaysText(readTraffic(answer([5, 6, 7]), query, START + 4 * DAY))).toBe('');
  });

  test('of a new model has the mean of the days since its first event', () => {
    const month = trafficQuery({ id: 'm', projectId: 'p' }, { startMs: START, endMs: START + 30 * DAY });
    const young = readTraffic(
      answer([...Array.from({ length: 27 }, () => null), 5_000, 4_000, 6_000]),
      month,
      START + 31 * DAY,
    );
    expect(young.perDay).toBe(5_000);
    expect(busyDaysText(young)).toBe('');
  });

  test('has no mean without days, and no last day without events', () => {
    expect(readTraffic(answer([]), query, START + 3 * DAY)).toEqual({
      ...{ days: [], perDay: null, lastMs: null },
      ...{ wholeDays: 3, busyDays: 0 },
    });
    expect(readTraffic(answer([0, null]), query, START + 3 * DAY)).toMatchObject({ perDay: 0, lastMs: null });
    expect(readTraffic({ nothing: true }, query, START)).toMatchObject({ perDay: null });
  });

  test('has the same query for the same days, which the stored answer is found by', () => {
    expect(trafficQuery({ id: 'm', projectId: 'p' }, range)).toEqual(query);
    expect(query.body).toMatchObject({ project_id: 'p', queries: [{ model_id: 'm', metric: 'traffic' }] });
  });
});

test('alerts of a model begin with the most severe, then the latest', () => {
  const summary = (name: string, severity: string, time: number, model: unknown = { id: 'm' }) => ({
    ...{
      name,
      model,
      latest_alert_record_severity: severity,
      latest_alert_time_bucket: START / 1_000 + time,
    },
  });
  const found = modelAlerts([
    summary('quiet', 'DEFAULT', 9),
    summary('early', 'WARNING', 1),
    summary('late', 'WARNING', 5),
    summary('worst', 'CRITICAL', 0),
    summary('elsewhere', 'CRITICAL', 0, { id: 'n' }),
    summary('of an application', 'CRITICAL', 0, null),
  ]);
  expect(found({ id: 'm' }).rules).toBe(4);
  expect(found({ id: 'm' }).fired.map(({ name }) => name)).toEqual(['worst', 'late', 'early']);
  expect(found({ id: 'n' }).fired.map(({ name }) => name)).toEqual(['elsewhere']);
  expect(found({ id: '', name: '' })).toEqual({ rules: 0, fired: [] });
});

test('the newest alerts of the same time begin with the most severe', () => {
  const summary = (name: string, severity: string, time: number) => ({
    ...{ name, latest_alert_record_severity: severity, latest_alert_time_bucket: START / 1_000 + time },
  });
  const found = newestAlerts([
    summary('quiet', 'DEFAULT', 9),
    summary('warning', 'WARNING', 1),
    summary('critical', 'CRITICAL', 1),
    summary('late', 'WARNING', 5),
  ]);
  expect(found.map(({ name }) => name)).toEqual(['late', 'critical', 'warning']);
});

test('alerts belong to a model by its id in each notation of the service, else by its name', () => {
  const found = modelAlerts([
    { model_id: 'm' },
    { model: { id: 'm', name: 'Churn' }, model_id: 'n' },
    { model_name: 'Churn' },
    { model: { name: 'Churn' } },
    { model_id: 'n', model_name: 'Churn' },
  ]);
  expect(found({ id: 'm', name: 'Churn' }).rules).toBe(4);
  expect(found({ id: 'n', name: 'Fraud' }).rules).toBe(1);
});
