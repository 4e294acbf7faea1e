/** Files that were joined from several ones, with their headers, blank rows and byte order marks. */
import { writeFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { afterAll, describe, expect, test } from 'vitest';
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
const lines = () => [HEADER, ...ROWS].map((cells) => cells.join(',')).join('\n');

describe('files that were joined', () => {
  const joined = `${lines()}\r\n${lines()}\n`;

  test('rows without any value are skipped, and counted', async () => {
    const { rows, bad, notes } = await readBack(
      write('id,name,v\n1,a,2\n,,\n2,,\n , ,\n"","",""\n\t\n,b,3\n,,,\n3,c,4\n'),
    );
    expect([rows.map(([id]) => id), bad]).toEqual([['1', '2', '', '3'], []]);
    expect(notes).toContain('5 rows without any value skipped (first in line 3).');
    const blank = await readBack(
      write(
        'id,name,v\n1,a,2\n\u00a0,\u00a0,\n="",="",=""\n"="""""," =""\u3000""", \n=,=,\n\u00e0,,\n2,b,3\n',
      ),
    );
    expect([blank.rows.map(([id]) => id), blank.bad]).toEqual([['1', '=', '\u00e0', '2'], []]);
    expect(blank.notes).toContain('3 rows without any value skipped (first in line 3).');
    const one = await readBack(write('name\na\n""\nb\n'));
    expect(one.rows).toEqual([['a'], [''], ['b']]);
  });

  test('lines equal to the header are skipped, and counted', async () => {
    const { names, rows, bad, notes, all } = await readBack(write(joined));
    expect(names).toEqual(HEADER);
    expect(rows).toEqual([...ROWS, ...ROWS]);
    expect(bad).toEqual([]);
    expect(all.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(notes).toContain('1 line skipped, equal to the header (line 5).');
  });

  test.each([1, 2, 3, 7])('also if the file is read in pieces of %i bytes', async (chunkBytes) => {
    const { rows } = await readBack(write(joined), null, chunkBytes);
    expect(rows).toEqual([...ROWS, ...ROWS]);
  });

  test('each with a byte order mark of its own, as Excel writes it', async () => {
    const { names, rows } = await readBack(write(`\uFEFF${lines()}\n\uFEFF${lines()}\n`));
    expect(names).toEqual(HEADER);
    expect(rows).toEqual([...ROWS, ...ROWS]);
  });

  test.each([
    ['with a usual name', 'question,answer\na,b\nquestion,answer\nc,d\n'],
    ['behind a byte order mark', '\uFEFFfrage,antwort\na,b\n\uFEFFfrage,antwort\nc,d\n'],
  ])('have a header if it occurs again %s above texts alone', async (_what, content) => {
    const { names, rows, notes } = await readBack(write(content));
    expect(names.every((name) => !name.startsWith('column_'))).toBe(true);
    expect(rows).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(notes).toContain('1 line skipped, equal to the header (line 3).');
  });

  test.each([
    'Paris,France\nRome,Italy\nParis,France\nBern,Swiss\n',
    'text,label\nlabel,label\ntext,label\nx,y\n',
  ])(
    'a row of texts that occurs again is a row of data if nothing shows that it has names: %j',
    async (content) => {
      const { rows } = await readBack(write(content));
      expect(rows).toHaveLength(4);
    },
  );

  test('are read in UTF-16 too', async () => {
    const { rows } = await readBack(write(iconv.encode(joined, 'utf-16le', { addBOM: true })));
    expect(rows).toEqual([...ROWS, ...ROWS]);
  });

  test('the name of a single column may be a value in it', async () => {
    const { rows } = await readBack(write('word\nother\nword\n'), { hasHeader: true });
    expect(rows).toEqual([['other'], ['word']]);
  });

  test('a row that only begins like the header is a row', async () => {
    const { rows } = await readBack(write(`${lines()}\nid,day,amount,notes\n`), { hasHeader: true });
    expect(rows.at(-1)).toEqual(['id', 'day', 'amount', 'notes']);
  });
});

describe('a first row that comes again may be a row', () => {
  test.each([
    ['one column of labels', 'negative\npositive\nnegative\nneutral\nnegative\n', 5],
    ['two columns of words', 'Oslo,Norway\nRome,Italy\nParis,France\n'.repeat(4), 12],
    ['equal rows', 'a,b\na,b\na,b\n', 3],
  ])('%s', async (_name, content, count) => {
    const { preview, rows, bad } = await readBack(write(content));
    expect(preview.dialect.hasHeader).toBe(false);
    expect([rows.length, bad.length]).toEqual([count, 0]);
  });
});
