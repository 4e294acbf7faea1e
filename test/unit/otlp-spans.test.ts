/** Reads spans in OpenTelemetry JSON, in every form that collectors and exporters write. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FileSpan, readFileSpan } from '../../electron/core/spans/file-span.ts';
import { isOtelSpan, readOtelSpan, spansOfExport } from '../../electron/core/spans/otlp.ts';
import { anyValue } from '../../electron/core/spans/otlp-values.ts';
import { isRawNumber, parseExact, parseExactObject, writeExact } from '../../electron/shared/exact-json.ts';
import { SpanChanges } from '../../electron/shared/span-file.ts';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { checkSpans } from '../../electron/uploads/spans/extract-spans.ts';
import { JsonPieces } from '../../electron/uploads/unpack/json-pieces.ts';
import { packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { openFiles } from '../helpers/open-files.ts';
import { runs } from '../helpers/runs.ts';

const TRACE = '5b8efff798038103d269b633813fc60c';
const SPAN = 'eee19b7ec3c1b174';
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const attribute = (key: string, value: unknown) => ({ key, value });

const BARE = {
  traceId: TRACE,
  spanId: SPAN,
  parentSpanId: '',
  name: 'chat gpt',
  kind: 3,
  startTimeUnixNano: '1767225600123456789',
  endTimeUnixNano: '1767225600623456789',
  attributes: [
    attribute('gen_ai.operation.name', { stringValue: 'chat' }),
    attribute('gen_ai.usage.input_tokens', { intValue: '512' }),
    attribute('big', { intValue: '9007199254740993' }),
    attribute('temperature', { doubleValue: 0.2 }),
    attribute('loss', { doubleValue: 'NaN' }),
    attribute('cached', { boolValue: true }),
    attribute('raw', { bytesValue: 'AAE=' }),
    attribute('reasons', { arrayValue: { values: [{ stringValue: 'stop' }, { intValue: 2 }] } }),
    attribute('none', { arrayValue: {} }),
    attribute('meta', {
      kvlistValue: { values: [attribute('a', { arrayValue: { values: [{ boolValue: false }] } })] },
    }),
    attribute('service.name', { stringValue: 'own' }),
  ],
  droppedAttributesCount: 2,
  status: { code: 2, message: 'too long' },
  events: [
    {
      name: 'exception',
      timeUnixNano: '1767225600000000001',
      attributes: [attribute('exception.type', { stringValue: 'Timeout' })],
    },
  ],
  links: [{ traceId: base64(TRACE), spanId: base64(SPAN), attributes: [attribute('n', { intValue: 1 })] }],
};
const RESOURCE = {
  attributes: [attribute('service.name', { stringValue: 'demo' }), attribute('host.cpus', { intValue: '8' })],
};

function read(row: Record<string, unknown>): FileSpan {
  const found = readFileSpan(row);
  if (!('trace_id' in found)) throw new Error(found.reason);
  return found;
}
const recordOf = (span: FileSpan) => parseExactObject(span.record ?? 'null');

describe('a span of the protocol', () => {
  const expected = {
    trace_id: TRACE,
    span_id: SPAN,
    name: 'chat gpt',
    kind: 'CLIENT',
    span_type: 'llm',
    start_time: '2026-01-01T00:00:00.123456789Z',
    end_time: '2026-01-01T00:00:00.623456789Z',
    duration: 500,
    status_code: 'ERROR',
    status_message: 'too long',
    dropped_attributes_count: 2,
    events: [
      {
        name: 'exception',
        time: '2026-01-01T00:00:00.000000001Z',
        attributes: { 'exception.type': 'Timeout' },
      },
    ],
    links: [{ trace_id: TRACE, span_id: SPAN, attributes: { n: 1 } }],
  };

  test('has typed values, exact times, and the fields beside its attributes', () => {
    const span = read({ ...BARE, resource: RESOURCE, scope: { name: 'lib', version: '1.2' } });
    const { span_attributes: attributes, ...fields } = recordOf(span);
    expect(fields).toEqual(expected);
    expect(span.startMs).toBe(Date.UTC(2026, 0, 1, 0, 0, 0, 123));
    expect(new Set(span.changed.changes.map(({ rule, source }) => `${source}: ${rule}`))).toEqual(
      new Set([
        ...['loss: not-finite', 'start_time: nano-time', 'end_time: nano-time', 'events.time: nano-time'],
        ...['kind: kind-name', 'status_code: kind-name', 'span_type: type-of-attributes'],
        ...['links.trace_id: hex-id', 'links.span_id: hex-id'],
      ]),
    );
    expect(JSON.parse(span.record ?? '').span_attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 512,
      temperature: 0.2,
      cached: true,
      raw: 'AAE=',
      reasons: ['stop', 2],
      none: [],
      meta: { a: [false] },
      'service.name': 'own',
      'resource.service.name': 'demo',
      'host.cpus': 8,
      'otel.scope.name': 'lib',
      'otel.scope.version': '1.2',
    });
    expect(attributes).not.toHaveProperty('loss');
    expect(span.record).toContain('"big":9007199254740993');
  });

  test.each([
    ['base64', base64(TRACE), base64(SPAN)],
    ['base64 without its end', base64(TRACE).replace(/=+$/, ''), base64(SPAN).replace(/=+$/, '')],
    ['0x', `0x${TRACE}`, `0x${SPAN}`],
    ['capitals', TRACE.toUpperCase(), SPAN.toUpperCase()],
  ])('with ids in %s has the ids of the service', (_, traceId, spanId) => {
    const span = read({ ...BARE, traceId, spanId, parentSpanId: spanId });
    expect(recordOf(span)).toMatchObject({ trace_id: TRACE, span_id: SPAN, parent_span_id: SPAN });
    expect(span).toMatchObject({ trace_id: TRACE, span_id: SPAN });
    expect(span.changed.changes).toEqual(
      expect.arrayContaining([
        { rule: 'hex-id', source: 'trace_id', before: traceId, after: TRACE },
        { rule: 'hex-id', source: 'span_id', before: spanId, after: SPAN },
        { rule: 'hex-id', source: 'parent_span_id', before: spanId, after: SPAN },
      ]),
    );
  });

  test.each([
    [{ traceId: TRACE.slice(1) }, 'Expected a trace id of 32 hexadecimal digits, or its 16 bytes in base64.'],
    [{ spanId: TRACE }, 'Expected a span id of 16 hexadecimal digits, or its 8 bytes in base64.'],
    [{ traceId: '0'.repeat(32) }, 'Expected a trace id, got only zeros, which stand for none.'],
    [{ spanId: null }, 'Expected a span id, got none.'],
  ])('with %j is rejected', (change, reason) => {
    expect(readFileSpan({ ...BARE, ...change })).toMatchObject({ reason });
  });

  test('with alternative field names is the same span', () => {
    const { droppedAttributesCount: dropped, ...rest } = BARE;
    const underscores = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    );
    const words = { kind: 'SPAN_KIND_CLIENT', status: { code: 'STATUS_CODE_ERROR', message: 'too long' } };
    const typed = JSON.parse(JSON.stringify(rest.attributes).replaceAll(/(\w+)Value"/g, '$1_value"'));
    expect(
      recordOf(read({ ...underscores, ...words, attributes: typed, dropped_attributes_count: dropped })),
    ).toEqual(recordOf(read(BARE)));
  });

  test('with numeric times, or without times and attributes, is a span', () => {
    const exact = read(
      parseExactObject(JSON.stringify(BARE).replace('"1767225600123456789"', '1767225600123456789')),
    );
    expect(exact.startTime).toBe('2026-01-01T00:00:00.123456789Z');
    const timeless = read({
      ...BARE,
      startTimeUnixNano: '0',
      endTimeUnixNano: 0,
      attributes: [],
      status: {},
    });
    expect(timeless).toMatchObject({ startMs: null, keys: [] });
    expect(recordOf(timeless)).not.toHaveProperty('duration');
  });

  test('in the form of an exporter', () => {
    const printed = {
      name: 'chat gpt',
      context: { trace_id: `0x${TRACE}`, span_id: `0x${SPAN}`, trace_state: '[]' },
      kind: 'SpanKind.CLIENT',
      parent_id: null,
      start_time: '2026-01-01T00:00:00.000000Z',
      end_time: '2026-01-01T00:00:01.500000Z',
      status: { status_code: 'ERROR', description: 'too long' },
      attributes: { 'gen_ai.usage.input_tokens': 512 },
      events: [{ name: 'e', timestamp: '2026-01-01T00:00:00.000000Z', attributes: {} }],
      links: [],
      resource: { attributes: { 'service.name': 'demo' }, schema_url: '' },
    };
    expect(recordOf(read(printed))).toEqual({
      ...{ trace_id: TRACE, span_id: SPAN, name: 'chat gpt', kind: 'CLIENT', duration: 1_500 },
      ...{ start_time: printed.start_time, end_time: printed.end_time },
      ...{ status_code: 'ERROR', status_message: 'too long' },
      events: [{ name: 'e', time: '2026-01-01T00:00:00.000000Z', attributes: {} }],
      span_attributes: { 'gen_ai.usage.input_tokens': 512, 'service.name': 'demo' },
    });
  });
});

test.each(['scopeSpans', 'instrumentationLibrarySpans'])('an export with %s is its spans', (list) => {
  const scope = list === 'scopeSpans' ? 'scope' : 'instrumentationLibrary';
  const found = spansOfExport({
    resourceSpans: [
      { resource: RESOURCE, [list]: [{ [scope]: { name: 'lib' }, spans: [BARE, null] }] },
      { [list]: [{ spans: [BARE] }] },
    ],
  });
  expect(found).toEqual([{ ...BARE, resource: RESOURCE, scope: { name: 'lib' } }, null, BARE]);
  expect(spansOfExport(BARE)).toBeNull();
});

describe('a trace from a trace store is read as its spans', () => {
  const group = { resource: RESOURCE, scopeSpans: [{ scope: { name: 'lib' }, spans: [BARE] }] };
  const own = { ...BARE, resource: RESOURCE, scope: { name: 'lib' } };

  test.each<[string, Record<string, unknown>]>([
    ['Tempo', { batches: [group] }],
    ['Tempo, second version', { trace: { resourceSpans: [group] } }],
    ['one group of them', group],
  ])('%s', (_name, record) => expect(spansOfExport(record)).toEqual([own]));

  test('MLflow', () => {
    expect(spansOfExport({ info: { request_id: 'r' }, data: { spans: [BARE] } })).toEqual([BARE]);
  });

  test('Jaeger, each with its process', () => {
    const span = { traceID: 't', spanID: 's', operationName: 'op', processID: 'p1' };
    const process = { serviceName: 'shop', tags: [] };
    const trace = { traceID: 't', spans: [span, { ...span, processID: 'p2' }], processes: { p1: process } };
    expect(spansOfExport(trace)).toEqual([
      { ...span, process },
      { ...span, processID: 'p2' },
    ]);
  });

  test.each([
    [{ spans: [] }],
    [{ spans: 3 }],
    [{ spans: [{ text: 'x' }] }],
    [{ batches: [1] }],
    [{ data: [] }],
  ])('not %j', (record) => expect(spansOfExport(record)).toBeNull());
});

const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'));

function typed(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(typed) } };
  return {
    kvlistValue: { values: Object.entries(value).map(([key, each]) => ({ key, value: typed(each) })) },
  };
}

test('missing parts of a span are named, and unreadable parts are not lost', () => {
  const span = read({
    ...BARE,
    ...{ parentSpanId: '0'.repeat(16), endTimeUnixNano: '0', droppedAttributesCount: 0, flags: 1 },
    attributes: [
      { key: 'a', value: { stringValue: '' } },
      { key: 'b', value: {} },
      { key: 'a', value: { intValue: '2' } },
    ],
    resource: { attributes: [{ key: 'n', value: { intValue: 1 } }, 'odd'], schemaUrl: 'https://example.org' },
  });
  expect(span.changed.leftOut).toEqual([
    { name: 'droppedAttributesCount', reason: 'it is zero or empty' },
    { name: 'end_time', reason: 'zero stands for no time' },
    { name: 'b', reason: 'it has no value' },
    { name: 'resource.schemaUrl', reason: 'spans have no field for it' },
  ]);
  expect(span.changed.changes).toContainEqual({ rule: 'last-of-key', source: 'a', before: '', after: '2' });
  expect(recordOf(span)['span_attributes']).toEqual({
    a: 2,
    attributes: [{ key: 'n', value: { intValue: 1 } }, 'odd'],
  });
});

describe('a file', () => {
  const bare = (at: number) => ({ ...BARE, spanId: SPAN.slice(0, 14) + String(at).padStart(2, '0') });
  const collected = (...spans: unknown[]) => ({
    resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans }] }],
  });
  const lines = (...values: unknown[]) => values.map((each) => `${JSON.stringify(each)}\n`).join('');

  test.each<[string, string, number, number]>([
    ['lines of collectors', lines(collected(bare(0), bare(1)), collected(bare(2))), 3, 0],
    ['one object', JSON.stringify(collected(bare(0), bare(1), bare(2)), null, 2), 3, 0],
    ['spans and exports mixed', lines(bare(0), collected(bare(1), {}), bare(2)), 3, 1],
    ['exports and spans mixed', lines(collected(bare(0), null), bare(1), collected(bare(2))), 3, 1],
    [
      'spans over several lines',
      [bare(0), bare(1), bare(2)].map((each) => JSON.stringify(each, null, 4)).join('\n'),
      3,
      0,
    ],
    ['a list', JSON.stringify([collected(bare(0)), collected(bare(1), bare(2))]), 3, 0],
    [
      'one cut off',
      lines(collected(bare(0), bare(1)), collected(bare(2)), collected(bare(3))).slice(0, -4),
      3,
      1,
    ],
  ])('of %s returns every span, and names the rows that are none', async (_, text, spans, badRows) => {
    using folder = new DataFolder();
    const files = openFiles(folder.path);
    const path = folder.file('spans.json');
    writeFileSync(path, text);
    const [offered] = await files.offer([path]);
    const fileId = offered?.fileId ?? '';
    const { dialect } = await files.inspect(fileId, null);
    const copy = await files.readable(fileId, dialect);
    const check = await checkSpans({ path: copy.path, dialect, state: await readFileState(copy.path) });
    expect(check).toMatchObject({ rows: spans + badRows, spans, badRows, timeless: 0, bare: 0 });
    const counts = check.ledger.changes.map(({ rule, source, count }) => `${source}: ${rule}, ${count}`);
    expect(counts).toEqual(
      expect.arrayContaining([
        ...[`loss: not-finite, ${spans}`, `start_time: nano-time, ${spans}`, `kind: kind-name, ${spans}`],
      ]),
    );
    expect(check.firstBad.every(({ reason }) => reason.startsWith('Expected'))).toBe(true);
  });
});

test('any typed value is read back as its original value', () => {
  fc.assert(
    fc.property(json, (value) => {
      const read = anyValue(typed(value), new SpanChanges(), 'a');
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: runs(300) },
  );
  expect(isRawNumber(anyValue({ intValue: '-9223372036854775808' }, new SpanChanges(), 'a'))).toBe(true);
});

describe('JSON over several lines', () => {
  const layout = fc.constantFrom(undefined, 1, '\t');

  test('split anywhere has the same values, and exports are returned in groups', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ value: fc.dictionary(fc.string(), json), layout }), { maxLength: 5 }),
        fc.array(
          fc
            .array(fc.option(fc.dictionary(fc.string(), json)), { maxLength: 3 })
            .map((resourceSpans) => ({ first: [1], resourceSpans, last: { a: [] } })),
          {
            maxLength: 2,
          },
        ),
        fc.integer({ min: 1, max: 40 }),
        (values, exports, size) => {
          const texts = [
            ...values.map((each) => JSON.stringify(each.value, null, each.layout)),
            ...exports.map((each) => JSON.stringify(each, null, 2)),
          ];
          const bytes = Buffer.from(texts.join('\n'));
          const pieces = new JsonPieces('a.json');
          const found = [];
          for (let at = 0; at < bytes.length; at += size)
            found.push(...pieces.push(bytes.subarray(at, at + size)));
          found.push(...pieces.end());
          const wanted = [
            ...values.map(({ value }) => value),
            ...exports.flatMap((each) => each.resourceSpans),
          ];
          expect(found.map(({ text }) => writeExact(parseExact(text)))).toEqual(
            wanted.map((each) => JSON.stringify(each)),
          );
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test.each([
    ['{"a": "cut\n{"b": 1}\n', ['rest', 'value']],
    ['{"resourceSpans": [{"a": 1}\n{"b": 1}', ['group', 'rest', 'value']],
    ['{"resourceSpans": [{"a": 1}, {"b"', ['group', 'rest']],
    ['{"resourceSpans": [{"a": 1}]', ['group', 'rest']],
  ])('that is cut off loses nothing silently: %j', (text, kinds) => {
    const pieces = new JsonPieces('a.json');
    const found = [...pieces.push(Buffer.from(text)), ...pieces.end()];
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('is distinguished from JSON Lines', () => {
    const format = (text: string) => packedFormat('a.json', Buffer.from(text));
    expect(format('{\n  "a": 1\n}')).toBe('json-objects');
    expect(format('\ufeff{"resourceSpans":[')).toBe('json-objects');
    expect(format('[{"resourceSpans":[')).toBe('json-objects');
    expect(format('{"a": 1}\n{"a": 2}')).toBeNull();
    expect(format('[\n{"a": 1}]')).toBeNull();
  });
});

test('pairs of seconds and nanoseconds, as JavaScript keeps them, are times and durations', () => {
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  const times = { startTime: [1_795_741_323, 5], endTime: [1_795_741_324, 0], duration: [0, 1_500_000] };
  const events = [{ name: 'e', time: [1_795_741_323, 7], attributes: { a: 1 } }];
  const found = readOtelSpan({ ...ids, ...times, events, attributes: { b: 2 } });
  expect(isOtelSpan({ ...ids, ...times })).toBe(true);
  expect(found).toMatchObject({
    record: {
      start_time: '2026-11-27T01:02:03.000000005Z',
      end_time: '2026-11-27T01:02:04.000Z',
      duration: 1.5,
      events: [{ name: 'e', time: '2026-11-27T01:02:03.000000007Z', attributes: { a: 1 } }],
      span_attributes: { b: 2 },
    },
  });
  const rules = 'into' in found ? found.into.changes.map(({ rule, source }) => [rule, source]) : [];
  expect(rules).toEqual([
    ['nano-time', 'start_time'],
    ['nano-time', 'end_time'],
    ['duration-number', 'duration'],
    ['nano-time', 'events.time'],
  ]);
  // A list that is not such a pair remains unchanged.
  expect(readOtelSpan({ ...ids, startTime: [1, 2, 3] })).toMatchObject({ record: { start_time: [1, 2, 3] } });
});
