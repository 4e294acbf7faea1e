/**
 * If a JSON document contains one list of rows, the list is read. If several lists are possible, the user chooses one.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_LEDGER, ledgerLines } from '../../electron/shared/value-ledger.ts';
import { Heartbeat } from '../../electron/uploads/heartbeat.ts';
import { JsonDocument, WHOLE_DOCUMENT } from '../../electron/uploads/unpack/json-document.ts';
import { TABLE_DOCUMENT } from '../../electron/uploads/unpack/json-tables.ts';
import { packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import { unpack } from '../../electron/uploads/unpack/unpack.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { runs } from '../helpers/runs.ts';
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
    ...{ sheet: found.dialect.sheet ?? null, sheets: found.sheets, note: found.notes[0], notes: found.notes },
    names: found.columns.map(({ name }) => name),
    rows: found.head.map(({ cells }) => cells),
    lines: found.head.map(({ line }) => line),
    encoding: found.dialect.encoding,
    isCopy: offered?.packed !== null,
  };
}

const rows = [
  { id: 'a', v: 1 },
  { id: 'b', v: 2 },
];

test('keys beyond those that the outline lists are counted as keys, not as values', async () => {
  const keys = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`key ${at}`, [1, 2, 3]]));
  const path = folder.file('many-keys.json');
  writeFileSync(path, JSON.stringify({ items: rows, ...keys }));
  const step = {
    path,
    name: 'many-keys.json',
    format: 'json-objects',
    member: null,
    sheet: 'items',
  } as const;
  const { leftOut } = await unpack({ ...step, target: folder.file('many-keys.jsonl') }, new Heartbeat());
  const lines = ledgerLines({ ...EMPTY_LEDGER, leftOut });
  expect(lines[0]).toBe('Not sent: key “key 0”, 3 values: it stands beside the list that is read.');
  expect(lines.at(-1)).toBe('Not sent: 1,151 more keys: they stand beside the list that is read.');
});

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

  test('with other keys names the skipped keys', async () => {
    const found = await preview({ total: 2, next: null, data: rows, meta: { page: 1 } }, { indent });
    expect(found.note).toContain('a row each. Keys beside it are skipped: total, next, meta.');
  });

  test('with rows in an inner object is read as them', async () => {
    const found = await preview({ took: 1, hits: { total: 2, hits: rows } }, { indent });
    expect(found).toMatchObject({ sheet: 'hits.hits', names: ['id', 'v'] });
    expect(found.note).toContain('Keys beside it are skipped: took, hits.total.');
  });

  test('with rows below the names of a query of GraphQL is read as them', async () => {
    const issues = { nodes: rows, pageInfo: { hasNextPage: false } };
    const found = await preview({ data: { viewer: { repository: { issues } } } }, { indent });
    expect(found).toMatchObject({ sheet: 'data.viewer.repository.issues.nodes', names: ['id', 'v'] });
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

test.each(['[]', '[\n]\n', ' [ ] '])(
  'an empty list (%j) has no rows, which is another error than a malformed row',
  async (text) => {
    await expect(preview(text)).rejects.toMatchObject({
      code: 'FILE_EMPTY',
      message: expect.stringContaining('has no rows: its list is empty.'),
    });
    await expect(preview('[{}]')).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
  },
);

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

const SPAN = {
  name: 'chat',
  context: { trace_id: '0x1', span_id: '0x2' },
  attributes: { model: 'm' },
  events: [{ name: 'exception', attributes: {} }],
};

describe.each([
  ['json', 0],
  ['json', 2],
  ['jsonl', 0],
  ['jsonl', 2],
])('one object in a .%s file with an indent of %i', (end, indent) => {
  test.each<[string, object]>([
    ['an order with its items', { order_id: 1, items: [{ sku: 1 }, { sku: 2 }] }],
    ['an order in an inner object', { order: { order_id: 1, items: [{ sku: 1 }] } }],
    ['a question with its documents', { question: 'q', documents: [{ id: 1 }], examples: [{ id: 2 }] }],
    ['a conversation with its documents', { messages: [{ role: 'user' }], documents: [{ id: 1 }] }],
    ['a span', SPAN],
    ['a span with links', { ...SPAN, links: [{ context: { trace_id: '0x3', span_id: '0x4' } }] }],
    ['a retrieval', { results: [{ id: 1 }], labels: ['a'], query: 'q' }],
    [
      'a session of many fields',
      Object.fromEntries([...Array(99).keys()].map((at) => [`f${at}`, [{ a: 1 }]])),
    ],
  ])('is one row if it is %s', async (_, object) => {
    const found = await preview(object, { end, indent });
    expect(found.names).toEqual(Object.keys(object));
    expect(found.rows).toHaveLength(1);
  });
});

test('one row whose lists can be read says how to choose one', async () => {
  const row = { order_id: 1, items: [{ sku: 1 }, { sku: 2 }] };
  const found = await preview(row);
  expect(found).toMatchObject({ sheet: WHOLE_DOCUMENT, sheets: ['items', WHOLE_DOCUMENT] });
  expect(found.note).toBe(
    'JSON: one object, read as one row. Lists in it can be read instead: items (2 objects). Choose one under Rows, or with --sheet.',
  );
  expect((await preview(row, { sheet: 'items' })).rows).toEqual([['1'], ['2']]);
});

test.each([
  { totalCount: 2, next_page_token: null, has_more: false, links: { next: 'x', terms: 'y' } },
  { object: 'list', first_id: 'a', last_id: 'b', 'has-more': true },
  { '@odata.context': 'c', '@odata.nextLink': 'n' },
  { took: 1, timed_out: false, _shards: { total: 1 }, status: 200 },
  { apiVersion: 'v1', kind: 'List', metadata: {}, timestamp: 'now', columns: ['id', 'v'] },
])('a list in an envelope of %o is read', async (envelope) => {
  expect(await preview({ ...envelope, data: rows })).toMatchObject({ sheet: 'data', names: ['id', 'v'] });
});

test('a file of JSON Lines with one row of one list stays a row', async () => {
  const found = await preview({ data: rows }, { end: 'ndjson' });
  expect(found).toMatchObject({ names: ['data'], isCopy: false });
});

const TABLES: [string, object][] = [
  ['lists of values', { id: ['a', 'b'], v: [1, 2] }],
  ['objects by row number', { id: { 0: 'a', 1: 'b' }, v: { 0: 1, 1: 2 } }],
  ['rows under their numbers', { 0: { id: 'a', v: 1 }, 1: { id: 'b', v: 2 } }],
  [
    'names beside lists of cells',
    {
      columns: ['id', 'v'],
      index: [0, 1],
      data: [
        ['a', 1],
        ['b', 2],
      ],
    },
  ],
  [
    'cells with the description of Weights & Biases',
    {
      ...{ columns: ['id', 'v'], ncols: 2, nrows: 2, column_types: { wb_type: 'typedDict' } },
      data: [
        ['a', 1],
        ['b', 2],
      ],
    },
  ],
];

describe.each(TABLES)('a table as %s', (_form, table) => {
  test.each([0, 2])('is read as its rows, or as one row by choice (indent %i)', async (indent) => {
    const found = await preview(table, { indent });
    expect(found).toMatchObject({ names: ['id', 'v'], sheet: TABLE_DOCUMENT });
    expect(found.sheets).toEqual([TABLE_DOCUMENT, WHOLE_DOCUMENT]);
    expect(found.rows).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(found.note).toMatch(/^JSON: one object that is a table, .*: 2 rows\.$/);
    const whole = await preview(table, { indent, sheet: WHOLE_DOCUMENT });
    expect(whole).toMatchObject({ names: Object.keys(table), sheet: WHOLE_DOCUMENT });
    expect((await preview(table, { end: 'jsonl', indent })).rows).toHaveLength(1);
  });
});

test.each<[string, (rows: number[]) => unknown]>([
  ['lists', (all) => ({ id: all.map((at) => `id${at}`), v: all.map((at) => [at]) })],
  ['columns', (all) => ({ id: Object.fromEntries(all.map((at) => [at, `id${at}`])), v: { ...all } })],
  ['rows', (all) => Object.fromEntries(all.map((at) => [at, { id: `id${at}`, v: at }]))],
  ['cells', (all) => ({ columns: ['id', 'v'], data: all.map((at) => [`id${at}`, at]) })],
])('a long table on one line is read too: %s', async (_form, of) => {
  const path = folder.file('long-table.json');
  writeFileSync(path, JSON.stringify(of(Array.from({ length: 3_000 }, (_, at) => at))));
  const [offered] = await files.offer([path]);
  const { estimatedRows, columns } = await files.inspect(offered?.fileId ?? '', null);
  expect([estimatedRows, columns.map(({ name }) => name)]).toEqual([3_000, ['id', 'v']]);
});

test('a table keeps digits, names and labels of rows that are not a count', async () => {
  const split = '{"columns":["q","n"],"index":["x","y"],"data":[["a",12345678901234567890],["b",null]]}';
  expect(await preview(split)).toMatchObject({
    names: ['index', 'q', 'n'],
    rows: [
      ['x', 'a', '12345678901234567890'],
      ['y', 'b', null],
    ],
  });
  const years = { q: { 2023: 'a', 2024: 'b' }, n: { 2023: 1, 2024: 2 } };
  expect(await preview(years)).toMatchObject({ names: ['index', 'q', 'n'] });
});

test.each<[string, object]>([
  ['lists of different length', { id: ['a', 'b'], v: [1] }],
  ['two of one key', { columns: ['id', 'id'], data: [[1, 2]] }],
  ['cells without a name', { columns: ['id'], data: [[1, 2]] }],
  ['a record with a chart', { id: 5, columns: ['a'], data: [[1], [2]] }],
  ['a record with two inner objects', { inputs: { 0: 1 }, outputs: { 0: 1, 1: 2 } }],
  ['a record with other inner objects', { inputs: { q: 1 }, outputs: { q: 2 } }],
])('%s: no table, but one row', async (_what, row) => {
  const found = await preview(row, { indent: 1 });
  expect(found).toMatchObject({ names: Object.keys(row) });
  expect(found.rows).toHaveLength(1);
});

test.each<[string, string, object]>([
  ['pandas with its schema', 'data', { schema: { fields: [{ name: 'id' }, { name: 'v' }] }, data: rows }],
  ['Hugging Face', 'rows', { features: [{ name: 'id' }], rows, num_rows_total: 2, partial: false }],
  ['LangSmith', 'runs', { runs: rows, cursors: { next: null }, parsed_query: null }],
  [
    'promptfoo',
    'results.results',
    { evalId: 'e', results: { prompts: [{ raw: 'p' }], results: rows, stats: {} }, config: { tests: [{}] } },
  ],
  ['DeepEval', 'testCases', { testCases: rows, metricsScores: [{ m: 1 }], testPassed: 1, testFailed: 1 }],
])('the rows of %s are found beside its other lists', async (_writer, sheet, document) => {
  const found = await preview(document, { indent: 1 });
  expect(found).toMatchObject({ sheet, names: ['id', 'v'] });
  expect(found.sheets).toContain(WHOLE_DOCUMENT);
});

test('lists at the same path are separate', async () => {
  const points = '{\n"a.b": [{"x": 1}], "a": {"b": [{"y": 2}]}}';
  const choices = [String.raw`a\.b`, 'a.b'];
  await expect(preview(points)).rejects.toMatchObject({ details: { sheets: [...choices, WHOLE_DOCUMENT] } });
  for (const [sheet, names] of [
    [choices[0], ['x']],
    [choices[1], ['y']],
  ] as const)
    expect(await preview(points, { indent: 2, sheet: sheet ?? '' })).toMatchObject({ names });
  const repeated = '{"data": [{"x": 1}], "data#2": [{"y": 2}],\n"data": [{"z": 3}]}';
  await expect(preview(repeated)).rejects.toMatchObject({
    details: { sheets: ['data', 'data#2', 'data#3', WHOLE_DOCUMENT] },
  });
  expect((await preview(repeated, { sheet: 'data' })).names).toEqual(['x']);
  expect((await preview(repeated, { sheet: 'data#3' })).names).toEqual(['z']);
  const named = JSON.stringify({ [WHOLE_DOCUMENT]: rows });
  expect(await preview(named)).toMatchObject({ names: ['id', 'v'], sheet: `${WHOLE_DOCUMENT}#2` });
  const [long, other] = [`${'k'.repeat(300)}1`, `${'k'.repeat(300)}2`];
  const whole = { indent: 2, sheet: WHOLE_DOCUMENT };
  const two = await preview({ [long]: [{ x: 1 }], [other]: [{ y: 2 }] }, whole);
  expect(
    (await preview({ [long]: [{ x: 1 }], [other]: [{ y: 2 }] }, { indent: 2, sheet: two.sheets[1] ?? '' }))
      .names,
  ).toEqual(['y']);
});

describe('JSON Lines with a long first row', () => {
  const long = (id: number) => JSON.stringify({ data: Array(500).fill({ a: 'ä' }), id });

  test.each([
    ['line ends', '\n'],
    ['line ends of Windows and blank lines', '\r\n\r\n \r\n'],
  ])('and %s between the rows are read by line', async (_, between) => {
    const found = await preview([long(1), long(2), '{"id": 3}'].join(between));
    expect(found).toMatchObject({ names: ['data', 'id'], isCopy: false });
    const step = between.split('\n').length - 1;
    expect(found.lines).toEqual([1, 1 + step, 1 + 2 * step]);
    expect(found.notes.join(' ')).not.toContain('JSON:');
  });

  test('of several chunks are read by line', async () => {
    const row = JSON.stringify({ data: Array(40_000).fill({ a: 'b' }), id: 1 });
    const found = await preview(`\n${row}${' '.repeat(70_000)}\n${'\n'.repeat(70_000)}{"id": 2}\n`);
    expect(found).toMatchObject({ isCopy: false });
  });

  test('in another encoding are read in it', async () => {
    const found = await preview(Buffer.from(`${long(1)}\n${long(2)}\n`, 'latin1'));
    expect(found).toMatchObject({ isCopy: false, names: ['data', 'id'] });
    expect(found.rows).toHaveLength(2);
  });

  test('with numbered keys are read by line', async () => {
    const votes = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [at, at]));
    const row = JSON.stringify({ votes, id: 1 });
    for (const text of [`${row}\n${row}\n`, '{"votes":{"0":1},"id":1}\n\n{"votes":{"0":1},"id":2}\n'])
      expect((await preview(text)).isCopy).toBe(false);
  });

  test('are distinguished from documents with line ends in them or after them', async () => {
    const elements = Array(500).fill('{"id": "a", "v": 1}');
    const inside = await preview(`{"data": [${elements.join(',\n')}], "total": 1}\n`);
    expect(inside).toMatchObject({ sheet: 'data', isCopy: true });
    const before = await preview(`{"data": [${elements.join(',')}\n,{"id": "b", "v": 2}]}`);
    expect(before).toMatchObject({ sheet: 'data', isCopy: true });
    const after = await preview(`{"data": [${elements.join(',')}]}\n\n`);
    expect(after).toMatchObject({ sheet: 'data', isCopy: true });
  });
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

test('an element that is not an object, and a file that is cut off, are bad rows', async () => {
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
        const { isOne, root, lists } = outline.outline;
        expect({ isOne, keys: root.fields.map(({ key: each }) => each) }).toEqual({
          isOne: true,
          keys: ['before', 'inner', 'after'],
        });
        expect(lists.find(({ path }) => path === 'inner.rows')?.objects ?? 0).toBe(objects.length);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('each list of a document is chosen by its path alone', () => {
  const key = fc.constantFrom('a', 'a.b', 'b', 'a\\', 'a#2', '.', 'data', 'data#2', WHOLE_DOCUMENT);
  const { fields } = fc.letrec<{ fields: string; value: string }>((tie) => ({
    // Written by hand, as keys may be repeated.
    fields: fc
      .array(fc.tuple(key, tie('value')), { minLength: 1, maxLength: 4 })
      .map((each) => `{${each.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
    value: fc.oneof({ withCrossShrink: true }, fc.constant('[{"?":1}]'), tie('fields')),
  }));
  fc.assert(
    fc.property(fields, (text) => {
      let made = 0;
      const bytes = Buffer.from(text.replaceAll('?', () => `${made++}`));
      const scan = new JsonDocument('a');
      scan.push(bytes);
      const { lists } = scan.outline;
      const read = lists.map(({ path }) => new JsonDocument('a', path).push(bytes));
      expect(read.every((elements) => elements.length === 1)).toBe(true);
      expect(new Set(read.flat()).size).toBe(lists.length);
      expect(lists.map(({ path }) => path)).not.toContain(WHOLE_DOCUMENT);
    }),
    { numRuns: runs(300) },
  );
});

test.each([
  ['in a text', ''],
  ['after a comma in a text', ','],
  ['after a text', '"'],
])('JSON Lines whose first row is cut off %s lose only that row', async (_, last) => {
  const cut = `{"data":[{"x":"${'a'.repeat(5_000)}${last}`;
  made += 1;
  const path = folder.file(`${made}.json`);
  writeFileSync(path, [cut, ...Array(5).fill('{"data":[{"x":"b"}]}'), ''].join('\n'));
  const [offered] = await files.offer([path]);
  const found = await files.inspect(offered?.fileId ?? '', null);
  expect(found.head).toHaveLength(5);
  expect(found.problems).toHaveLength(1);
});
