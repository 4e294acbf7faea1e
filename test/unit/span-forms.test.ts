/** Spans whose trace, parent or times are written in other places or forms than those of OpenTelemetry. */
import { expect, test } from 'vitest';
import { readFileSpan } from '../../electron/core/spans/file-span.ts';
import { spansOfExport } from '../../electron/core/spans/otlp.ts';
import { jsonRow } from '../../electron/uploads/readers/json-reader.ts';

const read = (row: unknown) => {
  const found = readFileSpan({ ...(row as object) });
  if (!('trace_id' in found)) throw new Error(found.reason);
  return { ...JSON.parse(found.record ?? 'null'), leftOut: found.changed.leftOut };
};

test('spans of a trace of Google Cloud get the id that the trace has', () => {
  const trace = {
    ...{ projectId: 'p', traceId: 'a'.repeat(32) },
    spans: [
      { spanId: '12', name: 'a', startTime: '2026-05-01T10:00:00Z', endTime: '2026-05-01T10:00:01Z' },
      { spanId: '13', parentSpanId: '12', traceId: 'b'.repeat(32), name: 'b', labels: { k: 'v' } },
    ],
  };
  expect((spansOfExport(trace) ?? []).map(read)).toMatchObject([
    { trace_id: 'a'.repeat(32), span_id: '12', duration: 1_000 },
    { trace_id: 'b'.repeat(32), span_id: '13', parent_span_id: '12' },
  ]);
});

test.each<[string, object]>([
  ['a text beside a long decimal id', { span_id: '7890123456789012345', parent_id: '0' }],
  ['a number beside a long decimal id', { span_id: '1234567890', parent_id: 0 }],
  ['a text beside a hexadecimal id', { span_id: 'b'.repeat(16), parent_id: '0' }],
  ['all digits of an id', { span_id: 's', parent_id: '0000000000000000' }],
  [
    "a number in a row of Datadog's form",
    { span_id: '12', parent_id: 0, start: 1_700_000_000_000_000_000, duration: 5, resource: 'GET /' },
  ],
])('a parent of zeros stands for none, without a note about a usual root: %s', (_, ids) => {
  const { leftOut, ...span } = read({ trace_id: 't', name: 'root', k: 1, ...ids });
  expect(span).not.toHaveProperty('parent_span_id');
  expect(leftOut).toEqual([]);
});

test.each<[string, object]>([
  ['a number', { span_id: 1, parent_id: 0 }],
  ['a text', { span_id: '1', parent_span_id: '0' }],
  ['a text in a row of the service', { span_id: '1', parent_span_id: '0', span_attributes: { a: 1 } }],
  ['a number beside an id in words', { span_id: 'step-1', parent_id: 0 }],
  [
    'a text beside times and a service',
    { span_id: '1', parent_id: '0', start: 5, duration: 2, service: 'web' },
  ],
])('a parent of 0 is the span with this id if ids count the spans: %s', (_, ids) => {
  const { leftOut, ...span } = read({ trace_id: 't1', name: 'child', k: 1, ...ids });
  expect(String(span.parent_span_id)).toBe('0');
  expect(leftOut).toEqual([]);
});

test('a span that the interface of Datadog returns is read', () => {
  const attributes = {
    ...{ trace_id: '567', span_id: '123', parent_id: '0', resource_name: 'GET /' },
    ...{ start_timestamp: '2026-05-01T10:00:00.123Z', end_timestamp: '2026-05-01T10:00:01.123Z' },
  };
  const { record } = jsonRow(JSON.stringify({ id: 'A1', type: 'spans', attributes }), {
    wrapper: 'attributes',
  });
  expect(read(record)).toMatchObject({
    ...{ trace_id: '567', span_id: '123', start_time: '2026-05-01T10:00:00.123Z', duration: 1_000 },
    span_attributes: { _id: 'A1', resource_name: 'GET /' },
  });
});

test.each<[string, object, number]>([
  ['the end', { startTimeUnixNano: '1777629600000000000', endTimeUnixNano: '2026-05-01T10:00:01.5Z' }, 1_500],
  [
    'the start',
    { startTimeUnixNano: '2026-05-01T10:00:00Z', endTimeUnixNano: '1777629601500000001' },
    1_500.000001,
  ],
  [
    'another field',
    { startTimeUnixNano: '1777629600000000000', end_time: '2026-05-01T12:00:01.5+02:00' },
    1_500,
  ],
])('nanoseconds beside text of %s give the duration', (_, times, duration) => {
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  expect(read({ ...ids, ...times, name: 'n' })).toMatchObject({ duration, leftOut: [] });
});

test.each<[string, object, number | undefined]>([
  ['a number and a text', { start_time: 1_777_629_600, end_time: '2026-05-01T10:00:01.5Z' }, 1_500],
  ['a text and a number', { start_time: '2026-05-01T10:00:00Z', end_time: 1_777_629_601_500 }, 1_500],
  [
    'a number and a text without a zone',
    { start_time: 1_777_629_600, end_time: '2026-05-01T10:00:01' },
    undefined,
  ],
])('%s as the times of a row', (_, times, duration) => {
  expect(read({ trace_id: 't', span_id: 's', k: 1, ...times }).duration).toBe(duration);
});

test('a span in nanoseconds that ends before the text of its start has no duration, which is named', () => {
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  const times = { startTimeUnixNano: '2026-05-01T10:00:05Z', endTimeUnixNano: '1777629601500000000' };
  const { duration, leftOut } = read({ ...ids, ...times });
  expect([duration, leftOut]).toEqual([
    undefined,
    [{ name: 'duration', reason: 'the span ends before it starts' }],
  ]);
});

test('times as text in the fields for nanoseconds are times', () => {
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  const times = { startTimeUnixNano: '2026-05-01T10:00:00Z', endTimeUnixNano: '2026-05-01T10:00:01.5Z' };
  expect(read({ ...ids, ...times, name: 'n' })).toMatchObject({
    ...{ start_time: '2026-05-01T10:00:00Z', end_time: '2026-05-01T10:00:01.5Z', duration: 1_500 },
    leftOut: [],
  });
});
