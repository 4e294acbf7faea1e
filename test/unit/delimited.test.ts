/** Written CSV and TSV files are readable by another reader, and spreadsheets run no cell as a formula. */
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { delimitedCells, delimitedLine, withoutFormula } from '../../electron/shared/delimited.ts';
import { seriesColumn, toCsv, toTabs } from '../../renderer/components/chart/summary.ts';
import { toTsv } from '../../renderer/components/grid/cells.ts';

const read = (text: string, delimiter: string) =>
  Papa.parse<string[]>(text, { delimiter, newline: '\n' }).data;
const cell = fc.string({
  unit: fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '"',
    "'",
    ',',
    ';',
    ' ',
    '\u00a0',
    'a',
    '1',
    '.',
    '＝',
  ),
  maxLength: 8,
});
const delimiter = fc.constantFrom(',', '\t', ';');
/** Whether a spreadsheet would run this cell as a formula. */
const runs = (value: string) => /^[=+\-@\t\r＝＋－＠]/.test(value.replace(/^[\s"'`]+(?=[=+\-@＝])/, ''));

const HOSTILE = [
  '=HYPERLINK("http://x","y")',
  '+1+1',
  '-2+3+cmd|" /C calc"!A0',
  '@SUM(1)',
  '\t=1+1',
  '\r=1',
  '  =1+1',
  '"=1+1"',
  '" = 1"',
  '\u00a0=1',
  '\u200b=1',
  '\ufeff=1',
  '＝1+1',
  '-',
  '-1-1',
  '+1.5.2',
];

test.each([
  ['an id', '5f0c7c1e-3c3b-4e57-9a3b', ',', '5f0c7c1e-3c3b-4e57-9a3b'],
  ['a word that holds the delimiter', 'banana', 'n', '"banana"'],
  ['a word with a line end', 'banana\n', ',', '"banana\n"'],
  ['a word after a minus', '-banana', ',', "'-banana"],
])('%s is written as a reader and a spreadsheet expect it', (_what, word, delimiter, written) => {
  expect(delimitedCells([word, 'b'], { delimiter })).toBe(`${written}${delimiter}b`);
});

describe('texts that look like formulas', () => {
  test.each(HOSTILE)('%j is a text', (value) => {
    expect(withoutFormula(value)).toBe(`'${value}`);
  });

  test.each(['-5', '+1.5', '-1e-3', '.5', '-.5', '+0', 'a=b', 'x-1', '', '2026-03-12', "it's", 'é', '5'])(
    '%j stays unchanged',
    (value) => {
      expect(withoutFormula(value)).toBe(value);
    },
  );
});

test('is read back unchanged after writing; harmless cells differ by an apostrophe only', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1 }),
      delimiter,
      (rows, by) => {
        const write = (isExact: boolean) =>
          rows.map((cells) => delimitedLine(cells, { delimiter: by, isExact })).join('');
        expect(read(write(true), by).slice(0, -1)).toEqual(rows);
        expect(read(write(false), by).slice(0, -1)).toEqual(rows.map((cells) => cells.map(withoutFormula)));
      },
    ),
  );
});

test('no spreadsheet would read a written cell as a formula', () => {
  fc.assert(
    fc.property(cell, (value) => {
      const written = withoutFormula(value);
      if (written === value && runs(value)) expect(Number.isNaN(Number(value))).toBe(false);
      else expect(written.startsWith("'") || !runs(written)).toBe(true);
    }),
  );
});

describe('every writer of tables', () => {
  const asRead = HOSTILE.map(withoutFormula);

  test('copied rows of a grid', () => {
    const columns = [
      { id: 'value', title: '=head', kind: 'text', get: (row: Record<string, unknown>) => row['value'] },
      { id: 'n', title: 'n', kind: 'number', get: (row: Record<string, unknown>) => row['n'] },
    ] as const;
    const rows = HOSTILE.map((value) => ({ value, n: -5 }));
    const [head, ...lines] = read(toTsv(columns as never, rows), '\t');
    expect(head).toEqual(["'=head", 'n']);
    expect(lines).toEqual(asRead.map((value) => [value, '-5']));
  });

  test('tables of a chart', () => {
    const series = HOSTILE.map((name, at) => ({
      ...{ id: seriesColumn(at), name, kind: 'line' as const, times: [0], values: [-1.5], look: 0 },
    }));
    const span = { startMs: 0, endMs: 0 };
    const csv = Papa.parse<string[]>(toCsv(series as never, [], span, 'UTC'), { delimiter: ',' }).data;
    expect(csv[0]?.slice(1)).toEqual(asRead);
    expect(csv[1]?.slice(1)).toEqual(HOSTILE.map(() => '-1.5'));
    const tabs = read(toTabs(series as never, [], span, 'UTC'), '\t');
    expect(tabs[0]?.slice(1).filter((name) => !name.startsWith("'"))).toEqual([]);
    expect(delimitedCells(['a', 'b'])).toBe('a,b');
  });
});
