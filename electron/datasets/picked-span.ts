/** Converts a span record, a row of a list or an identity to the form of a basket. */
import { startMsOf } from '../core/spans/call-range.ts';
import { attributesOf } from '../core/spans/span-mapping.ts';
import type { NewSpan } from '../db/build-store.ts';
import { notKept } from '../shared/item-row.ts';
import type { GivenSpan } from './types.ts';

type SpanRecord = Record<string, unknown>;
/** A span to be added to a basket. */
export interface PickedSpan extends Omit<NewSpan, 'state'> {
  /** The expected output edited in a review, stored together with the span. */
  expected?: string;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Null for a record without ids, because a call could not name it. */
export function fromRecord(record: SpanRecord): PickedSpan | null {
  const [traceId, spanId] = [textOrNull(record['trace_id']), textOrNull(record['span_id'])];
  if (traceId === null || spanId === null || traceId === '' || spanId === '') return null;
  return {
    trace_id: traceId,
    span_id: spanId,
    startMs: startMsOf(record['start_time']),
    startTime: textOrNull(record['start_time']),
    name: textOrNull(record['name']),
    spanType: textOrNull(record['span_type']),
    keys: Object.keys(attributesOf(record)),
    record: JSON.stringify(record),
  };
}

/**
 * Like `fromRecord`, for the row of a stored list. Truncated rows must be read from the service again, by their ids.
 */
export function fromRow(row: SpanRecord): PickedSpan | null {
  const span = fromRecord(row);
  return span === null || notKept(row) === null ? span : { ...span, keys: null, record: null };
}

export function fromGiven({ trace_id, span_id, start_time: startTime, record }: GivenSpan): PickedSpan {
  const whole = record === null ? null : fromRecord({ start_time: startTime, ...record, trace_id, span_id });
  if (whole !== null) return whole;
  return {
    trace_id,
    span_id,
    startMs: startMsOf(startTime),
    startTime,
    name: null,
    spanType: null,
    keys: null,
    record: null,
  };
}
