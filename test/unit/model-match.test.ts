/** Models that are proposed for a file by the names of its columns. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NOTE_COLUMNS } from '../../electron/shared/upload-columns.ts';
import { bestMatches, certainMatch, matchText, modelMatch } from '../../renderer/lib/model-match.ts';

const columns = (...names: string[]) => names.map((name) => ({ name, type: 'str' as const }));
const model = (name: string, ...schema: string[]) => ({ id: `id of ${name}`, name, schema });
const modelMatches = (file: ReturnType<typeof columns>, models: readonly ReturnType<typeof model>[]) =>
  bestMatches(models.map((each) => modelMatch(file, each)));
const CHURN = model('Bank churn', 'CreditScore', 'Geography', 'Gender', 'Age', 'customer_id');
const FRAUD = model('Card fraud', 'amount', 'country');

test('the model with the most columns of the file comes first, whatever their notation', () => {
  const found = modelMatches(columns('credit_score', 'geography', 'Gender', 'note'), [FRAUD, CHURN]);
  expect(found).toEqual([{ id: CHURN.id, name: 'Bank churn', matched: 3, of: 4, lacking: 2 }]);
  expect(matchText(found[0] ?? { matched: 0, of: 0 })).toBe('3 of 4 columns match');
});

test('of several models with every column, only one without further columns is certain', () => {
  const file = columns('amount', 'country');
  const later = model('Card fraud, later', 'amount', 'country', 'hour');
  const both = modelMatches(file, [FRAUD, later]);
  expect(both.map(({ name }) => name)).toEqual(['Card fraud', 'Card fraud, later']);
  expect(certainMatch(both)?.name).toBe('Card fraud');
  expect(
    certainMatch(modelMatches(file, [FRAUD, model('Card fraud, copy', 'amount', 'country')])),
  ).toBeNull();
  expect(certainMatch(modelMatches(columns('amount'), [FRAUD, later]))).toBeNull();
  expect(certainMatch(modelMatches(file, [FRAUD, CHURN]))?.name).toBe('Card fraud');
  expect(certainMatch(modelMatches(columns('amount', 'country', 'x'), [FRAUD]))).toBeNull();
});

test('without a model that has every column, the only one with most of them is certain', () => {
  const file = columns('CreditScore', 'Geography', 'Gender', 'Age', 'row');
  expect(certainMatch(modelMatches(file, [FRAUD, CHURN]))?.name).toBe('Bank churn');
  const part = model('Churn, first', 'CreditScore', 'Geography', 'Gender');
  expect(certainMatch(modelMatches(file, [CHURN, part]))).toBeNull();
});

test('a model whose schema is not known, or that has few of the columns, is not proposed', () => {
  expect(modelMatches(columns('a', 'b', 'c'), [model('empty'), model('one', 'a', 'z')])).toEqual([]);
});

test('columns that notes of the application fill are not counted', () => {
  expect(modelMatches(columns('amount', 'country', ...NOTE_COLUMNS), [FRAUD])[0]?.of).toBe(2);
});

test('no proposal matches more columns than the file or the model has, and the best come first', () => {
  const names = fc.uniqueArray(fc.constantFrom('a', 'B', 'a_b', 'A-B', 'c', 'd', '__proto__'), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(names, fc.array(names, { maxLength: 5 }), (file, schemas) => {
      const found = modelMatches(
        columns(...file),
        schemas.map((schema, at) => model(`m${at}`, ...schema)),
      );
      for (const { matched, of, lacking } of found) {
        expect(matched).toBeGreaterThan(0);
        expect(matched).toBeLessThanOrEqual(of);
        expect(lacking).toBeGreaterThanOrEqual(0);
      }
      const counts = found.map(({ matched }) => matched);
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    }),
  );
});
