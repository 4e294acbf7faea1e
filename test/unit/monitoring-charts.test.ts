/** Converts charts to bodies of metric queries: fields of the form, and pasted definitions. */
import { describe, expect, test } from 'vitest';
import { monitoringQueryBody } from '../../electron/api/endpoints.ts';
import { readBody, type Subject } from '../../electron/shared/chart-query.ts';
import type { JsonObject } from '../../electron/shared/json-fields.ts';
import { metricTitle, readMetrics } from '../../electron/shared/metrics.ts';
import {
  addQuery,
  bodyProblems,
  newBody,
  removeQuery,
  setComparison,
  setFilters,
  setMetric,
  setQuery,
  withSubject,
} from '../../renderer/lib/monitoring/chart-body.ts';
import { inputTime, rangeText, typedTime } from '../../renderer/lib/monitoring/chart-range.ts';
import { parseBody } from '../../renderer/lib/monitoring/chart-text.ts';

const PROJECT = 'dc23eb0d-4ac0-4ce8-bc1d-f3662da07570';
const MODEL = '431b97c7-1800-4448-b777-b3c7ba56c4a9';
const KEY = '0b7c2f5e-3a41-4a55-8c1b-2f90ab3c7d10';
const subject: Subject = { kind: 'model', projectId: PROJECT, modelId: MODEL };

/** An answer that a service really gave (SERVICE.md F7.5): `__ANY__`, columns by id, additional requires_* flags. */
const METADATA = {
  metric_types: [
    { key: 'drift', name: 'Data Drift' },
    { key: 'service_metrics', name: 'Traffic' },
  ],
  metrics: [
    { id: 'traffic', name: 'Traffic', type: 'service_metrics', columns: [], requires_baseline: false },
    {
      id: 'jsd',
      name: 'Jensen-Shannon Distance',
      type: 'drift',
      columns: ['age', 'c7'],
      requires_baseline: true,
    },
    {
      id: 'null_violation_percentage',
      name: '% Missing',
      type: 'data_integrity',
      columns: ['__ANY__', 'age'],
    },
    { id: 'frequency', name: 'Frequency', type: 'statistic', columns: ['c7'], requires_categories: true },
    { id: 'f1_score', name: 'F1', type: 'performance', columns: [], requires_threshold: true, new_flag: 3 },
  ],
  columns: [
    { id: '__ANY__', name: 'All columns' },
    { id: 'age', name: 'age', group: 'Inputs', data_type: 'int' },
    { id: 'c7', name: 'geography', group: 'Inputs', data_type: 'category' },
  ],
};
const metrics = readMetrics(METADATA);
const metric = (id: string) => {
  const found = metrics.find((each) => each.id === id);
  if (found === undefined) throw new Error(`Expected a metric ${id}.`);
  return found;
};

describe('metrics that a chart can show', () => {
  test('are read with their columns by id or name, and their requirements', () => {
    expect(metric('jsd')).toMatchObject({ typeName: 'Data Drift', requiresBaseline: true });
    expect(metric('jsd').columns.map(({ title }) => title)).toEqual(['age', 'geography']);
    expect(metric('null_violation_percentage').columns[0]).toMatchObject({
      id: '__ANY__',
      title: 'All columns',
    });
    expect(metric('null_violation_percentage').typeName).toBe('Data integrity');
    expect(metric('f1_score').requiresThreshold).toBe(true);
  });

  test('of an application, whose fields are undocumented: a list, or lists by type', () => {
    expect(readMetrics({ metrics: [{ id: 'span_count', name: 'Spans', type: 'traffic' }] })).toHaveLength(1);
    const byType = readMetrics({ latency: [{ key: 'p95', display_name: 'Latency' }], note: 'x', empty: [] });
    expect(byType).toMatchObject([{ id: 'p95', name: 'Latency', type: 'latency', typeName: 'Latency' }]);
  });

  test('unexpected forms are left out', () => {
    for (const record of [null, [], 'x', { metrics: 'x' }, { metrics: [null, 3, {}, { id: 4 }] }]) {
      expect(readMetrics(record)).toEqual([]);
    }
  });

  test('units are in titles if the interface documents one, and not twice', () => {
    expect(metricTitle(metric('traffic'))).toBe('Traffic, events');
    expect(metricTitle(metric('null_violation_percentage'))).toBe('% Missing');
    expect(metricTitle(metric('jsd'))).toBe('Jensen-Shannon Distance');
  });
});

describe('the request body of a chart', () => {
  const one = addQuery(newBody(subject), KEY, subject, metric('jsd'));

  test('is accepted by the operation', () => {
    const whole = setQuery(one, KEY, { columns: ['age'], baseline_id: MODEL });
    expect(monitoringQueryBody.safeParse(whole).success).toBe(true);
    expect(readBody(whole)).toMatchObject({
      subject,
      timeLabel: '30d',
      zone: 'UTC',
      binSize: 'Day',
      queries: [{ key: KEY, metric: 'jsd', columns: ['age'], baselineId: MODEL, isBar: false }],
    });
  });

  test('keeps fields that are not in the form', () => {
    const pasted: JsonObject = {
      ...one,
      trace: { id: 1 },
      queries: [{ query_key: KEY, model_id: MODEL, metric: 'jsd', columns: [], custom_features: ['x'] }],
      filters: { time_label: '7d', bin_size: 'Day', holiday: true },
    };
    const edited = setComparison(
      setFilters(setQuery(pasted, KEY, { viz_type: 'bar' }), { bin_size: 'Hour' }),
      'Previous Week',
    );
    expect(edited).toMatchObject({
      trace: { id: 1 },
      time_comparison: 'Previous Week',
      filters: { time_label: '7d', bin_size: 'Hour', holiday: true },
      queries: [{ custom_features: ['x'], viz_type: 'bar' }],
    });
    expect(setComparison(edited, '')).not.toHaveProperty('time_comparison');
  });

  test('another metric keeps the columns that fit, and drops a baseline that does not', () => {
    const chosen = setQuery(one, KEY, { columns: ['age', 'c7'], baseline_id: MODEL });
    const [query] = readBody(setMetric(chosen, KEY, metric('frequency'))).queries;
    expect(query).toMatchObject({ metric: 'frequency', columns: ['c7'], baselineId: '' });
  });

  test('another subject keeps the times and removes the queries', () => {
    const hourly = setFilters(one, { bin_size: 'Hour' });
    const moved = withSubject(hourly, { kind: 'application', applicationId: MODEL });
    expect(readBody(moved)).toMatchObject({ binSize: 'Hour', queries: [] });
    expect(readBody(moved).subject).toEqual({ kind: 'application', applicationId: MODEL });
    expect(removeQuery(one, KEY)['queries']).toEqual([]);
  });

  test('names missing values before a request is sent', () => {
    const problems = (body: JsonObject) =>
      bodyProblems(body, (query) => metrics.find(({ id }) => id === query.metric)).map(({ text }) => text);
    expect(problems(newBody(subject))).toEqual(['Choose a metric.']);
    expect(problems(one)).toEqual(['Choose a column.', 'Choose a baseline: drift is measured against it.']);
    expect(problems(setQuery(one, KEY, { columns: ['age'], baseline_id: MODEL }))).toEqual([]);
    const counted = addQuery(newBody(subject), KEY, subject, metric('frequency'));
    expect(problems(setQuery(counted, KEY, { columns: ['c7'] }))).toEqual(['Name a category.']);
    const wide = setQuery(one, KEY, {
      columns: Array.from({ length: 21 }, (_, at) => `c${at}`),
      baseline_id: MODEL,
    });
    expect(problems(wide)).toEqual(['At most 20 columns per metric; 21 are chosen.']);
    const range = (start: string, end: string) =>
      setFilters(addQuery(newBody(subject), KEY, subject, metric('traffic')), {
        time_label: null,
        time_range: { start_time: start, end_time: end },
      });
    expect(problems(range('2026-03-02', '2026-03-01'))).toEqual(['The end must be later than the start.']);
    expect(problems(range('', '2026-03-01'))).toEqual(['Choose a time range.']);
    expect(problems(setFilters(one, { time_zone: 'Mars/Base' }))[0]).toBe('"Mars/Base" is not a time zone.');
  });
});

describe('a definition as text', () => {
  const text = (value: unknown) => JSON.stringify(value);
  const body = {
    project_id: PROJECT,
    query_type: 'MONITORING',
    filters: {},
    queries: [{ query_key: 'a', model_id: MODEL, metric: 'auc' }],
  };

  test('is accepted as copied, also from inside a request', () => {
    expect(parseBody(text(body)).body).toEqual(body);
    expect(parseBody(text({ method: 'POST', body })).body).toEqual(body);
    const application = {
      application_id: MODEL,
      filters: {},
      queries: [{ query_key: 'a', metric: 'span_count' }],
    };
    expect(parseBody(text(application)).problem).toBeNull();
  });

  test('mistakes are reported with their position', () => {
    const problem = (value: unknown) => parseBody(typeof value === 'string' ? value : text(value)).problem;
    expect(problem('{')).toMatch(/^Not JSON: /);
    expect(problem([])).toBe('Expected an object with "filters" and "queries".');
    expect(problem({ ...body, project_id: 3 })).toMatch(/^Expected "project_id"/);
    expect(problem({ ...body, query_type: '' })).toMatch(/^"query_type" is missing/);
    expect(problem({ ...body, filters: null })).toMatch(/^"filters" is missing/);
    expect(problem({ ...body, queries: [] })).toBe('Expected "queries" to be a list of at least one query.');
    expect(problem({ ...body, queries: [{ query_key: 'a', metric: 'auc' }] })).toBe(
      'queries, number 1: "model_id" is missing.',
    );
    expect(problem({ ...body, queries: Array.from({ length: 8 }, () => body.queries[0]) })).toBe(
      'A chart holds at most 6 queries; this has 8.',
    );
    expect(problem({ ...body, queries: [body.queries[0], body.queries[0]] })).toBe(
      'The query_key "a" is used twice.',
    );
  });
});

describe('ranges of a chart', () => {
  test('are entered and shown in the wall time of its zone, and sent with their offset', () => {
    const ms = typedTime('2026-03-29T03:30', 'Europe/Berlin') ?? 0;
    expect(rangeText(ms, ms + 3_600_000, 'Europe/Berlin')).toEqual({
      start_time: '2026-03-29T03:30:00+02:00',
      end_time: '2026-03-29T04:30:00+02:00',
    });
    expect(inputTime('2026-03-29T03:30:00+02:00', 'Europe/Berlin')).toBe('2026-03-29T03:30');
    expect(typedTime('yesterday', 'UTC')).toBeNull();
    expect(inputTime('', 'UTC')).toBe('');
  });
});
