/**
 * A row of a file as a span: by its ids and its start, with its other columns as attributes. Read are rows as
 * spans.query answers them, flat tables with a column for each attribute, and spans as OpenTelemetry writes them. Pure.
 */
import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
import { SPAN_ID_NAMES } from '../../shared/span-file.ts';
import { flattened, isObject } from '../items/flattened.ts';
import { startMsOf } from './call-range.ts';

type Fields = Record<string, unknown>;

/** A span as a basket takes it. */
export interface FileSpan {
  trace_id: string;
  span_id: string;
  startMs: number | null;
  startTime: string | null;
  name: string | null;
  spanType: string | null;
  /** Attribute keys; null where the row has nothing but ids and times. */
  keys: string[] | null;
  /** JSON in the form of spans.query; null as above. */
  record: string | null;
}

/** What keeps a row from being a span. */
interface NoSpan {
  column: 'trace_id' | 'span_id';
  reason: string;
}

/** The longest id that a call may name. */
const MOST_ID_CHARACTERS = 200;

/** Names of columns, the first that is there counts. */
const NAMES = {
  ...SPAN_ID_NAMES,
  start: [
    'start_time',
    'startTime',
    'start_timestamp',
    'timestamp',
    'startTimeUnixNano',
    'start_time_unix_nano',
  ],
  attributes: ['span_attributes', 'attributes'],
} as const;

/** Fields of a span as the service names them, with what other tools call them. */
const FIELDS: readonly (readonly [string, readonly string[]])[] = [
  ['name', ['name', 'span_name', 'operation_name']],
  ['span_type', ['span_type', 'type']],
  ['status_code', ['status_code', 'status.status_code', 'status.code']],
  ['status_message', ['status_message', 'status.message']],
  ['parent_span_id', ['parent_span_id', 'parentSpanId', 'parent_id']],
  ['session_id', ['session_id', 'sessionId', 'conversation_id']],
  ['agent_id', ['agent_id']],
  ['agent_name', ['agent_name']],
  ['duration', ['duration']],
  ['input', ['input', 'llm_input_user', 'tool_input', 'input.value']],
  ['output', ['output', 'llm_output', 'tool_output', 'output.value']],
];

/** `row`: by column. Cells of a table that are empty, and nulls, are no values. */
export function readFileSpan(row: Fields): FileSpan | NoSpan {
  const flat = new Map(flattened(row));
  const [traceId, spanId] = [idOf(flat, 'trace_id'), idOf(flat, 'span_id')];
  if (typeof traceId !== 'string') return traceId;
  if (typeof spanId !== 'string') return spanId;
  const startTime = timeText(firstOf(flat, NAMES.start));
  const given = attributesIn(row);
  const attributes = given ?? tableAttributes(flat);
  const inside = new Map(Object.entries(attributes));
  const isBare = Object.keys(attributes).length === 0;
  const top = Object.fromEntries(
    FIELDS.flatMap(([field, names]) => {
      const value = firstOf(flat, names) ?? firstOf(inside, names);
      return isNothing(value) ? [] : [[field, value] as const];
    }),
  );
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  const record = {
    ...{ trace_id: traceId, span_id: spanId },
    ...(startTime === null ? {} : { start_time: startTime }),
    ...top,
    ...(given === null ? {} : plainFields(row)),
    span_attributes: attributes,
  };
  return {
    ...{ trace_id: traceId, span_id: spanId, startMs: startMsOf(startTime), startTime },
    ...{ name: text(top['name']), spanType: text(top['span_type']) },
    keys: isBare ? null : Object.keys(attributes),
    record: isBare ? null : writeExact(record),
  };
}

function idOf(flat: ReadonlyMap<string, unknown>, which: 'trace_id' | 'span_id'): string | NoSpan {
  const value = firstOf(flat, NAMES[which]);
  const id = isRawNumber(value) || typeof value === 'number' ? writeExact(value) : value;
  if (typeof id !== 'string' || id.trim() === '')
    return { column: which, reason: `Expected a ${which.replace('_', ' ')}, got none.` };
  if (id.trim().length <= MOST_ID_CHARACTERS) return id.trim();
  return { column: which, reason: `Expected at most ${MOST_ID_CHARACTERS} characters.` };
}

function firstOf(fields: ReadonlyMap<string, unknown>, names: readonly string[]): unknown {
  const name = names.find((each) => !isNothing(fields.get(each)));
  return name === undefined ? undefined : fields.get(name);
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Attributes that stand in a column of their own: as an object, as its JSON, or as a list of keys and values (OTLP). */
function attributesIn(row: Fields): Fields | null {
  const name = NAMES.attributes.find((each) => !isNothing(row[each]));
  if (name === undefined) return null;
  const value = row[name];
  const inside = typeof value === 'string' && /^\s*[[{]/.test(value) ? parsed(value) : value;
  if (Array.isArray(inside)) return keyValues(inside);
  return isObject(inside) ? inside : null;
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // Text that only looks like JSON is a value like any other.
    return text;
  }
}

/** `[{"key": "a", "value": {"stringValue": "b"}}]`. */
function keyValues(list: readonly unknown[]): Fields | null {
  const pairs = list.flatMap((each): [string, unknown][] => {
    if (!isObject(each) || typeof each['key'] !== 'string') return [];
    const { value } = each;
    return [[each['key'], isObject(value) ? Object.values(value)[0] : value]];
  });
  return pairs.length === list.length ? Object.fromEntries(pairs) : null;
}

/** Columns of a flat row, but for ids and times. */
function tableAttributes(flat: ReadonlyMap<string, unknown>): Fields {
  const own: readonly string[] = [...NAMES.trace_id, ...NAMES.span_id, ...NAMES.start, 'end_time', 'endTime'];
  return Object.fromEntries([...flat].filter(([name, value]) => !own.includes(name) && !isNothing(value)));
}

/** Fields beside the attributes, as the service names them; they stay as they came. */
function plainFields(row: Fields): Fields {
  const own: readonly string[] = [...NAMES.attributes, ...NAMES.start, 'trace_id', 'span_id'];
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => !own.includes(name) && !isNothing(value)),
  );
}

/** A time as text; nanoseconds since 1970, as OpenTelemetry writes them, become one. */
function timeText(value: unknown): string | null {
  const text = isRawNumber(value) || typeof value === 'number' ? writeExact(value) : value;
  if (typeof text !== 'string' || text.trim() === '') return null;
  const trimmed = text.trim();
  const ms = /^\d{19}$/.test(trimmed)
    ? Number(trimmed.slice(0, 13))
    : /^\d{13}$/.test(trimmed)
      ? Number(trimmed)
      : null;
  return ms === null ? trimmed : new Date(ms).toISOString();
}
