/** Example queries that the SQL view offers. */
import { expect, test } from 'vitest';
import type { DescribedView } from '../../electron/shared/sql-model.ts';
import { examplesOf } from '../../renderer/lib/sql/examples.ts';

const view = (name: string, mostRows: number, columns: readonly string[], isList = false): DescribedView => ({
  ...{ name, title: name, operation: '', isComplete: true, isSample: false, oldestMs: null, query: null },
  ...{ storedRows: mostRows, mostRows, schema: isList ? 'lists' : null },
  columns: columns.map((column) => ({ name: column, type: 'VARCHAR' })),
});

test('only questions that the stored columns answer are offered, and the first rows of the largest view', () => {
  const views = [
    view('spans', 900, ['span_type', 'name']),
    view('entities', 0, ['semantic_name']),
    view('attributes', 4_000, ['data_type']),
    view('Spans of A #1', 9_000, ['span_type'], true),
  ];
  expect(examplesOf(views)).toEqual([
    {
      title: 'How many spans of each type',
      sql: 'SELECT span_type, count(*) AS spans\nFROM spans\nGROUP BY 1\nORDER BY 2 DESC',
    },
    {
      title: 'How many attributes of each data type',
      sql: 'SELECT data_type, count(*) AS attributes\nFROM attributes\nGROUP BY 1\nORDER BY 2 DESC',
    },
    { title: 'The first 100 rows of attributes', sql: 'SELECT *\nFROM attributes\nLIMIT 100' },
  ]);
});

test('a single list is named with its schema, and nothing is offered without views', () => {
  expect(examplesOf([view('Spans of A #1', 1, [], true)])).toEqual([
    { title: 'All rows of Spans of A #1', sql: 'SELECT *\nFROM lists."Spans of A #1"\nLIMIT 100' },
  ]);
  expect(examplesOf([])).toEqual([]);
});
