/** Spans of a file, as both processes know them. */
import { z } from 'zod';
import { dialect } from './dialect.ts';
import type { BadRow } from './upload-model.ts';
import type { ValueLedger, ValueRule } from './value-ledger.ts';
import { valueReadings } from './value-readings.ts';

/** A file that was offered, and how it is read. */
export const spanFile = z.strictObject({
  fileId: z.string().max(100),
  dialect,
  /** Absent: values stand for themselves. */
  readings: valueReadings.optional(),
});
export type SpanFile = z.infer<typeof spanFile>;

/** A value of a span that does not stand in the basket as it stands in the file; `after` null: no value. */
interface SpanChange {
  rule: ValueRule;
  /** Field or attribute. */
  source: string;
  before: string;
  after: string | null;
}

/** Collects the changes of one span, and what of it is left out. */
export class SpanChanges {
  readonly changes: SpanChange[] = [];
  readonly leftOut: { name: string; reason: string }[] = [];

  /** Nothing where the text is the same. */
  add(rule: ValueRule, source: string, before: string, after: string | null): void {
    if (before !== after) this.changes.push({ rule, source, before, after });
  }

  omit(name: string, reason: string): void {
    this.leftOut.push({ name, reason });
  }
}

/** What is in it: rows = spans + repeated + badRows. */
export interface SpanFileCheck {
  rows: number;
  spans: number;
  /** Rows with the ids of a span that came before. */
  repeated: number;
  /** Spans of which the file has ids and times alone. */
  bare: number;
  /** Spans without a start that can be read. */
  timeless: number;
  /** Rows that are no spans. */
  badRows: number;
  /** The first of them. */
  firstBad: BadRow[];
  /** Earliest and latest start as they stand in the file. */
  first: string | null;
  last: string | null;
  /** Attributes with the number of spans that have them, the most frequent first. */
  keys: { key: string; count: number }[];
  /** Changes of values, and what is left out of spans. */
  ledger: ValueLedger;
}

/** Names of the columns that hold the ids of a span, the first that is there counts. */
export const SPAN_ID_NAMES = {
  trace_id: ['trace_id', 'traceId', 'traceID', 'context.trace_id'],
  span_id: ['span_id', 'spanId', 'spanID', 'context.span_id'],
} as const;

/** Whether rows with these columns may be spans. */
export function namesSpans(columns: readonly string[]): boolean {
  const has = (names: readonly string[]) => names.some((name) => columns.includes(name));
  // As OpenTelemetry prints them, both ids stand inside of one object.
  return columns.includes('context') || (has(SPAN_ID_NAMES.trace_id) && has(SPAN_ID_NAMES.span_id));
}
