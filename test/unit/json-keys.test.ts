/** A JSON object that the user fills in key by key. */
import { expect, test } from 'vitest';
import {
  blankKeys,
  blankRows,
  filledRows,
  isRowValid,
  rowsOf,
  rowsWith,
  textOfRows,
} from '../../renderer/lib/form/json-keys.ts';
import { otherKeys, readSchema } from '../../renderer/lib/schema.ts';

test('an object is filled in by its keys, texts as texts and other values as JSON', () => {
  const blank = rowsOf(blankKeys(['question', 'turns', 'context'], (key) => key !== 'turns')) ?? [];
  expect(blank).toEqual([
    { key: 'question', kind: 'text', value: '' },
    { key: 'turns', kind: 'json', value: '' },
    { key: 'context', kind: 'text', value: '' },
  ]);
  const fill = (values: Record<string, string>) =>
    blank.map((row) => ({ ...row, value: values[row.key] ?? row.value }));
  const filled = fill({ question: 'She said "no". Why?', turns: '9007199254740993' });
  expect(textOfRows(filled)).toContain('"turns": 9007199254740993,');
  expect(rowsOf(textOfRows(filled))).toEqual(filled);
  expect(JSON.parse(textOfRows(fill({ context: '3' })))).toEqual({ question: '', turns: null, context: '3' });
  expect(JSON.parse(textOfRows(fill({ turns: '[1, {}]' })))).toMatchObject({ turns: [1, {}] });
  expect(textOfRows([])).toBe('');
  for (const other of ['', '{}', '[]', '{"a"']) expect(rowsOf(other)).toBeNull();
});

test('keys without a value are rows to be filled in, and are left out of the object', () => {
  const blank = blankRows(blankKeys(['question', 'turns'], (key) => key !== 'turns')) ?? [];
  const rows = rowsWith(blank, '{"turns": 3, "late": true}') ?? [];
  expect(rows.map(({ key, value }) => [key, value])).toEqual([
    ['question', ''],
    ['turns', '3'],
    ['late', 'true'],
  ]);
  expect(JSON.parse(textOfRows(filledRows(rows)))).toEqual({ turns: 3, late: true });
  expect(textOfRows(filledRows(blank))).toBe('');
  expect(rowsWith(blank, '')).toEqual(blank);
  // An empty text in typed JSON is sent. If it became a row, it would be left out.
  expect(rowsWith(blank, '{"question": ""}')).toBeNull();
  for (const other of ['', '{}', '{"question": "Why?"}', '[]']) expect(blankRows(other)).toBeNull();
});

test.each(['0.', 'often', '1, "x": 2'])('a value that is not JSON makes the object none: %s', (value) => {
  const row = { key: 'turns', kind: 'json', value } as const;
  expect(isRowValid(row)).toBe(false);
  expect(rowsOf(textOfRows([row]))).toBeNull();
});

test('the kind of a key is that of its values in rows, or else that of the schema', () => {
  const schema = readSchema({
    inputs: { score: { data_type: 'FLOAT' }, late: { data_type: 'BOOLEAN' }, text: { data_type: 'STRING' } },
  });
  const rows = [
    { inputs: { score: 'n/a', n: 1, mixed: 2, empty: null }, metadata: { n: 'x' } },
    { inputs: { n: null, mixed: 'two' } },
  ];
  expect([...otherKeys(schema, rows)]).toEqual(['inputs.late', 'inputs.n']);
});
