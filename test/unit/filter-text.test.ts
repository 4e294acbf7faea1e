/** Filters between text and tree: what is written is read again as it was, and a mistake has a place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FILTER_OPERATORS,
  type FilterGroup,
  type FilterOperator,
  type FilterRule,
  parseFilter,
} from '../../electron/shared/filter-tree.ts';
import { countRules, depthOf, findProblems, readDraft, writeDraft } from '../../renderer/lib/filter/draft.ts';
import {
  dissolveGroup,
  duplicateNode,
  findNode,
  guessType,
  liftNode,
  moveNode,
  parentOf,
  removeNode,
  withOperator,
  withValue,
  wrapNode,
} from '../../renderer/lib/filter/edit.ts';
import { fieldsOfRows, mergeFields, nameOfValue } from '../../renderer/lib/filter/fields.ts';
import {
  type FilterLanguage,
  LIST_FILTERS,
  SPAN_FILTERS,
  vocabularyOf,
} from '../../renderer/lib/filter/language.ts';
import { checkFilterText, formatFilter } from '../../renderer/lib/filter/text.ts';
import { filterChips, filterWords } from '../../renderer/lib/filter/words.ts';
import { lineAndColumn, readJson } from '../../renderer/lib/json-places.ts';

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
  it('every tree survives rows, text and back', () => {
    fc.assert(
      fc.property(group, (tree) => {
        const text = formatFilter(writeDraft(read(tree), LIST_FILTERS));
        const checked = checkFilterText(text, LIST_FILTERS);
        expect(checked.isOk).toBe(true);
        expect(parseFilter(text)).toEqual(tree);
      }),
      { numRuns: 500 },
    );
  });

  it('keys that the grammar does not know stay where they were', () => {
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

  it('spans say eq, whichever word the text had', () => {
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

describe('mistakes have a place', () => {
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

  it('names line and column of what is no JSON', () => {
    expect(problemOf('{"condition": "AND",\n  rules: []}')).toMatchObject({
      line: 2,
      column: 3,
      message: 'Expected a key in double quotes.',
    });
    expect(problemOf('{"a":1} x').message).toBe('Nothing may follow the closing bracket.');
    expect(problemOf('{"a":1').message).toBe('Expected a comma, or } to close the object.');
    expect(problemOf('{"a":"x').message).toBe('The quotes are not closed on this line.');
  });

  it('limits of the spans are told', () => {
    const rules = Array.from({ length: 11 }, () => ({ field: 'Span::name', operator: 'eq', value: 'a' }));
    expect(problemOf(JSON.stringify({ condition: 'AND', rules }), SPAN_FILTERS).message).toBe(
      'The filter holds more than 10 rules.',
    );
    expect(
      problemOf('{"condition":"AND","rules":[{"field":"name","operator":"eq","value":1}]}', SPAN_FILTERS),
    ).toMatchObject({ at: '"name"' });
  });

  it('an empty text is no filter', () => {
    expect(checkFilterText(' \n', LIST_FILTERS)).toEqual({ isOk: true, tree: null });
  });
});

describe('JSON with places', () => {
  it('reads what JSON.parse reads, and refuses what it refuses', () => {
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
      { numRuns: 2_000 },
    );
  });

  it('a place is that of the value, or of what is around it', () => {
    const text = '{"a": [1, {"b": "x"}]}';
    const { placeOf } = readJson(text);
    const at = (path: (string | number)[]) => text.slice(placeOf(path).start, placeOf(path).end);
    expect(at(['a', 1, 'b'])).toBe('"x"');
    expect(at(['a', 1, 'none', 3])).toBe('{"b": "x"}');
    expect(lineAndColumn('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
  });
});

const NESTED = {
  condition: 'AND',
  rules: [
    { field: 'a', operator: 'equal', value: 'x' },
    { condition: 'OR', rules: [{ field: 'b', operator: 'greater', value: 2 }] },
    { field: 'c', operator: 'is_null' },
  ],
};

describe('editing', () => {
  const root = read(NESTED);
  const idOf = (field: string) => {
    const visit = (node: (typeof root)['rules'][number]): number | null =>
      node.kind === 'rule'
        ? node.field === field
          ? node.id
          : null
        : (node.rules.map(visit).find((id) => id !== null) ?? null);
    return visit(root) ?? -1;
  };
  const words = (tree: typeof root) =>
    filterWords(parseFilter(JSON.stringify(writeDraft(tree, LIST_FILTERS))));

  it('removing the last rule of a group removes the group', () => {
    expect(words(removeNode(root, idOf('b')))).toBe('a is x and c has no value');
  });

  it('grouping, lifting and dissolving', () => {
    const newId = () => 1_000;
    const wrapped = wrapNode(root, idOf('a'), newId);
    expect(depthOf(wrapped)).toBe(2);
    expect(parentOf(wrapped, idOf('a'))?.group.id).toBe(1_000);
    expect(words(liftNode(wrapped, idOf('a')))).toBe(words(root));
    expect(words(liftNode(root, idOf('b')))).toBe('a is x and b is more than 2 and c has no value');
    expect(words(dissolveGroup(wrapped, 1_000))).toBe(words(root));
    expect(wrapNode(root, root.id, newId)).toBe(root);
  });

  it('moving stops at the ends; a copy has ids of its own', () => {
    expect(words(moveNode(root, idOf('c'), -1))).toBe('a is x and c has no value and b is more than 2');
    expect(moveNode(root, idOf('a'), -1)).toBe(root);
    const newId = ids();
    const copied = duplicateNode(root, idOf('a'), () => 500 + newId());
    expect(countRules(copied)).toBe(4);
    expect(findNode(copied, 501)).toMatchObject({ field: 'a' });
  });

  it('another operator keeps the values it takes', () => {
    const [first] = root.rules;
    if (first?.kind !== 'rule') throw new Error('Expected a rule.');
    const pair = withOperator(first, 'between');
    expect(writeDraft(pair, LIST_FILTERS)['value']).toEqual(['x', null]);
    expect(writeDraft(withOperator(pair, 'is_empty'), LIST_FILTERS)).not.toHaveProperty('value');
    expect(writeDraft(withOperator(withOperator(first, 'is_empty'), 'equal'), LIST_FILTERS)['value']).toBe(
      'x',
    );
  });

  it('says what an unfinished rule lacks', () => {
    const [first] = root.rules;
    if (first?.kind !== 'rule') throw new Error('Expected a rule.');
    const lack = (changed: typeof first) =>
      findProblems({ ...root, rules: [changed] }, LIST_FILTERS).get(first.id);
    expect(lack({ ...first, field: ' ' })).toBe('Name the field.');
    expect(lack(withValue(first, 0, null))).toBe('Give a value.');
    expect(lack(withOperator(withValue(first, 0, null), 'in'))).toBe('Add at least one value.');
    expect(lack(withOperator(first, 'between'))).toBe('Give both bounds.');
    expect(lack(withValue(first, 0, { text: 'many', type: 'number' }))).toBe('“many” is not a number.');
    expect(lack(withValue(first, 0, { text: '', type: 'text' }))).toBeUndefined();
  });

  it('a typed number is one where the field or the operator asks for it', () => {
    expect(guessType('12', 'equal', 'text')).toBe('text');
    expect(guessType('12', 'equal', null)).toBe('text');
    expect(guessType('12', 'less', null)).toBe('number');
    expect(guessType('12', 'equal', 'number')).toBe('number');
    expect(guessType('true', 'equal', 'boolean')).toBe('boolean');
    expect(guessType('', 'less', null)).toBe('text');
  });
});

describe('words and fields', () => {
  it('chips are what can be taken away by itself', () => {
    expect(filterChips(parseFilter(JSON.stringify(NESTED))).map(({ text }) => text)).toEqual([
      'a is x',
      'b is more than 2',
      'c has no value',
    ]);
    expect(filterChips(parseFilter(JSON.stringify({ ...NESTED, condition: 'OR' })))).toEqual([
      { index: null, text: 'a is x or b is more than 2 or c has no value' },
    ]);
  });

  it('offers fields of rows, references by id under their name', () => {
    const rows = [
      { id: '1', name: 'n1', active: true, row_count: 4, type: 'A', project: { id: 'p1', name: 'Lending' } },
      { id: '2', name: 'n2', active: false, row_count: 5, type: 'A', project: { id: 'p1', name: 'Lending' } },
    ];
    const fields = mergeFields([{ name: 'name', type: 'text', note: 'text' }], fieldsOfRows(rows));
    expect(fields.map(({ name, type }) => `${name}:${type}`)).toEqual([
      'name:text',
      'id:text',
      'active:boolean',
      'row_count:number',
      'type:text',
      'project_id:text',
    ]);
    expect(nameOfValue(fields, 'project_id', 'p1')).toBe('Lending');
    expect(fields.find(({ name }) => name === 'type')?.values).toEqual([{ value: 'A' }]);
    expect(fields.find(({ name }) => name === 'name')?.values).toBeUndefined();
  });
});
