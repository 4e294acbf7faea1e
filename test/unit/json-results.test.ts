/** Answers of databases and logs are read as the rows of the table that they contain. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EMPTY_LEDGER, ledgerLines } from '../../electron/shared/value-ledger.ts';
import { Heartbeat } from '../../electron/uploads/heartbeat.ts';
import { TABLE_DOCUMENT } from '../../electron/uploads/unpack/json-tables.ts';
import { unpack } from '../../electron/uploads/unpack/unpack.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

let made = 0;
async function preview(content: object) {
  made += 1;
  const path = folder.file(`${made}.json`);
  writeFileSync(path, JSON.stringify(content));
  const [offered] = await files.offer([path]);
  const { dialect, columns, head, notes } = await files.inspect(offered?.fileId ?? '', null);
  const names = columns.map(({ name }) => name);
  return { sheet: dialect.sheet ?? null, note: notes[0], notes, names, rows: head.map(({ cells }) => cells) };
}

test.each([
  ['what aws dynamodb scan prints', { Count: 2, ScannedCount: 2, ConsumedCapacity: null }, ['x', '1.1']],
  ['another list of that name', { Count: 2 }, ['{"S":"x"}', '{"N":"1.10"}']],
])('%s: its values', async (_, beside, first) => {
  const items = [{ a: { S: 'x' }, n: { N: '1.10' } }, { a: { S: 'y' } }];
  const found = await preview({ Items: items, ...beside });
  expect(found.names).toEqual(['a', 'n']);
  expect(found.rows[0]).toEqual(first);
});

test('pages of aws dynamodb scan one after the other: the items of each', async () => {
  const path = folder.file('pages.json');
  const page = (text: string) => ({ Items: [{ a: { S: text }, n: { N: '1' } }], Count: 1, ScannedCount: 1 });
  const empty = { Items: [], Count: 0, ScannedCount: 1 };
  const pages = [page('x'), empty, page('y')].map((each) => JSON.stringify(each, null, 4));
  writeFileSync(path, pages.join('\n'));
  const [offered] = await files.offer([path]);
  const { columns, head, notes } = await files.inspect(offered?.fileId ?? '', null);
  expect(columns.map(({ name }) => name)).toEqual(['a', 'n']);
  expect(head.map(({ cells }) => cells)).toEqual([
    ['x', '1'],
    ['y', '1'],
  ]);
  expect(notes).toContain('DynamoDB: 2 items of pages, a row each.');
});

test.each<[string, object, readonly string[], string]>([
  [
    'Trino',
    {
      ...{ id: 'q', infoUri: 'u', columns: [{ name: 'a', type: 'bigint' }, { name: 'b' }] },
      ...{
        data: [
          [1, 'x'],
          [2, null],
        ],
        stats: {},
      },
    },
    ['1', 'x'],
    'Not sent: key “stats”',
  ],
  [
    'Azure Monitor',
    {
      tables: [
        {
          name: 'PrimaryResult',
          columns: [{ name: 'a' }, { name: 'b' }],
          rows: [
            [1, 'x'],
            [2, 'y'],
          ],
        },
      ],
      statistics: {},
    },
    ['1', 'x'],
    'Not sent: key “statistics”',
  ],
  [
    "Redshift's data API",
    {
      Records: [
        [{ longValue: 1 }, { stringValue: 'x' }],
        [{ isNull: true }, { booleanValue: true }],
      ],
      ...{ ColumnMetadata: [{ name: 'a' }, { name: 'b' }], TotalNumRows: 2 },
    },
    ['1', 'x'],
    'Not sent: key “TotalNumRows”',
  ],
  [
    'Athena',
    {
      ResultSet: {
        Rows: [
          ['a', 'b'],
          ['1', 'x'],
          ['2', null],
        ].map((cells) => ({
          Data: cells.map((text) => (text === null ? {} : { VarCharValue: text })),
        })),
        ResultSetMetadata: {},
      },
      UpdateCount: 0,
    },
    ['1', 'x'],
    'Not sent: key “ResultSetMetadata”',
  ],
  [
    'CloudWatch',
    {
      results: [
        ['1', 'x'],
        ['2', 'y'],
      ].map(([a, b]) => [
        { field: 'a', value: a },
        { field: 'b', value: b },
      ]),
      ...{ statistics: { recordsMatched: 2 }, status: 'Complete' },
    },
    ['1', 'x'],
    'Not sent: key “statistics”',
  ],
  [
    'Snowflake',
    {
      resultSetMetaData: { rowType: [{ name: 'a', type: 'fixed' }, { name: 'b' }], partitionInfo: [{}] },
      data: [
        ['1', 'x'],
        ['2', null],
      ],
      ...{ code: '090001', statementHandle: 'h', message: 'done', createdOn: 1 },
    },
    ['1', 'x'],
    'Not sent: key “resultSetMetaData”',
  ],
  [
    'Databricks',
    {
      ...{ statement_id: 's', status: { state: 'SUCCEEDED' } },
      manifest: { schema: { columns: [{ name: 'a' }, { name: 'b' }] }, chunks: [{ chunk_index: 0 }] },
      result: {
        data_array: [
          ['1', 'x'],
          ['2', null],
        ],
      },
    },
    ['1', 'x'],
    'Not sent: key “manifest”',
  ],
  [
    'Google Sheets',
    { range: 'A1:B3', majorDimension: 'ROWS', values: [['a', 'b'], ['1', 'x'], ['2']] },
    ['1', 'x'],
    'Not sent: key “range”',
  ],
])('an answer of %s is read as the rows of its table', async (_, content, first, left) => {
  const found = await preview(content);
  expect(found).toMatchObject({ names: ['a', 'b'], sheet: TABLE_DOCUMENT });
  expect(found.rows).toHaveLength(2);
  expect(found.rows[0]).toEqual(first);
  expect(found.note).toContain('an answer with names beside lists of cells: 2 rows.');
  const path = folder.file('answer.json');
  writeFileSync(path, JSON.stringify(content));
  const step = { path, name: 'answer.json', format: 'json-objects', member: null, sheet: null } as const;
  const { leftOut } = await unpack({ ...step, target: folder.file('answer.jsonl') }, new Heartbeat());
  expect(ledgerLines({ ...EMPTY_LEDGER, leftOut }).join(' ')).toContain(left);
});

test('an answer of Databricks in several chunks says that rows are missing', async () => {
  const schema = { columns: [{ name: 'a' }] };
  const { notes } = await preview({
    manifest: { schema, chunks: [{ chunk_index: 0 }, { chunk_index: 1 }] },
    result: { data_array: [['1']] },
  });
  expect(notes).toContain('The answer names a next page, whose rows are not in this file.');
});

test('a record with a question and a table of cells is one row', async () => {
  const content = { question: 'Which?', columns: [{ name: 'a' }], data: [['x'], ['y']] };
  const { names, rows: found } = await preview(content);
  expect(names).toEqual(['question', 'columns', 'data']);
  expect(found).toHaveLength(1);
});

test('the description of Athena has the names: the first page repeats them, a later one begins with values', async () => {
  const page = (rows: readonly string[][], NextToken?: string) => ({
    ResultSet: {
      Rows: rows.map((cells) => ({ Data: cells.map((text) => ({ VarCharValue: text })) })),
      ResultSetMetadata: { ColumnInfo: [{ Name: 'question' }, { Name: 'n' }] },
    },
    ...(NextToken === undefined ? {} : { NextToken }),
  });
  const values = [
    ['q2', '7'],
    ['q3', '8'],
  ];
  for (const rows of [[['question', 'n'], ...values], values]) {
    const found = await preview(page(rows));
    expect(found.names).toEqual(['question', 'n']);
    expect(found.rows).toEqual(values);
    expect(found.notes.join(' ')).not.toContain('next page');
  }
  const { notes } = await preview(page(values, 'x'));
  expect(notes.join(' ')).toContain('The answer names a next page, whose rows are not in this file.');
});

test('a row of CloudWatch with a field twice is refused, because one of its values would be lost', async () => {
  const results = [
    [
      { field: 'q', value: 'a' },
      { field: 'q', value: 'b' },
    ],
  ];
  await expect(preview({ results })).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
});
