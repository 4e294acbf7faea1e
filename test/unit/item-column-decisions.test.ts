/**
 * Items from files: all rows decide the type of a column, late keys become columns, and changed values are reported.
 */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { ItemColumn } from '../../electron/shared/items-model.ts';
import { settleItems } from '../../electron/uploads/items/settle-items.ts';
import { DataFolder } from '../helpers/data-folder.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const column = (source: string, type: ItemColumn['type']): ItemColumn => ({
  ...{ source, place: 'inputs', field: source, type },
});
function settle(format: Dialect['format'], text: string, columns: ItemColumn[]) {
  const path = folder.file('items');
  writeFileSync(path, text);
  const dialect: Dialect = {
    ...{ format, encoding: 'utf-8', delimiter: ';', quote: '"', hasHeader: true, nullWords: [] },
  };
  return settleItems({ path, state: null, reading: { dialect, columns, flattens: false } });
}

test('answers keep words such as nan and null; among numbers they are missing values', async () => {
  const { ledger, questions } = await settle('csv', 'answer;score\nnan;1\nnull;nan\n', [
    column('answer', 'str'),
    column('score', 'int'),
  ]);
  expect(questions).toEqual([]);
  expect(ledger.changes).toEqual([
    { rule: 'null-word', source: 'score', count: 1, examples: [{ line: 3, before: 'nan', after: null }] },
  ]);
});

test('one comma decides for all rows, and a later decimal makes integers decimals', async () => {
  const found = await settle('csv', 'amount;count\n1.234;1\n2.500;2\n0,5;2.5\n', [
    column('amount', 'float'),
    column('count', 'int'),
  ]);
  expect(found.columns).toMatchObject([{ reading: { decimal: 'comma' } }, { type: 'float' }]);
  expect(found.ledger.changes).toMatchObject([
    { rule: 'thousands', source: 'amount', count: 2 },
    { rule: 'decimal-comma', source: 'amount', count: 1 },
  ]);
  const { questions } = await settle('csv', 'amount\n1.234\n2.500\n', [column('amount', 'float')]);
  expect(questions).toMatchObject([{ source: 'amount', kind: 'decimal' }]);
});

test('texts of JSON that look like times or numbers are added as they are, so that no change is reported', async () => {
  const text = '{"t":"2024-01-01 00:00:00 UTC","d":"2024-01-01","n":"1,5"}\n{"t":"20/10/2026","n":"NaN"}\n';
  const found = await settle('jsonl', text, [
    column('t', 'timestamp'),
    column('d', 'timestamp'),
    column('n', 'float'),
  ]);
  expect(found).toMatchObject({ questions: [], problems: [], ledger: { changes: [], decisions: [] } });
});

test('overridden values of a repeated key are counted, in columns that are sent', async () => {
  const text = '{"q":"a","q":"b","meta":{"k":1,"k":2},"x":1,"x":2}\n{"q":"c"}\n';
  const { ledger } = await settle('jsonl', text, [
    column('q', 'str'),
    column('meta', 'json'),
    { ...column('x', 'int'), place: null },
  ]);
  expect(ledger.changes).toEqual([
    { rule: 'last-of-key', source: 'q', count: 1, examples: [{ line: 1, before: 'a', after: 'b' }] },
    { rule: 'last-of-key', source: 'meta.k', count: 1, examples: [{ line: 1, before: '1', after: '2' }] },
  ]);
});

test('keys without a column are found in any row, and named with their number', async () => {
  const rows = Array.from({ length: 3_000 }, (_each, at) => ({ question: `q${at}` }));
  const text = [...rows, { question: 'last', rubric: 'late' }].map((each) => JSON.stringify(each)).join('\n');
  const { newKeys, ledger } = await settle('jsonl', text, [column('question', 'str')]);
  expect(newKeys).toEqual(['rubric']);
  expect(ledger.leftOut).toEqual([
    { kind: 'key', name: 'rubric', count: 1, line: 3_001, reason: 'it is mapped to no field' },
  ]);
});

test('values of JSON keep their types, whatever the first rows have', async () => {
  const { ledger } = await settle('jsonl', '{"a":"x"}\n{"a":5}\n{"a":[1]}\n', [column('a', 'str')]);
  expect(ledger).toEqual({ changes: [], leftOut: [], decisions: [] });
});
