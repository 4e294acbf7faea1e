/** How the window explains the mapping of spans to items. */
import { expect, test } from 'vitest';
import {
  attributesOf,
  bucketsOf,
  canonicalJson,
  firstDifference,
  mappingProblems,
} from '../../electron/core/spans/span-mapping.ts';
import { spanTypeOf } from '../../electron/core/spans/span-type.ts';

test('a span without an object of attributes has none', () => {
  expect(attributesOf({ span_attributes: { a: 1 } })).toEqual({ a: 1 });
  for (const record of [
    null,
    {},
    { span_attributes: null },
    { span_attributes: ['a'] },
    { span_attributes: 'a' },
  ])
    expect(attributesOf(record)).toEqual({});
});

test('each entry without a name or a key is named in words', () => {
  const entry = (field: string, key: string) => ({ bucket: 'inputs' as const, field, key });
  expect(mappingProblems([entry('', 'user.intent')])).toEqual([
    'A field of inputs has no name (key user.intent).',
  ]);
  expect(mappingProblems([entry('intent', '')])).toEqual(['The field intent of inputs has no key.']);
  expect(mappingProblems([entry('', '')])).toEqual([
    'A field of inputs has no name.',
    'A field of inputs has no key.',
  ]);
  expect(mappingProblems([entry('a', 'k'), entry('a', 'l')])).toEqual([
    'inputs: the field a occurs more than once.',
  ]);
});

test('the first difference of two items is found whatever the order of their keys', () => {
  const one = bucketsOf({ inputs: { a: { x: 1, y: 2 }, b: [1] }, extras: null });
  expect(firstDifference(one, bucketsOf({ inputs: { b: [1], a: { y: 2, x: 1 } } }))).toBeNull();
  expect(firstDifference(one, bucketsOf({ inputs: { a: { x: 1, y: 2 }, b: [2] } }))).toBe('inputs.b');
  expect(firstDifference(one, bucketsOf({ inputs: { a: { x: 1, y: 2 } } }))).toBe('inputs.b');
  expect(canonicalJson({ b: undefined, a: undefined })).toBe('{}');
  expect(canonicalJson([undefined])).toBe('[null]');
});

test.each([
  ['a known word', { 'openinference.span.kind': 'CHAT_MODEL' }, 'llm'],
  ['another word', { 'traceloop.span.kind': 'Guard' }, 'guard'],
  ['a known operation', { 'gen_ai.operation.name': 'execute_tool' }, 'tool'],
  ['another operation', { 'gen_ai.operation.name': 'poll' }, null],
  [
    'another operation, then a known one',
    { 'gen_ai.operation.name': 'poll', 'ai.operationId': 'ai.toolCall' },
    'tool',
  ],
  ['no text', { 'mlflow.spanType': 7, 'langsmith.span.kind': '' }, null],
])('type of a span from its attributes: %s', (_, attributes, type) => {
  expect(spanTypeOf(new Map(Object.entries(attributes)))).toBe(type);
});
