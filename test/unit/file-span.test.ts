/** Reads rows of files as spans, in the formats of other tools. */
import { describe, expect, test } from 'vitest';
import { type FileSpan, readFileSpan } from '../../electron/core/spans/file-span.ts';
import { parseExactObject } from '../../electron/shared/exact-json.ts';
import { namesSpans } from '../../electron/shared/span-file.ts';
import { exportedSpan } from '../helpers/span-export.ts';

const read = (row: Record<string, unknown>): FileSpan => {
  const found = readFileSpan(row);
  if (!('trace_id' in found)) throw new Error(found.reason);
  return found;
};
const recordOf = ({ record }: FileSpan) => JSON.parse(record ?? 'null');
const IDS = { trace_id: 't', span_id: 's' };

test('a flat row: its columns are the attributes, a missing value is not an attribute, and reading finds input and output', () => {
  const span = read(exportedSpan(1));
  expect(span).toMatchObject({ name: 'look_up', spanType: 'tool', startMs: Date.UTC(2026, 1, 3, 9, 0, 1) });
  expect(recordOf(span)).toMatchObject({
    input: 'order 1',
    output: '{"order": 1, "state": "sent"}',
    span_attributes: { tool_name: 'look_up', duration_ms: 1_001, custom_attributes: '{}' },
  });
  for (const empty of ['llm_output', 'model_name', 'exception_info', 'trace_id', 'start_time'])
    expect(span.keys).not.toContain(empty);
});

test('a row in the form of the service is that span, its attributes unchanged', () => {
  const record = {
    ...IDS,
    start_time: '2026-01-01T00:00:00Z',
    name: 'n',
    input: { a: 1 },
    span_attributes: { k: { deep: 1 }, e: '' },
  };
  expect(recordOf(read(record))).toEqual(record);
  // In a table, attributes are text.
  expect(
    recordOf(read({ ...record, input: 'x', span_attributes: '{"k":{"deep":1},"e":""}' })).span_attributes,
  ).toEqual(record.span_attributes);
});

test('ids and start are found in other spellings of their names, and fields in capitals', () => {
  const spelled = read({
    'Trace ID': 't',
    'Span ID': 's',
    'Start time': '2026-01-01T00:00:00Z',
    Service: 'a',
  });
  expect(spelled).toMatchObject({ ...IDS, startTime: '2026-01-01T00:00:00Z', keys: ['Service'] });
  expect(namesSpans(['Trace ID', 'span-id'])).toBe(true);
  expect(namesSpans(['Trace', 'Span ID'])).toBe(false);
  const capitals = { TRACE_ID: 't', SPAN_ID: 's', NAME: 'n', SPAN_ATTRIBUTES: '{"a":1}', REGION: 'eu' };
  expect(recordOf(read(capitals))).toEqual({ ...IDS, name: 'n', REGION: 'eu', span_attributes: { a: 1 } });
  expect(read({ ...IDS, 'Trace ID': 'other', a: 1 })).toMatchObject({ ...IDS, keys: ['Trace ID', 'a'] });
});

test.each([
  [
    'as OpenTelemetry prints it',
    {
      name: 'n',
      context: { trace_id: `0x${'A1'.repeat(16)}`, span_id: `0x${'b2'.repeat(8)}` },
      start_time: '2026-01-01T00:00:00Z',
      attributes: { 'a.b': 1 },
    },
    { 'a.b': 1 },
  ],
  [
    'as OTLP has it',
    {
      traceId: 'a1'.repeat(16),
      spanId: 'b2'.repeat(8),
      startTimeUnixNano: '1767225600123456789',
      attributes: [{ key: 'a.b', value: { intValue: '1' } }],
    },
    { 'a.b': 1 },
  ],
  [
    'with nested columns',
    { ...IDS, timestamp: 1767225600123, user: { id: 7, tags: ['x'] }, empty: {} },
    { 'user.id': 7, 'user.tags': ['x'], empty: {} },
  ],
])('a span %s', (_, row, attributes) => {
  const span = read(row);
  expect(recordOf(span).span_attributes).toEqual(attributes);
  expect(new Date(span.startMs ?? 0).toISOString().slice(0, 10)).toBe('2026-01-01');
});

test('ids alone, digits beyond a double, and an unreadable time', () => {
  expect(read({ ...IDS, start_time: '2026-01-01T00:00:00Z', end_time: '' })).toMatchObject({
    keys: null,
    record: null,
  });
  const exact = read(parseExactObject('{"trace_id":9007199254740993,"span_id":"s","n":9007199254740993}'));
  expect(exact.trace_id).toBe('9007199254740993');
  expect(exact.record).toContain('"n":9007199254740993');
  expect(read({ ...IDS, start_time: 'yesterday', a: 1 })).toMatchObject({
    startMs: null,
    startTime: 'yesterday',
  });
});

describe('a row that is not a span is rejected with the reason', () => {
  test.each([
    [{ span_id: 's' }, 'Expected a trace id, got none.'],
    [{ trace_id: 't', span_id: '  ' }, 'Expected a span id, got none.'],
    [{ trace_id: 't', span_id: null }, 'Expected a span id, got none.'],
    [{ trace_id: 'x'.repeat(201), span_id: 's' }, 'Expected at most 200 characters.'],
  ])('%j', (row, reason) => expect(readFileSpan(row)).toMatchObject({ reason }));
});

test('a run of LangSmith is a span: its id, parent run, thread, contents, times and state', () => {
  const run = {
    ...{ id: '0b0ee7f8-1c1d-4b8c-9d0a-000000000002', trace_id: '0b0ee7f8-1c1d-4b8c-9d0a-000000000001' },
    ...{ parent_run_id: '0b0ee7f8-1c1d-4b8c-9d0a-000000000001', dotted_order: 'x', name: 'ChatOpenAI' },
    ...{ run_type: 'llm', start_time: '2024-02-29T01:02:03.000000', end_time: '2024-02-29T01:02:04.500000' },
    ...{ inputs: { messages: [{ role: 'user', content: 'Hi' }] }, outputs: { answer: 'Hello' } },
    // In LangSmith, this is the id of the project and not of a session.
    session_id: '1b0ee7f8-1c1d-4b8c-9d0a-000000000009',
    ...{ status: 'error', error: "ValueError('x')", extra: { metadata: { thread_id: 'th1' } } },
  };
  const span = read(run);
  expect(span).toMatchObject({ trace_id: run.trace_id, span_id: run.id, spanType: 'llm' });
  expect(recordOf(span)).toMatchObject({
    ...{ name: 'ChatOpenAI', parent_span_id: run.parent_run_id, session_id: 'th1', duration: 1500 },
    ...{ status_code: 'ERROR', status_message: run.error, input: run.inputs, output: run.outputs },
    span_attributes: { session_id: run.session_id, 'outputs.answer': 'Hello', status: 'error' },
  });
  expect(span.changed.changes).toContainEqual({
    ...{ rule: 'kind-name', source: 'status_code', before: 'error', after: 'ERROR' },
  });
  const alone = recordOf(read({ ...run, parent_run_id: null, extra: {}, status: 'success', error: null }));
  expect(Object.keys(alone)).not.toContain('session_id');
  expect(Object.keys(alone)).not.toContain('parent_span_id');
  expect(alone['status_code']).toBe('OK');
  expect(namesSpans(Object.keys(run))).toBe(true);
});

test('a call in the log of LiteLLM is a span of a language model', () => {
  const call = {
    ...{ id: 'chatcmpl-1', trace_id: 't1', call_type: 'acompletion', custom_llm_provider: 'openai' },
    ...{ startTime: 1736546400.125, endTime: 1736546401.5, status: 'success', model: 'gpt-4o' },
    messages: [{ role: 'user', content: 'Hi' }],
    response: { choices: [{ message: { role: 'assistant', content: 'Hello' } }] },
  };
  const span = read(call);
  expect(span).toMatchObject({
    trace_id: 't1',
    span_id: 'chatcmpl-1',
    startTime: '2025-01-10T22:00:00.125Z',
  });
  expect(recordOf(span)).toMatchObject({
    ...{ span_type: 'llm', status_code: 'OK', duration: 1375, input: call.messages, output: call.response },
  });
  expect(namesSpans(Object.keys(call))).toBe(true);
});

test.each<[string, object, object]>([
  [
    "OpenAI's Agents SDK",
    {
      ...{ object: 'trace.span', id: 'span_1', trace_id: 'trace_1', parent_id: 'span_0', error: null },
      ...{ started_at: '2026-01-02T03:04:05.000Z', ended_at: '2026-01-02T03:04:06.000Z' },
      span_data: { type: 'function', name: 'lookup', input: '{"q":1}', output: '42' },
    },
    {
      ...{ trace_id: 'trace_1', span_id: 'span_1', parent_span_id: 'span_0', name: 'lookup', duration: 1000 },
      ...{ span_type: 'function', input: '{"q":1}', output: '42', start_time: '2026-01-02T03:04:05.000Z' },
    },
  ],
  [
    'Opik',
    {
      ...{ id: 's1', trace_id: 't1', parent_span_id: 's0', name: 'call', type: 'llm', input: { q: 1 } },
      ...{ start_time: '2026-01-02T03:04:05Z', end_time: '2026-01-02T03:04:06Z', output: { a: 2 } },
    },
    { span_id: 's1', parent_span_id: 's0', span_type: 'llm', input: { q: 1 }, output: { a: 2 } },
  ],
  [
    'Braintrust',
    {
      ...{ id: 'row', root_span_id: 'r1', span_id: 's1', span_parents: ['s0'], error: 'down', input: 'Hi' },
      ...{
        span_attributes: { name: 'chat', type: 'llm' },
        metrics: { start: 1736546400.5, end: 1736546401.5 },
      },
    },
    {
      ...{ trace_id: 'r1', span_id: 's1', parent_span_id: 's0', name: 'chat', span_type: 'llm', input: 'Hi' },
      ...{
        status_code: 'ERROR',
        status_message: 'down',
        start_time: '2025-01-10T22:00:00.500Z',
        duration: 1000,
      },
    },
  ],
  [
    'Honeycomb',
    {
      'trace.trace_id': 't1',
      'trace.span_id': 's1',
      'trace.parent_id': 's0',
      name: 'get',
      timestamp: '2026-01-02T03:04:05Z',
      duration_ms: 12.5,
    },
    { trace_id: 't1', span_id: 's1', parent_span_id: 's0', name: 'get', duration: 12.5 },
  ],
  [
    "Amazon Bedrock's log",
    {
      ...{ schemaType: 'ModelInvocationLog', schemaVersion: '1.0', timestamp: '2026-01-02T03:04:05Z' },
      ...{ requestId: 'r-1', operation: 'Converse', modelId: 'anthropic.claude', region: 'us-east-1' },
      input: { inputBodyJson: { messages: [{ role: 'user', content: 'Hi' }] }, inputTokenCount: 3 },
      output: { outputBodyJson: { content: 'Hello' }, outputTokenCount: 5 },
    },
    {
      ...{
        trace_id: 'r-1',
        span_id: 'r-1',
        name: 'Converse',
        span_type: 'llm',
        output: { content: 'Hello' },
      },
      ...{ start_time: '2026-01-02T03:04:05Z', input: { messages: [{ role: 'user', content: 'Hi' }] } },
    },
  ],
  [
    'Helicone',
    {
      ...{
        request_id: 'q-1',
        request_created_at: '2026-01-02T03:04:05Z',
        request_path: '/v1/chat/completions',
      },
      ...{ response_created_at: '2026-01-02T03:04:06Z', delay_ms: 812, response_status: 429 },
      ...{ request_body: { model: 'gpt-4o' }, response_body: { error: 'slow down' } },
      request_properties: { 'Helicone-Session-Id': 's-9' },
    },
    {
      ...{
        trace_id: 'q-1',
        span_id: 'q-1',
        name: '/v1/chat/completions',
        span_type: 'llm',
        session_id: 's-9',
      },
      ...{ start_time: '2026-01-02T03:04:05Z', duration: 812, status_code: 'ERROR' },
      ...{ input: { model: 'gpt-4o' }, output: { error: 'slow down' } },
    },
  ],
  [
    'SigNoz',
    {
      ...{ traceID: 't1', spanID: 's1', parentSpanID: 's0', name: 'get', durationNano: 12_500_000 },
      timestamp: '2026-01-02T03:04:05Z',
    },
    { trace_id: 't1', span_id: 's1', duration: 12.5 },
  ],
  [
    'OpenTelemetry in ClickHouse',
    {
      ...{ Timestamp: '2026-01-02 03:04:05.000000000', TraceId: 't1', SpanId: 's1', ParentSpanId: 's0' },
      ...{ SpanName: 'get', Duration: '12500000' },
    },
    { trace_id: 't1', span_id: 's1', parent_span_id: 's0', name: 'get', duration: 12.5 },
  ],
])('a span of %s is read with its ids, parent, times and contents', (_tool, row, expected) => {
  expect(recordOf(read({ ...row }))).toMatchObject(expected);
  expect(namesSpans(Object.keys(row))).toBe(true);
});

test.each<readonly [unknown, string | undefined]>([
  [200, 'OK'],
  ['204', 'OK'],
  [500, 'ERROR'],
  ...['', ' ', null, 0, -1, -3, true, 'pending'].map((answered) => [answered, undefined] as const),
])('a request of Helicone with the status %o is %s', (answered, expected) => {
  const ids = { request_id: 'q', request_created_at: '2026-01-02T03:04:05Z', response_status: answered };
  const span = read({ ...ids, request_body: {}, response_body: {} });
  expect(recordOf(span).status_code).toBe(expected);
  expect(span.changed.changes.map(({ after }) => after)).toEqual(expected === undefined ? [] : [expected]);
});

test.each<readonly [Record<string, unknown>, unknown]>([
  ...['', '  ', null, true, -5, '-5', 'fast'].map((given) => [{ duration_ms: given }, 2_000] as const),
  [{ duration_ms: ' ', duration_us: '1500' }, 1.5],
  [{ duration_ms: '12.5' }, '12.5'],
  [{ duration: '  ' }, 2_000],
  [{ duration: true }, 2_000],
  [{ duration: 'fast' }, 'fast'],
])('the duration of a span with %o between two times', (given, expected) => {
  const times = { start_time: '2026-01-02T03:04:05.000Z', end_time: '2026-01-02T03:04:07.000Z' };
  expect(recordOf(read({ ...IDS, name: 'n', ...times, ...given })).duration).toBe(expected);
});

test.each([
  [{ resource: {}, scopeLogs: [{ logRecords: [] }] }, 'log records'],
  [{ resourceMetrics: [{}] }, 'metrics'],
])('another signal of OpenTelemetry is refused by its name: %o', (row, what) => {
  expect(readFileSpan(row)).toEqual({
    column: 'trace_id',
    reason: `Expected spans, got ${what} of OpenTelemetry. Export its traces instead.`,
  });
});

test('an observation of Langfuse and a call of Weave have their id as span id', () => {
  const times = { startTime: '2026-01-02T03:04:05.100Z', endTime: '2026-01-02T03:04:06.100Z' };
  const output = { role: 'assistant', content: 'yes' };
  const of = { traceId: 't', type: 'GENERATION', ...times, output };
  expect(recordOf(read({ id: 'o2', ...of, parentObservationId: 'o1' }))).toMatchObject({
    ...{ trace_id: 't', span_id: 'o2', parent_span_id: 'o1', span_type: 'GENERATION' },
    ...{ start_time: times.startTime, duration: 1_000, output },
  });
  const call = { id: 'c2', trace_id: 't', parent_id: 'c1', op_name: 'answer', started_at: times.startTime };
  expect(recordOf(read({ ...call, ended_at: times.endTime, inputs: { q: 1 } }))).toMatchObject({
    ...{ trace_id: 't', span_id: 'c2', parent_span_id: 'c1', name: 'answer', duration: 1_000 },
  });
  expect(namesSpans(['id', 'trace_id', 'parent_observation_id'])).toBe(true);
  // An id of a row beside the id of a trace is not a span.
  expect(readFileSpan({ id: 'r1', trace_id: 't', type: 'score' })).toMatchObject({ column: 'span_id' });
});

test('a dropped table of other rows is not read as spans', () => {
  expect(namesSpans(['span_id', 'a', 'trace_id'])).toBe(true);
  expect(namesSpans(['context', 'name'])).toBe(true);
  expect(namesSpans(['customer', 'trace_id'])).toBe(false);
});

test('a start in milliseconds or nanoseconds since 1970 is converted, as a number and as text', () => {
  const startMs = Date.UTC(2026, 0, 1);
  for (const start of [startMs, String(startMs), `${startMs}000000`])
    expect(read({ ...IDS, start_time: start, k: 1 }).startMs).toBe(startMs);
  expect(read({ ...IDS, start_time: '  ', k: 1 })).toMatchObject({ startMs: null, startTime: null });
});

test('attributes as a list of keys and values, and text that only looks like JSON', () => {
  const list = '[{"key":"k","value":{"stringValue":"v"}}]';
  expect(recordOf(read({ ...IDS, attributes: list })).span_attributes).toEqual({ k: 'v' });
  expect(read({ ...IDS, attributes: '{not JSON', k: 1 }).keys).toContain('k');
});

test('empty cells of a table are not values; empty texts of JSON are named', () => {
  const row = { ...IDS, k: 'v', empty: '' };
  const found = readFileSpan(row, true);
  expect('keys' in found ? found.keys : null).toEqual(['k']);
  expect('changed' in found ? found.changed.leftOut : null).toEqual([]);
  expect(read(row).changed.leftOut).toHaveLength(1);
});

test('fields that a row has only among its attributes are taken from them', () => {
  const span_attributes = { 'session.id': 'chat 1', 'gen_ai.agent.name': 'Order desk' };
  expect(recordOf(read({ ...IDS, span_attributes }))).toEqual({
    ...{ ...IDS, session_id: 'chat 1', agent_name: 'Order desk' },
    span_attributes,
  });
});

const [TRACE, SPAN, PARENT] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7', '11f067aa0ba902b7'];
const START_MS = Date.UTC(2026, 2, 1, 10);
const MICROS = START_MS * 1_000;

/** Spans of 1.5 seconds in the formats of several tools, which have different names and units. */
test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    'Jaeger',
    {
      ...{ traceID: TRACE, spanID: SPAN, operationName: 'chat', startTime: MICROS, duration: 1_500_000 },
      references: [{ refType: 'CHILD_OF', traceID: TRACE, spanID: PARENT }],
      tags: [{ key: 'llm.tokens', type: 'int64', value: 12 }],
    },
    { parent_span_id: PARENT, span_attributes: { 'llm.tokens': 12 } },
  ],
  [
    'Zipkin',
    { traceId: TRACE, id: SPAN, parentId: PARENT, name: 'chat', timestamp: MICROS, duration: 1_500_000 },
    { parent_span_id: PARENT },
  ],
  [
    'Datadog',
    { trace_id: TRACE, span_id: SPAN, name: 'chat', start: `${MICROS}000`, duration: 1_500_000_000 },
    {},
  ],
  [
    'Logfire, in seconds',
    {
      ...{ trace_id: TRACE, span_id: SPAN, span_name: 'chat', attributes: { a: 1 }, duration: 1.5 },
      ...{ start_timestamp: '2026-03-01T10:00:00Z', end_timestamp: '2026-03-01T10:00:01.5Z' },
    },
    { span_attributes: { a: 1 } },
  ],
  [
    'MLflow',
    {
      ...{ name: 'chat', context: { trace_id: TRACE, span_id: SPAN } },
      ...{ start_time: `${MICROS}000`, end_time: `${MICROS + 1_500_000}000` },
      attributes: { 'mlflow.spanType': '"CHAT_MODEL"' },
    },
    { span_type: 'llm' },
  ],
  [
    'Phoenix',
    {
      ...{ name: 'chat', span_kind: 'LLM', 'context.trace_id': TRACE, 'context.span_id': SPAN },
      ...{ start_time: '2026-03-01T10:00:00Z', end_time: '2026-03-01T10:00:01.5Z' },
      'attributes.llm.model_name': 'm',
    },
    { span_type: 'llm' },
  ],
])('%s: time, duration in milliseconds and parent', (_tool, row, expected) => {
  const span = read(row);
  expect(span).toMatchObject({ trace_id: TRACE, span_id: SPAN, name: 'chat', startMs: START_MS });
  expect(recordOf(span)).toMatchObject({ duration: 1_500, ...expected });
});

test('files of Zipkin and ClickHouse are offered as spans', () => {
  expect(namesSpans(['traceId', 'id', 'timestamp', 'duration'])).toBe(true);
  expect(namesSpans(['TraceId', 'SpanId', 'Timestamp'])).toBe(true);
  expect(namesSpans(['traceId', 'id', 'score'])).toBe(false);
});

test('attributes of Phoenix have no prefix, unless another column has that name', () => {
  expect(read({ ...IDS, 'attributes.a.b': 1, 'attributes.name': 'x', name: 'n' }).keys).toEqual([
    'a.b',
    'attributes.name',
    'name',
  ]);
});

test.each<[string, Record<string, unknown>, unknown]>([
  [
    'milliseconds that times in whole seconds cannot show',
    { end_time: '2026-03-01T10:00:00Z', duration: 345.25 },
    345.25,
  ],
  [
    'a time in whole seconds that it fits in two units',
    { end_time: '2026-03-01T10:00:00Z', duration: 0.5 },
    0.5,
  ],
  ['fractions of a millisecond', { end_time: '2026-03-01T10:00:01Z', duration: 999.5 }, 999.5],
  ['an end of another meaning', { end_timestamp: '2026-03-01T12:00:00Z', duration: 1_000 }, 1_000],
  ['an end without a zone', { end_time: '2026-03-01T12:00:01', duration: 1_000 }, 1_000],
  ['no end', { duration: 5 }, 5],
  ['a start in seconds', { start_time: 1_772_359_200, duration: 1_500 }, 1_500],
  ['a start in nanoseconds', { start_time: '1772359200000000000', duration: 1_500 }, 1_500],
  ['a row of the service', { end_time: '2026-03-01T10:00:09Z', duration: 5, span_attributes: { a: 1 } }, 5],
])('a given duration stays as it is beside %s', (_beside, row, expected) => {
  expect(recordOf(read({ ...IDS, start_time: '2026-03-01T10:00:00Z', a: 1, ...row })).duration).toBe(
    expected,
  );
});

test('a duration that is computed keeps the digits of its times', () => {
  const row = { start_time: '2026-03-01T10:00:00.123456Z', end_time: '2026-03-01T10:00:01.654321789+00:00' };
  expect(recordOf(read({ ...IDS, ...row, a: 1 })).duration).toBe(1530.865789);
  const printed = {
    context: { trace_id: `0x${'a'.repeat(32)}`, span_id: `0x${'b'.repeat(16)}` },
    kind: 'SpanKind.INTERNAL',
  };
  expect(recordOf(read({ ...printed, name: 'x', ...row, attributes: {}, status: {} })).duration).toBe(
    1530.865789,
  );
});

test('fields that are read as something else only if they are times or ids stay where they are', () => {
  const other = { start: 3, Timestamp: 'x', TraceId: 'T', SpanId: 'S', spanID: 'I' };
  const record = { ...IDS, start_time: '2026-03-01T10:00:00Z', ...other, span_attributes: { a: 1 } };
  expect(recordOf(read(record))).toEqual(record);
  expect(read({ ...IDS, start: 12, end: 40, end_timestamp: 'never' })).toMatchObject({
    startTime: null,
    keys: ['start', 'end', 'end_timestamp'],
  });
  const references = [{ refType: 'CHILD_OF', spanID: 'other' }];
  expect(recordOf(read({ ...IDS, parent_span_id: 'own', references, a: 1 })).parent_span_id).toBe('own');
});

test.each(['1.23E+15', '9,88e+14'])('an id that a spreadsheet rounded (%s) is none', (rounded) => {
  expect(readFileSpan({ ...IDS, span_id: rounded })).toEqual({
    column: 'span_id',
    reason: `Expected a span id with all of its digits, got ${rounded}, as a spreadsheet rounds it. Export the spans again.`,
  });
  expect(read({ ...IDS, span_id: '123e15' }).span_id).toBe('123e15');
});
