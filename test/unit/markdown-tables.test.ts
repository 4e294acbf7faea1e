/** Tables in Markdown: cells without the blanks around them, escaped bars, and several tables in a document. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { markdownTables } from '../../electron/uploads/unpack/markdown-table.ts';
import { packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import { neverHangs } from '../helpers/never-hangs.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

let made = 0;
async function preview(text: string, { sheet = null as string | null, end = 'md' } = {}) {
  made += 1;
  const path = folder.file(`${made}.${end}`);
  writeFileSync(path, text);
  const [offered] = await files.offer([path]);
  const found = await files.inspect(offered?.fileId ?? '', sheet === null ? null : { sheet });
  return {
    ...{ sheets: found.sheets, notes: found.notes, problems: found.problems },
    names: found.columns.map(({ name }) => name),
    rows: found.head.map(({ cells }) => cells),
    lines: found.head.map(({ line }) => line),
  };
}

const TABLE =
  '| id | note   |  score |\n|:---|:------:|-------:|\n| 1  | a \\| b |    0.5 |\n| 2  |        |   1.25 |\n';

test.each(['md', 'markdown', 'txt', 'csv'])('a table in a file named .%s', async (end) => {
  const found = await preview(TABLE, { end });
  expect(found.names).toEqual(['id', 'note', 'score']);
  expect(found.rows).toEqual([
    ['1', 'a | b', '0.5'],
    ['2', null, '1.25'],
  ]);
  expect(found.lines).toEqual([3, 4]);
  expect(found.notes[0]).toBe('Markdown: a table of 2 rows, read without the blanks around its cells.');
});

test('a table without bars at its ends, below other text', async () => {
  const found = await preview(
    '# Results\n\nAll of them | here:\n\nid | name\n--|--\n1 | "a, b"\n2|c\n\nEnd.\n',
  );
  expect(found.names).toEqual(['id', 'name']);
  expect(found.rows).toEqual([
    ['1', '"a, b"'],
    ['2', 'c'],
  ]);
  expect(found.notes[0]).toContain('Its header is in line 5 of the document');
});

test('another table of the document can be chosen, and is named as not read', async () => {
  const text = `${TABLE}\n## More\n\n| x |\n|---|\n| 9 |\n`;
  const first = await preview(text);
  expect(first.sheets).toEqual(['table in line 1', 'table in line 8']);
  expect(first.notes[0]).toContain('Not read: table in line 8.');
  const second = await preview(text, { sheet: 'table in line 8' });
  expect(second).toMatchObject({ names: ['x'], rows: [['9']] });
  await expect(preview(text, { sheet: 'table in line 3' })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

test('a row with other cells than the header is a bad row', async () => {
  expect((await preview(`${TABLE}| 3 | c |\n`)).problems).toEqual([
    expect.stringContaining('Line 5: Expected 3 cells, got 2.'),
  ]);
});

test('bars in other text are no table', () => {
  for (const text of ['a | b\n1 | 2\n', '| a\n|--|--\n', 'id|note\n--|--\n1|a\n', '|a|b|\n|1|2|\n'])
    expect(packedFormat('rows.txt', Buffer.from(text))).toBeNull();
});

test('long lines of bars and blanks are read in linear time', () => {
  neverHangs(() => {
    for (const part of ['|', '| ', ' ', '-', '|-', '\\|'])
      markdownTables(`${part.repeat(200_000)}x\n${part.repeat(200_000)}\n`);
  });
});
