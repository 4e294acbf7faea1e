/** A JSON document that holds its rows in a list is read as that list; where several lists are possible, it is asked. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileRegistry } from '../../electron/uploads/types.ts';
import { WHOLE_DOCUMENT } from '../../electron/uploads/unpack/document-rows.ts';
import { JsonDocument } from '../../electron/uploads/unpack/json-document.ts';
import { packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { openFiles } from '../helpers/open-files.ts';
import { runs } from '../helpers/runs.ts';

let folder: DataFolder;
let files: FileRegistry;
beforeAll(() => {
  folder = new DataFolder();
  files = openFiles(folder.path);
});
afterAll(() => folder[Symbol.dispose]());

let made = 0;
async function preview(content: unknown, { sheet = null as string | null, indent = 0 } = {}) {
  made += 1;
  const path = folder.file(`${made}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, indent));
  const [offered] = await files.offer([path]);
  const found = await files.inspect(offered?.fileId ?? '', sheet === null ? null : { sheet });
  return {
    ...{ sheet: found.dialect.sheet ?? null, sheets: found.sheets, note: found.notes[0], notes: found.notes },
    names: found.columns.map(({ name }) => name),
    rows: found.head.map(({ cells }) => cells),
  };
}

const rows = [
  { id: 'a', v: 1 },
  { id: 'b', v: 2 },
];

describe.each([
  ['on one line', 0],
  ['over several lines', 2],
])('a document %s', (_form, indent) => {
  test.each(['data', 'rows', 'Results', 'anything'])(
    'with rows in “%s” alone is read as them',
    async (key) => {
      const found = await preview({ [key]: rows }, { indent });
      expect(found).toMatchObject({ sheet: key, names: ['id', 'v'] });
      expect(found.rows).toEqual([
        ['a', '1'],
        ['b', '2'],
      ]);
      expect(found.note).toBe(`JSON: one object; its list “${key}” is read, 2 objects, a row each.`);
    },
  );

  test('with other keys names what is passed over', async () => {
    const found = await preview({ total: 2, next: null, data: rows, meta: { page: 1 } }, { indent });
    expect(found.note).toContain('a row each. Keys beside it are passed over: total, next, meta.');
  });

  test('with rows in an inner object is read as them', async () => {
    const found = await preview({ took: 1, hits: { total: 2, hits: rows } }, { indent });
    expect(found).toMatchObject({ sheet: 'hits.hits', names: ['id', 'v'] });
  });

  test('with several lists is asked for', async () => {
    const content = { data: rows, errors: [{ code: 1 }] };
    const refusal = preview(content, { indent });
    await expect(refusal).rejects.toMatchObject({
      code: 'NEEDS_DECISION',
      message: expect.stringContaining(
        'several lists that can hold its rows: data (2 objects), errors (1 object).',
      ),
      details: {
        sheets: ['data', 'errors', WHOLE_DOCUMENT],
        nextStep: expect.stringContaining('--sheet data'),
      },
    });
    expect(await preview(content, { indent, sheet: 'errors' })).toMatchObject({
      names: ['code'],
      rows: [['1']],
    });
    const whole = await preview(content, { indent, sheet: WHOLE_DOCUMENT });
    expect(whole).toMatchObject({ names: ['data', 'errors'], sheet: WHOLE_DOCUMENT });
    await expect(preview(content, { indent, sheet: 'other' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('with a list of other values beside its rows is read as the rows', async () => {
    expect(await preview({ columns: ['id', 'v'], data: rows }, { indent })).toMatchObject({ sheet: 'data' });
  });
});

test('a row with a conversation stays one row, and its list can be chosen', async () => {
  const row = { id: 'a', messages: [{ role: 'user', content: 'hello' }] };
  expect(await preview(row)).toMatchObject({ sheet: null, names: ['id', 'messages'] });
  const found = await preview(row, { indent: 2 });
  expect(found).toMatchObject({
    sheet: WHOLE_DOCUMENT,
    sheets: ['messages', WHOLE_DOCUMENT],
    names: ['id', 'messages'],
  });
  expect(found.note).toContain('read as one row. Lists in it can be read instead: messages (1 object).');
  expect(await preview({ messages: row.messages })).toMatchObject({ names: ['messages'] });
});

test('a table by columns is one row, with advice', async () => {
  const found = await preview({ id: { 0: 'a', 1: 'b' }, v: { 0: 1, 1: 2 } }, { indent: 1 });
  expect(found.rows).toHaveLength(1);
  expect(found.notes.join(' ')).toContain('orient="records"');
  const ids = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [at, `id${at}`]));
  const large = await preview({ id: ids, v: ids });
  expect(large.notes.join(' ')).toContain('orient="records"');
});

test('JSON Lines with lists in their rows stay rows', async () => {
  const lines = [1, 2].map((id) => `${JSON.stringify({ id, data: rows })}\n`).join('');
  expect((await preview(lines)).names).toEqual(['id', 'data']);
  const long = [1, 2].map((id) => `${JSON.stringify({ id, data: Array(500).fill(rows[0]) })}\n`).join('');
  expect((await preview(long)).rows).toHaveLength(2);
});

test.each([
  ['nothing', ['', '', '']],
  ['commas', ['', ', ', '']],
  ['commas before line ends', ['', ',\n', '\n']],
  ['record separators', ['\u001e', '\n\u001e', '\n']],
])('objects with %s between them are a row each', async (_what, [before, between, after]) => {
  const text = rows.map((row) => JSON.stringify(row)).join(between);
  const found = await preview(`${before}${text}${after}`);
  expect(found).toMatchObject({ names: ['id', 'v'], sheets: [] });
  expect(found.rows).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
  expect(found.note).toBe('JSON: objects that are not one to a line, a row each.');
});

test('an element that is no object, and a file that is cut off, are bad rows', async () => {
  const path = folder.file('cut.json');
  writeFileSync(path, '{"data": [{"id": 1}, 5, {"id": 2}, {"id"');
  const [offered] = await files.offer([path]);
  const { problems, head } = await files.inspect(offered?.fileId ?? '', null);
  expect(head).toHaveLength(2);
  expect(problems).toHaveLength(2);
});

test('only an object on a line that ends in a list of rows is a document', () => {
  const format = (text: string) => packedFormat('a.json', Buffer.from(text));
  expect(format('{"data": [{"a": 1}]}')).toBe('json-objects');
  expect(format('\ufeff{"data": [{"a": 1}]}')).toBe('json-objects');
  expect(format(`{"data": [{"a": "${'x'.repeat(5_000)}"}, `)).toBe('json-objects');
  expect(format('{"data": [{"a": 1}]}\n{"data": []}')).toBeNull();
  expect(format('{"data": [1, 2]}')).toBeNull();
  expect(format('{"a": 1}')).toBeNull();
  expect(format('{"a": 1}\r\n\r\n{"a": 2}\r\n')).toBeNull();
  expect(format('a,b\n1,2\n')).toBeNull();
});

test('the elements of a list are those of the parser, wherever the bytes are split', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const key = fc.constantFrom('a', 'data', 'x"y', 'ü', 'b\\');
  fc.assert(
    fc.property(
      ...[fc.dictionary(key, value), fc.array(value), fc.constantFrom(0, 2), fc.integer({ min: 1, max: 50 })],
      (before, list, indent, size) => {
        const document = { before, inner: { rows: list }, after: before };
        const bytes = Buffer.from(JSON.stringify(document, null, indent));
        const [outline, elements] = [new JsonDocument('a'), new JsonDocument('a', 'inner.rows')];
        const found: string[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          outline.push(bytes.subarray(at, at + size));
          found.push(...elements.push(bytes.subarray(at, at + size)));
        }
        expect([...found, ...elements.end()].map((text) => JSON.parse(text))).toEqual(
          JSON.parse(JSON.stringify(list)),
        );
        const objects = list.filter(
          (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
        );
        const { isOne, keys, lists } = outline.outline;
        expect({ isOne, keys }).toEqual({ isOne: true, keys: ['before', 'inner', 'after'] });
        expect(lists.find(({ path }) => path === 'inner.rows')?.objects ?? 0).toBe(objects.length);
      },
    ),
    { numRuns: runs(300) },
  );
});
