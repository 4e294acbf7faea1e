/**
 * Converts OpenTelemetry spans to the service's form: from exports of a collector, from single spans of the protocol,
 * and from printed output of exporters. Attributes of resource and scope are added to those of the span. Pure.
 */
import { SpanChanges } from '../../shared/span-file.ts';
import { isObject } from '../items/flattened.ts';
import {
  attributesFrom,
  ENDS_BEFORE_START,
  fieldOf,
  hexId,
  ID_DIGITS,
  isZeroId,
  msBetween,
  nanosOf,
  nanosOfText,
  nanosText,
  pairNanos,
  shownValue,
  spanKind,
  statusCode,
} from './otlp-values.ts';
import { epochOf } from './span-times.ts';
import { observationsOf } from './trace-observations.ts';

type Fields = Record<string, unknown>;

const RESOURCE_SPANS = ['resourceSpans', 'resource_spans'] as const;
const SCOPE_SPANS = [
  ...['scopeSpans', 'scope_spans'],
  ...['instrumentationLibrarySpans', 'instrumentation_library_spans'],
] as const;
const SCOPES = ['scope', 'instrumentationLibrary', 'instrumentation_library'] as const;
const TRACE_IDS = ['traceId', 'trace_id', 'traceID'] as const;
const SPAN_IDS = ['spanId', 'span_id', 'spanID'] as const;
const STARTS = ['startTimeUnixNano', 'start_time_unix_nano'] as const;
const ENDS = ['endTimeUnixNano', 'end_time_unix_nano'] as const;

/**
 * The spans of an export, each with its `resource` and `scope`. Exports are those of a collector, single groups or
 * traces as Tempo returns them, and traces of Jaeger, MLflow or Langfuse. Null if the record is not an export. An
 * element that is not an object is returned unchanged, as an unreadable span.
 */
export function spansOfExport(record: Fields): unknown[] | null {
  const groups = fieldOf(record, ...RESOURCE_SPANS);
  if (Array.isArray(groups)) return groups.flatMap(spansOfResource);
  if (Array.isArray(fieldOf(record, ...SCOPE_SPANS))) return spansOfResource(record);
  const { trace, data, batches } = record;
  if (isObject(trace) && Array.isArray(fieldOf(trace, ...RESOURCE_SPANS))) return spansOfExport(trace);
  if (Array.isArray(batches) && batches.every(isGroup)) return batches.flatMap(spansOfResource);
  return spansOfTrace(record) ?? (isObject(data) ? spansOfTrace(data) : null) ?? observationsOf(record);
}

const isGroup = (each: unknown): boolean => isObject(each) && Array.isArray(fieldOf(each, ...SCOPE_SPANS));

/**
 * The spans of a trace. In a trace of Jaeger, each gets the process that it refers to; in one of Google Cloud, the id of
 * the trace. Null if the record is not a trace.
 */
function spansOfTrace({ spans, processes, ...trace }: Fields): unknown[] | null {
  const isTrace =
    Array.isArray(spans) &&
    spans.length > 0 &&
    spans.every((each) => isObject(each) && fieldOf(each, 'context', ...SPAN_IDS) !== undefined);
  if (!isTrace) return null;
  const named = isObject(processes) ? processes : {};
  const traceId = fieldOf(trace, ...TRACE_IDS);
  return spans.filter(isObject).map((span) => {
    const process = named[String(span['processID'])];
    const isAlone = traceId !== undefined && fieldOf(span, 'context', ...TRACE_IDS) === undefined;
    return {
      ...span,
      ...(process === undefined ? {} : { process }),
      ...(isAlone ? { traceId } : {}),
    };
  });
}

/** Like `spansOfExport`, for one element of `resourceSpans`. */
export function spansOfResource(group: unknown): unknown[] {
  if (!isObject(group)) return [group];
  const resource = fieldOf(group, 'resource');
  const scopes = SCOPE_SPANS.flatMap((name) => listOf(group[name]));
  return scopes.flatMap((each) => {
    if (!isObject(each)) return [each];
    const scope = fieldOf(each, ...SCOPES);
    return listOf(each['spans']).map((span) =>
      isObject(span)
        ? {
            ...span,
            ...(resource === undefined ? {} : { resource }),
            ...(scope === undefined ? {} : { scope }),
          }
        : span,
    );
  });
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/** Whether a row has the OpenTelemetry form, which requires OpenTelemetry ids. */
export function isOtelSpan(row: Fields): boolean {
  if (fieldOf(row, ...STARTS) !== undefined) return true;
  const { context, attributes } = row;
  if (isObject(context) && fieldOf(context, ...TRACE_IDS, ...SPAN_IDS) !== undefined) return true;
  const hasIds = fieldOf(row, ...TRACE_IDS) !== undefined && fieldOf(row, ...SPAN_IDS) !== undefined;
  if (hasIds && pairNanos(fieldOf(row, 'startTime', 'start_time')) !== null) return true;
  return hasIds && Array.isArray(attributes) && attributes.every((each) => isObject(each) && 'key' in each);
}

/** The reason why a row is not a span. */
interface NoSpan {
  column: 'trace_id' | 'span_id';
  reason: string;
}

/** A span in the service's form, and the changes made to its values. */
interface OtelSpan {
  record: Fields & { span_attributes: Fields };
  into: SpanChanges;
}

/** Fields with a counterpart in the service's form. All others stay unchanged. */
const READ: ReadonlySet<string> = new Set([
  ...['context', ...TRACE_IDS, ...SPAN_IDS, 'parentSpanId', 'parent_span_id', 'parent_id'],
  ...[
    ...STARTS,
    ...ENDS,
    'start_time',
    'startTime',
    'end_time',
    'endTime',
    'duration',
    'kind',
    'status',
    'attributes',
    'events',
    'links',
  ],
  ...['resource', ...SCOPES, 'name', 'flags', 'traceState', 'trace_state'],
]);

/** Converts a row that satisfies `isOtelSpan`. */
export function readOtelSpan(row: Fields): OtelSpan | NoSpan {
  const into = new SpanChanges();
  const context = isObject(row['context']) ? row['context'] : row;
  const traceId = idOf(fieldOf(context, ...TRACE_IDS), 'trace_id', into);
  if (typeof traceId !== 'string') return traceId;
  const spanId = idOf(fieldOf(context, ...SPAN_IDS), 'span_id', into);
  if (typeof spanId !== 'string') return spanId;
  const [startField, endField] = [fieldOf(row, ...STARTS), fieldOf(row, ...ENDS)];
  const from = isoText(startField) ?? fieldOf(row, 'start_time', 'startTime');
  const to = isoText(endField) ?? fieldOf(row, 'end_time', 'endTime');
  const start = isoText(startField) === null ? nanoText(startField, from) : undefined;
  const end = isoText(endField) === null ? nanoText(endField, to) : undefined;
  const startNanos = givenNanos(start) ?? nanosOfText(from);
  const endNanos = givenNanos(end) ?? nanosOfText(to);
  const status = isObject(row['status']) ? row['status'] : { code: row['status'] };
  const state = fieldOf(context, 'traceState', 'trace_state') ?? fieldOf(row, 'traceState', 'trace_state');
  const others = keptOf(row, (name) => !READ.has(name), into);
  const code = fieldOf(status, 'code', 'status_code', 'statusCode');
  const fields = present({
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parentOf(row, into),
    name: fieldOf(row, 'name'),
    kind: row['kind'] === undefined ? undefined : named('kind', row['kind'], spanKind, into),
    start_time: timeOf('start_time', start, into) ?? from,
    end_time: timeOf('end_time', end, into) ?? to,
    duration: givenDuration(row['duration'], into) ?? durationOf(startNanos, endNanos, into),
    status_code: code === undefined ? undefined : named('status_code', code, statusCode, into),
    status_message: fieldOf(status, 'message', 'description'),
    trace_state: state === '[]' ? undefined : state,
    flags: fieldOf(row, 'flags') === 0 ? undefined : fieldOf(row, 'flags'),
    events: filled(listOf(row['events']).map((each) => eventOf(each, into))),
    links: filled(listOf(row['links']).map((each) => linkOf(each, into))),
    ...others,
  });
  return { record: { ...fields, span_attributes: attributesOfSpan(row, into) }, into };
}

/** Skips counts of zero, e.g. of dropped attributes, because they are not informative. */
const isKept = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== 0;

/** The fields to keep, renamed to the form with underscores. Other fields are reported as left out. */
const keptOf = (fields: Fields, isOwn: (name: string) => boolean, into: SpanChanges): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (!isOwn(name)) return [];
      if (isKept(value)) return [[snakeCase(name), value]];
      if (value !== undefined && value !== null) into.omit(name, 'it is zero or empty');
      return [];
    }),
  );

function named(
  source: string,
  value: unknown,
  read: (value: unknown) => unknown,
  into: SpanChanges,
): unknown {
  const name = read(value);
  if (name !== value) into.add('kind-name', source, shownValue(value), shownValue(name));
  return name;
}

/** A time in nanoseconds as text; null if there is none or it is zero. */
function timeOf(source: string, value: unknown, into: SpanChanges): string | null {
  const nanos = nanosOf(value);
  const text = nanosText(nanos);
  if (text !== null) into.add('nano-time', source, shownValue(value), text);
  else if (nanos === 0n) into.omit(source, 'zero stands for no time');
  else if (value !== undefined && value !== '') into.omit(source, 'it is not a time in nanoseconds');
  return text;
}

const present = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

const filled = (list: readonly unknown[]): readonly unknown[] | undefined =>
  list.length === 0 ? undefined : list;

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function idOf(value: unknown, column: 'trace_id' | 'span_id', into: SpanChanges): string | NoSpan {
  const what = column.replace('_', ' ');
  if (typeof value !== 'string' || value.trim() === '')
    return { column, reason: `Expected a ${what}, got none.` };
  const digits = ID_DIGITS[column];
  const id = hexId(value, digits, true);
  if (id === null)
    return {
      column,
      reason: `Expected a ${what} of ${digits} hexadecimal digits, or its ${digits / 2} bytes in base64.`,
    };
  if (isZeroId(id)) return { column, reason: `Expected a ${what}, got only zeros, which stand for none.` };
  into.add('hex-id', column, value, id);
  return id;
}

/** An unreadable parent id stays unchanged, because the span is valid without its parent. */
function parentOf(row: Fields, into: SpanChanges): string | undefined {
  const value = fieldOf(row, 'parentSpanId', 'parent_span_id', 'parent_id');
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const id = hexId(value, ID_DIGITS.span_id, true);
  if (id === null) return value.trim();
  if (isZeroId(id)) return undefined;
  into.add('hex-id', 'parent_span_id', value, id);
  return id;
}

/** A time that a program wrote as ISO 8601 in a field for nanoseconds; null for other values. */
const isoText = (value: unknown): string | null =>
  typeof value === 'string' && nanosOfText(value) !== null ? value : null;

const nanoText = (nanos: unknown, other: unknown): unknown =>
  nanos ?? pairOf(other) ?? epochOf(other)?.nanos.toString();

/** The value itself if it is a pair of seconds and nanoseconds. */
const pairOf = (value: unknown): unknown => (pairNanos(value) === null ? undefined : value);

/** Converts a pair of seconds and nanoseconds to milliseconds. Other values stay unchanged. */
function givenDuration(value: unknown, into: SpanChanges): unknown {
  const nanos = pairNanos(value);
  if (nanos === null) return isKept(value) ? value : undefined;
  const ms = msBetween(0n, nanos);
  into.add('duration-number', 'duration', shownValue(value), String(ms));
  return ms;
}

/** Zero nanoseconds stand for no time. */
const givenNanos = (value: unknown): bigint | null => nanosOf(value) || null;

/** In milliseconds. A span that ends before it starts has none, which is noted. */
function durationOf(start: bigint | null, end: bigint | null, into: SpanChanges): number | undefined {
  if (start === null || end === null) return undefined;
  if (end >= start) return msBetween(start, end);
  into.omit('duration', ENDS_BEFORE_START);
  return undefined;
}

/** A value that cannot be read as attributes becomes a single attribute. */
const attributesIn = (value: unknown, into: SpanChanges, prefix = ''): Fields =>
  attributesFrom(value, into, prefix) ?? (value === undefined || value === null ? {} : { attributes: value });

function attributesOfSpan(row: Fields, into: SpanChanges): Fields {
  const { resource } = row;
  const scope = fieldOf(row, ...SCOPES);
  const all = new Map<string, unknown>();
  const add = (fields: Fields, prefix: string) => {
    for (const [name, value] of Object.entries(fields)) {
      if (value === null || value === undefined) into.omit(name, 'it has no value');
      else all.set(all.has(name) ? `${prefix}.${name}` : name, value);
    }
  };
  const omitOthers = (fields: Fields, prefix: string, own: readonly string[]) => {
    for (const [name, value] of Object.entries(fields))
      if (!own.includes(name) && value !== undefined && value !== null)
        into.omit(`${prefix}.${name}`, `spans have no field for it`);
  };
  add(attributesIn(row['attributes'], into), 'span');
  if (isObject(resource)) {
    add(attributesIn(resource['attributes'], into), 'resource');
    omitOthers(resource, 'resource', ['attributes']);
  }
  if (isObject(scope)) {
    add(present({ 'otel.scope.name': scope['name'], 'otel.scope.version': scope['version'] }), 'scope');
    add(attributesIn(scope['attributes'], into), 'scope');
    omitOthers(scope, 'scope', ['name', 'version', 'attributes']);
  }
  return Object.fromEntries(all);
}

function eventOf(event: unknown, into: SpanChanges): unknown {
  if (!isObject(event)) return event;
  const { attributes, timeUnixNano, time_unix_nano: timeNano, timestamp, time, name, ...others } = event;
  return present({
    name,
    time:
      timeOf('events.time', timeUnixNano ?? timeNano ?? pairOf(time) ?? pairOf(timestamp), into) ??
      time ??
      timestamp,
    attributes: attributesFrom(attributes, into, 'events.') ?? attributes,
    ...keptOf(others, () => true, into),
  });
}

function linkOf(link: unknown, into: SpanChanges): unknown {
  if (!isObject(link)) return link;
  const { attributes, context, ...others } = link;
  const ids = isObject(context) ? context : others;
  const id = (column: keyof typeof ID_DIGITS, ...names: readonly string[]) => {
    const value = fieldOf(ids, ...names);
    if (typeof value !== 'string') return value;
    const hex = hexId(value, ID_DIGITS[column], true) ?? value;
    into.add('hex-id', `links.${column}`, value, hex);
    return hex;
  };
  const { traceId: _trace, trace_id: _traceId, spanId: _span, span_id: _spanId, ...rest } = others;
  return present({
    trace_id: id('trace_id', 'traceId', 'trace_id'),
    span_id: id('span_id', 'spanId', 'span_id'),
    attributes: attributesFrom(attributes, into, 'links.') ?? attributes,
    ...keptOf(rest, () => true, into),
  });
}
