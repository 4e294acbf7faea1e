/** Typed values in exports of databases are read as plain values and counted; other objects remain unchanged. */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { writeExact } from '../../electron/shared/exact-json.ts';
import { jsonRow } from '../../electron/uploads/readers/json-reader.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

const read = (text: string, isDeep = true) => {
  const { record, oddities = [], problem } = jsonRow(text, { isDeep });
  return { record: writeExact(record), counted: oddities.map(({ kind, key }) => `${kind} ${key}`), problem };
};

test('a document of MongoDB has its values, with all digits', () => {
  const found = read(
    `{"_id":{"$oid":"507f1f77bcf86cd799439011"},"n":{"$numberLong":"9007199254740993"},"i":{"$numberInt":"5"},
      "d":{"$numberDouble":"1.5"},"dec":{"$numberDecimal":"1.10"},"t":{"$date":"2024-01-01T00:00:00.123Z"},
      "t2":{"$date":{"$numberLong":"-1"}},"b":{"$binary":{"base64":"AP8=","subType":"00"}},"u":{"$undefined":true},
      "list":[{"$numberInt":"1"},{"x":{"$date":"2024-01-01T00:00:00Z"}}],"re":{"$regularExpression":{"pattern":"a"}}}`,
  );
  expect(found.record).toBe(
    '{"_id":"507f1f77bcf86cd799439011","n":9007199254740993,"i":5,"d":1.5,"dec":1.1,"t":"2024-01-01T00:00:00.123Z",' +
      '"t2":"1969-12-31T23:59:59.999Z","b":"AP8=","u":null,"list":[1,{"x":"2024-01-01T00:00:00Z"}],"re":{"$regularExpression":{"pattern":"a"}}}',
  );
  expect(found.counted).toEqual(
    ['_id', 'n', 'i', 'd', 'dec', 't', 't2', 'b', 'u', 'list', 'list.x'].map((key) => `typed-json ${key}`),
  );
});

const ID = '507f1f77bcf86cd799439011';
test.each([
  ['an id', `{"_id":"1","query":{"x":{"$oid":"${ID}"}}}`, { x: ID }],
  ['a typed value', `{"n":{"$numberInt":"5"},"query":{"x":{"$oid":"${ID}"}}}`, { x: ID }],
  ['neither', `{"n":5,"query":{"x":{"$oid":"${ID}"}}}`, { x: { $oid: ID } }],
])('values deep inside have one shape in all rows of a file whose rows have %s', async (_, first, query) => {
  // Exports contain some numbers with their type and some without it.
  const lines = [first, `{"n":6,"query":{"x":{"$oid":"${ID}"}}}`];
  const orders = [lines, lines.toReversed()].flatMap((each) => [
    ['rows.jsonl', each.join('\n')] as const,
    ['rows.json', `[${each.join(',\n')}]`] as const,
  ]);
  for (const [name, text] of orders) {
    const path = folder.file(name);
    writeFileSync(path, text);
    const { all } = await readBack(path);
    expect(all.map(({ record }) => record?.['query'])).toEqual([query, query]);
  }
});

test('an item of a DynamoDB export has its attributes as columns', () => {
  const found = read(
    '{"Item":{"id":{"S":"a"},"n":{"N":"9007199254740993"},"ok":{"BOOL":true},"no":{"NULL":true},"m":{"M":{"x":{"N":"1"}}},"l":{"L":[{"S":"p"}]},"s":{"NS":["1","2"]}}}',
  );
  expect(found.record).toBe(
    '{"id":"a","n":9007199254740993,"ok":true,"no":null,"m":{"x":1},"l":["p"],"s":[1,2]}',
  );
  expect(found.counted).toContain('typed-json n');
});

test.each([
  // The row is about this query, so its values are not converted.
  '{"question":"q","query":{"at":{"$gt":{"$date":"2024-01-01"}}}}',
  '{"v":{"$numberLong":"many"}}',
  '{"v":{"$date":{"$numberLong":"9e99"}}}',
  '{"v":{"$oid":5}}',
  '{"v":{"$oid":"a","x":1}}',
  '{"Item":{"id":{"S":"a"},"other":{"X":"a"}}}',
  '{"Item":{"S":"a"}}',
  '{"Item":"a"}',
  '{"price":"$5","$set":1}',
])('%s stays as it is', (text) => {
  expect(read(text, false)).toEqual({ record: text, counted: [], problem: null });
});

test('numbers that are none are counted with their column', () => {
  const { record } = jsonRow('{"v":{"$numberDouble":"NaN"}}');
  expect(record?.['v']).toBeNaN();
});

test.each([1, 2_000])(
  'typed rows among %i others reach the events, and are counted by column',
  async (others) => {
    const plain = Array.from(
      { length: others },
      (_, at) => `{"id":"p${at}","n":1,"at":"2024-01-01T00:00:00Z"}`,
    );
    const typed =
      '{"id":"b","n":{"$numberDouble":"NaN"},"at":{"$date":{"$numberLong":"1704067200123"}},"x":{"$numberInt":"1"}}';
    const last = '{"id":"c","n":{"$numberDecimal":"2.50"},"at":"2024-01-01T00:00:00Z"}';
    const found = await checkedFile(folder.file('mongo.jsonl'), `${[...plain, typed, last].join('\n')}\n`, {
      model: { columns: { id: 'str', n: 'float', at: 'timestamp' }, id: 'id', time: 'at' },
    });
    expect(found.bad).toEqual([]);
    expect(found.events.slice(-3)).toEqual([
      { id: `p${others - 1}`, n: 1, at: '2024-01-01T00:00:00Z' },
      { id: 'b', n: null, at: '2024-01-01T00:00:00.123Z' },
      { id: 'c', n: 2.5, at: '2024-01-01T00:00:00Z' },
    ]);
    expect(found.ledger.changes).toMatchObject([
      { rule: 'typed-json', source: 'n', count: 2 },
      {
        ...{ rule: 'typed-json', source: 'at', count: 1 },
        examples: [
          { before: '{"$date":{"$numberLong":"1704067200123"}}', after: '2024-01-01T00:00:00.123Z' },
        ],
      },
      { rule: 'not-finite', source: 'n', count: 1 },
    ]);
  },
);

test('the preview names typed values with their first line', async () => {
  const path = folder.file('note.jsonl');
  writeFileSync(path, '{"id":"a","n":1}\n{"id":"b","n":{"$numberInt":"2"}}\n');
  expect((await readBack(path)).notes).toContain(
    '1 value with a type of MongoDB or DynamoDB around it: read as the value in it (line 2, “n”).',
  );
});
