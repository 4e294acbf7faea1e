/** Spans of a file, as both processes know them. */
import { z } from 'zod';
import { counted } from './count-text.ts';
import { dialect } from './dialect.ts';
import type { BadRow } from './upload-model.ts';
import { valueReadings } from './value-readings.ts';

/** A file that was offered, and how it is read. */
export const spanFile = z.strictObject({
  fileId: z.string().max(100),
  dialect,
  /** Absent: values stand for themselves. */
  readings: valueReadings.optional(),
});
export type SpanFile = z.infer<typeof spanFile>;

/** Rules by which values of a file are read otherwise than they stand, as they are told. */
const SPAN_NOTES = {
  'id-form': 'ids in base64, with 0x or in capitals are read as lower-case hexadecimal digits',
  'not-finite': 'NaN and Infinity are no values',
  'key-twice': 'an attribute that stands twice has its last value',
  'by-flags': 'values are read as the flags of their columns say',
  'not-by-flags': 'values that cannot be read as the flags of their columns say stay as they stand',
  'type-of-attributes': 'the type of a span is taken from its attributes',
} as const;
export type SpanNote = keyof typeof SPAN_NOTES;

/** `3 spans: NaN and Infinity are no values`. */
export function noteText({ note, spans }: { note: SpanNote; spans: number }): string {
  return `${counted(spans, 'span')}: ${SPAN_NOTES[note]}`;
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
  /** Rules that changed values, with the number of spans in which they did. */
  notes: { note: SpanNote; spans: number }[];
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
