/** The metrics of a model for charts and alerts (SERVICE.md F6.6 and F7.5), and their series. */

import type { Model, ModelColumn } from '../../api/records.ts';
import * as records from '../../api/records.ts';
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import type { Bin } from './bins.ts';
import { type SeriesProfile, unitOf, valueIn } from './series.ts';
import { TRAFFIC_PER_HOUR, type Traffic } from './traffic.ts';

export const METRIC_TYPES = {
  drift: 'Drift',
  data_integrity: 'Data integrity',
  performance: 'Performance',
  service_metrics: 'Traffic',
  statistic: 'Statistic',
  custom: 'Custom metric',
} as const;
type MetricType = keyof typeof METRIC_TYPES;

export interface Metric {
  id: string;
  name: string;
  type: MetricType;
  /** The columns that the metric applies to; `none` if it is about the whole model. */
  about: 'none' | 'any' | 'numeric' | 'category';
}

const metric = (type: MetricType, about: Metric['about'], id: string, name: string): Metric => ({
  id,
  name,
  type,
  about,
});

const VIOLATIONS = ['null', 'type', 'range', 'any'].flatMap((kind) => [
  metric('data_integrity', 'any', `${kind}_violation_count`, `Violations (${kind}), count`),
  metric('data_integrity', 'any', `${kind}_violation_percentage`, `Violations (${kind}), %`),
]);

const COMMON: readonly Metric[] = [
  metric('drift', 'any', 'jsd', 'Jensen-Shannon distance'),
  metric('drift', 'any', 'psi', 'Population stability index'),
  metric('service_metrics', 'none', 'traffic', 'Traffic'),
  ...VIOLATIONS,
  metric('statistic', 'numeric', 'average', 'Average'),
  metric('statistic', 'numeric', 'sum', 'Sum'),
  metric('statistic', 'category', 'frequency', 'Frequency'),
];

const performance = (names: Readonly<Record<string, string>>): Metric[] =>
  Object.entries(names).map(([id, name]) => metric('performance', 'none', id, name));

const BY_TASK: Readonly<Record<string, readonly Metric[]>> = {
  binary_classification: performance({
    accuracy: 'Accuracy',
    precision: 'Precision',
    recall: 'Recall',
    f1_score: 'F1 score',
    auc: 'AUC',
    log_loss: 'Log loss',
    fpr: 'False positive rate',
  }),
  regression: performance({ mae: 'MAE', mse: 'MSE', mape: 'MAPE', wmape: 'WMAPE', r2: 'R2' }),
};

const NUMERIC: readonly string[] = ['int', 'float'];
const CATEGORICAL: readonly string[] = ['category', 'bool', 'str'];

/** All metrics of a model, custom ones last. */
export function metricsOf(stores: Stores, model: JsonRecord): Metric[] {
  const custom = stores.resources
    .list('custom-metric', String(model['id']))
    .map((record) => metric('custom', 'none', String(record['id']), String(record['name'])));
  return [...COMMON, ...(BY_TASK[String(model['task'])] ?? []), ...custom];
}

export function columnsOf(model: JsonRecord): ModelColumn[] {
  const parsed: Model = records.model.parse(model);
  return parsed.schema?.columns ?? [];
}

/** Whether the metric applies to this column. */
export function fitsColumn(about: Metric['about'], column: ModelColumn): boolean {
  const type = column.data_type ?? '';
  if (about === 'numeric') return NUMERIC.includes(type);
  if (about === 'category') return CATEGORICAL.includes(type);
  return about === 'any' && type !== 'vector' && type !== 'timestamp';
}

const share = (level: number, swing: number, noise: number): SeriesProfile => ({
  level,
  swing,
  noise,
  least: 0,
  most: 1,
  isCount: false,
  digits: 4,
});
const amount = (level: number, isCount: boolean, digits = 2): SeriesProfile => ({
  level,
  swing: 0.25,
  noise: 0.12,
  least: Number.NEGATIVE_INFINITY,
  most: Number.MAX_VALUE,
  isCount,
  digits,
});

const PROFILES: Readonly<Record<string, SeriesProfile>> = {
  jsd: share(0.06, 0.5, 0.3),
  psi: share(0.08, 0.5, 0.35),
  frequency: { ...amount(140, true, 0), least: 0 },
  accuracy: share(0.91, 0.03, 0.015),
  precision: share(0.84, 0.05, 0.03),
  recall: share(0.79, 0.05, 0.03),
  f1_score: share(0.81, 0.05, 0.02),
  auc: share(0.93, 0.02, 0.01),
  log_loss: share(0.24, 0.2, 0.08),
  fpr: share(0.04, 0.3, 0.15),
  mae: amount(1_850, false),
  mse: amount(8_400_000, false, 0),
  mape: amount(14.5, false),
  wmape: amount(12.2, false),
  r2: share(0.72, 0.06, 0.03),
};

/** A peak in any seven days, so that a rule on it has fired recently and the sample always shows an alert. */
const FRAUD_DRIFT: SeriesProfile = { ...share(0.06, 0.5, 0.3), peakEveryDays: 5 };

function statisticProfile(id: string, column: ModelColumn | null): SeriesProfile {
  const [least, most] = [column?.min ?? 0, column?.max ?? 100];
  const middle = least + (most - least) * 0.4;
  return id === 'sum'
    ? amount(middle * TRAFFIC_PER_HOUR, true)
    : { ...amount(middle, false, 3), swing: 0.12, noise: 0.05 };
}

function profileOf(entry: Metric, column: ModelColumn | null, seriesKey: string): SeriesProfile {
  if (entry.id === 'jsd' && column?.name === 'fraud_score') return FRAUD_DRIFT;
  const known = PROFILES[entry.id];
  if (known !== undefined) return known;
  if (entry.id.endsWith('_violation_count'))
    return { ...amount(2.4, true, 0), swing: 0.6, noise: 0.5, least: 0 };
  if (entry.id.endsWith('_violation_percentage')) return { ...share(0.6, 0.6, 0.5), most: 100 };
  if (entry.type === 'statistic') return statisticProfile(entry.id, column);
  return amount(10 ** (1 + 3 * unitOf(seriesKey)), false);
}

export interface Series {
  modelId: string;
  metric: Metric;
  column: ModelColumn | null;
  /** Further parts of the key, which make it another series: a baseline, a category, a segment. */
  variant: string;
  /** Traffic of the model, which is counted, whereas other metrics are generated. */
  traffic: Traffic;
}

/** Value of a metric in one bin, or null. Traffic is counted up to a moment. */
export function metricValue(
  { modelId, metric: entry, column, variant, traffic }: Series,
  bin: Bin,
  untilMs?: number,
): number | null {
  if (entry.id === 'traffic') return traffic(bin, untilMs);
  // The key of a custom metric is its name, so that it gives the same numbers if it is created again with another id.
  const key = [modelId, entry.type === 'custom' ? entry.name : entry.id, column?.name ?? '', variant].join(
    '|',
  );
  return valueIn(key, profileOf(entry, column, key), bin);
}

/** The list of a model's metrics in the form of the service. */
export function modelMetricsRecord(stores: Stores, model: JsonRecord): JsonRecord {
  const columns = columnsOf(model);
  const spec = typeof model['spec'] === 'object' && model['spec'] !== null ? model['spec'] : {};
  const groupOf = (name: string): string =>
    ['inputs', 'outputs', 'targets', 'metadata'].find((group) => {
      const names: unknown = Reflect.get(spec, group);
      return Array.isArray(names) && names.includes(name);
    }) ?? 'inputs';
  return {
    organization: model['organization'],
    project: model['project'],
    model: { id: model['id'], name: model['name'], version: model['version'] },
    metrics: metricsOf(stores, model).map((entry) => ({
      id: entry.id,
      name: entry.name,
      type: entry.type,
      columns: columns.filter((column) => fitsColumn(entry.about, column)).map((column) => column.name),
      requires_baseline: entry.type === 'drift',
      requires_categories: entry.about === 'category',
      is_percentage_comparison: entry.type === 'statistic' || entry.type === 'service_metrics',
    })),
    columns: columns.map((column) => ({
      id: column.name,
      name: column.name,
      group: groupOf(column.name),
      data_type: column.data_type,
    })),
    metric_types: Object.entries(METRIC_TYPES).map(([key, name]) => ({ key, name })),
  };
}
