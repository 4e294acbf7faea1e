/**
 * The result of an alert rule in one time bin: value, thresholds, severity. It depends only on the rule and the bin.
 */
import { alertRule, type ModelColumn } from '../../api/records.ts';
import { idOfReference } from '../record-parts.ts';
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import { type Bin, type BinSize, binBefore, isBinSize } from './bins.ts';
import { columnsOf, fitsColumn, type Metric, metricsOf, metricValue, type Series } from './metrics.ts';
import { type Traffic, trafficOf } from './traffic.ts';

/** Column name that stands for every column. */
export const ANY_FEATURE = '__ANY__';
/** Number of earlier bins from which automatic thresholds are computed. */
const LOOK_BACK = 14;
const DEFAULT_MULTIPLIERS = { warning: 2, critical: 3 };

export type Severity = 'DEFAULT' | 'WARNING' | 'CRITICAL';

interface Thresholds {
  warning: number | null;
  critical: number | null;
}

export interface WatchedRule {
  record: JsonRecord;
  id: string;
  name: string;
  modelId: string;
  metric: Metric;
  binSize: BinSize;
  isGreater: boolean;
  /** Distance, in bins, to the bin that is compared with; null if the value itself is watched. */
  compareDelta: number | null;
  manual: Thresholds;
  /** Number of standard deviations; null if thresholds are set by hand. */
  multipliers: { warning: number; critical: number } | null;
  delayMs: number;
  createdMs: number;
  /** The watched columns; a single null if the rule watches the whole model. */
  features: (ModelColumn | null)[];
  variant: string;
  traffic: Traffic;
}

export interface Finding {
  value: number;
  baseline: { bin: Bin; value: number } | null;
  thresholds: Thresholds;
  severity: Severity;
}

const HOUR_MS = 3_600_000;

function featuresOf(
  metric: Metric,
  names: readonly string[],
  columns: ModelColumn[],
): (ModelColumn | null)[] {
  if (metric.about === 'none') return [null];
  const fitting = columns.filter((column) => fitsColumn(metric.about, column));
  return names.includes(ANY_FEATURE) ? fitting : fitting.filter((column) => names.includes(column.name));
}

function multipliersOf(rule: JsonRecord): WatchedRule['multipliers'] {
  if (rule['threshold_type'] !== 'standard_deviation_auto_threshold') return null;
  const given = Object(rule['auto_threshold_params']) as JsonRecord;
  const read = (name: string, fallback: number): number =>
    typeof given[name] === 'number' ? given[name] : fallback;
  return {
    warning: read('warning_multiplier', DEFAULT_MULTIPLIERS.warning),
    critical: read('critical_multiplier', DEFAULT_MULTIPLIERS.critical),
  };
}

/** The stored rule with its model and metric; null if either does not exist. */
export function watchedRule(stores: Stores, record: JsonRecord): WatchedRule | null {
  const rule = alertRule.parse(record);
  const modelId = idOfReference(record, 'model') ?? '';
  const model = stores.resources.get('model', modelId);
  const metricId = idOfReference(record, 'metric');
  const metric = model === null ? undefined : metricsOf(stores, model).find(({ id }) => id === metricId);
  if (model === null || metric === undefined || !isBinSize(rule.bin_size)) return null;
  return {
    record,
    id: rule.id,
    name: rule.name,
    modelId,
    metric,
    binSize: rule.bin_size,
    isGreater: rule.condition !== 'lesser',
    compareDelta: rule.compare_to === 'time_period' ? (rule.compare_bin_delta ?? 1) : null,
    manual: { warning: rule.warning_threshold ?? null, critical: rule.critical_threshold ?? null },
    multipliers: multipliersOf(record),
    delayMs: (rule.evaluation_delay ?? 0) * HOUR_MS,
    createdMs: Date.parse(rule.created_at ?? ''),
    features: featuresOf(metric, rule.feature_names ?? [], columnsOf(model)),
    traffic: trafficOf(stores, modelId),
    variant: [idOfReference(record, 'baseline') ?? '', rule.category ?? ''].join('/'),
  };
}

function seriesOf(rule: WatchedRule, column: ModelColumn | null): Series {
  return { modelId: rule.modelId, metric: rule.metric, column, variant: rule.variant, traffic: rule.traffic };
}

/** The value that a rule watches in a bin: the metric's value, or its relative change. */
function watchedValue(
  rule: WatchedRule,
  column: ModelColumn | null,
  bin: Bin,
): Pick<Finding, 'value' | 'baseline'> | null {
  const series = seriesOf(rule, column);
  const value = metricValue(series, bin);
  if (value === null) return null;
  if (rule.compareDelta === null) return { value, baseline: null };
  const earlier = binBefore(bin, rule.binSize, rule.compareDelta);
  const before = metricValue(series, earlier);
  if (before === null || before === 0) return null;
  const change = Number(((value - before) / Math.abs(before)).toFixed(4));
  return { value: change, baseline: { bin: earlier, value: before } };
}

/** Mean and standard deviation of the earlier bins, which the multipliers widen to thresholds. */
function automatic(
  rule: WatchedRule,
  column: ModelColumn | null,
  bin: Bin,
  by: { warning: number; critical: number },
): Thresholds {
  const values = Array.from({ length: LOOK_BACK }, (_, index) =>
    watchedValue(rule, column, binBefore(bin, rule.binSize, index + 1)),
  ).flatMap((found) => (found === null ? [] : [found.value]));
  if (values.length < 2) return { warning: null, critical: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
  );
  const at = (multiplier: number): number =>
    Number((mean + (rule.isGreater ? 1 : -1) * multiplier * deviation).toFixed(4));
  return { warning: at(by.warning), critical: at(by.critical) };
}

/** Thresholds that apply to a bin. */
export function thresholdsIn(rule: WatchedRule, column: ModelColumn | null, bin: Bin): Thresholds {
  return rule.multipliers === null ? rule.manual : automatic(rule, column, bin, rule.multipliers);
}

function severityOf(rule: WatchedRule, value: number, thresholds: Thresholds): Severity {
  const crosses = (limit: number | null): boolean =>
    limit !== null && (rule.isGreater ? value > limit : value < limit);
  if (crosses(thresholds.critical)) return 'CRITICAL';
  return crosses(thresholds.warning) ? 'WARNING' : 'DEFAULT';
}

/** The result of the rule in a bin; null if the metric has no value there. */
export function evaluate(rule: WatchedRule, column: ModelColumn | null, bin: Bin): Finding | null {
  const watched = watchedValue(rule, column, bin);
  if (watched === null) return null;
  const thresholds = thresholdsIn(rule, column, bin);
  return { ...watched, thresholds, severity: severityOf(rule, watched.value, thresholds) };
}
