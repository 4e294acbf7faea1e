/**
 * An alert rule, read from its record (SERVICE.md F6.1, F6.2), and the query for the values that the rule judges. Pure.
 */
import { isRawNumber } from './exact-json.ts';
import { isJsonObject, type JsonObject, objectOf, textOf, textsOf } from './json-fields.ts';
import { ANY_COLUMN, type MetricChoice } from './metrics.ts';
import type { ListQuery } from './model.ts';

export const AUTOMATIC = 'standard_deviation_auto_threshold';
/** Maximum columns in one query, the same as in the service's own charts. */
export const MAX_COLUMNS = 20;
/**
 * Maximum lines in a chart. If there are more, the recorded values are drawn instead, and single columns on request.
 */
export const MAX_LINES = 6;

export interface RuleParts {
  id: string;
  name: string;
  priority: string;
  projectId: string;
  modelId: string;
  modelName: string;
  /** The application whose spans the rule watches; empty if there is none. */
  applicationId: string;
  applicationName: string;
  metricId: string;
  metricName: string;
  metricType: string;
  /** Watched columns; empty if the rule watches the whole model. */
  features: string[];
  binSize: string;
  isAbove: boolean;
  /** The rule watches the change since earlier bins, not the value itself. */
  isChange: boolean;
  delta: number | null;
  isAutomatic: boolean;
  multipliers: { warning: number | null; critical: number | null };
  warning: number | null;
  critical: number | null;
  baselineId: string;
  /** Empty if the record does not name it. */
  baselineName: string;
  segmentName: string;
  segmentId: string;
  category: string;
  notifies: boolean | null;
}

function numberOf(record: unknown, field: string): number | null {
  const value = isJsonObject(record) ? record[field] : undefined;
  const number = isRawNumber(value) ? value.valueOf() : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A metric is an object in records, but may be a plain id. */
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
  // Safe cast: records are parsed JSON.
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
    modelName: nameOf(rule, 'model') || textOf(rule, 'model_name'),
    applicationId: textOf(objectOf(rule, 'application'), 'id') || textOf(rule, 'application_id'),
    applicationName: nameOf(rule, 'application'),
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
    baselineName: textOf(objectOf(rule, 'baseline'), 'name'),
    segmentName: textOf(objectOf(rule, 'segment'), 'name'),
    segmentId: textOf(objectOf(rule, 'segment'), 'id') || textOf(rule, 'segment_id'),
    category: textOf(rule, 'category'),
    notifies: typeof notifies === 'boolean' ? notifies : null,
  };
}

function nameOf(rule: JsonObject, field: string): string {
  const value = objectOf(rule, field);
  return textOf(rule, field) || textOf(value, 'name') || textOf(value, 'id');
}

/** Columns of a rule that can be viewed separately. */
export function ruleColumns(rule: RuleParts, metric: MetricChoice | undefined): string[] {
  const all = rule.features.includes(ANY_COLUMN)
    ? (metric?.columns ?? []).map(({ id }) => id)
    : rule.features;
  return all.filter((name) => name !== ANY_COLUMN);
}

/** Columns to chart for a rule: the watched ones, or every one that its metric applies to. */
export function chartedColumns(rule: RuleParts, metric: MetricChoice | undefined, feature: string): string[] {
  if (feature !== '') return [feature];
  if (!rule.features.includes(ANY_COLUMN)) return rule.features.slice(0, MAX_COLUMNS);
  const known = metric?.columns.map(({ id }) => id) ?? [];
  if (known.includes(ANY_COLUMN)) return [ANY_COLUMN];
  return known.slice(0, MAX_COLUMNS);
}

/** The query for the metric's own values, a body of POST /v3/queries. Null if the rule lacks required fields. */
export function ruleBody(
  rule: Pick<
    RuleParts,
    | 'id'
    | 'projectId'
    | 'modelId'
    | 'metricId'
    | 'metricType'
    | 'binSize'
    | 'baselineId'
    | 'category'
    | 'segmentId'
  >,
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

/**
 * The records of a history answer, one for each bin, with the time as the service wrote it; null for an invalid entry.
 */
export function recordsOfHistory(
  answer: unknown,
): ({ entry: JsonObject; record: JsonObject; time: unknown } | null)[] {
  const items = isJsonObject(answer) ? answer['items'] : undefined;
  return (Array.isArray(items) ? items : []).map((entry) => {
    if (!isJsonObject(entry)) return null;
    const latest = entry['latest_record'];
    const record = isJsonObject(latest) ? latest : entry;
    return { entry, record, time: entry['time_bucket'] ?? record['alert_time_bucket'] };
  });
}

/**
 * The query for the thresholds of a bin, whose `time` is passed as the service wrote it. `feature` is empty for a rule
 * without a column.
 */
export function thresholdsQuery(alertId: string, time: string, feature: string): ListQuery {
  return {
    operation: 'alert-rules.thresholds',
    path: { alert_id: alertId },
    query: { alert_time_bucket: time, ...(feature === '' ? {} : { feature_name: feature }) },
  };
}
