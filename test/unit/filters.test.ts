import { describe, expect, it } from 'vitest';
import { matchesFilter, parseFilter, parseFilterTree, readField } from '../../electron/core/text/filters.ts';
import { compareByOrdering, formatOrdering, parseOrdering } from '../../electron/core/text/ordering.ts';
import { AppError } from '../../electron/shared/errors.ts';

const record = {
  name: 'gen_ai.usage.input_tokens',
  data_type: 'float',
  row_count: 120,
  is_active: true,
  tags: ['prod', 'eu'],
  note: '',
  nothing: null,
  application: { id: 'a-1', name: 'Support' },
  span_attributes: { 'gen_ai.system': 'tower', nested: { depth: 3 } },
};

function matches(field: string, operator: string, value?: unknown): boolean {
  const tree = parseFilterTree({ condition: 'AND', rules: [{ field, operator, value }] });
  return matchesFilter(tree, (name) => readField(record, name));
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_ARGUMENT') return error.message;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('fields of a filter', () => {
  it('reads dotted paths, and prefers keys that contain dots', () => {
    expect(readField(record, 'application.name')).toBe('Support');
    expect(readField(record, 'span_attributes.gen_ai.system')).toBe('tower');
    expect(readField(record, 'span_attributes.nested.depth')).toBe(3);
    expect(readField({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1);
  });

  it('reads a list of named values by their names: the value, or else the label', () => {
    const scores = ['none', { name: 'length', value: 3 }, { name: 'tone', value: null, label: 'kind' }];
    const read = (name: string) => readField({ scores: [...scores, { name: 'empty' }] }, `scores.${name}`);
    expect(['length', 'tone', 'empty', 'other'].map(read)).toEqual([3, 'kind', undefined, undefined]);
  });

  it('returns undefined for absent fields, inherited ones included', () => {
    expect(readField(record, 'application.missing')).toBeUndefined();
    expect(readField(record, 'constructor')).toBeUndefined();
    expect(readField(record, 'name.length')).toBeUndefined();
    expect(readField(null, 'name')).toBeUndefined();
  });
});

describe('operators of a filter', () => {
  it('does not order a value that is not a number', () => {
    const isMatched = (operator: string) => {
      const tree = parseFilterTree({ condition: 'AND', rules: [{ field: 'x', operator, value: 1 }] });
      return matchesFilter(tree, () => Number.NaN);
    };
    expect(['less', 'equal', 'greater', 'not_equal'].filter(isMatched)).toEqual(['not_equal']);
  });

  it.each([
    ['data_type', 'equal', 'float', true],
    ['data_type', 'equal', 'Float', false],
    ['row_count', 'equal', '120', true],
    ['is_active', 'equal', true, true],
    ['is_active', 'equal', 'false', false],
    ['nothing', 'equal', 'null', false],
    ['nothing', 'not_equal', 'x', true],
    ['data_type', 'in', ['string', 'float'], true],
    ['data_type', 'in', [], false],
    ['data_type', 'not_in', ['string'], true],
    ['row_count', 'less', 121, true],
    ['row_count', 'less', 120, false],
    ['row_count', 'less_or_equal', 120, true],
    ['row_count', 'greater', 119.5, true],
    ['row_count', 'greater_or_equal', 121, false],
    ['row_count', 'greater', 'many', false],
    ['name', 'less', 'h', true],
    ['row_count', 'between', [100, 120], true],
    ['row_count', 'between', [121, 200], false],
    ['row_count', 'not_between', [121, 200], true],
    ['name', 'begins_with', 'gen_ai.', true],
    ['name', 'not_begins_with', 'user.', true],
    ['name', 'contains', 'usage', true],
    ['name', 'contains', 'USAGE', false],
    ['tags', 'contains', 'eu', true],
    ['tags', 'contains', 'e', false],
    ['name', 'ends_with', '_tokens', true],
    ['name', 'not_ends_with', '_tokens', false],
    ['tags', 'any', ['us', 'eu'], true],
    ['tags', 'any', 'us', false],
    ['data_type', 'any', ['float'], true],
    ['note', 'is_empty', undefined, true],
    ['tags', 'is_empty', undefined, false],
    ['missing', 'is_empty', undefined, true],
    ['note', 'is_null', undefined, false],
    ['missing', 'is_null', undefined, true],
    ['nothing', 'is_not_null', undefined, false],
  ])('%s %s %j is %s', (field, operator, value, expected) => {
    expect(matches(field, operator, value)).toBe(expected);
  });
});

describe('trees of filters', () => {
  it('nests AND and OR', () => {
    const text = JSON.stringify({
      condition: 'AND',
      rules: [
        { field: 'data_type', operator: 'equal', value: 'float' },
        {
          condition: 'OR',
          rules: [
            { field: 'row_count', operator: 'less', value: 10 },
            { field: 'application.id', operator: 'equal', value: 'a-1' },
          ],
        },
      ],
    });
    expect(matchesFilter(parseFilter(text), (name) => readField(record, name))).toBe(true);
    expect(matchesFilter(parseFilter(text), (name) => readField({ data_type: 'float' }, name))).toBe(false);
  });

  it('accepts other spellings for operations that have them', () => {
    const tree = { condition: 'AND', rules: [{ field: 'name', operator: 'eq', value: 'x' }] };
    expect(parseFilterTree(tree, { aliases: { eq: 'equal' } }).rules).toEqual([
      { field: 'name', operator: 'equal', value: 'x' },
    ]);
    expect(messageOf(() => parseFilterTree(tree))).toContain('"eq"');
  });

  it('an empty group matches everything', () => {
    expect(matchesFilter({ condition: 'OR', rules: [] }, () => undefined)).toBe(true);
  });
});

describe('a rejection names the position', () => {
  const rule = (entry: unknown): unknown => ({
    condition: 'AND',
    rules: [{ condition: 'OR', rules: [entry] }],
  });

  it.each([
    [[], 'filter must be an object'],
    [{ condition: 'XOR', rules: [] }, 'filter.condition'],
    [{ condition: 'AND' }, 'filter.rules'],
    [rule('text'), 'filter.rules[0].rules[0] must be an object'],
    [rule({ field: '', operator: 'equal', value: 1 }), 'filter.rules[0].rules[0].field'],
    [rule({ field: 'a', operator: 'like', value: 1 }), '.operator "like" is not known'],
    [rule({ field: 'a', operator: 'toString', value: 1 }), '.operator "toString" is not known'],
    [rule({ field: 'a', operator: 'equal' }), '.value must be a text'],
    [rule({ field: 'a', operator: 'equal', value: null }), '.value must be a text'],
    [rule({ field: 'a', operator: 'between', value: [1] }), 'two bounds'],
    [rule({ field: 'a', operator: 'in', value: [{}] }), '.value must be a list'],
  ])('%j', (tree, part) => {
    expect(messageOf(() => parseFilterTree(tree))).toContain(part);
  });

  it('text that is not JSON', () => {
    expect(messageOf(() => parseFilter('name=x'))).toContain('not JSON');
  });

  it('trees that are too deep or too large', () => {
    let deep: unknown = { field: 'a', operator: 'is_null' };
    for (let level = 0; level < 4; level += 1) deep = { condition: 'AND', rules: [deep] };
    expect(() => parseFilterTree(deep, { maxDepth: 4 })).not.toThrow();
    expect(messageOf(() => parseFilterTree(deep, { maxDepth: 3 }))).toContain('too deep');
    const wide = { condition: 'AND', rules: [1, 2, 3].map(() => ({ field: 'a', operator: 'is_null' })) };
    expect(messageOf(() => parseFilterTree(wide, { maxRules: 2 }))).toContain('more than 2 rules');
  });
});

describe('ordering of records', () => {
  const sorted = (ordering: string, rows: Record<string, unknown>[]): unknown[] => {
    const terms = parseOrdering(ordering);
    return rows
      .toSorted((a, b) =>
        compareByOrdering(
          terms,
          (field) => readField(a, field),
          (field) => readField(b, field),
        ),
      )
      .map((row) => row['id']);
  };

  it('sorts by several fields, descending with a minus', () => {
    const rows = [
      { id: 1, group: 'b', size: 2 },
      { id: 2, group: 'a', size: 1 },
      { id: 3, group: 'a', size: 10 },
    ];
    expect(sorted('group,-size', rows)).toEqual([3, 2, 1]);
    expect(sorted('-group, size', rows)).toEqual([1, 2, 3]);
  });

  it('puts missing values last in both directions', () => {
    const rows = [{ id: 1, size: null }, { id: 2, size: 5 }, { id: 3 }, { id: 4, size: 1 }];
    expect(sorted('size', rows)).toEqual([4, 2, 1, 3]);
    expect(sorted('-size', rows)).toEqual([2, 4, 1, 3]);
  });

  it('formats parsed orderings', () => {
    expect(formatOrdering(parseOrdering(' -created_at , name'))).toBe('-created_at,name');
  });

  it.each(['', 'a,,b', '-', '--a', 'a,-a', 'a b'])('refuses %j', (text) => {
    expect(messageOf(() => parseOrdering(text))).toMatch(/^Ordering/);
  });
});
