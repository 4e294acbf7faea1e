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
  ['{"type":"integer"}', '1e-3000', '1e2001', 'expected integer, got 1e-3000'],
  ['{"multipleOf":7}', '1e5000', '7e5000', 'a multiple of 7'],
  ['{"minimum":5}', '-1e99999999999', '1e99999999999', 'expected at least 5'],
  [
    '{"uniqueItems":true}',
    '[["a",1e2],{"b":0.50},{"b":5e-1}]',
    '["1",1,[1],["1"],{"a":1},null]',
    'different',
  ],
  ['{"$ref":"#/$defs/a%20%7E1b","$defs":{"a /b":{"type":"null"}}}', '1', 'null', 'expected null'],
  ['{"$ref":"#/$defs/100%","$defs":{"100%":{"type":"null"}}}', '1', 'null', 'expected null'],
  ['{"type":"string","nullable":true}', '1', 'null', 'expected string'],
  ['{"patternProperties":{"^a.{1,600}$":{"type":"null"}}}', '{"ab":1}', '{"ab":null}', 'ab: expected null'],
])('%s refuses %s and takes %s', (schema, wrong, right, reason) => {
  expect(reasonOf(schema, wrong)).toContain(reason);
  expect(reasonOf(schema, right)).toBeNull();
});

test('a text of hundreds of characters and a number of thousands of digits are checked exactly', () => {
  const zeros = '0'.repeat(200_000);
  expect(reasonOf('{"type":"integer"}', `0.${zeros}1`)).toBe('expected integer, got number.');
  expect(reasonOf('{"type":"integer"}', `1${zeros}.0`)).toBeNull();
  expect(reasonOf('{"pattern":"^.{1,512}$"}', `"${'a'.repeat(513)}"`)).toContain('matches /^.{1,512}$/');
  expect(reasonOf('{"pattern":"^.{1,512}$"}', `"${'a'.repeat(512)}"`)).toBeNull();
});

test.each([
  ['{"unevaluatedProperties":false}', 'unevaluatedProperties is not supported'],
  ['{"required":"a"}', 'required expects a list of names'],
  ['{"minimum":"5"}', 'minimum expects a number'],
  ['{"$ref":"https://a.b/c"}', 'is not supported'],
  ['{"$ref":"#/$defs/a"}', 'leads to nothing'],
  ['{"$ref":5}', '$ref expects a text'],
  ['{"anyOf":[]}', 'anyOf expects at least one schema'],
  ['{"oneOf":[]}', 'oneOf expects at least one schema'],
  ['{"not":{"allOf":[]}}', 'allOf expects at least one schema'],
  ['{"properties":{"a":{"type":"text"}}}', 'Unsupported type: text'],
])('%s is refused when it is set up', (schema, reason) => {
  expect(() => createCheck(checkOf(schema), ['text'])).toThrow(reason);
});

test.each([
  '{"$ref":"#"}',
  '{"allOf":[{"$ref":"#"},{"$ref":"#"}]}',
  '{"not":{"$ref":"#"}}',
  '{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#"}]}}}',
])('%s fails because it refers to itself without an end', (schema) => {
  expect(reasonOf(schema, '1')).toBe('the schema refers to itself without an end.');
  expect(reasonOf(schema, '{}')).toBe('the schema refers to itself without an end.');
});

test('a schema with the same reference twice at each of many steps is checked once per step', () => {
  const steps = Array.from({ length: 60 }, (_, at) => {
    const next = { $ref: `#/$defs/s${at + 1}` };
    return [`s${at}`, { allOf: [next, next], anyOf: [next, next] }];
  });
  const $defs = { ...Object.fromEntries(steps), s60: { type: 'string' } };
  const schema = JSON.stringify({ $ref: '#/$defs/s0', $defs });
  expect(reasonOf(schema, '"a"')).toBeNull();
  expect(reasonOf(schema, '1')).toContain('expected string, got 1');
  expect(reasonOf(schema, '[]')).toContain('expected string, got []');
});

/** An expression is a number, or a list with an operator and an expression. */
const GRAMMAR = JSON.stringify({
  oneOf: [
    { type: 'number' },
    { prefixItems: [{ const: '+' }, { $ref: '#' }], items: false, minItems: 2, type: 'array' },
    { prefixItems: [{ const: '-' }, { $ref: '#' }], items: false, minItems: 2, type: 'array' },
    { prefixItems: [{ type: 'string' }, { $ref: '#' }], items: false, minItems: 3, type: 'array' },
    { items: { $ref: '#' }, maxItems: 1, type: 'array' },
  ],
});
const nested = (levels: number, inner: string, [before, after]: readonly [string, string]): string =>
  before.repeat(levels) + inner + after.repeat(levels);

test('each branch of a recursive grammar is checked once for each value', () => {
  expect(reasonOf(GRAMMAR, nested(60, '1', ['["-",', ']']))).toBeNull();
  expect(reasonOf(GRAMMAR, nested(60, '"x"', ['["-",', ']']))).toContain('expected exactly one of 5 forms');
  expect(reasonOf(GRAMMAR, nested(60, '1', ['[', ']']))).toBeNull();
});

const NODE = '"properties":{"next":{"$ref":"#"},"list":{"items":{"$ref":"#"}}}';
test.each([
  `{"type":"object",${NODE}}`,
  `{"anyOf":[{"type":"object",${NODE}},{"type":"null"}]}`,
  `{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"type":"object",${NODE}}}}`,
])('%s takes 500 levels and says when there are more', (schema) => {
  const next = ['{"next":', '}'] as const;
  expect(reasonOf(schema, nested(300, '{}', next))).toBeNull();
  expect(reasonOf(schema, nested(500, '{}', next))).toBeNull();
  expect(reasonOf(schema, nested(501, '{}', next))).toBe('expected at most 500 levels, got more.');
  expect(reasonOf(schema, nested(20_000, '{}', next))).toBe('expected at most 500 levels, got more.');
});

test('a value of thousands of levels is named by its type, or is too deep to be compared', () => {
  const deep = nested(20_000, '', ['[', ']']);
  expect(reasonOf('{"type":"object"}', deep)).toBe('expected object, got array.');
  expect(reasonOf('{"const":1}', deep)).toBe('expected 1, got array.');
  expect(reasonOf('{"type":"array"}', deep)).toBeNull();
  expect(reasonOf('{"uniqueItems":true}', deep)).toBe(
    'the value is too large or nested too deep for this schema.',
  );
  const long = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => at));
  expect(reasonOf('{"uniqueItems":true,"type":"object"}', long)).toBe('expected object, got array.');
});

test.each([
  ['date', '2024-02-29', '2026-02-30'],
  ['date-time', '2026-02-28t23:59:60.5+01:00', '2026-02-30T10:00:00Z'],
  ['time', '10:00:00Z', '10:00:00+25:00'],
  ['duration', 'P1DT2H', '1 day'],
  ['email', 'a!b@example.com', 'a b@example.com'],
  ['idn-email', 'ä@exämple.com', 'ä'],
  ['hostname', 'a-b.example', '-a.example'],
  ['ipv4', '1.20.255.0', '01.02.03.04'],
  ['ipv6', '2001:db8::1', '1::2::3'],
  ['uri', 'urn:isbn:1', '/a'],
  ['uri', 'https://a.example/b?c=%20#d', 'https://a.example/b c'],
  ['uri-reference', '../a?b#c', 'a b'],
  ['iri', 'https://exämple.com/ö', 'ö'],
  ['iri-reference', 'ö#a', 'ö ö'],
  ['uuid', '00000000-0000-0000-0000-000000000001', '0000'],
  ['json-pointer', '/a~1b', 'a'],
  ['relative-json-pointer', '1/a', '/a'],
  ['base64', 'YQ==', 'a'],
])('the format %s takes %s and refuses %s', (format, right, wrong) => {
  const schema = JSON.stringify({ format });
  expect(reasonOf(schema, JSON.stringify(right))).toBeNull();
  expect(reasonOf(schema, JSON.stringify(wrong))).toContain(`expected the format ${format}`);
  expect(reasonOf(schema, '1')).toBeNull();
  expect(checkNote(checkOf(schema))).toBeNull();
});

const NO_RULE = 'This schema has no rule: every text that is JSON passes.';
test.each([
  ['{}', NO_RULE],
  ['{"title":"a","$defs":{},"$dynamicAnchor":"a","contentSchema":{"typ":1}}', NO_RULE],
  ['{"typ":"object"}', `${NO_RULE} Not checked, because they are not known as keywords: typ.`],
  ['{"format":"int64"}', `${NO_RULE} Not checked: the format int64.`],
  ['{"type":"string","nullable":true}', null],
  ['{"type":"string"}', null],
  ['{"unevaluatedItems":false}', null],
  ['{"properties":{"typ":{"const":{"typ":1}}}}', null],
  ['{"properties":{"a":{"typ":1}}}', 'Not checked, because they are not known as keywords: typ.'],
  [
    '{"allOf":[{"not":{"maxLen":1}}],"items":{"if":{"minLen":1}},"$defs":{"a":{"len":2}}}',
    'Not checked, because they are not known as keywords: len, minLen, maxLen.',
  ],
  ['{"items":{"format":"int32"},"contains":{"format":"int64"}}', 'Not checked: the formats int32, int64.'],
  ['{"$ref":"#/components/a","components":{"a":{"$ref":"#/components/a"}}}', null],
  [
    '{"$ref":"#/components/a","components":{"a":{"typ":1}}}',
    'Not checked, because they are not known as keywords: typ.',
  ],
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
  expect(isMultipleOf('1e3000', '1e-3000')).toBe(true);
  expect(isMultipleOf('1e3000', '1e3001')).toBe(false);
  expect(isMultipleOf('3e3000', '0.75')).toBe(true);
  expect(isMultipleOf('1e3000', (2n ** 3001n).toString())).toBe(false);
  expect(isMultipleOf('1e3001', (2n ** 3001n).toString())).toBe(true);
});
