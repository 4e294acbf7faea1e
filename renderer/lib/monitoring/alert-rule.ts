/** An alert rule as the window reads it (SERVICE.md F6.1, F6.2): what it watches, in words, and as a metric query. Pure. */
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import { formatNumber } from '../format.ts';
import { isObject, referenceName } from '../records.ts';
import { MOST_COLUMNS } from './chart-body.ts';
import { type JsonObject, objectOf, textOf, textsOf } from './json.ts';
import { ANY_COLUMN, type MetricChoice } from './metrics.ts';

export const AUTOMATIC = 'standard_deviation_auto_threshold';
export const PRIORITIES = ['HIGH', 'MEDIUM', 'LOW'] as const;
export const RULE_BINS = ['Hour', 'Day', 'Week', 'Month'] as const;

/** Bins back that a rule may compare with, by the size of the bin (SERVICE.md F6.1). */
export const COMPARE_DELTAS: Readonly<Record<string, readonly number[]>> = {
  Hour: [1, 24, 168, 720, 2_160],
  Day: [1, 7, 30, 90],
  Week: [1],
  Month: [1],
};

export interface RuleParts {
  id: string;
  name: string;
  priority: string;
  projectId: string;
  modelId: string;
  modelName: string;
  metricId: string;
  metricName: string;
  metricType: string;
  /** Columns it watches; empty where it watches the model as a whole. */
  features: string[];
  binSize: string;
  isAbove: boolean;
  /** The change against earlier bins is watched, not the value. */
  isChange: boolean;
  delta: number | null;
  isAutomatic: boolean;
  multipliers: { warning: number | null; critical: number | null };
  warning: number | null;
  critical: number | null;
  baselineId: string;
  segmentId: string;
  category: string;
  notifies: boolean | null;
}

function numberOf(record: unknown, field: string): number | null {
  const value = isObject(record) ? record[field] : undefined;
  const number = isRawNumber(value) ? value.valueOf() : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A metric is an object in records, and may be a bare id. */
function metricOf(rule: JsonObject): { id: string; name: string; type: string } {
  const { metric } = rule;
  const id = textOf(metric, 'id') || (typeof metric === 'string' ? metric : textOf(rule, 'metric_id'));
  return {
    id,
    name: textOf(metric, 'display_name') || textOf(metric, 'name') || id,
    type: textOf(metric, 'type'),
  };
}

export function readRule(record: Record<string, unknown>): RuleParts {
  // Records come as JSON.
  const rule = record as JsonObject;
  const metric = metricOf(rule);
  const parameters = objectOf(rule, 'auto_threshold_params');
  const notifies = rule['enable_notification'];
  return {
    id: textOf(rule, 'id') || textOf(rule, 'alert_rule_id'),
    name: textOf(rule, 'name'),
    priority: textOf(rule, 'priority'),
    projectId: textOf(objectOf(rule, 'project'), 'id') || textOf(rule, 'project_id'),
    modelId: textOf(objectOf(rule, 'model'), 'id') || textOf(rule, 'model_id'),
    modelName: referenceName(rule, 'model'),
    metricId: metric.id,
    metricName: metric.name,
    metricType: metric.type,
    features: textsOf(rule, 'feature_names'),
    binSize: textOf(rule, 'bin_size'),
    isAbove: textOf(rule, 'condition') !== 'lesser',
    isChange: textOf(rule, 'compare_to') === 'time_period',
    delta: numberOf(rule, 'compare_bin_delta'),
    isAutomatic: textOf(rule, 'threshold_type') === AUTOMATIC,
    multipliers: {
      warning: numberOf(parameters, 'warning_multiplier'),
      critical: numberOf(parameters, 'critical_multiplier'),
    },
    warning: numberOf(rule, 'warning_threshold'),
    critical: numberOf(rule, 'critical_threshold'),
    baselineId: textOf(objectOf(rule, 'baseline'), 'id') || textOf(rule, 'baseline_id'),
    segmentId: textOf(objectOf(rule, 'segment'), 'id') || textOf(rule, 'segment_id'),
    category: textOf(rule, 'category'),
    notifies: typeof notifies === 'boolean' ? notifies : null,
  };
}

/** Columns in words: `amount, income`, `every column`. */
export function featureText(features: readonly string[]): string {
  if (features.includes(ANY_COLUMN)) return 'every column';
  return features.length > 4
    ? `${features.slice(0, 3).join(', ')} and ${features.length - 3} more`
    : features.join(', ');
}

function levelText(
  rule: RuleParts,
  word: string,
  level: number | null,
  multiplier: number | null,
): string | null {
  const side = rule.isAbove ? 'above' : 'below';
  if (rule.isAutomatic) {
    if (multiplier === null) return null;
    return `${word} ${side} the mean by ${formatNumber(multiplier)} standard deviations`;
  }
  return level === null ? null : `${word} ${side} ${formatNumber(level)}`;
}

/** What the rule watches and when it fires, in one sentence. */
export function ruleSentence(rule: RuleParts): string {
  const about = rule.features.length === 0 ? '' : ` of ${featureText(rule.features)}`;
  const category = rule.category === '' ? '' : ` for ${rule.category}`;
  const bins = rule.delta === null || rule.delta === 1 ? 'the bin' : `${formatNumber(rule.delta)} bins`;
  const change = rule.isChange ? `, as its change against ${bins} before` : '';
  const levels = [
    levelText(rule, 'Critical', rule.critical, rule.multipliers.critical),
    levelText(rule, 'warning', rule.warning, rule.multipliers.warning),
  ].filter((text) => text !== null);
  const fires =
    levels.length > 0
      ? ` ${levels.join(', ')}.`.replace(' warning', levels.length === 1 ? ' Warning' : ' warning')
      : rule.isAutomatic
        ? ' The service sets the thresholds.'
        : '';
  const size = rule.binSize === '' ? '' : `, each ${rule.binSize.toLowerCase()}`;
  return `${rule.metricName || 'A metric'}${about}${category}${size}${change}.${fires}`;
}

/** Columns to chart for a rule: those it watches, or every one its metric can be about. */
export function chartedColumns(rule: RuleParts, metric: MetricChoice | undefined, feature: string): string[] {
  if (feature !== '') return [feature];
  if (!rule.features.includes(ANY_COLUMN)) return rule.features.slice(0, MOST_COLUMNS);
  const known = metric?.columns.map(({ id }) => id) ?? [];
  if (known.includes(ANY_COLUMN)) return [ANY_COLUMN];
  return known.slice(0, MOST_COLUMNS);
}

/** The metric's own values, as a body of POST /v3/queries. Null where the rule does not name what is needed. */
export function ruleBody(
  rule: RuleParts,
  columns: readonly string[],
  range: { start: string; end: string },
): JsonObject | null {
  if (rule.projectId === '' || rule.modelId === '' || rule.metricId === '') return null;
  return {
    project_id: rule.projectId,
    query_type: 'MONITORING',
    filters: {
      time_label: null,
      time_range: { start_time: range.start, end_time: range.end },
      time_zone: 'UTC',
      bin_size: rule.binSize === '' ? 'Day' : rule.binSize,
    },
    queries: [
      {
        query_key: rule.id,
        model_id: rule.modelId,
        baseline_id: rule.baselineId,
        metric: rule.metricId,
        ...(rule.metricType === '' ? {} : { metric_type: rule.metricType }),
        columns: [...columns],
        categories: rule.category === '' ? [] : [rule.category],
        ...(rule.segmentId === '' ? {} : { segment_id: rule.segmentId }),
        viz_type: 'line',
      },
    ],
  };
}
