/** How the SQL editor reads typed text: its tokens, the position of an error, and completions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completionsAt, sqlName } from '../../renderer/lib/sql/completion.ts';
import { barFigure, chartBars, chartColumns, rowOf } from '../../renderer/lib/sql/result.ts';
import { queryTitle } from '../../renderer/lib/sql/title.ts';
import { offsetOf, tokensOf } from '../../renderer/lib/sql/tokens.ts';

const RECORDS = { schema: null, mostRows: 5_000, isComplete: true };
const VIEWS = [
  {
    ...{ ...RECORDS, name: 'spans', storedRows: 4_116 },
    columns: [
      { name: 'name', type: 'VARCHAR' },
      { name: 'gen_ai.request.model', type: 'VARCHAR' },
    ],
  },
  { ...RECORDS, name: 'catalog', storedRows: 3_200, columns: [{ name: 'entity_type', type: 'VARCHAR' }] },
];
/** `|` marks the cursor. */
function labelsAt(text: string, wanted = false): string[] {
  const cursor = text.indexOf('|');
  const found = completionsAt(text.replace('|', ''), cursor, VIEWS, wanted);
  return found?.options.map(({ label }) => label) ?? [];
}

test('the tokens of any text add up to the text', () => {
  const pieces = fc.array(
    fc.constantFrom("'", '"', '--', '/*', '*/', '\n', 'SELECT', 'é', '😀', ' ', '1.5', ';', 'x'),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        pieces.map((parts) => parts.join('')),
      ),
      (sql) => {
        const tokens = tokensOf(sql);
        expect(tokens.map(({ text }) => text).join('')).toBe(sql);
        expect(tokens.every(({ at, text }) => sql.startsWith(text, at))).toBe(true);
      },
    ),
  );
});

test('a comment, a text and a quoted name are one token each', () => {
  expect(
    tokensOf("SELECT 'it''s -- no' -- yes").flatMap(({ kind, text }) => (text === ' ' ? [] : [[kind, text]])),
  ).toEqual([
    ['keyword', 'SELECT'],
    ['text', "'it''s -- no'"],
    ['comment', '-- yes'],
  ]);
});

test('views follow FROM, columns of the named views follow elsewhere, columns of one view after its dot', () => {
  expect(labelsAt('SELECT * FROM |', true)).toEqual(['spans', 'catalog']);
  expect(labelsAt('SELECT n| FROM spans')[0]).toBe('name');
  expect(labelsAt('SELECT mod| FROM spans')).toContain('gen_ai.request.model');
  expect(labelsAt('SELECT c.| FROM spans s JOIN catalog AS c')).toEqual(['entity_type']);
  expect(labelsAt('SELECT entity| FROM spans')).toEqual([]);
});

test('nothing is offered in a text, a comment or a number, nor if the word is complete', () => {
  for (const text of ["SELECT 'na|", '-- na|', 'LIMIT 1|', 'SELECT entity_type| FROM catalog', 'SELECT |'])
    expect(labelsAt(text), text).toEqual([]);
});

test('a name is quoted if SQL requires it', () => {
  expect(['name', 'a.b', 'select', 'at', 'a"b', '1a'].map(sqlName)).toEqual([
    ...['name', '"a.b"', '"select"', '"at"', '"a""b"', '"1a"'],
  ]);
});

test('the position of a fault counts like the engine: whole characters, from 1', () => {
  expect(offsetOf('SELECT 1,\n😀 x', { line: 2, column: 3 })).toBe(13);
  expect(offsetOf('a', { line: 9, column: 9 })).toBe(1);
});

test('digits of a result stay exact, and a chart draws the values it can', () => {
  const columns = [
    { name: 'c', type: 'VARCHAR' },
    { name: 'n', type: 'HUGEINT' },
  ];
  const rows = [
    ['a', '12345678901234567890'],
    [null, '-5'],
    ['b', null],
  ].map((values) => rowOf(columns, values));
  expect(rows[0]).toMatchObject({ n: { digits: '12345678901234567890' } });
  expect(chartColumns(columns)).toEqual({ label: 'c', value: 'n' });
  expect(chartColumns([{ name: 'c', type: 'VARCHAR' }])).toBeNull();
  expect(chartBars(rows, 'c', 'n').map(({ label, value }) => [label, value])).toEqual([
    ['a', Number('12345678901234567890')],
    ['null', -5],
  ]);
});

test('the number of a bar has all digits of a whole number, and its name all fields of a nested value', () => {
  const rows = [
    { c: { model: 'a' }, n: 1_234_567 },
    { c: ['x', 1], n: 0.123456789 },
    { c: Number.POSITIVE_INFINITY, n: -0.000123456789 },
    rowOf(
      [
        { name: 'c', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
      ['id', '9007199254740993'],
    ),
  ];
  const bars = chartBars(rows, 'c', 'n');
  expect(bars.map(({ label }) => label)).toEqual(['{"model":"a"}', '["x",1]', 'Infinity', 'id']);
  expect(bars.map(barFigure)).toEqual(['1,234,567', '0.123457', '-0.000123', '9,007,199,254,740,993']);
});

test('a query is named by its first comment, otherwise by its text', () => {
  expect(queryTitle('\n-- Refunds by country\nSELECT 1')).toBe('Refunds by country');
  expect(queryTitle('SELECT 1\n  FROM x')).toBe('SELECT 1 FROM x');
});
