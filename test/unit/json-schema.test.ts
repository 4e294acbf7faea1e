/** JSON schemas of checks: each keyword is checked or named, and numbers are compared by all their digits. */
import { expect, test } from 'vitest';
import { createCheck, isUnchecked } from '../../electron/core/items/score-check.ts';
import { compareDecimals, isMultipleOf } from '../../electron/shared/exact-decimal.ts';
import { parseExactObject } from '../../electron/shared/exact-json.ts';
import { checkNote } from '../../electron/shared/score-check.ts';

const checkOf = (schema: string) => ({ kind: 'json-schema', schema: parseExactObject(schema) }) as const;
function reasonOf(schema: string, text: string): string | null {
  const score = createCheck(checkOf(schema), ['text'])({ text });
  return isUnchecked(score) ? score.skipped : score.reasoning;
}

test.each([
  ['{"type":"object","required":["answer"]}', '{}', '{"answer":null}', 'answer: expected a value, got none.'],
  ['{"required":["a"]}', '{}', '{"a":1}', 'a: expected a value'],
  ['{"minimum":5}', '4.9', '5', 'expected at least 5, got 4.9.'],
  ['{"exclusiveMaximum":5}', '5', '4', 'expected less than 5'],
  ['{"properties":{"a":{"type":"string"}}}', '{"a":1}', '{"b":1}', 'a: expected string, got 1.'],
  ['{"items":{"type":"string"}}', '["a",1]', '["a"]', '1: expected string'],
  ['{"prefixItems":[{"type":"string"}],"items":false}', '["a",1]', '["a"]', '1: expected no value.'],
  ['{"minLength":2,"maxLength":2}', '"a"', '"👍é"', 'at least 2 characters'],
  ['{"pattern":"^a"}', '"ba"', '"ab"', 'matches /^a/'],
  ['{"format":"date-time"}', '"today"', '"2026-01-05T10:00:00Z"', 'format date-time'],
  ['{"enum":["a",1]}', '"b"', '1.0', 'expected "a", 1, got "b".'],
  ['{"not":{"type":"null"}}', 'null', '1', 'does not fit “not”'],
  ['{"if":{"type":"string"},"then":{"minLength":3}}', '"a"', '1', 'at least 3'],
  ['{"dependentRequired":{"a":["b"]}}', '{"a":1}', '{"c":1}', 'b: expected a value beside a'],
  [
    '{"patternProperties":{"^a":{"type":"string"}},"additionalProperties":false}',
    '{"b":1}',
    '{"ab":""}',
    '“b”',
  ],
  ['{"uniqueItems":true}', '[{"a":1,"b":2},{"b":2,"a":1.0}]', '[1,"1"]', 'different items'],
  ['{"contains":{"const":1},"maxContains":1}', '[1,1]', '[1,2]', 'at most 1'],
  ['{"oneOf":[{"type":"number"},{"type":"integer"}]}', '1', '1.5', 'exactly one of 2'],
  ['{"allOf":[{"type":"string"},{"minLength":3}]}', '"a"', '"abc"', 'at least 3'],
  [
    '{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}},"required":["v"]}}}',
    '{"v":1,"next":{}}',
    '{"v":1,"next":{"v":2}}',
    'next.v: expected a value',
  ],
  ['{"type":["object","null"]}', '1', 'null', 'expected object or null, got 1.'],
  ['{"multipleOf":0.1}', '0.35', '0.3', 'a multiple of 0.1'],
  ['{"const":9007199254740993}', '9007199254740992', '9007199254740993', 'expected 9007199254740993'],
  [
    '{"maximum":9007199254740992}',
    '9007199254740993',
    '9007199254740992.0',
    'at most 9007199254740992, got 9007199254740993.',
  ],
  ['{"type":"integer"}', '9007199254740993.5', '9007199254740993.0', 'expected integer'],
])('%s refuses %s and takes %s', (schema, wrong, right, reason) => {
  expect(reasonOf(schema, wrong)).toContain(reason);
  expect(reasonOf(schema, right)).toBeNull();
});

test.each([
  ['{"unevaluatedProperties":false}', 'unevaluatedProperties is not supported'],
  ['{"required":"a"}', 'required expects a list of names'],
  ['{"minimum":"5"}', 'minimum expects a number'],
  ['{"$ref":"https://a.b/c"}', 'is not supported'],
  ['{"$ref":"#/$defs/a"}', 'leads to nothing'],
  ['{"properties":{"a":{"type":"text"}}}', 'Unsupported type: text'],
])('%s is refused when it is set up', (schema, reason) => {
  expect(() => createCheck(checkOf(schema), ['text'])).toThrow(reason);
});

test('a schema that refers to itself without an end fails with the reason', () => {
  expect(reasonOf('{"$ref":"#"}', '1')).toContain('refers to itself');
});

test.each([
  ['{}', 'This schema has no rule: every text that is JSON passes.'],
  ['{"title":"a","$defs":{}}', 'This schema has no rule: every text that is JSON passes.'],
  [
    '{"typ":"object"}',
    'This schema has no rule: every text that is JSON passes. Not checked, because JSON schemas have no such keyword: typ.',
  ],
  ['{"type":"string","nullable":true}', 'Not checked, because JSON schemas have no such keyword: nullable.'],
  ['{"type":"string"}', null],
])('the note about %s', (schema, note) => {
  expect(checkNote(checkOf(schema))).toBe(note);
});

test('a number is compared with its bounds by all digits', () => {
  const check = { kind: 'number', least: null, most: 2 ** 53 } as const;
  const label = (text: unknown) => {
    const score = createCheck(check, ['text'])({ text });
    return isUnchecked(score) ? score.skipped : score.label;
  };
  expect(label('9007199254740993')).toBe('fail');
  expect(label('9007199254740992')).toBe('pass');
  expect(label('9007199254740992.0000000000000000000001')).toBe('fail');
  expect(label('1e400')).toBe('fail');
  expect(label('0x10')).toBe('pass');
});

test('decimals are compared without doubles', () => {
  const ordered = [
    '-1e400',
    '-12.5',
    '-12',
    '-0.10',
    '0',
    '1e-400',
    '0.1',
    '0.10000000000000000000001',
    '12',
    '012.5',
    '1e2',
    '9007199254740992',
    '9007199254740993',
  ];
  for (const [at, one] of ordered.entries())
    for (const [other, text] of ordered.entries())
      expect(Math.sign(compareDecimals(one, text))).toBe(Math.sign(at - other));
  expect(compareDecimals('1.50', '+15e-1')).toBe(0);
  expect(compareDecimals('-0', '0.00')).toBe(0);
  expect(compareDecimals('ten', '1')).toBeNaN();
  expect(isMultipleOf('0.3', '0.1')).toBe(true);
  expect(isMultipleOf('1e300', '7')).toBe(false);
  expect(isMultipleOf('5', '0')).toBe(false);
});
