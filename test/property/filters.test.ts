import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FILTER_OPERATORS,
  type FilterGroup,
  type FilterNode,
  type FilterOperator,
  type FilterRule,
  matchesFilter,
  parseFilter,
  readField,
} from '../../electron/core/text/filters.ts';
import { compareByOrdering, compareValues, parseOrdering } from '../../electron/core/text/ordering.ts';

const OPERATORS = Object.keys(FILTER_OPERATORS) as FilterOperator[];
const field = fc.constantFrom('a', 'b', 'c.d', 'c.e.f', 'gone');
const scalar = fc.oneof(
  fc.constantFrom('', 'x', 'xy', '10', '9', 'Ä'),
  fc.integer({ min: -3, max: 12 }),
  fc.boolean(),
);
const value = fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 3 }));
const record = fc.record(
  {
    a: value,
    b: value,
    c: fc.record({ d: value, e: fc.record({ f: value }, { requiredKeys: [] }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const rule: fc.Arbitrary<FilterRule> = fc.constantFrom(...OPERATORS).chain((operator) => {
  const shape = FILTER_OPERATORS[operator];
  if (shape === 'none') return field.map((name) => ({ field: name, operator }));
  const values =
    shape === 'one'
      ? scalar
      : shape === 'pair'
        ? fc.array(scalar, { minLength: 2, maxLength: 2 })
        : fc.array(scalar, { maxLength: 4 });
  return fc.tuple(field, values).map(([name, wanted]) => ({ field: name, operator, value: wanted }));
});

const tree: fc.Arbitrary<FilterGroup> = fc.letrec<{ group: FilterGroup; node: FilterNode }>((tie) => ({
  group: fc.record({
    condition: fc.constantFrom('AND' as const, 'OR' as const),
    rules: fc.array(tie('node'), { maxLength: 3 }),
  }),
  node: fc.oneof({ depthSize: 'small' }, rule, tie('group')),
})).group;

const check = (node: FilterNode, subject: unknown): boolean =>
  matchesFilter(node, (name) => readField(subject, name));

describe('filter expressions', () => {
  it('survive conversion to text and back', () => {
    fc.assert(
      fc.property(tree, (group) => {
        expect(parseFilter(JSON.stringify(group))).toEqual(group);
      }),
    );
  });

  it('a not_ operator is the exact opposite of its plain form', () => {
    const pairs = OPERATORS.flatMap((operator) => {
      const plain = operator.startsWith('is_not_')
        ? operator.replace('is_not_', 'is_')
        : operator.replace(/^not_/, '');
      const found = OPERATORS.find((candidate) => candidate === plain);
      return found === undefined || found === operator ? [] : [{ operator, plain: found }];
    });
    expect(pairs).toHaveLength(8);
    fc.assert(
      fc.property(fc.constantFrom(...pairs), rule, record, (pair, base, subject) => {
        const list = Array.isArray(base.value) ? base.value : [base.value ?? 'x'];
        const shape = FILTER_OPERATORS[pair.operator];
        const wanted =
          shape === 'one' ? (list[0] ?? 'x') : shape === 'pair' ? [list[0] ?? 1, list[1] ?? 2] : list;
        const make = (operator: FilterOperator): FilterRule => ({
          field: base.field,
          operator,
          value: wanted,
        });
        expect(check(make(pair.operator), subject)).toBe(!check(make(pair.plain), subject));
      }),
    );
  });

  it('AND requires every rule of a group, and OR requires one of them', () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), record, (rules, subject) => {
        const alone = rules.map((one) => check(one, subject));
        expect(check({ condition: 'AND', rules }, subject)).toBe(alone.every(Boolean));
        expect(check({ condition: 'OR', rules }, subject)).toBe(alone.some(Boolean));
      }),
    );
  });

  it('in is any of equal; between is both bounds; less is never also greater_or_equal', () => {
    fc.assert(
      fc.property(field, scalar, scalar, record, (name, first, second, subject) => {
        const is = (operator: FilterOperator, wanted: FilterRule['value']): boolean =>
          check({ field: name, operator, ...(wanted === undefined ? {} : { value: wanted }) }, subject);
        expect(is('in', [first, second])).toBe(is('equal', first) || is('equal', second));
        expect(is('between', [first, second])).toBe(
          is('greater_or_equal', first) && is('less_or_equal', second),
        );
        expect(is('less', first) && is('greater_or_equal', first)).toBe(false);
      }),
    );
  });

  it('any text either parses or is rejected in words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          expect(parseFilter(text).rules).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
        }
      }),
    );
  });
});

describe('orderings of records', () => {
  const any = fc.oneof(value, fc.double({ noNaN: true }), fc.object({ maxDepth: 1 }));

  it('compare every pair of values consistently', () => {
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        const sum = compareValues(a, b) + compareValues(b, a);
        expect(sum).toBe(0);
        if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0)
          expect(compareValues(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('descending is ascending reversed, for the records that have the field', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { maxLength: 20 }), (sizes) => {
        const sort = (ordering: string): number[] =>
          sizes.toSorted((a, b) =>
            compareByOrdering(
              parseOrdering(ordering),
              () => a,
              () => b,
            ),
          );
        expect(sort('-size')).toEqual(sort('size').toReversed());
      }),
    );
  });
});
