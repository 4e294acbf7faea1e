/** Flat objects are shown as names and values. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLines } from '../../renderer/lib/json-tree.ts';
import { flatFields, isFlat } from '../../renderer/lib/read/flat-fields.ts';

const linesOf = (value: unknown) => jsonLines(value, () => true).slice(1);
const namesOf = (value: unknown) => {
  const { groups, empty } = flatFields(linesOf(value));
  return { groups: groups.map(({ heading, fields }) => [heading, ...fields.map(({ name }) => name)]), empty };
};

describe('fields of a flat object', () => {
  test('names with a common start are below it, and empty values are only named', () => {
    const attributes = {
      ...{ 'gen_ai.usage.input_tokens': 3, 'user.id': 'u', 'gen_ai.usage.output_tokens': 4, plan: '' },
      ...{ 'gen_ai.agent.name': 'Desk', note: null },
    };
    expect(namesOf(attributes)).toEqual({
      groups: [
        ['', 'user.id', 'gen_ai.agent.name'],
        ['gen_ai.usage', 'input_tokens', 'output_tokens'],
      ],
      empty: ['plan', 'note'],
    });
  });

  test('every field is shown once or named as empty', () => {
    const flat = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
      minKeys: 1,
      maxKeys: 40,
    });
    fc.assert(
      fc.property(flat, (value) => {
        expect(isFlat(value)).toBe(true);
        const { groups, empty } = flatFields(linesOf(value));
        const shown = groups.flatMap(({ heading, fields }) =>
          fields.map(({ name }) => (heading === '' ? name : `${heading}.${name}`)),
        );
        expect([...shown, ...empty].toSorted()).toEqual(Object.keys(value).toSorted());
      }),
    );
  });

  test('lists, nested objects and objects without fields are not flat', () => {
    for (const value of [{}, [1], { a: {} }, { a: [] }, null, 'a', 1]) expect(isFlat(value)).toBe(false);
  });
});
