/**
 * Converts a row of a file to a span with its ids, its start, and its other columns as attributes. Reads rows as
 * returned by spans.query, flat tables with a column for each attribute, and OpenTelemetry spans. Pure.
 */
import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
import { columnNamed, SPAN_ID_NAMES, SpanChanges } from '../../shared/span-file.ts';
import { flattened, isObject } from '../items/flattened.ts';
import { startMsOf } from './call-range.ts';
import { fieldsOfCall, hasCallId, placeOfCall } from './logged-calls.ts';
import { isOtelSpan, readOtelSpan } from './otlp.ts';
import { hexId, ID_DIGITS, isZeroId, keyValues, nanosText } from './otlp-values.ts';
import { durationIn, epochOf, namedDuration } from './span-times.ts';
import { spanTypeOf } from './span-type.ts';

type Fields = Record<string, unknown>;

/** A span in the form of a basket. */
export interface FileSpan {
  trace_id: string;
  span_id: string;
  startMs: number | null;
  startTime: string | null;
  name: string | null;
  spanType: string | null;
  /** Attribute keys; null if the row has only ids and times. */
  keys: string[] | null;
  /** JSON in the form of spans.query; null if the row has only ids and times. */
  record: string | null;
  /** Values that differ from those in the file. */
  changed: Pick<SpanChanges, 'changes' | 'leftOut'>;
}

/** The reason why a row is not a span. */
interface NoSpan {
  column: 'trace_id' | 'span_id';
  reason: string;
}

/** Maximum length of an id in a call. */
const MAX_ID_CHARACTERS = 200;

/** Column names for each field. The first one present is used. */
const NAMES = {
  ...SPAN_ID_NAMES,
  start: [
    'start_time',
    'startTime',
    'start_timestamp',
    'timestamp',
    'startTimeUnixNano',
    'start_time_unix_nano',
    'started_at',
    'metrics.start',
  ],
  /** Names that are used only if the value is a time. */
  otherStart: ['Timestamp', 'start'],
  end: ['end_time', 'endTime', 'end_timestamp', 'ended_at', 'metrics.end'],
  attributes: ['span_attributes', 'attributes', 'SpanAttributes'],
} as const;

/** Names of span fields at the service, each with the names that other tools use. */
const FIELDS: readonly (readonly [string, readonly string[]])[] = [
  ['name', ['name', 'span_name', 'operation_name', 'operationName', 'SpanName', 'op_name']],
  ['span_type', ['span_type', 'type']],
  ['status_code', ['status_code', 'status.status_code', 'status.code', 'StatusCode']],
  ['status_message', ['status_message', 'status.message', 'StatusMessage']],
  [
    'parent_span_id',
    [
      ...['parent_span_id', 'parentSpanId', 'parent_id', 'parentId', 'ParentSpanId'],
      ...['parentObservationId', 'parent_observation_id', 'trace.parent_id'],
    ],
  ],
  ['session_id', ['session_id', 'sessionId', 'conversation_id', 'session.id', 'gen_ai.conversation.id']],
  ['agent_id', ['agent_id', 'gen_ai.agent.id']],
  ['agent_name', ['agent_name', 'gen_ai.agent.name']],
  ['duration', ['duration']],
  ['input', ['input', 'llm_input_user', 'tool_input', 'input.value']],
  ['output', ['output', 'llm_output', 'tool_output', 'output.value']],
];

/** Fields that may hold an object. Its keys also become attributes. */
const CONTENTS: ReadonlySet<string> = new Set(['input', 'output']);

/** Exports of OpenTelemetry that hold no spans. */
const SIGNALS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['resourceLogs', 'resource_logs', 'scopeLogs', 'scope_logs'], 'log records'],
  [['resourceMetrics', 'resource_metrics', 'scopeMetrics', 'scope_metrics'], 'metrics'],
];

/**
 * `row`: values by column. Empty cells of a table and nulls count as missing. Empty texts in JSON (`isTable` false) are
 * left out.
 */
export function readFileSpan(row: Fields, isTable = false): FileSpan | NoSpan {
  const signal = SIGNALS.find(([keys]) => keys.some((key) => Array.isArray(row[key])));
  if (signal !== undefined)
    return {
      column: 'trace_id',
      reason: `Expected spans, got ${signal[1]} of OpenTelemetry. Export its traces instead.`,
    };
  return isOtelSpan(row) ? otelSpan(row) : rowSpan(inLowerCase(row), isTable);
}

/** Fields of a row of the service. */
const OWN_FIELDS = new Set([
  ...['trace_id', 'span_id', 'start_time', 'end_time', 'span_attributes'],
  ...FIELDS.map(([field]) => field),
]);

/** A row of a database that writes all names in capitals has the service's names for the fields of a span. */
function inLowerCase(row: Fields): Fields {
  if (!('TRACE_ID' in row)) return row;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const lower = name.toLowerCase();
      return [name === lower.toUpperCase() && OWN_FIELDS.has(lower) && !(lower in row) ? lower : name, value];
    }),
  );
}

function otelSpan(row: Fields): FileSpan | NoSpan {
  const read = readOtelSpan(row);
  return 'reason' in read ? read : fileSpan(read.record, read.into, { isWhole: true, isOfDatadog: false });
}

function rowSpan(row: Fields, isTable: boolean): FileSpan | NoSpan {
  const isPlain = hasPlainId(row) || isObservation(row) || hasCallId(row);
  const flat = new Map(flattened({ ...row, ...(isPlain ? { span_id: row['id'] } : placeOfCall(row)) }));
  const into = new SpanChanges();
  const [traceId, spanId] = [idOf(flat, 'trace_id', into), idOf(flat, 'span_id', into)];
  if (typeof traceId !== 'string') return traceId;
  if (typeof spanId !== 'string') return spanId;
  const started = nameIn(flat, NAMES.start, true) ?? NAMES.otherStart.find((name) => isTime(flat.get(name)));
  const start = started === undefined ? undefined : flat.get(started);
  const startTime = timeText(start, into);
  const given = attributesIn(row, into);
  /** Columns that are read as ids or start time and so are no attributes. */
  const own = [nameIn(flat, NAMES.trace_id, true), nameIn(flat, NAMES.span_id, true), started];
  const attributes = given ?? tableAttributes(flat, own);
  if (!isTable) for (const [name, value] of flat) if (value === '') into.omit(name, 'it is empty');
  const called = fieldsOfCall(row, into);
  const top = Object.fromEntries(
    FIELDS.flatMap(([field, names]) => {
      const value =
        called !== null && field in called
          ? called[field]
          : (firstOf(flat, names) ?? (CONTENTS.has(field) ? row[field] : undefined));
      return isNothing(value) ? [] : [[field, value] as const];
    }),
  );
  const times = { start, end: firstOf(flat, NAMES.end), duration: flat.get('duration') };
  // Jaeger, Zipkin and Datadog give start and duration in the same unit.
  const isOneUnit = 'operationName' in row || hasPlainId(row) || started === 'start';
  // Durations in the service's own rows are already in milliseconds.
  const duration =
    'span_attributes' in row && called === null
      ? undefined
      : ((isNothing(times.duration) ? namedDuration(flat, into) : undefined) ??
        durationIn(times, isOneUnit, into));
  const parent = isNothing(top['parent_span_id']) ? parentIn(row['references']) : null;
  return fileSpan(
    {
      ...{ trace_id: traceId, span_id: spanId },
      ...(startTime === null ? {} : { start_time: startTime }),
      ...top,
      ...(given === null ? {} : plainFields(row, own)),
      ...(isNothing(duration) ? {} : { duration }),
      ...(parent === null ? {} : { parent_span_id: parent }),
      span_attributes: attributes,
    },
    into,
    { isWhole: false, isOfDatadog: hasDatadogForm(flat) },
    called ?? {},
  );
}

/** An id of at least this many zeros means no parent. */
const MIN_ZEROS = 8;
const LONG_ID = /^(?:[\da-f]{16}|-?\d{10,})$/i;

/**
 * True for the zero that Datadog and others give to the first span of a trace as its parent. A single 0 may also be the
 * id of a span, unless the id of this span shows that spans are not counted.
 */
function isNoParent(value: unknown, spanId: unknown, isOfDatadog: boolean): boolean {
  const isLong = String(value).trim().length >= MIN_ZEROS;
  return isZeroId(value) && (isLong || isOfDatadog || LONG_ID.test(String(spanId)));
}

/** True for a row with the fields in which Datadog writes the times and the resource of a span. */
const hasDatadogForm = (flat: ReadonlyMap<string, unknown>): boolean =>
  ['resource', 'resource_name'].some((name) => typeof flat.get(name) === 'string') &&
  [
    ['start', 'duration'],
    ['start_timestamp', 'end_timestamp'],
  ].some((names) => names.every((name) => !isNothing(flat.get(name))));

const HEX_ID = /^[\da-f]{16}$/i;

/** True for spans of Zipkin and of OpenTelemetry's console exporter for JavaScript, whose id is in the column `id`. */
const hasPlainId = (row: Fields): boolean =>
  isNothing(row['span_id'] ?? row['spanId']) &&
  typeof row['id'] === 'string' &&
  HEX_ID.test(row['id']) &&
  !isNothing(row['traceId']) &&
  epochOf(row['timestamp']) !== null;

const OBSERVATION =
  /^(?:span|llm|general|generation|event|agent|tool|chain|retriever|evaluator|embedding|guardrail)$/i;

/** True for observations of Langfuse, spans of Opik and calls of Weave, whose id is also in the column `id`. */
function isObservation(row: Fields): boolean {
  const { id, type } = row;
  const isOwn = typeof id === 'string' && id.trim() !== '' && isNothing(row['span_id'] ?? row['spanId']);
  if (!isOwn || isNothing(row['trace_id'] ?? row['traceId'])) return false;
  return 'op_name' in row || (typeof type === 'string' && OBSERVATION.test(type));
}

/** The parent among the references of a Jaeger span; null if there is none. */
function parentIn(references: unknown): string | null {
  const list: readonly unknown[] = Array.isArray(references) ? references : [];
  const parent = list.filter(isObject).find(({ refType }) => refType === 'CHILD_OF')?.['spanID'];
  return typeof parent === 'string' && parent !== '' ? parent : null;
}

/**
 * Fields missing in a record are taken from its `span_attributes`, except those decided by `called`. `isWhole`: the row
 * is a complete span even without attributes. `isOfDatadog`: the row has the form of Datadog's spans.
 */
function fileSpan(
  { span_attributes: attributes, ...fields }: Fields & { span_attributes: Fields },
  into: SpanChanges,
  { isWhole, isOfDatadog }: { isWhole: boolean; isOfDatadog: boolean },
  called: Fields = {},
): FileSpan {
  const inside = new Map(Object.entries(attributes));
  const found = FIELDS.flatMap(([field, names]) => {
    const isMissing = isNothing(fields[field]) && !(field in called);
    const value = isMissing ? firstOf(inside, names) : undefined;
    return isNothing(value) ? [] : [[field, value] as const];
  });
  const { parent_span_id: parent, ...others }: Fields = { ...fields, ...Object.fromEntries(found) };
  const isRoot = isNoParent(parent, fields['span_id'], isOfDatadog);
  const record: Fields = isNothing(parent) || isRoot ? others : { ...others, parent_span_id: parent };
  const type = isNothing(record['span_type']) ? spanTypeOf(inside) : null;
  if (type !== null) {
    record['span_type'] = type;
    into.add('type-of-attributes', 'span_type', 'no type', type);
  }
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  const [traceId, spanId, startTime] = [record['trace_id'], record['span_id'], text(record['start_time'])];
  const isBare = !isWhole && inside.size === 0;
  return {
    ...{ trace_id: String(traceId), span_id: String(spanId), startMs: startMsOf(startTime), startTime },
    ...{ name: text(record['name']), spanType: text(record['span_type']), changed: into },
    keys: isBare ? null : [...inside.keys()],
    record: isBare ? null : writeExact({ ...record, span_attributes: attributes }),
  };
}

/** An id that a spreadsheet rounded as a number, such as 1.23E+15. Several ids may have become equal this way. */
const ROUNDED_ID = /^\d(?:[.,]\d+)?E\+\d+$/i;

function idOf(
  flat: ReadonlyMap<string, unknown>,
  which: 'trace_id' | 'span_id',
  into: SpanChanges,
): string | NoSpan {
  const name = nameIn(flat, NAMES[which], true);
  const value = name === undefined ? undefined : flat.get(name);
  const id = isRawNumber(value) || typeof value === 'number' ? writeExact(value) : value;
  if (typeof id !== 'string' || id.trim() === '')
    return { column: which, reason: `Expected a ${which.replace('_', ' ')}, got none.` };
  if (ROUNDED_ID.test(id.trim()))
    return {
      column: which,
      reason: `Expected a ${which.replace('_', ' ')} with all of its digits, got ${id.trim()}, as a spreadsheet rounds it. Export the spans again.`,
    };
  const hex = hexId(id, ID_DIGITS[which], false);
  if (hex !== null) {
    into.add('hex-id', which, id, hex);
    return hex;
  }
  if (id.trim().length <= MAX_ID_CHARACTERS) {
    into.add('trimmed', which, id, id.trim());
    return id.trim();
  }
  return { column: which, reason: `Expected at most ${MAX_ID_CHARACTERS} characters.` };
}

/** The first of the names with a value. `isSpelled`: if there is none, one as a person spells it. */
function nameIn(
  fields: ReadonlyMap<string, unknown>,
  names: readonly string[],
  isSpelled = false,
): string | undefined {
  const found = names.find((each) => !isNothing(fields.get(each)));
  if (found !== undefined || !isSpelled) return found;
  return columnNamed(
    [...fields].flatMap(([name, value]) => (isNothing(value) ? [] : [name])),
    names,
  );
}

const isTime = (value: unknown): boolean => epochOf(value) !== null || startMsOf(value) !== null;

function firstOf(fields: ReadonlyMap<string, unknown>, names: readonly string[]): unknown {
  const name = nameIn(fields, names);
  return name === undefined ? undefined : fields.get(name);
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Attributes in a single column: as an object, as its JSON, or as a list of keys and values (OTLP). */
function attributesIn(row: Fields, into: SpanChanges): Fields | null {
  const name = NAMES.attributes.find((each) => !isNothing(row[each]));
  // Jaeger calls its attributes tags.
  if (name === undefined)
    return Array.isArray(row['tags']) && row['tags'].length > 0 ? keyValues(row['tags'], into) : null;
  const value = row[name];
  const inside = typeof value === 'string' && /^\s*[[{]/.test(value) ? parsed(value) : value;
  if (Array.isArray(inside)) return keyValues(inside, into);
  return isObject(inside) ? inside : null;
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // A text that looks like JSON but is invalid is an ordinary value.
    return text;
  }
}

/** Columns of a flat row, except ids and times. */
function tableAttributes(flat: ReadonlyMap<string, unknown>, used: readonly (string | undefined)[]): Fields {
  const own = new Set([...used, 'end_time', 'endTime']);
  const fields = [...flat].filter(([name, value]) => !own.has(name) && !isNothing(value));
  const names = new Set(fields.map(([name]) => name));
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const plain = name.replace(/^(?:span_)?attributes\./, '');
      return [names.has(plain) ? name : plain, value];
    }),
  );
}

/** Fields other than attributes, under the service's names. Their values stay unchanged. */
function plainFields(row: Fields, used: readonly (string | undefined)[]): Fields {
  const own = new Set<string | undefined>([...used, ...NAMES.attributes]);
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => !own.has(name) && !isNothing(value)),
  );
}

/** A time as text. A number since 1970 is converted. */
function timeText(value: unknown, into: SpanChanges): string | null {
  const text = isRawNumber(value) || typeof value === 'number' ? writeExact(value) : value;
  if (typeof text !== 'string' || text.trim() === '') return null;
  const trimmed = text.trim();
  const nanos = epochOf(trimmed)?.nanos ?? null;
  const time = nanosText(nanos) ?? trimmed;
  into.add(nanos === null ? 'trimmed' : 'nano-time', 'start_time', text, time);
  return time;
}
