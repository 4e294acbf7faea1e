/**
 * Unusual workbooks: text of number formats, headers that are numbers, groups above names, and files of another type
 * that are named like a workbook.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';
import { inline, number, sheetRows, type WorkbookParts, workbookOf } from '../helpers/workbook-file.ts';
import { zipFile } from '../helpers/zip-file.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

let made = 0;
/** Returns the preview of a file with this content. */
async function preview(content: string | Uint8Array, name = 'book.xlsx') {
  made += 1;
  const path = folder.file(`${made}-${name}`);
  writeFileSync(path, content);
  const [offered] = await files.offer([path]);
  const { columns, head, notes } = await files.inspect(offered?.fileId ?? '', null);
  return { names: columns.map((column) => column.name), rows: head.map(({ cells }) => cells), notes };
}
const book = (
  rows: readonly (readonly (string | null)[] | null)[],
  parts: Partial<WorkbookParts> = {},
  merged: readonly string[] = [],
): Buffer => {
  const after = `<mergeCells>${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`;
  return workbookOf({
    ...parts,
    sheets: { Data: { rows: sheetRows(rows), ...(merged.length === 0 ? {} : { after }) } },
  });
};
const texts = (...cells: string[]): (string | null)[] =>
  cells.map((cell) => (cell === '' ? null : inline(cell)));

describe('text of a number format', () => {
  /** Returns a number with this format as it is read. */
  const shown = async (value: number | string, format: string) => {
    const rows = [texts('id', 'v'), [inline('a'), number(value, 1)]];
    const { rows: found, notes } = await preview(book(rows, { formats: [format] }));
    return { text: found[0]?.[1], notes };
  };

  test.each([
    [7, '"ID-"0000', 'ID-0007'],
    [12_345, '"ID-"0000', 'ID-12345'],
    [78_051_120, '000-00-0000', '078-05-1120'],
    [78_051_120, '000\\-00\\-0000', '078-05-1120'],
    [21_381_234, '00000\\-0000', '02138-1234'],
    [5_551_234, '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '555-1234'],
    [2_125_551_234, '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '(212) 555-1234'],
    [7, '\\#000', '#007'],
    [1_230, '0":"00', '12:30'],
    [1_234_567, '000" "000', '1234 567'],
    [42, '"K"00"-x"', 'K42-x'],
    [7, '"Room "0000', 'Room 0007'],
    [7, '"CAD-"000', 'CAD-007'],
    [84_713_001, '0000\\.00\\.00', '8471.30.01'],
    [12_345_678_909, '000\\.000\\.000\\-00', '123.456.789-09'],
    [41_791_234_567, '+00" "00" "000" "00" "00', '+41 79 123 45 67'],
    [7, '\\ 00', ' 07'],
  ])('%d in %s is %s', async (value, format, text) => {
    expect((await shown(value, format)).text).toBe(text);
  });

  test.each([
    ...([
      [1_234, '#\\.##0'],
      [1_234, '#","##0'],
      [1_234_567, '#\\.###\\.##0'],
      [1_234, '000\\.000'],
      [125, '0\\.0'],
      [15, '0\\,0'],
      [1_234, '00\\.00'],
      [123_456, '#" "##0"."00'],
      [5, '[$CHF] 00'],
      [5, '[$kr.-406] 0000'],
      [5, '"CHF "0000'],
      [5, '"kr"00'],
      [5, '"kg "00'],
      [5, '"about "00" kg"'],
      [5, '"("00")"'],
      [5, '"( "00" kg)"'],
      [5, '\\-00'],
      [5, '"− "0000'],
      [7, '+00'],
    ] as const),
  ])('%d in %s is the number', async (value, format) => {
    expect((await shown(value, format)).text).toBe(String(value));
  });

  test.each([...(['0" kg"', '00" kg"', '#,##0\\ "kg"', '0.00" kg"', '"about "0.0" kg"'] as const)])(
    'a unit in %s is left out of the number, with a note',
    async (format) => {
      const { text, notes } = await shown(1_234.5, format);
      expect(text).toBe('1234.5');
      expect(notes.join()).toContain('shown with a word or currency beside the number (“');
      expect(notes.join()).toContain('kg');
    },
  );

  test('numbers that a format for codes cannot show whole stay numbers, which is reported with their number', async () => {
    const values = [123, -5, 1.5, 45_678, '-0.25'];
    const rows = [texts('id', 'v'), ...values.map((value) => [inline('a'), number(value, 1)])];
    const { rows: found, notes } = await preview(book(rows, { formats: ['00000'] }));
    expect(found.map(([, cell]) => cell)).toEqual(['00123', '-5', '1.5', '45678', '-0.25']);
    expect(notes.join()).toContain(
      '3 cells (first: B3) with the format of a code and a number that is negative',
    );
    const plain = await preview(
      book([texts('id', 'v'), [inline('a'), number(-5, 1)]], { formats: ['0.00'] }),
    );
    expect(plain.notes.join()).not.toContain('format of a code');
  });

  test('currencies of one column are reported each', async () => {
    const rows = [
      texts('id', 'v'),
      [inline('a'), number(5, 1)],
      [inline('b'), number(6, 2)],
      [inline('c'), number(7)],
    ];
    const formats = ['#,##0.00\\ [$€-407]', '"US$"#,##0.00'];
    const { rows: found, notes } = await preview(book(rows, { formats }));
    expect(found.map(([, cell]) => cell)).toEqual(['5', '6', '7']);
    expect(notes).toContain(
      '2 cells (first: B2) shown with a word or currency beside the number (“€”, “US$”), read as the number alone.',
    );
  });

  test.each(['#\\ ##0', '0.0', '#,##0', '0.00E+00', '# ?/?', '0', 'General', '0%', '#" "##0', '"€"00'])(
    'a number as such stays one in %s',
    async (format) => {
      expect((await shown(1_234, format)).text).toBe('1234');
    },
  );

  test('each value that gets text is counted', async () => {
    const rows = [
      texts('id', 'v'),
      [inline('a'), number(7, 1)],
      [inline('b'), number(12, 1)],
      [inline('c'), number(-3, 1)],
    ];
    const changes = await copyLedger(
      files,
      folder.file('count.xlsx'),
      book(rows, { formats: ['"ID-"0000'] }),
    );
    expect(changes).toMatchObject([
      {
        rule: 'sheet-text',
        source: 'v',
        count: 2,
        examples: [{ before: '7', after: 'ID-0007' }, { after: 'ID-0012' }],
      },
    ]);
  });
});

describe('a header of numbers or dates', () => {
  const body = [
    [inline('north'), number('5.5'), number(6)],
    [inline('south'), number(7), number('8.25')],
  ];

  test('of a workbook is one: years, and days', async () => {
    const years = await preview(book([[inline('region'), number(2024), number(2025)], ...body]));
    expect(years).toMatchObject({ names: ['region', '2024', '2025'], rows: [['north', '5.5', '6'], {}] });
    const head = [inline('region'), number(46_023, 1), number(46_054, 1)];
    const days = await preview(book([head, ...body], { formats: ['mmm\\-yy'] }));
    expect(days.names).toEqual(['region', '2026-01-01', '2026-02-01']);
  });

  test.each([
    ['region;2024;2025\nnorth;5.5;6\nsouth;7;8\n', ['region', '2024', '2025']],
    ['region,2025,2024\nnorth,5.5,2023\n', ['region', '2025', '2024']],
    [',0,1,2\n0,5.5,6,x\n1,7,8,y\n', ['column_1', '0', '1', '2']],
    [',0\n0,5.5\n1,7\n', ['column_1', '0']],
    ['id\t2026-01-01\t2026-01-02\na\t5\t6\n', ['id', '2026-01-01', '2026-01-02']],
  ])('of text is one: %j', async (text, names) => {
    expect((await preview(text, 'a.csv')).names).toEqual(names);
  });

  test.each([
    'name;value\nname;\u0661\u0662\nb;\u0663\n',
    'name;value\nname;1.234,50\nb;2,25\n',
    'name;value\nname;\u22125\nb;7\n',
  ])('of names is one above numbers in any notation, though a name is a value too: %j', async (text) => {
    expect((await preview(text, 'a.csv')).names).toEqual(['name', 'value']);
  });

  test.each([
    'north,2024,2025\nsouth,2023,2026\n',
    'a,5,6\nb,7,8\n',
    '1,2,3\n4,5,6\n',
    'north,2024\nsouth,7\n',
    'north,2025,2024,2026\nsouth,1,2,3\n',
    'x,0,1\ny,0,1\n',
  ])('is none if the row can be data: %j', async (text) => {
    expect((await preview(text, 'a.csv')).names[0]).toBe('column_1');
  });
});

describe('names below groups of columns', () => {
  const groups = [inline('id'), inline('First'), null, inline('Second'), null];

  test('are joined to them if the other columns have a name in one of the two rows', async () => {
    const names = texts('', 'name', 'score', 'name', 'score');
    const rows = [groups, names, texts('a', 'x', 'y', 'z', 'w'), texts('b', 'p', 'q', 'r', 's')];
    const { names: found, notes } = await preview(book(rows, {}, ['B1:C1', 'D1:E1']));
    expect(found).toEqual(['id', 'First name', 'First score', 'Second name', 'Second score']);
    expect(notes.join()).toContain('The header has 2 rows with merged cells, which are joined');
  });

  test('are joined if the values below are of another kind, years above included', async () => {
    const years = [inline('id'), number(2024), null, number(2025), null];
    const rows = [
      years,
      texts('key', 'q1', 'q2', 'q1', 'q2'),
      [inline('a'), ...[1, 2, 3, 4].map((n) => number(n))],
    ];
    const { names } = await preview(book(rows, {}, ['B1:C1', 'D1:E1']));
    expect(names).toEqual(['id key', '2024 q1', '2024 q2', '2025 q1', '2025 q2']);
  });

  test('are joined above the names of an index, as pandas writes a pivot table', async () => {
    const years = [inline('year'), ...[2025, 2026, 2025, 2026].map((year) => number(year))];
    const rows = [
      [null, inline('cost'), null, inline('sales'), null],
      years,
      texts('city', '', '', '', ''),
      [inline('Paris'), ...[1, 2, 3, 4].map((value) => number(value))],
    ];
    const { names, rows: found, notes } = await preview(book(rows, {}, ['B1:C1', 'D1:E1']));
    expect(names).toEqual(['city', 'cost 2025', 'cost 2026', 'sales 2025', 'sales 2026']);
    expect(found).toEqual([['Paris', '1', '2', '3', '4']]);
    expect(notes.join()).toContain(
      '3 rows with merged cells, which are joined to one name for each column, such as “cost 2025”',
    );
    const one = [
      [null, null, inline('price'), null],
      texts('', '', 'low', 'high'),
      texts('city', 'street', '', ''),
      [inline('Rome'), inline('Via A'), number(1), number(2)],
    ];
    expect((await preview(book(one, {}, ['C1:D1']))).names).toEqual([
      'city',
      'street',
      'price low',
      'price high',
    ]);
    const title = [
      [inline('Report'), null, null],
      texts('id', 'name', 'n'),
      texts('a', '', ''),
      [inline('b'), inline('x'), number(1)],
    ];
    expect((await preview(book(title, {}, ['A1:C1']))).names).toEqual(['id', 'name', 'n']);
  });

  test('are not names if they can be values', async () => {
    const rows = [groups, texts('a', 'x', 'y', 'z', 'w'), texts('b', 'p', 'q', 'r', 's')];
    const { rows: found } = await preview(book(rows, {}, ['B1:C1', 'D1:E1']));
    expect(found[0]?.[0]).toBe('a');
    const numbers = [groups, [null, ...[1, 2, 3, 4].map((n) => number(n))], texts('b', 'p', 'q', 'r', 's')];
    expect((await preview(book(numbers, {}, ['B1:C1', 'D1:E1']))).rows).toHaveLength(2);
    const again = [groups, texts('', 'x', 'x', 'z', 'w'), texts('b', 'p', 'q', 'r', 's')];
    expect((await preview(book(again, {}, ['B1:C1', 'D1:E1']))).rows).toHaveLength(2);
  });
});

describe('a file of another kind', () => {
  const types = { '[Content_Types].xml': '<Types/>' };
  test.each([
    ['book.xlsx', { ...types, 'xl/workbook.bin': '\0' }, 'a binary Excel workbook (.xlsb)'],
    ['book.xlsb', { ...types, 'xl/workbook.bin': '\0' }, 'a binary Excel workbook (.xlsb)'],
    [
      'book.xlsx',
      { mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' },
      '(.ods)',
    ],
    [
      'book.ods',
      { mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' },
      '(.ods)',
    ],
    ['book.numbers', { 'Index/Document.iwa': 'x' }, 'Apple Numbers'],
    ['book.xlsx', { ...types, 'word/document.xml': '<a/>' }, 'a Word document'],
  ])('%s with other parts is named', async (name, parts, kind) => {
    const refusal = preview(zipFile(parts), name);
    await expect(refusal).rejects.toMatchObject({ code: 'FILE_BINARY' });
    await expect(refusal).rejects.toThrow(
      /^Expected an Excel workbook \(\.xlsx\), got .*save it as \.xlsx, or save/,
    );
    await expect(refusal).rejects.toThrow(kind);
  });

  test.each([
    ['table.xls', '<html><body><table><tr><td>1</td></tr></table></body></html>', 'a web page (HTML)'],
    ['table.xls', '\ufeff\n<!DOCTYPE html>\n<p>Sign in</p>', 'a web page (HTML)'],
    ['table.html', '<TR><TH>id</TH>\n</TR>\n<TR><TD>1</TD>\n</TR>\n', 'a web page (HTML)'],
    ['table.xlsx', '<?xml version="1.0"?><Workbook/>', 'an XML document'],
  ])('%s of markup is named: %j', async (name, text, kind) => {
    await expect(preview(text, name)).rejects.toThrow(kind);
  });
});

test('a longer sheet of one column is not a sheet of notes', async () => {
  const sheets = {
    Prompts: { rows: sheetRows(['prompt', 'one', 'two', 'three'].map((text) => [inline(text)])) },
    Settings: {
      rows: sheetRows([
        [inline('key'), inline('value')],
        [inline('k'), number(1)],
      ]),
    },
  };
  expect(await preview(workbookOf({ sheets }))).toMatchObject({ names: ['prompt'] });
});

test('a table is preferred to a sheet of notes before it', async () => {
  const data = sheetRows([
    [inline('a'), inline('b')],
    [number(1), number(2)],
    [number(3), number(4)],
  ]);
  const sheets = {
    'Read me': { rows: sheetRows([[inline('Made by the export')], [inline('Ask us')]]) },
    Data: { rows: data },
  };
  expect(await preview(workbookOf({ sheets }))).toMatchObject({
    names: ['a', 'b'],
    rows: [
      ['1', '2'],
      ['3', '4'],
    ],
  });
});

describe('results of formulas', () => {
  const rows = [
    texts('id', 'sum', 'word'),
    [number(1), '<c><f>A2*2</f><v>0</v></c>', '<c t="str"><f>""</f><v></v></c>'],
    [number(2), '<c><f>A3*2</f><v>0</v></c>', inline('a')],
  ];

  test('may be placeholders if the workbook asks to be computed when it is opened, which is reported with their number', async () => {
    const { rows: found, notes } = await preview(book(rows, { isComputedWhenOpened: true }));
    expect(found).toEqual([
      ['1', '0', null],
      ['2', '0', 'a'],
    ]);
    expect(notes.join()).toContain('3 cells (first: B2) with a formula, whose result in the file may be a');
  });

  test('are not reported in other workbooks', async () => {
    const { notes } = await preview(book(rows));
    expect(notes.join()).not.toContain('formula');
  });
});

test('values of the last columns are not reported as skipped if the columns get a name', async () => {
  const { names, notes } = await preview('id,v,\n1,2,3\n4,5,6\n', 'nameless.csv');
  expect(names).toEqual(['id', 'v', 'column_3']);
  expect(notes).toContain('Column 3 has no name in the header: it is called “column_3”.');
  expect(notes.join()).not.toContain('skipped as empty');
});
