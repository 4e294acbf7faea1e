/** Models, metric values and alert rules of a fake service. Every value depends only on its index. */
import type { ListQuery } from '../../../electron/shared/model.ts';
import { iso, NOW, scenario, uuid } from './scenario.ts';

type Json = Record<string, unknown>;
type Body = NonNullable<ListQuery['body']>;

const HOUR = 3_600_000;
export const MODEL_ID = uuid(9_001);
const PROJECT = { id: uuid(9_002), name: 'Risk models' };
const MODEL = { id: MODEL_ID, name: 'Card fraud', version: 'v1' };

/** Midnight UTC of today. */
const TODAY = Math.floor(NOW / (24 * HOUR)) * 24 * HOUR;

/** A wave with a gap in every eleventh bin, and a peak in the last third. */
function value(index: number, series: number): number | null {
  if (index % 11 === 4) return null;
  const peak = index % 97 === 60 ? 40 : 0;
  const exact = 100 + 30 * Math.sin(index / 9 + series) + peak + series * 12;
  return scenario.hasLongNumbers === true ? 1_000 * exact : Math.round(exact * 100) / 100;
}

function queryResult(query: Json, comparison: unknown): Json {
  const columns = Array.isArray(query['columns']) ? query['columns'].map(String) : [];
  const metric = String(query['metric']);
  const names = columns.length === 0 ? [metric] : columns.map((column) => `${metric},${column}`);
  const bins = scenario.bins ?? 30;
  const step = bins > 400 ? HOUR : 24 * HOUR;
  const rows = (agoMs: number) =>
    Array.from({ length: bins }, (_, index) => [
      new Date(TODAY - (bins - 1 - index) * step - agoMs).toISOString(),
      ...names.map((_name, series) => value(index + agoMs / (7 * HOUR), series + metric.length)),
    ]);
  return {
    query_key: query['query_key'],
    metric,
    model: MODEL,
    viz_type: query['viz_type'] ?? 'line',
    columns,
    col_names: ['timestamp', ...names],
    data: rows(0),
    ...(typeof comparison !== 'string' || scenario.comparison === 'none'
      ? {}
      : { comparison: { data: rows(7 * 24 * HOUR) } }),
  };
}

function answer(body: Body | undefined): Json {
  const queries = Array.isArray(body?.['queries']) ? (body['queries'] as Json[]) : [];
  const results = queries.map(
    (query) => [String(query['query_key']), queryResult(query, body?.['time_comparison'])] as const,
  );
  if (scenario.metrics === 'empty') return { results: {} };
  if (scenario.metrics !== 'partly') return { results: Object.fromEntries(results) };
  const [first, , ...rest] = results;
  const failed = rest.map(([key]) => [key, { error: { message: 'The baseline is gone.' } }] as const);
  return { results: Object.fromEntries([...(first === undefined ? [] : [first]), ...failed]) };
}

const METRICS: Json = {
  metrics: [
    { id: 'traffic', name: 'Traffic', type: 'service_metrics', columns: [] },
    { id: 'average', name: 'Average', type: 'statistic', columns: ['amount', 'age'] },
    { id: 'auc', name: 'AUC', type: 'performance', columns: [] },
  ],
  columns: [
    { id: 'amount', name: 'amount', group: 'Inputs', data_type: 'float' },
    { id: 'age', name: 'age', group: 'Inputs', data_type: 'int' },
  ],
  metric_types: [
    { key: 'service_metrics', name: 'Traffic' },
    { key: 'statistic', name: 'Statistic' },
    { key: 'performance', name: 'Performance' },
  ],
};

const COLUMNS = ['fraud_score', 'amount', 'merchant', 'hour_of_day', 'is_online'];
const MANY_METRICS: Json = {
  metrics: [
    ...(METRICS['metrics'] as Json[]),
    { id: 'jsd', name: 'Jensen-Shannon distance', type: 'drift', columns: COLUMNS, requires_baseline: true },
    { id: 'null_violation_percentage', name: 'Missing, %', type: 'data_integrity', columns: COLUMNS },
    { id: 'precision', name: 'Precision', type: 'performance', columns: [] },
    { id: 'recall', name: 'Recall', type: 'performance', columns: [] },
  ],
  columns: [
    ...(METRICS['columns'] as Json[]),
    ...COLUMNS.map((id, at) => ({
      id,
      name: id,
      group: at === 0 ? 'Outputs' : 'Inputs',
      data_type: 'float',
    })),
  ],
  metric_types: METRICS['metric_types'],
};

const rule = (index: number): Json => ({
  id: uuid(9_100 + index),
  name: index === 0 ? 'Traffic drops' : `Rule ${index}`,
  priority: 'HIGH',
  bin_size: 'Day',
  compare_to: 'raw_value',
  condition: 'lesser',
  critical_threshold: 60,
  warning_threshold: 80,
  threshold_type: 'manual',
  feature_names: null,
  enable_notification: true,
  metric: { id: 'traffic', display_name: 'Traffic', type: 'service_metrics' },
  model: MODEL,
  project: PROJECT,
  baseline: null,
  created_at: iso(90 * 24 * HOUR),
  updated_at: iso(24 * HOUR),
});

const severity = (index: number): string =>
  index % 9 === 2 ? 'CRITICAL' : index % 9 === 6 ? 'WARNING' : 'DEFAULT';

function alertRecord(index: number): Json {
  return {
    id: uuid(9_300 + index),
    alert_rule_id: uuid(9_100),
    alert_time_bucket: (TODAY - (29 - index) * 24 * HOUR) / 1_000,
    alert_value: 50 + index,
    warning_threshold: 80,
    critical_threshold: 60,
    severity: severity(index),
    message: `Traffic is ${50 + index}.`,
    alert_record_main_version: 1,
    alert_record_sub_version: 1,
  };
}

const summary = (index: number): Json => ({
  ...rule(index),
  alert_rule_id: uuid(9_100 + index),
  id: uuid(9_400 + index),
  alert_record_count: index,
  latest_alert_record_severity:
    scenario.latestAlerts?.critical?.includes(index) === true ? 'CRITICAL' : severity(index + 2),
  latest_alert_record_value: 51,
  latest_threshold: 60,
  latest_alert_time_bucket: TODAY / 1_000,
});

export const MONITORING_ROWS = {
  'alert-rules.list': { total: 12, make: rule },
  'alert-rules.summary': { total: 12, make: summary },
  'alert-rules.records': { total: 7, make: (index: number): Json => alertRecord(index * 4 + 2) },
};

export const MONITORING_RECORDS: Readonly<Record<string, (query: ListQuery) => Json>> = {
  'queries.run': ({ body }) => answer(body),
  'applications.metrics': () => ({
    metrics: [
      { id: 'span_count', name: 'Spans', type: 'traffic', columns: [] },
      { id: 'is_concise', name: 'Conciseness: is_concise', type: 'evaluator', columns: [] },
      { id: 'is_answer_relevant', name: 'Answer relevance', type: 'evaluator', columns: [] },
    ],
  }),
  'models.metrics': () => (scenario.hasManyMetrics ? MANY_METRICS : METRICS),
  'alert-rules.get': () => rule(0),
  'alert-rules.history': () => ({
    items: Array.from({ length: 29 }, (_, index) => ({
      time_bucket: alertRecord(index)['alert_time_bucket'],
      alert_count: 1 + (index % 2),
      latest_record: alertRecord(index),
    })),
  }),
  'alert-rules.thresholds': ({ query }) => ({
    alert_time_bucket: Number(query['alert_time_bucket']),
    levels: { warning: 80, critical: 60 },
    critical_level: 60,
    warning_level: 80,
  }),
  'alert-rules.notification': () => ({
    emails: ['watch@example.com'],
    pagerduty_services: [],
    pagerduty_severity: '',
    webhooks: [],
  }),
};
