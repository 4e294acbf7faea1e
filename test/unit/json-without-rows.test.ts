/** JSON documents whose rows have no names, that have no rows, or of which only a person can say what the rows are. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { WHOLE_DOCUMENT } from '../../electron/uploads/unpack/json-document.ts';
import { TABLE_DOCUMENT } from '../../electron/uploads/unpack/json-tables.ts';
import { PACKED_HEAD_BYTES, packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

let made = 0;
async function preview(content: unknown, { sheet = null as string | null, indent = 0, end = 'json' } = {}) {
  made += 1;
  const path = folder.file(`${made}.${end}`);
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(path, isText ? content : JSON.stringify(content, null, indent));
  const [offered] = await files.offer([path]);
  const found = await files.inspect(offered?.fileId ?? '', sheet === null ? null : { sheet });
  return {
    ...{ sheet: found.dialect.sheet ?? null, note: found.notes[0], notes: found.notes },
    names: found.columns.map(({ name }) => name),
    rows: found.head.map(({ cells }) => cells),
  };
}

const rows = [
  { id: 'a', v: 1 },
  { id: 'b', v: 2 },
];

describe('a document without rows is refused', () => {
  test.each<[string, object, RegExp]>([
    [
      'DataTables',
      {
        draw: 1,
        recordsTotal: 2,
        recordsFiltered: 2,
        data: [
          ['a', 1],
          ['b', 2],
        ],
      },
      /Expected objects in the list “data” of .*, got 2 lists of cells without names\..*--sheet "the whole object"/,
    ],
    ['cells alone', { data: [['a', 1]] }, /got 1 list of cells without names/],
    [
      'cells in an inner object',
      {
        status: 'ok',
        result: {
          rows: [
            [1, 2],
            [3, 4],
          ],
        },
      },
      /“result\.rows”/,
    ],
    [
      'an empty answer',
      { total: 0, results: [] },
      /has no rows: its list “results” is empty\..*--sheet "the whole object"/,
    ],
    ['an empty list', { data: [] }, /its list “data” is empty\..*--sheet "the whole object"/],
  ])('%s', async (_name, content, reason) => {
    for (const indent of [0, 2]) {
      const refusal = await preview(content, { indent }).then(() => '', String);
      expect(refusal).toMatch(reason);
      expect((await preview(content, { indent, sheet: WHOLE_DOCUMENT })).rows).toHaveLength(1);
    }
  });

  test('cells in a long line', async () => {
    const data = Array.from({ length: 900 }, (_, at) => [`name ${at}`, at]);
    await expect(preview({ draw: 1, recordsTotal: 900, data })).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
    });
  });

  test.each<[string, object]>([
    ['a list of texts', { data: ['a', 'b'], total: 2 }],
    ['another field', { data: [[1, 2]], label: 'x' }],
    ['a list of another name', { id: 1, tags: [] }],
  ])('not with %s', async (_name, content) => {
    expect((await preview(content)).rows).toHaveLength(1);
  });

  test.each(['null', ' null \n', '[null]', '[null, null]', 'null\nnull\n'])('%j alone', async (text) => {
    await expect(preview(text)).rejects.toMatchObject({
      code: 'FILE_EMPTY',
      message: expect.stringContaining('it holds nothing but null'),
    });
  });
});

test.each([
  ['json', '5'],
  ['json', 'true\n'],
  ['jsonl', '1\n2.5\nnull\n'],
  ['ndjson', 'false\n{"a": 1}\n'],
])('values without names in a file named .%s are rows: %j', async (end, text) => {
  const { rows: found, notes } = await preview(text, { end });
  expect(found).toHaveLength(text.trim().split('\n').length);
  expect(notes[0]).toContain('without a name');
});

test('objects with the same fields under keys of their own are asked for', async () => {
  const content = { r1: { a: 1, b: 'x' }, r2: { a: 2, b: 'y' } };
  for (const indent of [0, 2]) {
    await expect(preview(content, { indent })).rejects.toMatchObject({
      code: 'NEEDS_DECISION',
      message: expect.stringContaining('of 2 objects with the same fields, which can be its rows or one row'),
      details: {
        sheets: [TABLE_DOCUMENT, WHOLE_DOCUMENT],
        nextStep: expect.stringMatching(/--sheet "the table"$/),
      },
    });
    const table = await preview(content, { indent, sheet: TABLE_DOCUMENT });
    expect(table.names).toEqual(['index', 'a', 'b']);
    expect(table.rows).toEqual([
      ['r1', '1', 'x'],
      ['r2', '2', 'y'],
    ]);
    expect(await preview(content, { indent, sheet: WHOLE_DOCUMENT })).toMatchObject({ names: ['r1', 'r2'] });
  }
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`r${at}`, { a: at, b: 'x' }]));
  await expect(preview(many)).rejects.toMatchObject({ code: 'NEEDS_DECISION' });
});

test('one record whose parts have the same fields is one row, on one line and on several', async () => {
  const part = (text: string) => ({ text, lang: 'en' });
  for (const content of [
    { input: part('Where?'), output: part('There.') },
    { input: part('Where?'), output: part('There.'), expected: part('Here.') },
    { input: part('Where? '.repeat(500)), output: part('There. '.repeat(500)) },
  ])
    for (const indent of [0, 2])
      expect(await preview(content, { indent })).toMatchObject({
        names: Object.keys(content),
        rows: [{ length: Object.keys(content).length }],
      });
});

test('long objects by keys on one line are recognized wherever the first bytes are cut off', () => {
  const long = (shift: number) =>
    Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `id${at}`,
        { name: `name ${at}`, note: 'x'.repeat(at === 0 ? shift : 300), score: at },
      ]),
    );
  const missed = Array.from({ length: 400 }, (_, shift) => shift).filter((shift) => {
    const head = Buffer.from(JSON.stringify(long(shift))).subarray(0, PACKED_HEAD_BYTES);
    return packedFormat('a.json', head) !== 'json-objects';
  });
  expect(missed).toEqual([]);
  // An unfinished text is no object: the first row of JSON Lines may have one.
  const row = JSON.stringify({ meta: { id: 1, lang: 'en' }, text: 'x'.repeat(PACKED_HEAD_BYTES) });
  expect(packedFormat('a.json', Buffer.from(row).subarray(0, PACKED_HEAD_BYTES))).toBeNull();
});

test('splits of a dataset in one document are asked for', async () => {
  await expect(preview({ train: rows, test: rows })).rejects.toMatchObject({
    code: 'NEEDS_DECISION',
    details: { sheets: ['train', 'test', WHOLE_DOCUMENT] },
  });
});

test('the rows of DataTables and JSON:API are read', async () => {
  const tables = { draw: 1, recordsTotal: 2, recordsFiltered: 2, data: rows };
  expect(await preview(tables)).toMatchObject({ sheet: 'data', names: ['id', 'v'] });
  const api = {
    data: [{ type: 'a', id: '1', attributes: { v: 1 } }],
    included: [{ type: 'b', id: '2' }],
    jsonapi: { version: '1.0' },
  };
  const found = await preview(api);
  expect(found.sheet).toBe('data');
  expect(found.note).toContain('Keys beside it are skipped: included, jsonapi.');
});
