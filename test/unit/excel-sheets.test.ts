/** Cells of Excel workbooks are read as Excel shows them, and each kind of unusual value is reported with its count. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Heartbeat } from '../../electron/uploads/heartbeat.ts';
import { builtInFormat } from '../../electron/uploads/unpack/excel/number-format.ts';
import { unpack } from '../../electron/uploads/unpack/unpack.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { inline, number, sheetRows, type WorkbookParts, workbookOf } from '../helpers/workbook-file.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

async function read(book: Buffer, sheet: string | null = null) {
  writeFileSync(folder.file('book.xlsx'), book);
  const target = folder.file('book.csv');
  const step = {
    path: folder.file('book.xlsx'),
    name: 'book.xlsx',
    format: 'excel',
    member: null,
    sheet,
    target,
  } as const;
  const found = await unpack(step, new Heartbeat());
  const [about, ...notes] = found.notes;
  return { ...found, about, notes, text: readFileSync(target, 'utf8') };
}

/** A sheet with the header `a` (`b`, `c`) above these cells. */
const table = (
  rows: readonly (readonly (string | null)[] | null)[],
  parts: Partial<WorkbookParts> = {},
): Buffer =>
  workbookOf({
    ...parts,
    sheets: {
      Data: { rows: sheetRows([rows[0]?.map((_, at) => inline('abc'[at] ?? '')) ?? [], ...rows]) },
    },
  });

/** Returns the text of a number with this format. */
async function shown(serial: number | string, format: string, date1904?: string): Promise<string> {
  const { text } = await read(
    table([[number(serial, 1)]], { formats: [format], ...(date1904 === undefined ? {} : { date1904 }) }),
  );
  return text.split('\n')[1] ?? '';
}

describe('dates and times', () => {
  test('every minute of three days is converted exactly, with the precision of Excel', async () => {
    const minutes = Array.from({ length: 3 * 1_440 }, (_, at) => at);
    // Excel stores 15 digits.
    const rows = minutes.map((at) => [number(Number((46_023 + at / 1_440).toPrecision(15)), 1)]);
    const { text } = await read(table(rows, { formats: ['yyyy-mm-dd hh:mm:ss'] }));
    const expected = minutes.map((at) => new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString().slice(0, 19));
    expect(text.trimEnd().split('\n').slice(1)).toEqual(expected);
  });

  test.each([
    // Milliseconds are rounded, and half a millisecond is rounded up.
    [46_023 + 1 / 86_400_000, 'yyyy-mm-dd hh:mm:ss.000', '2026-01-01T00:00:00.001'],
    [46_023.999_999_999, 'yyyy-mm-dd hh:mm', '2026-01-02T00:00:00'],
    [45_292, 'd/m/yyyy', '2024-01-01'],
    [45_292, 'd/m/yyyy h:mm', '2024-01-01T00:00:00'],
    [45_292.5, 'd/m/yyyy', '2024-01-01T12:00:00'],
    // A time of day has no date, and a duration may exceed 24 hours.
    [0.5, 'h:mm:ss', '12:00:00'],
    [0, 'h:mm', '00:00:00'],
    [0.5, 'yyyy-mm-dd hh:mm', '12:00:00'],
    [0.999_999_999_9, 'h:mm:ss', '00:00:00'],
    [1.5, '[h]:mm:ss', '36:00:00'],
    [1.5, '[mm]:ss', '36:00:00'],
    [0.25, '[ss]', '06:00:00'],
    [-0.5, '[h]:mm', '-12:00:00'],
    [100.000_011_574_074, '[h]:mm:ss.000', '2400:00:01'],
    // The first days of 1900, and 29 February 1900, a day that did not exist.
    [1, 'yyyy-mm-dd', '1900-01-01'],
    [59, 'yyyy-mm-dd', '1900-02-28'],
    [60, 'yyyy-mm-dd', '1900-02-29'],
    [61, 'yyyy-mm-dd', '1900-03-01'],
    [0, 'yyyy-mm-dd', '1900-01-00'],
    [2_958_465, 'yyyy-mm-dd', '9999-12-31'],
    [2_958_466, 'yyyy-mm-dd', '2958466'],
    [-1, 'yyyy-mm-dd', '-1'],
  ])('%d as %s is %s', async (serial, format, expected) => {
    expect(await shown(serial, format)).toBe(expected);
  });

  test.each([['1'], ['true']])('date1904="%s" counts from 1904, and says so', async (date1904) => {
    const book = table([[number(44_197, 1)], [number(0, 1)], [number(0.5, 1)]], {
      formats: ['yyyy-mm-dd'],
      date1904,
    });
    const { text, notes } = await read(book);
    expect(text).toBe('a\n2025-01-02\n1904-01-01\n1904-01-01T12:00:00\n');
    expect(notes).toEqual(['Dates of this workbook count from 1904.']);
    expect(await shown(44_197, 'yyyy-mm-dd', 'false')).toBe('2021-01-01');
  });

  test.each([
    '[$-409]m/d/yy h:mm AM/PM;@',
    '[Red][$-F800]dddd, mmmm dd, yyyy',
    '"Day: "d\\.m\\.yyyy',
    'yyyy"年"m"月"d"日"',
    '[$-411]ggge"年"m"月"d"日"',
    'd\\ mmmm\\ yyyy\\ "г."',
    'mmm-yy',
    '[<1]h:mm;d.m.yy',
    '_-* dd/mm/yyyy_-;-* dd/mm/yyyy_-',
    'yyyy-mm-dd;[Red]-yyyy-mm-dd;"none"',
    'YYYY-MM-DD',
    '[$-x-sysdate]dddd',
  ])('the format %s is a date format', async (format) => {
    expect(await shown(45_292, format)).toMatch(/^2024-01-01/);
  });

  test.each([
    '0.00E+00',
    '#,##0.00" d"',
    '0.0\\d',
    '0.00%',
    '[$€-407] #,##0.00',
    '[Red]0;[Blue]-0',
    '"month "0',
    '#,##0_);(#,##0)',
    '_-* #,##0.00 _€_-',
    'General" days"',
    '# ?/?',
    '@',
    '[>=1000]#,##0,"K";0',
    '[$-409]General',
    '0.0,,"M"',
  ])('the format %s is a number format', async (format) => {
    expect(await shown('45292.5', format)).toBe('45292.5');
  });

  test('minutes and months are distinguished by their neighbours', async () => {
    expect(await shown(0.5, 'mm:ss')).toBe('12:00:00');
    expect(await shown(45_292, 'mm/yy')).toBe('2024-01-01');
    expect(await shown(0.75, 'h "o\'clock" m')).toBe('18:00:00');
  });

  test('built-in formats, which have a number and no code', () => {
    const kinds = [0, 2, 9, 14, 20, 22, 45, 46, 47, 49, 57].map((id) => builtInFormat(id)(1));
    expect(kinds).toEqual([
      ...[
        'number',
        'number',
        'number',
        'date',
        'time',
        'date-time',
        'time',
        'duration',
        'time',
        'number',
        'date',
      ],
    ]);
  });

  test('dates before 1900 and dates in ISO 8601 stay unchanged', async () => {
    const { text } = await read(
      table([
        [inline('1899-07-14'), '<c t="d"><v>2021-06-10T00:47:45.7</v></c>'],
        [inline('1066'), '<c t="d"><v>2021-06-10T00:00:00</v></c>'],
      ]),
    );
    expect(text).toBe('a,b\n1899-07-14,2021-06-10T00:47:45.7\n1066,2021-06-10\n');
  });
});

describe('values in cells of a sheet', () => {
  test('texts are read unchanged: shared, rich, phonetic, inline, CDATA, escaped, with every space', async () => {
    const shared = [
      '<t>plain</t>',
      '<r><t>rich </t></r><r><rPr><b/></rPr><t xml:space="preserve">text </t></r>',
      '<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>',
      '<t><![CDATA[<a> & b]]></t>',
      '<t>tab_x0009_and _x005F_x0009_</t>',
      '<t>&lt;&#228;&#x1F600;&gt;</t>',
    ];
    const cells = shared.map((_xml, at) => [`<c t="s"><v>${at}</v></c>`]);
    const { text } = await read(table(cells, { shared }));
    expect(text).toBe('a\nplain\n"rich text "\n東京\n<a> & b\ntab\tand _x0009_\n<ä😀>\n');
    const inlined = [
      '<c t="inlineStr"><is><t><![CDATA[one]]> &amp; <![CDATA[two]]></t></is></c>',
      '<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>',
      '<c t="str"><f>A1&amp;"x"</f><v>cached</v></c>',
    ];
    expect((await read(table([inlined]))).text).toBe('a,b,c\none & two,ab,cached\n');
  });

  test('numbers with their digits, booleans, results of shared formulas', async () => {
    const { text } = await read(
      table([
        [number('9007199254740993'), number('0.1'), number('1E+3')],
        ['<c t="b"><v>1</v></c>', '<c t="b"><v>0</v></c>', '<c><f t="shared" si="0"/><v>7</v></c>'],
      ]),
    );
    expect(text).toBe('a,b,c\n9007199254740993,0.1,1000\ntrue,false,7\n');
  });

  test('zeros that a format shows in front belong to the value, others do not', async () => {
    const formats = ['00000', '00000;@', '[$-409]000', '0', '000.0', '"A"000', '000-000', '00%'];
    const zeros: string[] = [];
    for (const format of formats) zeros.push(await shown(7, format));
    expect(zeros).toEqual(['00007', '00007', '007', '7', '7', 'A007', '000-007', '7']);
    expect(await shown(123_456, '00000')).toBe('123456');
    expect(await shown('7.5', '00000')).toBe('7.5');
    expect(await shown(-7, '00000')).toBe('-7');
  });

  test('percentages are read as the numbers behind them, which is reported with their number', async () => {
    const book = table([[number('0.05', 1)], [number('0.5', 2)], [number(1, 3)]], {
      formats: ['0%', '0.00\\ %', '0" %"'],
    });
    const { text, notes } = await read(book);
    expect(text).toBe('a\n0.05\n0.5\n1\n');
    expect(notes).toEqual([
      '2 cells (first: A2) shown as a percentage, read as the number behind it: 5% is 0.05.',
    ]);
  });

  test('errors and formulas without a result have no value, and are counted', async () => {
    const { text, notes } = await read(
      table([
        ['<c t="e"><v>#N/A</v></c>', number(1)],
        ['<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', '<c><f>A2+1</f><v/></c>'],
        ['<c t="str"><f>""</f><v></v></c>', '<c><f>A3+1</f></c>'],
      ]),
    );
    expect(text).toBe('a,b\n,1\n,\n,\n');
    expect(notes).toEqual([
      '2 cells (first: A2) with an error (#N/A, #DIV/0!) read as no value.',
      '2 cells (first: B3) with a formula, but without its result in the file, read as no value. Open the workbook in Excel and save it to compute them.',
    ]);
  });

  test('counts impossible days and numbers that are not dates', async () => {
    const { text, notes } = await read(
      table([[number(60, 1)], [number(0, 1)], [number(-3, 1)], [number(5_000_000, 1)]], {
        formats: ['d.m.yy'],
      }),
    );
    expect(text).toBe('a\n1900-02-29\n1900-01-00\n-3\n5000000\n');
    expect(notes).toEqual([
      '2 cells (first: A2) with a day that no calendar has, written as Excel shows it (1900-01-00 or 1900-02-29).',
      '2 cells (first: A4) with the format of a date and a number that is none, written as that number.',
    ]);
  });
});

describe('sheets of a workbook', () => {
  const rows = sheetRows([[inline('a')], [number(1)]]);

  test('a sheet with a chart, a dialog or a macro has no data and causes no rejection', async () => {
    const sheets = {
      Chart: { rows: '', type: 'chartsheet' },
      Dialog: { rows: '', type: 'dialogsheet' },
      Macro: { rows: '', type: 'xlMacrosheet' },
      Data: { rows },
    };
    expect(await read(workbookOf({ sheets }))).toMatchObject({
      text: 'a\n1\n',
      sheets: ['Data'],
      sheet: 'Data',
    });
    await expect(
      read(workbookOf({ sheets: { Chart: { rows: '', type: 'chartsheet' } } })),
    ).rejects.toMatchObject({
      code: 'FILE_EMPTY',
    });
  });

  test('a hidden sheet is read if it is requested, or if no other has cells', async () => {
    const sheets = {
      Old: { rows, state: 'hidden' },
      Very: { rows, state: 'veryHidden' },
      New: { rows: sheetRows([[inline('b')], [number(2)]]) },
    };
    const book = workbookOf({ sheets });
    expect(await read(book)).toMatchObject({
      sheet: 'New',
      sheets: ['Old', 'Very', 'New'],
      text: 'b\n2\n',
      notes: [],
    });
    expect(await read(book, 'Very')).toMatchObject({
      text: 'a\n1\n',
      notes: ['The sheet is hidden in the workbook.'],
    });
    expect(await read(workbookOf({ sheets: { Old: sheets.Old, Empty: { rows: '' } } }))).toMatchObject({
      sheet: 'Old',
    });
  });

  test('skips blank rows wherever they are, and columns without values', async () => {
    const blank = `<row r="4"><c r="B4" s="1"/><c r="C4" t="str"><f>""</f><v></v></c></row>`;
    const book = workbookOf({
      formats: ['0'],
      sheets: {
        Data: {
          rows: `<row r="3"><c r="B3" t="inlineStr"><is><t>a</t></is></c><c r="D3" t="inlineStr"><is><t>b</t></is></c></row>${blank}<row r="6"><c r="B6"><v>1</v></c><c r="D6"><v>2</v></c></row><row r="9"><c r="B9" s="1"/></row>`,
        },
      },
    });
    const { text, notes } = await read(book);
    // Blank lines keep the distance between the rows of the sheet, so line 6 of this text would be row 8.
    expect(text).toBe('a,b\n\n\n1,2\n');
    expect(notes).toEqual([
      '4 blank rows skipped, the first is row 1; the table begins in row 3.',
      '2 columns without any value skipped: A, C.',
    ]);
  });

  test('a table of one column keeps its rows whose only cell has no value', async () => {
    expect((await read(table([[number(1)], ['<c t="e"><v>#N/A</v></c>'], [number(2)]]))).text).toBe(
      'a\n1\n""\n2\n',
    );
  });

  const merged = (areas: readonly string[], ...cells: (readonly (string | null)[] | null)[]): Buffer => {
    const after = `<mergeCells>${areas.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`;
    return workbookOf({ sheets: { Data: { rows: sheetRows(cells), after } } });
  };
  const grouped = (areas: readonly string[], ...above: (readonly (string | null)[] | null)[]): Buffer =>
    merged(
      areas,
      ...above,
      [inline('id'), inline('Scores'), null, inline('Note')],
      [null, inline('first'), inline('second'), null],
      [number(1), number(2), number(3), inline('x')],
      [number(4), null, number(6), inline('y')],
    );

  test('a header of two rows with merged cells is joined to one name for each column', async () => {
    const { text, notes } = await read(grouped(['A1:A2', 'B1:C1', 'D1:D2']));
    expect(text).toBe('\nid,Scores first,Scores second,Note\n1,2,3,x\n4,,6,y\n');
    expect(notes).toContain(
      'The header has 2 rows with merged cells, which are joined to one name for each column, such as “Scores first”.',
    );
    const below = await read(grouped(['A1:D1', 'A3:A4', 'B3:C3', 'D3:D4'], [inline('Report')], null));
    expect(below.text).toBe('Report,,,\n\n\nid,Scores first,Scores second,Note\n1,2,3,x\n4,,6,y\n');
  });

  /** A sheet with these header rows above one row of data. */
  const headed = (areas: readonly string[], ...head: (readonly (string | null)[] | null)[]): Buffer =>
    merged(areas, ...head, [inline('Ann'), inline('Bern'), number(7)]);

  test('the joined names are in the last filled row of the header if the rows below it have only merged cells', async () => {
    const groups = [inline('Customer'), null, inline('Amount')];
    const names = [inline('Name'), inline('City'), null];
    const { text, notes } = await read(
      headed(['A1:B1', 'A2:A3', 'B2:B3', 'C1:C3'], groups, names, [null, null, null]),
    );
    expect(text).toBe('\nCustomer Name,Customer City,Amount\n\nAnn,Bern,7\n');
    expect(notes).toContain(
      'The header has 2 rows with merged cells, which are joined to one name for each column, such as “Customer Name”.',
    );
    // A filled row between blank rows, below a title.
    const below = headed(
      ['A2:B3', 'A4:A5', 'B4:B5', 'C2:C5'],
      ...[[inline('Report')], groups, null, names, null],
    );
    expect((await read(below)).text).toBe('Report,,\n\n\nCustomer Name,Customer City,Amount\n\nAnn,Bern,7\n');
  });

  test('a header whose only filled row is the first one stays unchanged', async () => {
    const groups = [inline('Customer'), null, inline('Amount')];
    for (const areas of [
      ['A1:B1', 'C1:C2'],
      ['A1:B2', 'C1:C2'],
    ]) {
      const { text, notes } = await read(headed(areas, groups, [null, null, null]));
      expect(text).toBe('Customer,,Amount\n\nAnn,Bern,7\n');
      expect(notes.join()).not.toContain('joined');
    }
  });

  test('merged cells of another kind join nothing', async () => {
    const plain = 'id,Scores,,Note\n,first,second,\n1,2,3,x\n4,,6,y\n';
    // There is no merged area, or the merged area is in the rows below the header.
    for (const areas of [['A1:A2'], ['A3:A4', 'B3:C3']])
      expect((await read(grouped(areas))).text).toBe(plain);
    const ofNumbers = merged(
      ['A1:A2', 'B1:C1'],
      [inline('a'), inline('b'), null],
      [null, number(1), number(2)],
      [inline('c'), number(3), number(4)],
    );
    expect((await read(ofNumbers)).text).toBe('a,b,\n,1,2\nc,3,4\n');
  });

  test('merged areas, hidden rows and hidden columns are reported', async () => {
    const book = workbookOf({
      sheets: {
        Data: {
          before: '<cols><col min="1" max="1" hidden="1"/><col min="5" max="9" hidden="1"/></cols>',
          rows: `${sheetRows([
            [inline('a'), inline('b')],
            [number(1), number(2)],
          ])}<row r="3" hidden="1"><c r="A3"><v>3</v></c></row>`,
          after:
            '<mergeCells count="3"><mergeCell ref="B2:B3"/><mergeCell ref="A3:XFD3"/><mergeCell ref="F1:G9"/></mergeCells>',
        },
      },
    });
    const { text, notes } = await read(book);
    expect(text).toBe('a,b\n1,2\n3,\n');
    expect(notes).toEqual([
      '1 hidden row and 1 hidden column read like the others.',
      '2 merged areas (first: B2:B3): the value stands in the first cell only, 2 other cells are empty.',
    ]);
  });

  test.each([
    ['prefixes of elements', { prefix: 'x' }],
    ['no declaration', { declaration: '' }],
    ['a comment before the root', { declaration: '<!-- made by hand -->' }],
  ])('%s make no difference', async (_what, parts) => {
    expect((await read(table([[number(1)]], parts))).text).toBe('a\n1\n');
  });

  test('cells and rows without positions follow one another', async () => {
    const sheets = {
      Data: {
        rows: '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row><row><c><v>1</v></c><c><v>2</v></c></row>',
      },
    };
    expect((await read(workbookOf({ sheets }))).text).toBe('a,b\n1,2\n');
  });
});

describe('a damaged workbook is rejected with the reason', () => {
  test('other bytes than were written', async () => {
    const book = table([[number(1)]])
      .toString('latin1')
      .replace('<v>1<', '<v>7<');
    await expect(read(Buffer.from(book, 'latin1'))).rejects.toMatchObject({
      message: expect.stringContaining('has other bytes in “xl/sheets/1.xml” than were written'),
    });
  });

  const sheet = (rows: string) => workbookOf({ sheets: { Data: { rows } } });
  test.each([
    [
      'a number that is none',
      sheet('<row r="1"><c r="A1"><v>1,5</v></c></row>'),
      'has “1,5” in cell A1 where a number was expected',
    ],
    [
      'a text that is not there',
      sheet('<row r="1"><c r="A1" t="s"><v>3</v></c></row>'),
      'has “3” in cell A1 where the number of a shared text was expected',
    ],
    [
      'rows in the wrong order',
      sheet('<row r="2"><c r="A2"><v>1</v></c></row><row r="1"/>'),
      'has row 1 after row 2',
    ],
    [
      'a cell of another row',
      sheet('<row r="2"><c r="A3"><v>1</v></c></row>'),
      'has the cell “A3” in the wrong place of row 2',
    ],
    [
      'a type that is not known',
      sheet('<row r="1"><c r="A1" t="x"><v>1</v></c></row>'),
      'has the unknown type “x” in cell A1',
    ],
    [
      'XML that does not end',
      sheet('<row r="1"><c r="A1"><v>1</v>'),
      'closes “sheetData”, which is not open',
    ],
    ['a long tag without an end', sheet(`<${'a'.repeat(500_000)}`), 'has a tag that does not end'],
    [
      'an entity that is not known',
      sheet('<row r="1"><c r="A1" t="str"><v>&bomb;</v></c></row>'),
      'has the unknown entity “&bomb;”',
    ],
    [
      'a document type',
      workbookOf({ declaration: '<!DOCTYPE a [<!ENTITY b "c">]>', sheets: { Data: { rows: '' } } }),
      'has a document type',
    ],
  ])('%s', async (_what, book, reason) => {
    await expect(read(book)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringContaining(`book.xlsx cannot be read as an Excel workbook, because it ${reason}`),
    });
  });
});
