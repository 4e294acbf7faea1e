/** Converts filters between text and tree: a written filter is read back unchanged, and a mistake has a position. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FILTER_OPERATORS,
  type FilterGroup,
  type FilterOperator,
  type FilterRule,
  parseFilter,
} from '../../electron/shared/filter-tree.ts';
import { readDraft, writeDraft } from '../../renderer/lib/filter/draft.ts';
import {
  type FilterLanguage,
  LIST_FILTERS,
  SPAN_FILTERS,
  vocabularyOf,
} from '../../renderer/lib/filter/language.ts';
import { checkFilterText, formatFilter } from '../../renderer/lib/filter/text.ts';
import { lineAndColumn, readJson } from '../../renderer/lib/json-places.ts';
import { runs } from '../helpers/runs.ts';

const ids = () => {
  let last = 0;
  return () => ++last;
};

const scalar = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);
const rule: fc.Arbitrary<FilterRule> = fc
  .constantFrom(...(Object.keys(FILTER_OPERATORS) as FilterOperator[]))
  .chain((operator) => {
    const base = { field: fc.string({ minLength: 1 }), operator: fc.constant(operator) };
    switch (FILTER_OPERATORS[operator]) {
      case 'none':
        return fc.record(base);
      case 'one':
        return fc.record({ ...base, value: scalar });
      case 'pair':
        return fc.record({ ...base, value: fc.array(scalar, { minLength: 2, maxLength: 2 }) });
      case 'list':
        return fc.record({ ...base, value: fc.array(scalar) });
    }
  });
const group: fc.Arbitrary<FilterGroup> = fc.letrec((tie) => ({
  group: fc.record({
    condition: fc.constantFrom('AND', 'OR'),
    rules: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, rule, tie('group')), {
      maxLength: 4,
    }),
  }),
})).group as fc.Arbitrary<FilterGroup>;

function read(tree: object, language: FilterLanguage = LIST_FILTERS) {
  return readDraft(JSON.parse(JSON.stringify(tree)), language, ids());
}

describe('text and tree', () => {
  it('every tree survives conversion to rows, text and back', () => {
    fc.assert(
      fc.property(group, (tree) => {
        const text = formatFilter(writeDraft(read(tree), LIST_FILTERS));
        const checked = checkFilterText(text, LIST_FILTERS);
        expect(checked.isOk).toBe(true);
        expect(parseFilter(text)).toEqual(tree);
      }),
      { numRuns: runs(500) },
    );
  });

  it('keys that the grammar does not know keep their positions', () => {
    const tree = {
      id: 'root',
      condition: 'OR',
      rules: [
        { field: 'name', operator: 'is_null', value: null, label: 'kept' },
        { not: true, condition: 'AND', rules: [{ field: 'a', operator: 'equal', value: 1, type: 'double' }] },
      ],
    };
    expect(writeDraft(read(tree), LIST_FILTERS)).toEqual(tree);
  });

  it('filters of spans use eq, whichever operator name the text had', () => {
    const text = '{"condition":"AND","rules":[{"field":"Span::name","operator":"eq","value":"x"}]}';
    const checked = checkFilterText(text, SPAN_FILTERS);
    expect(checked.isOk && checked.tree).toEqual(JSON.parse(text));
    expect(writeDraft(read(JSON.parse(text), SPAN_FILTERS), SPAN_FILTERS)).toEqual(JSON.parse(text));
    expect(parseFilter(text, vocabularyOf(SPAN_FILTERS)).rules[0]).toMatchObject({ operator: 'equal' });
  });
});

function problemOf(text: string, language: FilterLanguage = LIST_FILTERS) {
  const checked = checkFilterText(text, language);
  if (checked.isOk) throw new Error('Expected a refusal.');
  const { span, line, column, message } = checked.problem;
  return { line, column, message, at: text.slice(span.start, span.end) };
}

describe('mistakes have a position', () => {
  it.each([
    ['{"condition":"AND",\n "rules":[{"field":"a","operator":"eqal","value":1}]}', 2, '"eqal"'],
    ['{"condition":"AND",\n "rules":[\n  {"field":"","operator":"equal","value":1}]}', 3, '""'],
    ['{"condition":"AND","rules":[{"field":"a","operator":"between","value":[1]}]}', 1, '[1]'],
    ['{"condition":"NOT","rules":[]}', 1, '"NOT"'],
    [
      '{"condition":"AND",\n"rules":[{"field":"a","operator":"equal"}]}',
      2,
      '{"field":"a","operator":"equal"}',
    ],
    ['[1]', 1, '[1]'],
  ])('%s', (text, line, at) => {
    expect(problemOf(text)).toMatchObject({ line, at });
  });

  it('names line and column of invalid JSON', () => {
    expect(problemOf('{"condition": "AND",\n  rules: []}')).toMatchObject({
      line: 2,
      column: 3,
      message: 'Expected a key in double quotes.',
    });
    expect(problemOf('{"a":1} x').message).toBe('Expected nothing after the closing bracket.');
    expect(problemOf('{"a":1').message).toBe('Expected a comma, or } to close the object.');
    expect(problemOf('{"a":"x').message).toBe('Closing quotes are missing on this line.');
  });

  it('reports the limits of span filters', () => {
    const rules = Array.from({ length: 11 }, () => ({ field: 'Span::name', operator: 'eq', value: 'a' }));
    expect(problemOf(JSON.stringify({ condition: 'AND', rules }), SPAN_FILTERS).message).toBe(
      'The filter holds more than 10 rules.',
    );
    expect(
      problemOf('{"condition":"AND","rules":[{"field":"name","operator":"eq","value":1}]}', SPAN_FILTERS),
    ).toMatchObject({ at: '"name"' });
  });

  it('an empty text is not a filter', () => {
    expect(checkFilterText(' \n', LIST_FILTERS)).toEqual({ isOk: true, tree: null });
  });
});

describe('JSON with positions', () => {
  it('reads the texts that JSON.parse reads, and rejects the same texts', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text).value).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:01e-.tru\\ \n'.split('')) }), (text) => {
        let expected: unknown;
        let isJson = true;
        try {
          expected = JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) expect(readJson(text).value).toEqual(expected);
        else expect(() => readJson(text)).toThrow();
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('a position is that of the value, or of its parent', () => {
    const text = '{"a": [1, {"b": "x"}]}';
    const { placeOf } = readJson(text);
    const at = (path: (string | number)[]) => text.slice(placeOf(path).start, placeOf(path).end);
    expect(at(['a', 1, 'b'])).toBe('"x"');
    expect(at(['a', 1, 'none', 3])).toBe('{"b": "x"}');
    expect(lineAndColumn('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
  });
});
