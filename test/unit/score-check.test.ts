/** Checks of items without a model: the texts that pass, and the reason of each text that does not. */
import { describe, expect, test } from 'vitest';
import { createCheck, isUnchecked } from '../../electron/core/items/score-check.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import { checkName, checkProblem, SCORE_CHECKS, type ScoreCheck } from '../../electron/shared/score-check.ts';

const both = ['text', 'expected'];
const scoreOf = (check: ScoreCheck, inputs: Record<string, unknown>) => createCheck(check, both)(inputs);
/** The reason of a failure or of a skipped item. */
function reasonOf(check: ScoreCheck, text: unknown, expected: unknown = ''): string | null {
  const score = scoreOf(check, { text, expected });
  return isUnchecked(score) ? `skipped: ${score.skipped}` : score.reasoning;
}
const NOTHING_EXPECTED = 'skipped: Nothing is expected: the expected value of the item is empty.';

describe('the check of an item', () => {
  test('gives 1 and pass, or 0 and fail with the reason', () => {
    const check: ScoreCheck = { kind: 'equals', ignoresCase: false };
    expect(scoreOf(check, { text: ' Paris\n', expected: 'Paris' })).toEqual({
      ...{ name: 'equals', value: 1, label: 'pass', reasoning: null },
    });
    expect(scoreOf(check, { text: 'paris', expected: 'Paris' })).toEqual({
      ...{ name: 'equals', value: 0, label: 'fail', reasoning: 'Expected “Paris”, got “paris”.' },
    });
  });

  test('compares texts with or without case, and other values as JSON', () => {
    expect(reasonOf({ kind: 'equals', ignoresCase: true }, 'PARIS', 'Paris')).toBeNull();
    expect(reasonOf({ kind: 'equals', ignoresCase: false }, { a: [1] }, '{"a":[1]}')).toBeNull();
    expect(reasonOf({ kind: 'contains', ignoresCase: true }, 'In paris, France', 'Paris')).toBeNull();
    expect(reasonOf({ kind: 'contains', ignoresCase: false }, 'x'.repeat(100), 'Paris')).toBe(
      `Expected to contain “Paris”, got “${'x'.repeat(59)}…”.`,
    );
  });

  test.each([
    ['contains', null],
    ['contains', undefined],
    ['contains', ''],
    ['contains', ' \n'],
    ['equals', null],
    ['equals', undefined],
  ] as const)('skips an item for %s if %j is expected, because that proves nothing', (kind, expected) => {
    for (const ignoresCase of [true, false])
      for (const text of ['Paris', '', null])
        expect(createCheck({ kind, ignoresCase }, both)({ text, expected })).toEqual({
          skipped: NOTHING_EXPECTED.replace('skipped: ', ''),
        });
  });

  test('takes an empty text as expected if it is one', () => {
    expect(reasonOf({ kind: 'equals', ignoresCase: false }, '', '')).toBeNull();
    expect(reasonOf({ kind: 'equals', ignoresCase: false }, 'x', '')).toBe('Expected “”, got “x”.');
  });

  test('fails an item without a value, although it has the field', () => {
    const checks: ScoreCheck[] = [
      { kind: 'equals', ignoresCase: false },
      { kind: 'contains', ignoresCase: true },
      { kind: 'regex', pattern: '^$', ignoresCase: false },
      { kind: 'length', unit: 'words', least: null, most: 40 },
    ];
    for (const check of checks)
      for (const text of [null, undefined])
        expect(reasonOf(check, text, 'Paris')).toMatch(/, got no value\.$/);
  });

  test('takes letters in both Unicode forms for the same', () => {
    const [one, two] = ['Caf\u00e9', 'Cafe\u0301'];
    for (const ignoresCase of [true, false]) {
      expect(reasonOf({ kind: 'equals', ignoresCase }, one, two)).toBeNull();
      expect(reasonOf({ kind: 'equals', ignoresCase }, two, one)).toBeNull();
      expect(reasonOf({ kind: 'contains', ignoresCase }, `Le ${two} noir`, one)).toBeNull();
      expect(reasonOf({ kind: 'regex', pattern: `${two}$`, ignoresCase }, one)).toBeNull();
    }
    expect(reasonOf({ kind: 'length', unit: 'characters', least: 4, most: 4 }, two)).toBeNull();
    expect(SCORE_CHECKS.equals.about).toContain('such as é as one character or two');
  });

  test('finds an expression anywhere, in a long text too', () => {
    const check: ScoreCheck = { kind: 'regex', pattern: 'order \\d+', ignoresCase: false };
    expect(reasonOf(check, `${'-'.repeat(20_000)}order 7`)).toBeNull();
    expect(reasonOf(check, 'Order 7')).toBe('No part matches /order \\d+/: “Order 7”.');
    expect(reasonOf({ ...check, ignoresCase: true }, 'Order 7')).toBeNull();
    expect(() => createCheck({ ...check, pattern: '(' }, both)).toThrow('a closing ) is missing');
  });

  test('fits JSON to a schema, and names what does not fit', () => {
    const check: ScoreCheck = {
      kind: 'json-schema',
      schema: { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 1 } } },
    };
    expect(reasonOf(check, '{"a": 2}')).toBeNull();
    expect(reasonOf(check, parseExact('{"a": 2}'))).toBeNull();
    expect(reasonOf(check, '{"a": 0}')).toMatch(/^a: .*1/);
    expect(reasonOf(check, 'Sorry, I cannot')).toBe('Expected JSON, got “Sorry, I cannot”.');
    expect(reasonOf({ kind: 'json-schema', schema: { type: 'string' } }, '3')).toMatch(/string/);
    const many = { type: 'object', required: ['a', 'b', 'c', 'd', 'e'] };
    const properties = Object.fromEntries(many.required.map((name) => [name, { type: 'number' }]));
    expect(reasonOf({ kind: 'json-schema', schema: { ...many, properties } }, '{}')).toContain(
      '; and 2 more.',
    );
    expect(() => createCheck({ kind: 'json-schema', schema: { type: 'wrong' } }, both)).toThrow(
      'Expected a JSON schema, got one that cannot be used: Unsupported type: wrong',
    );
  });

  test('skips a value of too many levels instead of ending the run', () => {
    let deep: unknown = [];
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(reasonOf({ kind: 'equals', ignoresCase: false }, deep, 'a')).toBe(
      'skipped: The value is too large or nested too deep to be checked.',
    );
    expect(reasonOf({ kind: 'json-schema', schema: { type: 'object' } }, deep)).toBe(
      'expected object, got array.',
    );
  });

  test('reads numbers within a range', () => {
    const check: ScoreCheck = { kind: 'number', least: 0, most: 10 };
    expect([0, '10', ' 3.5 ', parseExact('7')].map((text) => reasonOf(check, text))).toEqual(
      Array(4).fill(null),
    );
    expect(reasonOf(check, '11')).toBe('Expected 0 to 10, got 11.');
    expect(reasonOf({ ...check, least: null }, -5)).toBeNull();
    expect(reasonOf({ ...check, most: null }, -5)).toBe('Expected at least 0, got -5.');
    expect(reasonOf(check, 'ten')).toBe('Expected a number, got “ten”.');
    expect(reasonOf(check, '')).toBe('Expected a number, got “”.');
    expect(reasonOf({ ...check, most: null }, 'Infinity')).toBe('Expected a number, got “Infinity”.');
  });

  test('counts words and characters', () => {
    expect(reasonOf({ kind: 'length', unit: 'words', least: null, most: 3 }, 'one two\nthree four')).toBe(
      'Expected at most 3 words, got 4.',
    );
    expect(reasonOf({ kind: 'length', unit: 'words', least: null, most: 0 }, ' ')).toBeNull();
    expect(reasonOf({ kind: 'length', unit: 'characters', least: 2, most: 2 }, '👍é')).toBeNull();
  });

  test('is refused without its inputs, and with bounds that nothing meets', () => {
    expect(() => createCheck({ kind: 'equals', ignoresCase: false }, ['text'])).toThrow(
      'This check cannot run. Choose a source for expected.',
    );
    expect(checkProblem({ kind: 'regex', pattern: 'a', ignoresCase: false }, [])).toBe(
      'Choose a source for text.',
    );
    expect(checkProblem({ kind: 'number', least: null, most: null }, both)).toContain('Enter a least');
    expect(checkProblem({ kind: 'number', least: 3, most: 2 }, both)).toContain('above');
    expect(checkProblem({ kind: 'number', least: 3, most: null }, both)).toBeNull();
  });

  test('has a name that says what it does', () => {
    const names = [
      { kind: 'equals', ignoresCase: true },
      { kind: 'contains', ignoresCase: false },
      { kind: 'regex', pattern: 'a+', ignoresCase: true },
      { kind: 'regex', pattern: 'a+', ignoresCase: false },
      { kind: 'json-schema', schema: {} },
      { kind: 'number', least: 1, most: null },
      { kind: 'length', unit: 'words', least: 2, most: 40 },
    ] as const;
    expect(names.map(checkName)).toEqual([
      ...['equals, ignoring case', 'contains', 'matches /a+/i', 'matches /a+/', 'fits JSON schema'],
      ...['number at least 1', 'length 2 to 40 words'],
    ]);
  });
});
