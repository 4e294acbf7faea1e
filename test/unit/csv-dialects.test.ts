/** Delimited text as real files contain it: lines above the header, delimiters at line ends, quotes of every kind. */
import { writeFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { afterAll, describe, expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

let files = 0;
function write(content: string | Buffer): string {
  files += 1;
  const path = folder.file(`file-${files}.csv`);
  writeFileSync(path, content);
  return path;
}

const HEADER = ['id', 'day', 'amount', 'note'];
const ROWS = [
  ['T1', '2026-03-01', '10.5', 'fine'],
  ['T2', '2026-03-02', '11.5', 'late'],
  ['T3', '2026-03-03', '12.5', 'fine'],
];
const lines = (delimiter = ',', rows: readonly string[][] = [HEADER, ...ROWS]) =>
  rows.map((cells) => cells.join(delimiter)).join('\n');

describe('lines before the header are found and shown', () => {
  test.each<[string, string, number, RegExp]>([
    ['blank lines', `\n\n\n${lines()}\n`, 4, /3 blank lines/],
    ['blank lines of blanks', `  \n\t\n${lines()}\n`, 3, /2 blank lines/],
    ['rows of delimiters alone', `,,,\n,,,\n${lines()}\n`, 3, /2 blank lines/],
    ['a title', `Card payments\n${lines()}\n`, 2, /“Card payments”/],
    ['a title padded with delimiters', `Card payments,,,\n${lines()}\n`, 2, /“Card payments”/],
    ['a title in quotes with commas', `"Cards, March, 2026"\n${lines()}\n`, 2, /“Cards, March, 2026”/],
    ['blank lines around a title', `\n\nCard payments\n\n${lines()}\n`, 5, /3 blank lines, “Card payments”/],
    ['comments', `# made by export\n# it's "fine", mostly\n${lines()}\n`, 3, /2 comments/],
    ['sep=', `sep=;\r\n${lines(';')}\n`, 2, /names the delimiter/],
    ['sep= in quotes', `"sep=|"\n${lines('|')}\n`, 2, /names the delimiter/],
    ['sep= of a tab', `sep=\\t\n${lines('\t')}\n`, 2, /names the delimiter/],
    [
      'names with values',
      `Report:,Cards\nFrom:,2026-03-01\n\n${lines()}\n`,
      4,
      /“Report: Cards”, “From: 2026-03-01”/,
    ],
    [
      'facts directly above the header, one of them as wide as rows without an index',
      `Station: 10384\nLat: 52.5,Lon: 13.4,Units: mm\nOwner: A\n${lines()}\n`,
      4,
      /“Station: 10384”, “Lat: 52.5 Lon: 13.4 Units: mm”, “Owner: A”/,
    ],
    [
      'names with values directly above the header',
      `Device,Logger 7\nSerial,AB12\n${lines()}\n`,
      3,
      /“Device Logger 7”, “Serial AB12”/,
    ],
    [
      'such names padded with delimiters',
      `Device,Logger 7,,\nSerial,AB12,,\n${lines()}\n`,
      3,
      /“Serial AB12”/,
    ],
    ['names of groups of columns', `,place,,sum\n${lines()}\n`, 2, /“place sum”/],
    [
      'many titles before few rows',
      `A\nB\nC\nD\n${HEADER.join(',')}\n${ROWS[0]?.join(',')}\n`,
      5,
      /“A”, “B”, “C”, 1 more line/,
    ],
    ['a title before two columns', 'Balance\nname,amount\nAnn,1\nBob,2\n', 2, /“Balance”/],
  ])('%s', async (_name, content, headerLine, said) => {
    const { preview, names, rows, bad, notes } = await readBack(write(content));
    expect(preview.dialect).toMatchObject({ hasHeader: true, headerLine });
    expect(notes).toContain(`Header: line ${headerLine}.`);
    expect(notes).toMatch(said);
    expect(bad).toEqual([]);
    expect(names.length).toBeGreaterThan(1);
    expect(rows[0]?.[0]).toBe(names[0] === 'id' ? 'T1' : 'Ann');
  });

  test('a file that begins with its header is read without changes', async () => {
    const { preview, notes } = await readBack(write(`${lines()}\n`));
    expect(preview.dialect.headerLine).toBeUndefined();
    expect(notes).toContain('Header: the first line looks like names.');
  });

  test('the first row of a table without a header may be sparse', async () => {
    const { preview, rows } = await readBack(write('1,,,\n2,3,4,5\n6,7,8,9\n'), { hasHeader: false });
    expect([preview.dialect.headerLine ?? 1, rows.length]).toEqual([1, 3]);
  });

  test('a comment with as many cells as the rows is their header', async () => {
    const content = '##source=caller\n#chrom\tstart\tend\nchr1\t5\t9\nchr2\t7\t8\n';
    const { preview, names, rows } = await readBack(write(content));
    expect(preview.dialect).toMatchObject({ headerLine: 2, hasHeader: true, delimiter: '\t' });
    expect(names).toEqual(['#chrom', 'start', 'end']);
    expect(rows).toEqual([
      ['chr1', '5', '9'],
      ['chr2', '7', '8'],
    ]);
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])(
    'in %s with any line end',
    async (encoding) => {
      for (const end of ['\n', '\r\n', '\r']) {
        for (const chunkBytes of [7, 64, undefined]) {
          const text = `Zahlungen März${end}${end}${lines().replaceAll('\n', end)}${end}`;
          const bytes = iconv.encode(text, encoding, { addBOM: encoding.startsWith('utf') });
          const path = write(bytes);
          const { preview, rows, all, names } = await readBack(path, { encoding }, chunkBytes);
          expect(preview.dialect.headerLine).toBe(3);
          expect(names).toEqual(HEADER);
          expect(rows).toEqual(ROWS);
          // Bytes and lines have no gap from the first row to the end of the file.
          expect(all.map(({ line }) => line)).toEqual([4, 5, 6]);
          for (const [index, row] of all.entries())
            if (index > 0) expect(row.byteStart).toBe(all[index - 1]?.byteEnd);
          expect(all.at(-1)?.byteEnd).toBe(bytes.length);
          const first = all[0]?.byteStart ?? 0;
          expect(iconv.decode(bytes.subarray(first), encoding, { stripBOM: false })).toMatch(/^T1,/);
        }
      }
    },
  );
});

test.each([
  ['product,1-7 Jan,8-14 Jan', 'a,1,2\nb,3,4\n', true],
  ['product,5-Mar,6-Mar', 'a,1,2\nb,3,4\n', true],
  ['product,5-Mar-24,6-Mar-24', 'a,1,2\nb,3,4\n', true],
  ['product,12_001,12_002', 'a,1,2\nb,3,4\n', true],
  ['a,5-Mar-24,x', 'b,6-Mar-24,y\nc,7-Mar-24,z\n', false],
  ['a,5 Mar 2024,x', 'b,6 Mar 2024,y\nc,7 Mar 2024,z\n', false],
  ['a,05/03/24 10:30 PM,x', 'b,06/03/24 10:30 PM,y\n', false],
])('%s is the header or a row', async (first, others, hasHeader) => {
  const { preview, rows } = await readBack(write(`${first}\n${others}`));
  expect(preview.dialect.hasHeader).toBe(hasHeader);
  expect(rows.length).toBe(others.split('\n').length - (hasHeader ? 1 : 0));
});

describe('the line of the header can be set', () => {
  const content = `Cards,March,2026,x\nmade,by,Ann,y\n${lines()}\n`;

  test('lines before it are skipped and reported', async () => {
    const { preview, names, rows, notes } = await readBack(write(content), { headerLine: 3 });
    expect(preview.dialect.headerLine).toBe(3);
    expect(names).toEqual(HEADER);
    expect(rows).toEqual(ROWS);
    expect(notes).toContain('The header is in line 3: 2 lines before it skipped.');
  });

  test('without a header it is the line of the first row', async () => {
    const { names, rows } = await readBack(write(content), { headerLine: 4, hasHeader: false });
    expect(names).toEqual(['column_1', 'column_2', 'column_3', 'column_4']);
    expect(rows).toEqual(ROWS);
  });

  test('it may be far down, after lines that are not a table', async () => {
    const far = `${'a "quote, never closed\n'.repeat(30_000)}${lines()}\n`;
    const { names, rows, all } = await readBack(write(far), { headerLine: 30_001 });
    expect([names, rows, all[0]?.line]).toEqual([HEADER, ROWS, 30_002]);
  });

  test('a line after the end of the file is rejected with the number of lines', async () => {
    const path = write(content);
    const reading = inspectFile({ path, fileId: 'x', override: { headerLine: 99 }, seed: 0.1 });
    await expect(reading).rejects.toThrow('Expected the header in line 99');
    await expect(reading).rejects.toThrow('has only 6 lines');
  });
});

test('a column with the name of an earlier one gets a number, with a note', async () => {
  const jira = 'key,label,label,label_2,label,n\na,x,y,z,w,1\nb,p,q,r,s,2\n';
  const { names, rows, notes } = await readBack(write(jira));
  expect(names).toEqual(['key', 'label', 'label_3', 'label_2', 'label_4', 'n']);
  expect(rows[0]).toEqual(['a', 'x', 'y', 'z', 'w', '1']);
  expect(notes).toContain('column 3, named “label” like column 2, is “label_3”; column 5, named');
  const levels = ',a,a\n,x,y\n0,1,2\n1,3,4\n';
  await expect(readBack(write(levels))).rejects.toMatchObject({
    code: 'FILE_MALFORMED',
    message: expect.stringContaining('got them in lines 1 to 2, as pandas writes columns of several levels'),
  });
});

describe('columns without a name', () => {
  test.each<[string, string, string[], RegExp]>([
    [
      'a delimiter at the end of each line',
      'a,b,\n1,2,\n3,4,\n',
      ['a', 'b'],
      /last column \(3\) has neither a name nor values/,
    ],
    ['several of them', 'a,b,,,\n1,2,,,\n3,4,,,\n', ['a', 'b'], /last 3 columns, from column 3 on/],
    ['only the header ends with one', 'a,b,\n1,2\n3,4\n', ['a', 'b'], /last column \(3\)/],
    ['only the rows end with one', 'a,b\n1,2,\n3,4,\n', ['a', 'b'], /Rows end with 1 empty cell/],
    ['rows end with several', 'a,b\n1,2,,,\n3,4,,,\n', ['a', 'b'], /Rows end with 3 empty cells/],
    ['some rows end with one', 'a,b\n1,2,\n3,4\n5,6,\n7,8,\n', ['a', 'b'], /Rows end with 1 empty cell/],
    ['the last one has values', 'a,b,\n1,2,x\n3,4,y\n', ['a', 'b', 'column_3'], /Column 3 has no name/],
    ['one in between', 'a,,c\n1,2,3\n4,5,6\n', ['a', 'column_2', 'c'], /Column 2 has no name/],
    [
      'the first, as pandas writes its index',
      ',a,b\n0,1,2\n1,3,4\n',
      ['column_1', 'a', 'b'],
      /Column 1 has no name/,
    ],
    [
      'a header one name short, as R writes row names',
      'a,b\nr1,1,2\nr2,3,4\n',
      ['index', 'a', 'b'],
      /taken as an index/,
    ],
    ['one name short and taken', 'index,b\nr1,1,2\nr2,3,4\n', ['index_', 'index', 'b'], /taken as an index/],
    [
      'one name and an index, or numbers that a decimal comma splits',
      'amount\n1,3\n2,5\n',
      ['index', 'amount'],
      /taken as an index .*“amount” is “3” in the first row\. If 1,3 is one number with a decimal comma, put/,
    ],
    [
      'an index, or the last number of each row split by a decimal comma',
      'id,v\na,0,5\nb,1,25\n',
      ['index', 'id', 'v'],
      /taken as an index .*“id” is “0” in the first row\. If 0,5 is one number with a decimal comma, put/,
    ],
    [
      'an index beside texts, which no comma splits',
      'id,v\n1,a,5\n2,b,25\n',
      ['index', 'id', 'v'],
      /so that “id” is “a” in the first row\.(?! If)/,
    ],
    [
      'a name that would be given twice',
      'column_2,,c\n1,2,3\n4,5,6\n',
      ['column_2', 'column_2_', 'c'],
      /Column 2 has no name/,
    ],
  ])('%s', async (_name, content, names, said) => {
    const { preview, bad, notes, rows } = await readBack(write(content));
    expect(preview.columns.map(({ name }) => name)).toEqual(names);
    expect(bad).toEqual([]);
    expect(notes).toMatch(said);
    // Each value is in the correct column, both in the preview and in the rows.
    const values = content
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(','));
    expect(rows.map((cells) => cells.slice(0, names.length))).toEqual(
      values.map((cells) => cells.slice(0, names.length)),
    );
  });

  test('a row with one value too many is bad, and a value in a skipped column is counted', async () => {
    const { bad } = await readBack(write('a,b,\n1,2,\n3,4,,5\n'));
    expect(bad.map(({ line, problem }) => [line, problem])).toEqual([
      [3, 'Expected 2 cells, got 4. Check for a missing or an unquoted delimiter.'],
    ]);
  });
});

describe('quotes are detected from the whole file', () => {
  const many = (count: number, note: (row: number) => string) =>
    `id,amount,note\n${Array.from({ length: count }, (_, row) => `T${row},${row}.5,${note(row)}\n`).join('')}`;

  test.each<[string, string, string, string[]]>([
    [
      'one note in apostrophes',
      many(40, (row) => (row === 3 ? "'verified'" : 'fine')),
      '"',
      ['T3', '3.5', "'verified'"],
    ],
    [
      'several notes in apostrophes',
      many(40, (row) => (row % 3 === 0 ? "'ok'" : 'fine')),
      '"',
      ['T3', '3.5', "'ok'"],
    ],
    [
      'apostrophes that open alone',
      many(40, (row) => (row % 2 === 0 ? "'n' roll" : "'x'")),
      '"',
      ['T3', '3.5', "'x'"],
    ],
    ['a column in apostrophes', many(40, (row) => `'note ${row}'`), "'", ['T3', '3.5', 'note 3']],
    [
      'cells with commas in apostrophes',
      many(40, (row) => (row % 2 === 0 ? 'x' : `'a, b''s'`)),
      "'",
      ['T3', '3.5', "a, b's"],
    ],
    ['quotes within cells', many(40, () => '5" pipe'), '"', ['T3', '3.5', '5" pipe']],
  ])('%s', async (_name, content, quote, third) => {
    const { preview, rows, bad } = await readBack(write(content));
    expect(preview.dialect.quote).toBe(quote);
    expect([rows[3], bad]).toEqual([third, []]);
  });

  test('a quote that appears late in a large file is detected', async () => {
    const content = many(100_000, (row) =>
      row === 3 ? "'verified'" : row === 99_000 ? '"odd, call back"' : 'fine',
    );
    const { rows, bad } = await readBack(write(content));
    expect([rows[3]?.[2], rows[99_000]?.[2], bad]).toEqual(["'verified'", 'odd, call back', []]);
  });

  test.each<[string, string, string[]]>([
    ['a blank before a quote', 'a,b\nx, "odd, x"\ny, "z"\n', ['odd, x', 'z']],
    ['a tab before a quote', 'a,b\nx,\t"odd, x"\ny,z\n', ['odd, x', 'z']],
    ['blanks on both sides', 'a,b\n "x" , "odd, x" \n "y" , "z" \n', ['odd, x', 'z']],
    ['doubled quotes behind a blank', 'a,b\nx, "say ""no"""\ny, z\n', ['say "no"', ' z']],
    ['a line end behind a blank', 'a,b\nx, "one\ntwo"\ny,z\n', ['one\ntwo', 'z']],
    ['other text behind the quote', 'a,b\nx, "tall" tree\ny, "z"\n', [' "tall" tree', 'z']],
    ['a quote that never closes', 'a,b\nx, "tall\ny,z\n', [' "tall', 'z']],
    ['a quote that would close in another row', 'a,b,c\nx, "tall,1\ny,2,27"\n', [' "tall', '2']],
  ])('detects quotes after blanks, and keeps other quotes as text: %s', async (_name, content, notes) => {
    const { rows, bad } = await readBack(write(content));
    expect(bad).toEqual([]);
    expect(rows.map((cells) => cells[1])).toEqual(notes);
  });

  test('blanks before quotes are counted', async () => {
    const { notes } = await readBack(write('a,b\n1, "x"\n2,y\n3, "z"\n'));
    expect(notes).toContain(
      '2 cells with a blank before the quote: read as quoted, without the blank (first in line 2).',
    );
  });
});

describe('an escape before quotes', () => {
  test('is proposed if the file as a whole fits it', async () => {
    const content =
      'a,b\n1,"say \\"no\\" to it"\n2,"a \\"b\\", c"\n3,"path C:\\\\dir\\\\"\n4,"tab \\t \\N"\n5,x\\,y\n';
    const { preview, rows, bad, notes } = await readBack(write(content));
    expect(preview.dialect.escape).toBe('\\');
    expect(notes).toContain('Escape \\');
    expect(bad).toEqual([]);
    expect(rows.map((cells) => cells[1])).toEqual([
      'say "no" to it',
      'a "b", c',
      'path C:\\dir\\',
      'tab \\t \\N',
      'x,y',
    ]);
  });

  test.each<[string, string, string]>([
    ['a path that ends with a backslash', 'a,b\n1,"C:\\dir\\"\n2,"C:\\x\\"\n3,z\n', 'C:\\dir\\'],
    ['JSON in a cell', 'a,b\n1,"{""k"": ""x\\""y""}"\n2,"{""k"": ""z\\""""}"\n', '{"k": "x\\"y"}'],
    ['backslashes without quotes', 'a,b\n1,C:\\dir\n2,D:\\x\n', 'C:\\dir'],
  ])('is not detected in %s', async (_name, content, first) => {
    const { preview, rows } = await readBack(write(content));
    expect([preview.dialect.escape, rows[0]?.[1]]).toEqual([undefined, first]);
  });

  test('can be set and removed, and line numbers stay right', async () => {
    const content = 'a,b\n1,"x\\\ny"\n2,u\\\nv\n3,z\n';
    const set = await readBack(write(content), { escape: '\\' });
    expect(set.rows.map((cells) => cells[1])).toEqual(['x\ny', 'u\nv', 'z']);
    expect(set.all.map(({ line }) => line)).toEqual([2, 4, 6]);
    const away = await readBack(write('a,b\n1,"x\\"\n2,"y\\""\n'), { escape: null });
    expect([away.preview.dialect.escape, away.rows[0]?.[1]]).toEqual([null, 'x\\']);
  });

  test('is rejected if it can be part of another character', async () => {
    const path = write('a,b\n1,2\n');
    const reading = inspectFile({
      path,
      fileId: 'x',
      override: { escape: '\\', encoding: 'shift_jis' },
      seed: 0.1,
    });
    await expect(reading).rejects.toThrow('cannot escape any');
  });
});

describe('rows that differ from the start of the file', () => {
  async function notesOf(content: string, override: Partial<Dialect> | null = null) {
    const path = write(content);
    const { preview } = await readBack(path, override);
    const plan: UploadPlan = {
      ...{ fileId: 'file', dialect: preview.dialect, modelId: '11111111-1111-4111-8111-111111111111' },
      ...{ modelName: 'Model', envType: 'PRODUCTION', envName: null, mode: 'publish', batchRows: 100 },
      columns: preview.columns.map(({ name, type }) => ({ source: name, target: name, type })),
      ...{ maxBatchBytes: 1_000_000, onBadRow: 'skip' },
    };
    const { notes, badRows } = await scanFile({ path, plan, model: null }, async () => undefined);
    return { notes: notes.join('\n'), badRows };
  }

  const long = (late: string) =>
    `id,amount,note\n${Array.from({ length: 30_000 }, (_, row) => `T${row},${row}.5,${row === 25_000 ? late : "'fine, so'"}\n`).join('')}`;

  test('another quote is named with the rows that it would repair', async () => {
    const { notes, badRows } = await notesOf(long('"odd, call back"'), { quote: "'" });
    expect(badRows).toBe(1);
    expect(notes).toContain('1 row that cannot be read (first in line 25,002) can be read with the quote "');
  });

  test('cells that begin with the other quote are counted', async () => {
    const { notes, badRows } = await notesOf(long('"odd"'), { quote: "'" });
    expect(badRows).toBe(0);
    expect(notes).toContain('1 cell with " at the beginning, which is not the quote of this file');
  });

  test('an escape that appears late is named', async () => {
    const rows = Array.from({ length: 30_000 }, (_, row) =>
      row === 29_000 ? '"say \\"no\\", x"' : '"a, b"',
    );
    const { notes, badRows } = await notesOf(
      `id,note\n${rows.map((note, row) => `${row},${note}\n`).join('')}`,
      {
        escape: null,
      },
    );
    expect(badRows).toBe(1);
    expect(notes).toContain('can be read with the escape \\ before quotes (--escape backslash)');
  });

  test('a row that no setting repairs causes no proposal', async () => {
    const { notes } = await notesOf('a,b\n1,2\n3,4,5\n6,7\n');
    expect(notes).not.toContain('can be read');
  });

  test('skipped values, and values in columns without a name, are counted over the whole file', async () => {
    const rows = Array.from(
      { length: 40_000 },
      (_, row) => `${row},x,${row === 39_000 ? 'late' : ''}\n`,
    ).join('');
    const { notes } = await notesOf(`Title\nid,note,\n${rows}`);
    expect(notes).toContain('The header is in line 2: 1 line before it skipped.');
    expect(notes).toMatch(/value in columns without a name|column_3/);
  });
});

describe('delimiters that are hardly ever used are found', () => {
  test.each([
    ['\u0001', 'Ctrl-A'],
    ['\u001f', 'unit separator'],
    ['~', '“~”'],
    ['^', '“^”'],
  ])('%j', async (delimiter, name) => {
    const { names, rows, notes } = await readBack(write(lines(delimiter)));
    expect(names).toEqual(HEADER);
    expect(rows).toEqual(ROWS);
    expect(notes).toContain(`Delimiter ${name}: 100 %`);
  });

  test.each([
    ['note', 'note\nabout 5~6 days\nx^2\n'],
    ['prompt', 'prompt\nx^2 + y^2 = z\na^2 + b^2 = c\nd^2 + e^2 = f\ng^2 + h^2 = i\n'],
    ['I ~~love~~ it', 'I ~~love~~ it\nI ~~hate~~ it\nI ~~like~~ it\nI ~~know~~ it\n'],
    ['cd ~/c ~/d', 'cd ~/c ~/d\ncd ~/e ~/f\ncd ~/g ~/h\ncd ~/i ~/j\n'],
    ['a~b~c', 'a~b~c\nd~e~f\n'],
  ])('but not in texts: %s', async (name, content) => {
    const { names, rows } = await readBack(write(content), { hasHeader: true });
    expect(names).toEqual([name]);
    expect(rows.every((cells) => cells.length === 1)).toBe(true);
  });

  test.each([
    ['a vertical tab within cells', 'id,note\n1,a\x0bb\n2,c\x0bd\n', ['a\x0bb', 'c\x0bd']],
    ['the end of a file behind the last line', 'id,note\n1,a\n2,b\n\x1a', ['a', 'b']],
  ])('%s is text', async (_name, content, notes) => {
    const { rows, bad } = await readBack(write(content));
    expect(bad).toEqual([]);
    expect(rows.map(([, note]) => note)).toEqual(notes);
  });

  test('a pointer of Git LFS is no table', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n';
    await expect(readBack(write(pointer))).rejects.toMatchObject({
      code: 'FILE_BINARY',
      message: expect.stringMatching(/pointer of Git LFS.*git lfs pull/),
    });
  });

  test('the end of a file behind the last line of JSON Lines is not a row', async () => {
    const { all } = await readBack(write('{"a":1}\n{"a":2}\n\x1a'));
    expect(all.map(({ record }) => record)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('a control character here and there is binary data', async () => {
    const noise = Array.from({ length: 400 }, (_, at) => (at % 9 === 0 ? '\u0001' : 'ab\n'[at % 3])).join('');
    await expect(readBack(write(noise))).rejects.toMatchObject({ code: 'FILE_BINARY' });
  });
});

test('blanks around most texts of a column are named, also if not all have them', async () => {
  const { notes } = await readBack(write('id,note,n\n a ,x,1\n b ,x,2\n---,x,3\n'));
  expect(notes).toContain('most values of “id” begin or end with one');
});
