/** Facets read the values that a filter requires of a field from the filter, and write them to it. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chosenValues, withChosenValues } from '../../renderer/lib/filter/chosen-values.ts';
import { SPAN_FILTERS } from '../../renderer/lib/filter/language.ts';
import { checkFilterText } from '../../renderer/lib/filter/text.ts';

const TYPE = 'Span::span_type';
const rule = (field: string, value: string) => ({ field, operator: 'eq', value });
const set = (filter: unknown, values: readonly string[], field = TYPE) => {
  const text = filter === null ? null : JSON.stringify(filter);
  const found = withChosenValues(text, field, values, SPAN_FILTERS);
  return typeof found === 'string' ? (JSON.parse(found) as unknown) : found;
};
const read = (filter: unknown, field = TYPE) =>
  chosenValues(filter === null ? null : JSON.stringify(filter), field, SPAN_FILTERS);

describe('the values that a filter requires', () => {
  test('one is a rule, several are a group of alternatives, none is not a filter', () => {
    expect(set(null, ['llm'])).toEqual({ condition: 'AND', rules: [rule(TYPE, 'llm')] });
    expect(set(null, ['llm', 'tool'])).toEqual({
      condition: 'AND',
      rules: [{ condition: 'OR', rules: [rule(TYPE, 'llm'), rule(TYPE, 'tool')] }],
    });
    expect(set({ condition: 'AND', rules: [rule(TYPE, 'llm')] }, [])).toBeNull();
  });

  test('replace earlier ones of the field in every form, and leave other rules as they are', () => {
    const other = { condition: 'OR', rules: [rule('Span::name', 'a'), rule(TYPE, 'llm')] };
    const forms = [
      { condition: 'AND', rules: [other, rule(TYPE, 'tool')] },
      { condition: 'AND', rules: [other, { condition: 'OR', rules: [rule(TYPE, 'a'), rule(TYPE, 'b')] }] },
      other,
    ];
    for (const form of forms)
      expect(set(form, ['chain'])).toEqual({ condition: 'AND', rules: [other, rule(TYPE, 'chain')] });
    expect(forms.map((form) => read(form))).toEqual([['tool'], ['a', 'b'], []]);
    const alternatives = { condition: 'OR', rules: [rule(TYPE, 'a'), rule(TYPE, 'b')] };
    expect(read(alternatives)).toEqual(['a', 'b']);
    expect(set(alternatives, ['a'])).toEqual({ condition: 'AND', rules: [rule(TYPE, 'a')] });
  });

  test('a filter beyond the limits of the service is not offered, and an unreadable one is replaced', () => {
    const rules = Array.from({ length: 9 }, (_, at) => rule(`Span::field_${at}`, 'x'));
    expect(set({ condition: 'AND', rules }, ['llm'])).toBeDefined();
    expect(set({ condition: 'AND', rules }, ['llm', 'tool'])).toBeUndefined();
    expect(withChosenValues('{', TYPE, ['llm'], SPAN_FILTERS)).toContain('llm');
  });

  test('are read as they were written, whatever else the filter holds', () => {
    const value = fc.constantFrom('a', 'b', 'c', 'd');
    const field = fc.constantFrom(TYPE, 'Span::name', 'SpanAttribute::x');
    const leaf = fc.record({ field, value }).map((each) => rule(each.field, each.value));
    const group = fc.record({
      condition: fc.constantFrom('AND', 'OR'),
      rules: fc.array(leaf, { minLength: 1, maxLength: 3 }),
    });
    const tree = fc.record({
      condition: fc.constantFrom('AND', 'OR'),
      rules: fc.array(fc.oneof(leaf, group), { minLength: 1, maxLength: 2 }),
    });
    const values = fc.uniqueArray(value, { maxLength: 3 });
    fc.assert(
      fc.property(fc.option(tree), values, field, (before, wanted, about) => {
        const text = before === null ? null : JSON.stringify(before);
        const after = withChosenValues(text, about, wanted, SPAN_FILTERS);
        if (after === undefined) return;
        expect(chosenValues(after, about, SPAN_FILTERS)).toEqual(wanted);
        expect(after === null || checkFilterText(after, SPAN_FILTERS).isOk).toBe(true);
        // To set the same values again changes nothing.
        expect(withChosenValues(after, about, wanted, SPAN_FILTERS)).toBe(after);
      }),
    );
  });
});
