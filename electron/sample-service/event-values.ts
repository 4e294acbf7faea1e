/**
 * Checks the values of events against the schema of their model (SERVICE.md F1.2). A wrong type is rejected, but not a
 * new value.
 */

import type { Model, ModelColumn } from '../api/records.ts';
import * as records from '../api/records.ts';
import type { JsonRecord } from './store.ts';
import { parseTime } from './timestamps.ts';

export interface EventSchema {
  columns: ReadonlyMap<string, ModelColumn>;
  idColumn: string | null;
  timeColumn: string | null;
  timeFormat: string | null;
  /** Columns that an update may change: targets and metadata. */
  updatable: ReadonlySet<string>;
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

export function eventSchema(record: JsonRecord): EventSchema {
  const model: Model = records.model.parse(record);
  const spec = typeof record['spec'] === 'object' && record['spec'] !== null ? record['spec'] : {};
  const group = (name: string): string[] => names(Reflect.get(spec, name));
  return {
    columns: new Map((model.schema?.columns ?? []).map((column) => [column.name, column])),
    idColumn: model.event_id_col ?? null,
    timeColumn: model.event_ts_col ?? null,
    timeFormat: model.event_ts_format ?? null,
    updatable: new Set([...group('targets'), ...group('metadata')]),
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/**
 * The expectation that a value does not meet, for its data type; null if the value is valid. An unknown data type
 * accepts every value.
 */
function expectation(column: ModelColumn, value: unknown, timeFormat: string | null): string | null {
  switch (column.data_type) {
    case 'int':
      return Number.isSafeInteger(value) ? null : 'an integer';
    case 'float':
      return typeof value === 'number' ? null : 'a number';
    case 'str':
      return typeof value === 'string' ? null : 'a text';
    case 'bool':
      return typeof value === 'boolean' ? null : 'true or false';
    case 'category':
      return typeof value === 'object' ? 'a single value' : null;
    case 'timestamp':
      return parseTime(value, timeFormat) === null ? 'a time' : null;
    case 'vector': {
      const size = column.n_dimensions ?? null;
      const isVector = Array.isArray(value) && value.every((part) => typeof part === 'number');
      if (isVector && (size === null || value.length === size)) return null;
      return size === null ? 'a list of numbers' : `a list of ${size} numbers`;
    }
    default:
      return null;
  }
}

function columnIssue(schema: EventSchema, name: string, value: unknown): string | null {
  const column = schema.columns.get(name);
  if (column === undefined) return 'the model has no such column';
  if (value === null) {
    const isRequired = name === schema.idColumn || name === schema.timeColumn;
    return isRequired ? 'expected a value, got null' : null;
  }
  if (name === schema.idColumn && value === '') return 'expected an event id, got an empty text';
  const expected = expectation(column, value, name === schema.timeColumn ? schema.timeFormat : null);
  return expected === null ? null : `expected ${expected}, got ${kindOf(value)}`;
}

/** Problems of one event, each with its column; empty if the event is valid. */
export function eventIssues(schema: EventSchema, event: JsonRecord, kind: 'publish' | 'update'): string[] {
  const entries = Object.entries(event);
  if (entries.length === 0) return ['the event has no columns'];
  const required = [schema.idColumn, kind === 'publish' ? schema.timeColumn : null];
  const missing = required.flatMap((name) =>
    name === null || Object.hasOwn(event, name)
      ? []
      : [`column "${name}": expected a value, the column is missing`],
  );
  const wrong = entries.flatMap(([name, value]) => {
    const issue = columnIssue(schema, name, value);
    return issue === null ? [] : [`column "${name}": ${issue}`];
  });
  return [...missing, ...wrong];
}

/** Time of a validated event; null if the event has none. */
export function eventTimeMs(schema: EventSchema, event: JsonRecord): number | null {
  return schema.timeColumn === null ? null : parseTime(event[schema.timeColumn], schema.timeFormat);
}
