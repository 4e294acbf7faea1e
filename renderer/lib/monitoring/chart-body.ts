/**
 * A chart as the body of POST /v3/queries (SERVICE.md F8.1): the form edits, sends and copies this one value.
 * Unknown fields are preserved. Pure.
 */
import { MAX_COLUMNS } from '../../../electron/shared/alert-rule.ts';
import {
  type ChartParts,
  type QueryParts,
  readBody,
  type Subject,
} from '../../../electron/shared/chart-query.ts';
import {
  type Json,
  type JsonObject,
  objectOf,
  textOf,
  withFields,
} from '../../../electron/shared/json-fields.ts';
import type { MetricChoice } from '../../../electron/shared/metrics.ts';
import { isoTime, isZone } from '../../../electron/shared/zone-time.ts';

export const TIME_LABELS = [
  { value: 'today', title: 'Today' },
  { value: 'yesterday', title: 'Yesterday' },
  { value: '7d', title: 'Last 7 days' },
  { value: '30d', title: 'Last 30 days' },
  { value: '90d', title: 'Last 90 days' },
  { value: '6m', title: 'Last 6 months' },
  { value: '12m', title: 'Last 12 months' },
  { value: 'ytd', title: 'This year' },
] as const;
export const BIN_SIZES = ['Hour', 'Day', 'Week', 'Month', 'Quarter'] as const;
export const COMPARISONS = [
  'Previous Day',
  'Previous Week',
  'Previous Month',
  'Previous Quarter',
  'Previous Year',
] as const;
/** `Previous day` for the constant `Previous Day`. */
export const comparisonText = (comparison: string): string =>
  `${comparison.slice(0, 1)}${comparison.slice(1).toLowerCase()}`;
/** Maximum number of queries in a chart, as in the service's own charts. */
export const MAX_QUERIES = 6;

const FILTERS: JsonObject = { time_label: '30d', time_range: null, time_zone: 'UTC', bin_size: 'Day' };

/** A new chart without queries. */
export function newBody(subject: Subject): JsonObject {
  return subject.kind === 'application'
    ? { application_id: subject.applicationId, filters: FILTERS, queries: [] }
    : { project_id: subject.projectId, query_type: 'MONITORING', filters: FILTERS, queries: [] };
}

/** The chart for another subject: its times are kept, its queries are removed. */
export function withSubject(body: JsonObject, subject: Subject): JsonObject {
  return { ...newBody(subject), filters: objectOf(body, 'filters') };
}

export function addQuery(body: JsonObject, key: string, subject: Subject, metric: MetricChoice): JsonObject {
  const about: JsonObject = subject.kind === 'model' ? { model_id: subject.modelId, baseline_id: '' } : {};
  const query: JsonObject = {
    query_key: key,
    ...about,
    metric: metric.id,
    ...(metric.type === '' ? {} : { metric_type: metric.type }),
    ...(subject.kind === 'model' ? { columns: [], categories: [] } : {}),
    viz_type: 'line',
  };
  return { ...body, queries: [...queriesOf(body), query] };
}

function queriesOf(body: JsonObject): Json[] {
  const queries = body['queries'];
  return Array.isArray(queries) ? queries : [];
}

/** Changes fields of one query. Fields set to undefined are removed. */
export function setQuery(
  body: JsonObject,
  key: string,
  change: { [field: string]: Json | undefined },
): JsonObject {
  const queries = queriesOf(body).map((query) =>
    typeof query === 'object' && query !== null && !Array.isArray(query) && query['query_key'] === key
      ? withFields(query, change)
      : query,
  );
  return { ...body, queries };
}

/** Sets another metric; values that belong to the previous metric are removed. */
export function setMetric(body: JsonObject, key: string, metric: MetricChoice): JsonObject {
  const { columns, categories, baselineId } = readBody(body).queries.find((query) => query.key === key) ?? {
    columns: [],
    categories: [],
    baselineId: '',
  };
  const fitting = columns.filter((column) => metric.columns.some(({ id }) => id === column));
  return setQuery(body, key, {
    metric: metric.id,
    metric_type: metric.type === '' ? undefined : metric.type,
    columns: fitting,
    categories: metric.requiresCategories ? categories : [],
    baseline_id: metric.requiresBaseline ? baselineId : '',
  });
}

export function removeQuery(body: JsonObject, key: string): JsonObject {
  return { ...body, queries: queriesOf(body).filter((query) => textOf(query, 'query_key') !== key) };
}

export function setFilters(body: JsonObject, change: { [field: string]: Json | undefined }): JsonObject {
  return { ...body, filters: withFields(objectOf(body, 'filters'), change) };
}

export function setComparison(body: JsonObject, comparison: string): JsonObject {
  return withFields(body, { time_comparison: comparison === '' ? undefined : comparison });
}

export interface ChartProblem {
  /** Key of the query with the problem; null for the whole chart. */
  key: string | null;
  text: string;
}

function queryProblems(query: QueryParts, metric: MetricChoice | undefined): string[] {
  // Without the list of metrics the requirements are unknown, so the service checks them.
  if (metric === undefined) return [];
  const problems: string[] = [];
  if (metric.columns.length > 0 && query.columns.length === 0) problems.push('Choose a column.');
  if (query.columns.length > MAX_COLUMNS) {
    problems.push(`At most ${MAX_COLUMNS} columns per metric; ${query.columns.length} are chosen.`);
  }
  if (metric.requiresBaseline && query.baselineId === '')
    problems.push('Choose a baseline: drift is measured against it.');
  if (metric.requiresCategories && query.categories.length === 0) problems.push('Name a category.');
  return problems;
}

function rangeProblems({ timeLabel, range }: ChartParts): string[] {
  if (timeLabel !== '') return [];
  if (range.start === '' || range.end === '') return ['Choose a time range.'];
  const [start, end] = [isoTime(range.start), isoTime(range.end)];
  // Numbers and unknown formats are checked by the service.
  return start !== null && end !== null && start >= end ? ['The end must be later than the start.'] : [];
}

/** The reasons why the chart cannot be requested yet; empty if it can. */
export function bodyProblems(
  body: JsonObject,
  metricOf: (query: QueryParts) => MetricChoice | undefined,
): ChartProblem[] {
  const parts = readBody(body);
  const whole = [
    ...(parts.queries.length === 0 ? ['Choose a metric.'] : []),
    ...rangeProblems(parts),
    ...(parts.zone !== '' && !isZone(parts.zone) ? [`"${parts.zone}" is not a time zone.`] : []),
  ];
  return [
    ...whole.map((text) => ({ key: null, text })),
    ...parts.queries.flatMap((query) =>
      queryProblems(query, metricOf(query)).map((text) => ({ key: query.key, text })),
    ),
  ];
}

/** Maximum length of a bin in ms, to detect omitted bins; undefined for unknown sizes. */
export function longestBinMs(binSize: string): number | undefined {
  const hours: Readonly<Record<string, number>> = { Hour: 1, Day: 25, Week: 169, Month: 745, Quarter: 2_209 };
  const found = hours[binSize];
  return found === undefined ? undefined : found * 3_600_000;
}
