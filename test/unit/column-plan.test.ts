import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planColumns } from '../../electron/shared/column-plan.ts';

test('prefers exact names to loose ones, and the schema type to the guess', () => {
  const plan = planColumns(
    [
      { name: 'credit score', type: 'str' },
      { name: 'CreditScore', type: 'str' },
      { name: 'Age', type: 'int' },
      { name: 'note', type: 'str' },
    ],
    [
      { name: 'CreditScore', data_type: 'INT' },
      { name: 'age', data_type: 'float' },
    ],
  );
  expect(plan).toEqual([
    { source: 'credit score', target: null, type: 'str' },
    { source: 'CreditScore', target: 'CreditScore', type: 'int' },
    { source: 'Age', target: 'age', type: 'float' },
    { source: 'note', target: null, type: 'str' },
  ]);
});

test('keeps the name of every column without a schema', () => {
  expect(planColumns([{ name: 'a b', type: 'json' }], [])).toEqual([
    { source: 'a b', target: 'a b', type: 'json' },
  ]);
});

test('no two columns fill the same field', () => {
  const name = fc.constantFrom('a', 'A', 'a_', 'b', 'B-', ' b', 'c');
  fc.assert(
    fc.property(fc.array(name), fc.array(name), (columns, schema) => {
      const targets = planColumns(
        columns.map((column) => ({ name: column, type: 'str' as const })),
        schema.map((column) => ({ name: column, data_type: null })),
      ).flatMap(({ target }) => (target === null ? [] : [target]));
      if (schema.length > 0) expect(new Set(targets).size).toBe(targets.length);
    }),
  );
});
