/** A second table below or beside the first one is reported, and its header does not affect the first table. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { readBack } from '../helpers/read-back.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';
import { inline, number, sheetRows, workbookOf } from '../helpers/workbook-file.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

async function notesOf(text: string) {
  const path = folder.file('tables.csv');
  writeFileSync(path, text);
  return readBack(path);
}

test.each([
  ['other names', 'id,n\na,1\nb,2\n\ncity,km\nBonn,10\n', 'Line 5 (“city”, “km”)'],
  ['a shared name', 'id,n\na,1\nb,2\n\n\nid,km\nx,10\ny,20\n', 'Line 6 (“id”, “km”)'],
  ['fewer columns', 'id,n,m\na,1,2\nb,2,3\n\ncity,km,\nBonn,10,\n', 'Line 5 (“city”, “km”)'],
])('below a blank line, with %s', async (_, text, place) => {
  const { names, notes } = await notesOf(text);
  expect(names.slice(0, 2)).toEqual(['id', 'n']);
  expect(notes).toContain(`${place} below a blank line may be the header of another table.`);
});

test.each([
  ['groups of rows', 'id,n\na,1\n\nb,2\n\nc,3\n'],
  ['a text among numbers', 'id,n\na,1\n\nb,NA\nc,3\n'],
  ['texts alone', 'q,a\nx,y\n\nz,w\nu,v\n'],
  ['a cell of several lines', 'q,n\n"x\ny",1\nword,other\nz,2\n'],
])('%s are one table', async (_, text) => {
  expect((await notesOf(text)).notes).not.toContain('another table');
});

test.each([
  ['of its own width', 'a,b\n1,2\n3,4\n\nc,d,e\nx,y,1\nz,w,2\n'],
  ['as wide as the wider one, as in a sheet', 'a,b,\n1,2,\n3,4,\n,,\nc,d,e\nx,y,1\nz,w,2\n'],
])('a table above a wider one is refused, not passed over as a title: %s', async (_, text) => {
  await expect(notesOf(text)).rejects.toThrow(
    'Expected one table, got one of 2 columns from line 1 on, and one of 3 columns from line 5 on.',
  );
});

/** A table of five columns, as wide as all lines of its sheet. */
const WIDE = ',,,,\nid,name,n,m,city\n1,a,1,2,x\n2,b,2,3,y\n3,c,4,5,z\n';

test.each([
  ['labels with values', 'Company,ACME,,,\nRun,2024-01-01,,,\nPeriod,2024-12-31,,,\n', 3],
  ['labels with counts', 'Company,ACME,,,\nRows,5,,,\nColumns,7,,,\nPages,2,,,\n', 4],
  ['pairs of label and value', 'Client,ACME,Site,Berlin,\nYear,2024,Month,5,\nOrder,12,Total,7,\n', 3],
  ['pairs with a gap', 'Client,ACME,Site,Berlin,\nYear,2024,,,\nOrder,12,Total,7,\n', 3],
  ['labels with values and units', 'Parameter,Value,Unit,,\nLength,5,mm,,\nWidth,7,mm,,\n', 3],
  ['a small table of names and numbers', 'city,km,,,\nBonn,10,,,\nKiel,20,,,\n', 3],
])('%s above a table of a sheet are passed over, which is named', async (_, text, last) => {
  const { names, rows, notes } = await notesOf(`${text}${WIDE}`);
  expect(names).toEqual(['id', 'name', 'n', 'm', 'city']);
  expect(rows).toHaveLength(3);
  expect(notes).toContain(`Lines 1 to ${last} above the header (${last} lines) are passed over`);
  expect(notes).toContain('--header-line 1');
});

test.each([
  ['numbers below names', 'a,b,,,\n1,2,,,\n3,4,,,\n', 2],
  ['a name that comes again', 'city,km,,,\nBonn,10,,,\nBonn,20,,,\n', 2],
  ['three columns', 'city,km,pop,,\nBonn,10,5,,\nKiel,20,6,,\n', 3],
])('a table with %s above a wider one of a sheet is refused', async (_, text, columns) => {
  await expect(notesOf(`${text}${WIDE}`)).rejects.toThrow(
    `Expected one table, got one of ${columns} columns from line 1 on`,
  );
});

test('facts that are surely some are passed over without a further note', async () => {
  const { notes } = await notesOf(`Metric,Value,,,\nRows,5,,,\nFrom,2026-01-01,,,\n${WIDE}`);
  expect(notes).not.toContain('above the header');
});

test.each([
  ['facts', 'Metric,Value,\nRows,5,\nFrom,2026-01-01,\n,,\nc,d,e\nx,y,1\nz,w,2\n'],
  ['a title', 'Report,,\nMay 2026,,\n,,\nc,d,e\nx,y,1\nz,w,2\n'],
  ['one row', 'a,b,\n1,2,\n,,\nc,d,e\nx,y,1\nz,w,2\n'],
])('%s above a table are passed over', async (_, text) => {
  expect((await notesOf(text)).names).toEqual(['c', 'd', 'e']);
});

test.each([
  [
    'two columns on each side',
    4,
    'If columns D and further are another table, move it to a sheet of its own',
  ],
  ['one column', 3, null],
])('beside a blank column of a sheet: %s', async (_, width, said) => {
  const values = [
    ['id', 'n', null, 'city', 'km'],
    ['a', 1, null, 'Bonn', 10],
  ];
  const rows = sheetRows(
    values.map((row) =>
      row
        .slice(0, width + 1)
        .map((value) =>
          value === null ? '<c/>' : typeof value === 'number' ? number(value) : inline(value),
        ),
    ),
  );
  const path = folder.file(`beside-${width}.xlsx`);
  writeFileSync(path, workbookOf({ sheets: { Data: { rows } } }));
  const [offered] = await files.offer([path]);
  const notes = (await files.inspect(offered?.fileId ?? '', null)).notes.join('\n');
  expect(notes).toContain('1 column without any value skipped: C.');
  if (said === null) expect(notes).not.toContain('another table');
  else expect(notes).toContain(said);
});
