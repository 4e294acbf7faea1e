/** Tables in Markdown: cells without the blanks around them, escaped bars, and several tables in a document. */
import { truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { formatOf } from '../../electron/uploads/unpack/file-format.ts';
import { MAX_MARKDOWN_BYTES, markdownTables } from '../../electron/uploads/unpack/markdown-table.ts';
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

test('a row with more cells than the header is a bad row', async () => {
  expect((await preview(`${TABLE}| 3 | c | 1 | d |\n`)).problems).toEqual([
    expect.stringContaining('Line 5: Expected 3 cells, got 4.'),
  ]);
});

test('cells that are missing at the end of a row are empty, which is noted', async () => {
  const found = await preview(`${TABLE}| 3 | c |\n| 4 |\n`);
  expect(found).toMatchObject({
    problems: [],
    rows: [{}, {}, ['3', 'c', null], ['4', null, null]],
  });
  expect(found.notes[0]).toContain(' 2 rows have fewer cells than the header; the missing ones are empty.');
  expect((await preview(`${TABLE}| 3 |\n`)).notes[0]).toContain(
    ' 1 row has fewer cells than the header; the missing ones are empty.',
  );
});

describe('a table in bars that is not named as Markdown', () => {
  const start = TABLE + '| 3 | c | 2 |\n'.repeat(400);

  test('is read in its encoding', async () => {
    const path = folder.file('latin.txt');
    writeFileSync(path, Buffer.from(`${start}| 4 | Müller | 3 |\n`, 'latin1'));
    const [offered] = await files.offer([path]);
    const found = await files.inspect(offered?.fileId ?? '', null);
    expect(found).toMatchObject({
      dialect: { encoding: 'windows-1252', delimiter: '|' },
      problems: [],
    });
    // The bars at the ends of the lines remain separators.
    expect(found.columns.map(({ name }) => name)).toEqual(['column_1', 'id', 'note', 'score']);
    expect(found.head.slice(0, 2).map(({ line }) => line)).toEqual([3, 4]);
  });

  test('has the form of Markdown only if it is UTF-8 and fits into memory', async () => {
    const form = async (name: string, content: string | Buffer, size?: number) => {
      const path = folder.file(name);
      writeFileSync(path, content);
      if (size !== undefined) truncateSync(path, size);
      await using handle = await open(path);
      return (await formatOf(handle, path, name)).format;
    };
    // The bytes of a character may be in two chunks.
    for (const shift of [0, 1, 2])
      expect(await form('a.txt', `${TABLE}${'x'.repeat(shift)}| ${'€'.repeat(200_000)} |\n`)).toBe(
        'markdown',
      );
    expect(await form('b.txt', Buffer.from(`${start}| 4 | ü | 3 |\n`, 'latin1'))).toBeNull();
    expect(
      await form('c.txt', Buffer.concat([Buffer.from(`${start}| 4 | `), Buffer.from([0xe2, 0x82])])),
    ).toBeNull();
    expect(await form('d.txt', start, MAX_MARKDOWN_BYTES + 1)).toBeNull();
    expect(await form('d.md', start, MAX_MARKDOWN_BYTES + 1)).toBe('markdown');
  });
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
