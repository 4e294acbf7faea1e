/** Items of a dataset are written to a file of any format, and are unchanged when read back. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { exportRows } from '../../electron/analysis/export-rows.ts';
import { itemLines, itemTable, typedItems } from '../../electron/analysis/item-rows.ts';
import { BUCKETS } from '../../electron/shared/dataset-model.ts';
import { withFormula, withoutFormula } from '../../electron/shared/delimited.ts';
import { PLAIN_CSV } from '../../electron/shared/dialect.ts';
import { parseExact, writeExact, writeSigned } from '../../electron/shared/exact-json.ts';
import type { ExportFormat } from '../../electron/shared/export-model.ts';
import { cellOf, jsonOfCell } from '../../electron/shared/item-cells.ts';
import { suggestItemColumns } from '../../electron/shared/item-columns.ts';
import { extractItems } from '../../electron/uploads/items/extract-items.ts';
import { ItemReader } from '../../electron/uploads/items/item-of-row.ts';
import { openFiles } from '../helpers/open-files.ts';
import { runs } from '../helpers/runs.ts';

/** Texts that programs mistake for something else. */
const ODD = [
  ...[
    '',
    ' ',
    'null',
    'true',
    'TRUE',
    '42',
    '-1',
    '1e5',
    '007',
    '+1',
    '{}',
    '[]',
    '{"a":1}',
    '"quoted"',
    '""',
  ],
  ...[
    '=1+1',
    "'=1+1",
    "''=1",
    '+SUM(A1)',
    '-2+3',
    '@x',
    '\t=1',
    "'\ttab",
    '\r',
    '\u0000',
    '\ufeffbom',
    '\ud800',
  ],
  ...[
    'NaN',
    'NA',
    'none',
    ' spaced ',
    'a,b;c|d',
    'line\nline',
    'line\r\nline',
    "it's",
    '2026-01-01',
    '你好 👋🏽',
  ],
];
const text = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 12 }));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    // A number with more digits than a double can hold.
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }).map((whole) => parseExact(String(whole))),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3 }),
  ),
})).any;
const key = fc
  .oneof(fc.constantFrom('question', 'Question', 'a.b', 'a', 'ü', 'id', ' x ', 'x'), text)
  .filter((each) => each !== '' && each !== '__proto__');
const bucket = fc.dictionary(key, value, { maxKeys: 4 });
const item = fc
  .record({ inputs: bucket, expected_outputs: bucket, metadata: bucket, extras: bucket })
  .filter((each) => Object.values(each).some((fields) => Object.keys(fields).length > 0));

/** The value as JSON has it: undefined does not exist, and -0 is 0. */
const plain = (each: unknown): unknown => parseExact(writeExact(each));
const bucketsOf = (each: Record<string, unknown>) =>
  Object.fromEntries(BUCKETS.map((name) => [name, each[name]]));

/** One rig for all runs of a format, because each rig has a process for Parquet. */
const folder = mkdtempSync(join(tmpdir(), 'spandeck-items-'));
const files = openFiles(folder);
afterAll(() => rmSync(folder, { recursive: true }));
/** Each run has another file name, so that no file is taken for one of an earlier run. */
let number = 0;

async function readBack(path: string): Promise<unknown[]> {
  const [offered] = await files.offer([path]);
  const fileId = offered?.fileId ?? '';
  const { dialect, columns } = await files.inspect(fileId, null);
  const copy = await files.readable(fileId, dialect);
  const reading = { dialect, columns: suggestItemColumns(columns, {}), flattens: false };
  const most = { rows: 1_000, bytes: 10_000_000, lastRow: null };
  const cut = await extractItems({ path: copy.path, reading, start: null, state: null, most, seed: 's' });
  expect(cut.bad).toEqual([]);
  return cut.items.map(({ json }) => bucketsOf(parseExact(json) as Record<string, unknown>));
}

async function written(items: readonly unknown[], format: ExportFormat, isExact: boolean): Promise<string> {
  number += 1;
  const file = join(folder, `${number}.jsonl`);
  writeFileSync(file, items.map((each) => `${writeExact(each)}\n`).join(''));
  const target = join(folder, `${number}-items.${format}`);
  const how = { columns: null, partitionBy: null, format, isExact, areItems: true };
  const done = await exportRows(
    { ...how, source: { form: 'lines', file }, target, spillFolder: folder },
    () => undefined,
  );
  expect(done).toMatchObject({ rows: items.length });
  return target;
}

test('any value is one cell and is read back', () => {
  fc.assert(
    fc.property(value, (each) => {
      const json = jsonOfCell(withFormula(withoutFormula(cellOf(each))));
      // A zero keeps its sign.
      expect(parseExact(json ?? 'null')).toEqual(parseExact(writeSigned(each)));
    }),
    { numRuns: runs(300) },
  );
  expect(jsonOfCell(cellOf(undefined))).toBeNull();
  expect(cellOf(parseExact('9007199254740993'))).toBe('9007199254740993');
});

test('the apostrophe before a formula is written and removed for the same texts', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.stringMatching(/^['"\t=+@a-]{0,5}$/)), (each) => {
      expect(withFormula(withoutFormula(each))).toBe(each);
    }),
    { numRuns: runs(300) },
  );
});

const items = fc.array(item, { minLength: 1, maxLength: 6 });
const asItems = (each: readonly unknown[]) =>
  each.map((one) => bucketsOf(plain(one) as Record<string, unknown>));
const linesOf = (each: readonly unknown[]) => each.map((one) => writeExact(one));

function textFile(name: string, content: string): string {
  number += 1;
  const path = join(folder, `${number}-${name}`);
  writeFileSync(path, content);
  return path;
}

async function csvFile(lines: readonly string[], isExact: boolean): Promise<string> {
  const table = await itemTable(() => lines);
  const found: string[] = [];
  for await (const line of itemLines(() => lines, table, isExact)) found.push(line);
  return textFile('items.csv', found.join(''));
}

/** Writes the file as an export does, but without the engine that reads items from a store. */
describe.each<[string, (lines: readonly string[]) => string | Promise<string>]>([
  ['CSV', (lines) => csvFile(lines, false)],
  ['CSV with exact texts', (lines) => csvFile(lines, true)],
  ['JSON Lines', (lines) => textFile('items.jsonl', lines.map((line) => `${line}\n`).join(''))],
])('%s', (_name, write) => {
  test('items are read back unchanged, with any values', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (each) => {
        const path = await write(linesOf(each));
        expect(await readBack(path)).toEqual(asItems(each));
        rmSync(path);
      }),
      { numRuns: runs(300) },
    );
  }, 3_600_000);
});

test('rows of typed columns are the items that they were made of', async () => {
  await fc.assert(
    fc.asyncProperty(items, async (each) => {
      const lines = linesOf(each);
      const table = await itemTable(() => lines);
      const typed = [...typedItems(lines, table)].map(([, json]) => parseExact(json));
      // The column of a table has a value in each row.
      const names = [...new Set(typed.flatMap((row) => Object.keys(row as object)))];
      const rows = typed.map((row) =>
        Object.fromEntries(names.map((name) => [name, (row as Record<string, unknown>)[name] ?? null])),
      );
      const columns = suggestItemColumns(
        names.map((name) => ({ name, type: 'json' })),
        {},
      );
      const reader = new ItemReader(
        { dialect: { ...PLAIN_CSV, format: 'jsonl' }, columns, flattens: false },
        null,
      );
      const back = rows.map((record, at) => {
        const place = { row: at + 1, line: at + 1, byteStart: 0, byteEnd: 0, nextLine: at + 2 };
        const read = reader.read({ ...place, record, cells: null, problem: null, excerpt: '' }, 'id');
        return 'bad' in read ? read.bad : bucketsOf(parseExact(read.json) as Record<string, unknown>);
      });
      expect(back).toEqual(asItems(each));
    }),
    { numRuns: runs(300) },
  );
}, 3_600_000);

describe.each<[ExportFormat, boolean, number]>([
  ['csv', false, 10],
  ['csv', true, 5],
  ['jsonl', false, 5],
  ['parquet', false, 8],
  ['arrow', false, 8],
])('a file of %s (exact texts: %s)', (format, isExact, count) => {
  test('items are read back unchanged', async () => {
    const many = fc.array(item, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(many, async (each) => {
        const path = await written(each, format, isExact);
        expect(await readBack(path)).toEqual(asItems(each));
      }),
      // Few runs, because each starts the engine and reads a copy. The tests above check the cells.
      { numRuns: runs(count, count * 4) },
    );
  }, 600_000);
});

test('a readable table: one column for each key, values of one kind unchanged', async () => {
  const each = [
    { inputs: { question: '=1+1', context: { a: 1 } }, expected_outputs: { answer: 'yes' }, source_id: 's1' },
    { inputs: { question: '' }, expected_outputs: { answer: 'no', note: null } },
  ];
  expect(readFileSync(await written(each, 'csv', false), 'utf8')).toBe(
    [
      'inputs.question,inputs.context,expected_outputs.answer,source_id,expected_outputs.note,spandeck_cells',
      `'=1+1,"{""a"":1}",yes,s1,,csv`,
      '"""""",,no,,null,csv',
      '',
    ].join('\n'),
  );
  const table = await itemTable(() => each.map((one) => writeExact(one)));
  expect(table.typedRow(each[0])).toEqual({
    'inputs.question': '=1+1',
    'inputs.context': '{"a":1}',
    'expected_outputs.answer': 'yes',
    source_id: 's1',
    spandeck_cells: '["inputs.context","expected_outputs.note"]',
  });
  const lines = [];
  for await (const line of itemLines(() => [], table, true)) lines.push(line);
  expect(lines).toHaveLength(1);
});
