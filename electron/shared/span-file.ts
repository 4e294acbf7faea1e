/** Spans from files, shared by both processes. */
import { dialect } from './dialect.ts';
import type { BadRow } from './upload-model.ts';
import type { ValueLedger, ValueRule } from './value-ledger.ts';
import { valueReadings } from './value-readings.ts';
import * as z from './zod.ts';

/** An offered file, and how it is parsed. */
export const spanFile = z.strictObject({
  fileId: z.string().max(100),
  dialect,
  /** Absent: values are used unchanged. */
  readings: valueReadings.optional(),
});
export type SpanFile = z.infer<typeof spanFile>;

/** A value of a span that differs from the value in the file; `after` null: no value is used. */
interface SpanChange {
  rule: ValueRule;
  /** Field or attribute. */
  source: string;
  before: string;
  after: string | null;
}

/** Collects the changes of one span, and its omitted parts. */
export class SpanChanges {
  readonly changes: SpanChange[] = [];
  readonly leftOut: { name: string; reason: string }[] = [];

  /** Does nothing if the text is unchanged. */
  add(rule: ValueRule, source: string, before: string, after: string | null): void {
    if (before !== after) this.changes.push({ rule, source, before, after });
  }

  omit(name: string, reason: string): void {
    this.leftOut.push({ name, reason });
  }
}

/** Contents of a span file: rows = spans + repeated + badRows. */
export interface SpanFileCheck {
  rows: number;
  spans: number;
  /** Rows with the ids of an earlier span. */
  repeated: number;
  /** Number of spans for which the file has only ids and times. */
  bare: number;
  /** Number of spans without a readable start. */
  timeless: number;
  /** Rows that are not spans. */
  badRows: number;
  firstBad: BadRow[];
  /** Earliest and latest start as written in the file. */
  first: string | null;
  last: string | null;
  /** Attributes with their number of spans, the most frequent first. */
  keys: { key: string; count: number }[];
  /** Changed values, and omitted parts of spans. */
  ledger: ValueLedger;
}

/** Names of the columns with the ids of a span; the first one present is used. */
export const SPAN_ID_NAMES = {
  trace_id: [
    'trace_id',
    'traceId',
    'traceID',
    'TraceId',
    'context.trace_id',
    'trace.trace_id',
    'root_span_id',
  ],
  span_id: ['span_id', 'spanId', 'spanID', 'SpanId', 'context.span_id', 'trace.span_id'],
} as const;

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]/g, '');

/**
 * The column with the first of these names that occurs; otherwise the first column that only differs from a name in
 * spelling, e.g. `Trace ID`.
 */
export function columnNamed(columns: Iterable<string>, names: readonly string[]): string | undefined {
  const all = [...columns];
  const spelled = new Set(names.map(plainName));
  return names.find((name) => all.includes(name)) ?? all.find((name) => spelled.has(plainName(name)));
}

/** Whether rows with these columns can be spans. */
export function namesSpans(columns: readonly string[]): boolean {
  const has = (names: readonly string[]) => columnNamed(columns, names) !== undefined;
  // The printed form of OpenTelemetry has both ids inside one object.
  const isOfZipkin = ['traceId', 'id', 'timestamp', 'duration'].every((name) => columns.includes(name));
  const isObserved =
    columns.includes('id') &&
    has([
      'parentObservationId',
      'parent_observation_id',
      'op_name',
      'parent_run_id',
      'custom_llm_provider',
      'span_data',
      'parent_span_id',
    ]);
  const isCall = (...names: string[]) => names.every((name) => columns.includes(name));
  if (isCall('schemaType', 'requestId', 'modelId') || isCall('request_id', 'request_body', 'response_body'))
    return true;
  const hasOwnId = has(SPAN_ID_NAMES.span_id) || isObserved;
  return columns.includes('context') || isOfZipkin || (has(SPAN_ID_NAMES.trace_id) && hasOwnId);
}
