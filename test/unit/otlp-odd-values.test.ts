/**
 * Values in OpenTelemetry JSON that are written differently or wrongly: they are read if they are clear, and otherwise
 * kept.
 */
import { expect, test } from 'vitest';
import { isOtelSpan, readOtelSpan, spansOfExport, spansOfResource } from '../../electron/core/spans/otlp.ts';
import {
  anyValue,
  hexId,
  keyValues,
  nanosOf,
  nanosText,
  pairNanos,
  spanKind,
  statusCode,
} from '../../electron/core/spans/otlp-values.ts';
import { SpanChanges } from '../../electron/shared/span-file.ts';

const TRACE = '5b8efff798038103d269b633813fc60c';
const SPAN = 'eee19b7ec3c1b174';
const START = '1767225600123456789';
const START_TEXT = '2026-01-01T00:00:00.123456789Z';

const plain = (value: unknown) => anyValue(value, new SpanChanges(), 'a');

function read(row: Record<string, unknown>) {
  const found = readOtelSpan({ traceId: TRACE, spanId: SPAN, startTimeUnixNano: START, ...row });
  if ('reason' in found) throw new Error(found.reason);
  return found;
}
const recordOf = (row: Record<string, unknown>) => read(row).record;
/** The rule and the place of each change of a span. */
const changesOf = (row: Record<string, unknown>) =>
  read(row).into.changes.map(({ rule, source }) => `${rule} ${source}`);

test.each<[string, unknown, unknown]>([
  ['a boolean as text', { boolValue: 'true' }, true],
  ['a false boolean as text', { bool_value: 'false' }, false],
  ['a boolean in other words', { boolValue: 'yes' }, 'yes'],
  ['an integer that is none', { intValue: 'many' }, 'many'],
  ['a number that is none', { doubleValue: 'about 3' }, 'about 3'],
  ['a number as text', { double_value: '0.5' }, 0.5],
  ['a list without its wrapper', { arrayValue: [{ intValue: '1' }] }, [1]],
  ['a list that is none', { arrayValue: 'a, b' }, []],
  [
    'pairs without keys',
    { kvlistValue: { values: [{ value: { intValue: 1 } }] } },
    { values: [{ value: { intValue: 1 } }] },
  ],
  ['an empty value', {}, null],
  ['an unknown type', { dateValue: '2026' }, { dateValue: '2026' }],
  ['two types at once', { intValue: 1, stringValue: 'a' }, { intValue: 1, stringValue: 'a' }],
  ['no typed value', 'plain', 'plain'],
])('%s is read as it is meant, or stays', (_name, value, expected) => {
  expect(plain(value)).toEqual(expected);
});

test.each(['Infinity', '-inf', ' NaN '])('the number %j is left out and reported', (text) => {
  const into = new SpanChanges();
  expect(anyValue({ doubleValue: text }, into, 'loss')).toBeNull();
  expect(into.changes).toMatchObject([{ rule: 'not-finite', source: 'loss', before: text, after: null }]);
});

test('values of a hundred levels are read, and the types of deeper ones stay', () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? { intValue: '1' } : { arrayValue: { values: [nested(levels - 1)] } };
  const depthOf = (value: unknown): number => (Array.isArray(value) ? 1 + depthOf(value[0]) : 0);
  expect(depthOf(plain(nested(99)))).toBe(99);
  expect(JSON.stringify(plain(nested(150)))).toContain('arrayValue');
});

test('the last value of a repeated key counts, and the others are reported', () => {
  const into = new SpanChanges();
  const pairs = [
    { key: 'a', value: { stringValue: 'x' } },
    { key: 'a', value: {} },
  ];
  expect(keyValues(pairs, into)).toEqual({ a: null });
  expect(into.changes).toMatchObject([{ rule: 'last-of-key', source: 'a', before: 'x', after: null }]);
  expect(keyValues([...pairs, 'a=b'], into)).toBeNull();
});

test.each<[unknown, bigint | null]>([
  [START, 1_767_225_600_123_456_789n],
  [` ${START} `, 1_767_225_600_123_456_789n],
  [1_500.4, 1_500n],
  ['1.5e3', 1_500n],
  ['-5', null],
  ['soon', null],
  ['', null],
  [true, null],
  [[1, 5], 1_000_000_005n],
  [[1, 1e9], null],
  [[-1, 0], null],
  [['1', 0], null],
  [[1, '0'], null],
  [[1], null],
])('the nanoseconds of %j', (value, expected) => {
  expect(nanosOf(value)).toBe(expected);
});

test('only a list of two numbers is a pair of seconds and nanoseconds', () => {
  expect(pairNanos('1,2')).toBeNull();
  expect(pairNanos([2, 1])).toBe(2_000_000_001n);
});

test.each<[bigint | null, string | null]>([
  [null, null],
  [0n, null],
  [-1n, null],
  [1_000_000n, '1970-01-01T00:00:00.001Z'],
  [1_001_000n, '1970-01-01T00:00:00.001001Z'],
  [1_001_001n, '1970-01-01T00:00:00.001001001Z'],
  [8_640_000_000_000_001_000_000n, null],
])('the text of the time %s has its digits and no more', (nanos, text) => {
  expect(nanosText(nanos)).toBe(text);
});

test.each<[unknown, unknown]>([
  [3, 'CLIENT'],
  ['3', 'CLIENT'],
  ['SPAN_KIND_SERVER', 'SERVER'],
  ['SpanKind.CONSUMER', 'CONSUMER'],
  [17, 17],
  ['9', '9'],
  ['remote', 'remote'],
  [null, null],
])('the kind %j', (value, expected) => {
  expect(spanKind(value)).toBe(expected);
});

test('states of a status are named in each of their forms', () => {
  expect([2, '1', 'STATUS_CODE_ERROR', 'StatusCode.OK', 'fine'].map(statusCode)).toEqual([
    ...['ERROR', 'OK', 'ERROR', 'OK', 'fine'],
  ]);
});

test('ids are read from every usual form and from no other', () => {
  const urlSafe = Buffer.from(SPAN, 'hex').toString('base64url');
  expect(hexId(`0x${SPAN.toUpperCase()}`, 16, true)).toBe(SPAN);
  expect(hexId(urlSafe, 16, true)).toBe(SPAN);
  expect(hexId(urlSafe, 16, false)).toBeNull();
  expect(hexId('AAAA', 16, true)).toBeNull();
  expect(hexId('not an id!', 16, true)).toBeNull();
});

test('elements of an export that are not objects are returned, so that they are counted as unreadable', () => {
  const span = { spanId: SPAN };
  const scopes = [null, 'scope', { spans: span }, { scope: { name: 's' }, spans: [span, 7] }];
  expect(spansOfExport({ resourceSpans: ['resource', { scopeSpans: scopes }] })).toEqual([
    ...['resource', null, 'scope', span],
    ...[{ ...span, scope: { name: 's' } }, 7],
  ]);
  expect(spansOfResource({ scopeSpans: null })).toEqual([]);
  expect(spansOfExport({ resourceSpans: 'none' })).toBeNull();
});

test.each<[string, Record<string, unknown>, boolean]>([
  ['typed attributes', { attributes: [{ key: 'a' }] }, true],
  ['attributes without keys', { attributes: [{ name: 'a' }] }, false],
  ['attributes that are texts', { attributes: ['a=b'] }, false],
  ['a pair as its start', { startTime: [1, 2] }, true],
  ['a text as its start', { startTime: '2026-01-01' }, false],
])('ids with %s', (_name, fields, isSpan) => {
  expect(isOtelSpan({ traceId: TRACE, spanId: SPAN, ...fields })).toBe(isSpan);
});

test.each<[string, unknown, RegExp]>([
  ['none', undefined, /got none/],
  ['blank', '  ', /got none/],
  ['short', 'abc', /of 16 hexadecimal digits, or its 8 bytes in base64/],
  ['zeros', '0'.repeat(16), /only zeros/],
])('a span id that is %s is named', (_name, spanId, reason) => {
  const found = readOtelSpan({ traceId: TRACE, spanId, startTimeUnixNano: START });
  expect(found).toMatchObject({ column: 'span_id', reason: expect.stringMatching(reason) });
});

test('keeps a parent that is not an id, and reads zeros as no parent', () => {
  expect(recordOf({ parentSpanId: ' root ' })).toMatchObject({ parent_span_id: 'root' });
  expect(recordOf({ parentSpanId: '0'.repeat(16) })).not.toHaveProperty('parent_span_id');
  expect(recordOf({ parentSpanId: 7 })).not.toHaveProperty('parent_span_id');
});

test('leaves out and names values that are not times', () => {
  expect(changesOf({})).toContain('nano-time start_time');
  const { record, into } = read({ startTimeUnixNano: 'soon', endTimeUnixNano: 0 });
  expect(record).not.toHaveProperty('start_time');
  expect(record).not.toHaveProperty('end_time');
  expect(into.leftOut).toEqual([
    { name: 'start_time', reason: 'it is not a time in nanoseconds' },
    { name: 'end_time', reason: 'zero stands for no time' },
  ]);
});

test('a duration is given, or follows from both times', () => {
  expect(recordOf({ duration: [1, 500_000] })).toMatchObject({ duration: 1_000.5 });
  expect(recordOf({ duration: 12 })).toMatchObject({ duration: 12 });
  expect(recordOf({ duration: 0 })).not.toHaveProperty('duration');
  expect(recordOf({ endTimeUnixNano: '1' })).not.toHaveProperty('duration');
  const iso = (from: string, to: string) =>
    recordOf({ startTimeUnixNano: undefined, startTime: from, endTime: to });
  expect(iso('2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z')).toMatchObject({ duration: 2_000 });
  expect(iso('2026-01-01T00:00:02Z', '2026-01-01T00:00:00Z')).not.toHaveProperty('duration');
  expect(iso('yesterday', 'today')).not.toHaveProperty('duration');
});

test('a status may be a word, its message a description, and a list as text no trace state', () => {
  expect(recordOf({ status: 'STATUS_CODE_OK', traceState: '[]' })).toMatchObject({ status_code: 'OK' });
  expect(recordOf({ status: { description: 'too long' } })).toMatchObject({ status_message: 'too long' });
  expect(recordOf({ traceState: '[]' })).not.toHaveProperty('trace_state');
  expect(recordOf({ flags: 0 })).not.toHaveProperty('flags');
  expect(recordOf({ flags: 1 })).toMatchObject({ flags: 1 });
});

test('attributes in another form become one attribute', () => {
  expect(recordOf({ attributes: 'a=b' })).toMatchObject({ span_attributes: { attributes: 'a=b' } });
  expect(recordOf({ attributes: undefined })).toMatchObject({ span_attributes: {} });
});

test('events and links in another form stay, and readable parts of them are read', () => {
  const context = { traceId: TRACE.toUpperCase(), spanId: 12 };
  const { events, links } = recordOf({
    events: [
      'restarted',
      { name: 'e', timestamp: [1_767_225_600, 123_456_789], attributes: 'none', size: 0, note: null },
    ],
    links: ['other', { context, attributes: 'none', traceState: 'x' }, { traceId: 'short' }],
  });
  expect(events).toEqual(['restarted', { name: 'e', time: START_TEXT, attributes: 'none' }]);
  expect(links).toEqual([
    'other',
    { trace_id: TRACE, span_id: 12, attributes: 'none', trace_state: 'x' },
    { trace_id: 'short' },
  ]);
  expect(recordOf({ events: { name: 'one', time: 'noon' } })).toMatchObject({
    events: [{ name: 'one', time: 'noon' }],
  });
});
