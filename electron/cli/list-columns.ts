/** The columns of a list that are shown if --fields is absent, and the number of further fields. Pure. */
import { isOperationId, type OperationId } from '../api/endpoints.ts';
import { doubleOf } from '../shared/exact-json.ts';
import { GONE_FIELD } from '../shared/gone-field.ts';
import { NOT_FINITE } from '../shared/item-row.ts';
import { timesOf, USUAL_UNIT_MS, unitOf } from '../shared/span-unit.ts';
import { parseTime } from '../shared/zone-time.ts';
import { fieldOf } from './answer-shape.ts';
import { numberText } from './human-text.ts';
import { shownFields } from './output.ts';

type Fields = Readonly<Record<string, unknown>>;

const WITH_THRESHOLDS = ['warning_threshold', 'critical_threshold'] as const;
const baselines = ['id', 'name', 'type', 'model', 'environment', 'row_count'];
const environments = ['id', 'name', 'type', 'model', 'project', 'row_count'];
const defined = ['id', 'name', 'model', 'definition', 'description'];

/**
 * Columns by operation. A path with dots is an inner field; `*` at its end stands for the first inner fields that
 * records have.
 */
const COLUMNS: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  'spans.query': ['start_time', 'duration', 'status_code', 'span_type', 'name', 'input', 'span_id'],
  'alert-rules.summary': ['name', 'model', 'metric.display_name', 'latest_alert_record_value'].concat(
    'latest_alert_record_severity',
    'latest_alert_feature_name',
    'latest_alert_time_bucket',
  ),
  'alert-rules.records': [
    'alert_time_bucket',
    'alert_value',
    'severity',
    'feature_name',
    ...WITH_THRESHOLDS,
    'message',
  ],
  'alert-rules.list': ['id', 'name', 'model', 'metric.display_name', 'priority', ...WITH_THRESHOLDS],
  'genai-alert-rules.list': ['id', 'name', 'application', 'metric_name', ...WITH_THRESHOLDS],
  'experiments.list': ['id', 'name', 'application', 'dataset', 'status', 'created_at'],
  'experiments.results': [
    'experiment_item.id',
    'experiment_item.status',
    'experiment_item.duration_ms',
  ].concat('scores*', 'dataset_item.inputs*', 'experiment_item.outputs*'),
  'datasets.list': ['id', 'name', 'application', 'active', 'description', 'updated_at'],
  'datasets.items': ['id', 'inputs*', 'expected_outputs*'],
  'models.list': ['id', 'name', 'version', 'project', 'task', 'description'],
  'baselines.list': baselines,
  'models.baselines': baselines,
  'environments.list': environments,
  'models.environments': environments,
  'custom-metrics.list': defined,
  'models.custom-metrics': defined,
  'segments.list': defined,
  'evaluators.list': ['id', 'name', 'type', 'status', 'inputs', 'description'],
  'evaluator-rules.list': ['id', 'name', 'application', 'evaluator_name', 'enabled', 'sampling_rate'],
  'access-keys.list': ['key_id', 'name', 'key_suffix', 'expires_at', 'last_used_at'],
  'users.list': ['id', 'username', 'first_name', 'last_name', 'email', 'org.role'],
};
const MAX_INNER = 2;

interface ShownList {
  rows: Record<string, unknown>[];
  columns: string[];
  /** Note about further fields, e.g. ` · 7 of 15 fields; others: --fields A,B`; empty if all are shown. */
  note: string;
}

/** The rows as text for people: inner fields have the names of their columns, and lengths and times have units. */
export function shownList(operation: string, records: readonly Fields[], identity: string | null): ShownList {
  const known = isOperationId(operation) ? (COLUMNS[operation] ?? []) : [];
  const found = known
    .flatMap((column) => (column.endsWith('*') ? innerOf(records, column.slice(0, -1)) : [column]))
    .filter((column) => records.some((record) => valueAt(record, column) !== undefined));
  const marks = records.some((record) => Object.hasOwn(record, GONE_FIELD)) ? [GONE_FIELD] : [];
  // If hardly any column is found, the service names its fields differently, and the first fields are shown.
  const columns = found.length < 2 ? shownFields(records, identity) : [...found, ...marks];
  const unitMs = unitOf(records.map(timesOf)) ?? USUAL_UNIT_MS;
  const rows = records.map((record) =>
    Object.fromEntries(
      columns.map((column) => [column, shownValue(column, valueAt(record, column), unitMs)]),
    ),
  );
  return { rows, columns, note: noteOf(records, columns) };
}

function noteOf(records: readonly Fields[], columns: readonly string[]): string {
  const all = new Set(records.flatMap((record) => Object.keys(record)));
  for (const mark of [GONE_FIELD, NOT_FINITE]) all.delete(mark);
  const shown = new Set(columns.map((column) => (all.has(column) ? column : column.split('.')[0])));
  shown.delete(GONE_FIELD);
  return shown.size >= all.size ? '' : ` · ${shown.size} of ${all.size} fields; others: --fields A,B`;
}

function innerOf(records: readonly Fields[], path: string): string[] {
  const names = records.flatMap((record) => {
    const inner = fieldOf(record, path);
    if (Array.isArray(inner)) return inner.flatMap(nameIn);
    return typeof inner === 'object' && inner !== null ? Object.keys(inner) : [];
  });
  return [...new Set(names)].slice(0, MAX_INNER).map((name) => `${path}.${name}`);
}

const nameIn = (element: unknown): string[] =>
  isFields(element) && typeof element['name'] === 'string' ? [element['name']] : [];

/** Like `fieldOf`. In a list of named values, finds the value of that name, or else its label. */
function valueAt(record: Fields, column: string): unknown {
  const found = fieldOf(record, column);
  const dot = column.indexOf('.');
  if (found !== undefined || dot === -1) return found;
  const list = record[column.slice(0, dot)];
  if (!Array.isArray(list)) return undefined;
  const element: unknown = list.find((each) => nameIn(each)[0] === column.slice(dot + 1));
  return isFields(element) ? (element['value'] ?? element['label'] ?? null) : undefined;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function shownValue(column: string, value: unknown, unitMs: number): unknown {
  const number = doubleOf(value);
  if (number === null) return Array.isArray(value) && value.every(isText) ? value.join(', ') : value;
  if (column === 'duration') return `${numberText(Math.round(number * unitMs * 1_000) / 1_000)} ms`;
  if (column.endsWith('duration_ms')) return `${numberText(number)} ms`;
  const ms = column.endsWith('time_bucket') ? parseTime(value) : null;
  return ms === null ? value : new Date(ms).toISOString();
}

const isText = (value: unknown): value is string => typeof value === 'string';
