/** A span that ends before it starts has no duration, and the check of its file says so. */
import { expect, test } from 'vitest';
import { readFileSpan } from '../../electron/core/spans/file-span.ts';

const IDS = { trace_id: 't', span_id: 's' };
const OTEL_IDS = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const [EARLY, LATE] = ['1777629601000000000', '1777629605000000000'];

const read = (row: Record<string, unknown>) => {
  const found = readFileSpan(row);
  if (!('trace_id' in found)) throw new Error(found.reason);
  return { duration: JSON.parse(found.record ?? 'null').duration, leftOut: found.changed.leftOut };
};
const REASON = [{ name: 'duration', reason: 'the span ends before it starts' }];

test.each<[string, Record<string, unknown>]>([
  ['texts', { ...IDS, start_time: '2026-05-01T10:00:05Z', end_time: '2026-05-01T10:00:01Z', k: 1 }],
  ['numbers', { ...IDS, start_time: 1_777_629_605.5, end_time: 1_777_629_601, k: 1 }],
  ['nanoseconds of OpenTelemetry', { ...OTEL_IDS, startTimeUnixNano: LATE, endTimeUnixNano: EARLY }],
  [
    'times as OpenTelemetry prints them',
    {
      ...{ context: { trace_id: `0x${'a'.repeat(32)}`, span_id: `0x${'b'.repeat(16)}` }, attributes: {} },
      ...{ start_time: '2026-05-01T10:00:05Z', end_time: '2026-05-01T10:00:01Z' },
    },
  ],
])('a span with an end before its start has no duration, which is named: %s', (_, row) => {
  expect(read(row)).toEqual({ duration: undefined, leftOut: REASON });
});

test.each<[string, Record<string, unknown>]>([
  ['a span with a duration', { ...OTEL_IDS, startTimeUnixNano: LATE, endTimeUnixNano: EARLY, duration: 5 }],
  [
    'a row with a duration',
    { ...IDS, start_time: '2026-05-01T10:00:05Z', end_time: '2026-05-01', duration: 5 },
  ],
])('%s keeps it', (_, row) => {
  expect(read(row)).toEqual({ duration: 5, leftOut: [] });
});

test('an end of zero stands for no time, and is no end before the start', () => {
  const { leftOut } = read({ ...OTEL_IDS, startTimeUnixNano: LATE, endTimeUnixNano: '0' });
  expect(leftOut).toEqual([{ name: 'end_time', reason: 'zero stands for no time' }]);
});
