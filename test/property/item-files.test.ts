/** Items of a dataset go into a file of any format and come back the same. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportRows } from '../../electron/analysis/export-rows.ts';
import { itemLines, itemTable } from '../../electron/analysis/item-rows.ts';
import { BUCKETS } from '../../electron/shared/dataset-model.ts';
import { withFormula, withoutFormula } from '../../electron/shared/delimited.ts';
import { parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import type { ExportFormat } from '../../electron/shared/export-model.ts';
import { cellOf, jsonOfCell } from '../../electron/shared/item-cells.ts';
import { suggestItemColumns } from '../../electron/shared/item-columns.ts';
import { cutItems } from '../../electron/uploads/items/cut-items.ts';
import { openFiles } from '../helpers/open-files.ts';
import { runs } from '../helpers/runs.ts';

/** Texts that programs take for something else. */
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

/** As JSON has it: nothing is undefined, and -0 is 0. */
const plain = (each: unknown): unknown => JSON.parse(JSON.stringify(each));
const bucketsOf = (each: Record<string, unknown>) =>
  Object.fromEntries(BUCKETS.map((name) => [name, each[name]]));

async function readBack(path: string): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-copies-'));
  try {
    const files = openFiles(folder);
    const [offered] = await files.offer([path]);
    const fileId = offered?.fileId ?? '';
    const { dialect, columns } = await files.inspect(fileId, null);
    const copy = await files.readable(fileId, dialect);
    const reading = { dialect, columns: suggestItemColumns(columns, {}), flattens: false };
    const most = { rows: 1_000, bytes: 10_000_000, lastRow: null };
    const cut = await cutItems({ path: copy.path, reading, start: null, state: null, most, seed: 's' });
    expect(cut.bad).toEqual([]);
    return cut.items.map(({ json }) => bucketsOf(JSON.parse(json)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function written(items: readonly unknown[], format: ExportFormat, isExact: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-items-'));
  const file = join(folder, 'from.jsonl');
  writeFileSync(file, items.map((each) => `${writeExact(each)}\n`).join(''));
  const target = join(folder, `items.${format}`);
  const how = { columns: null, partitionBy: null, format, isExact, areItems: true };
  const done = await exportRows(
    { ...how, source: { form: 'lines', file }, target, spillFolder: folder },
    () => undefined,
  );
  expect(done).toMatchObject({ rows: items.length });
  return target;
}

test('any value is one cell and comes back', () => {
  fc.assert(
    fc.property(value, (each) => {
      const json = jsonOfCell(withFormula(withoutFormula(cellOf(each))));
      expect(JSON.parse(json ?? 'null')).toEqual(plain(each));
    }),
    { numRuns: runs(300) },
  );
  expect(jsonOfCell(cellOf(undefined))).toBeNull();
  expect(cellOf(parseExact('9007199254740993'))).toBe('9007199254740993');
});

test('the apostrophe before a formula is written and taken away for the same texts', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.stringMatching(/^['"\t=+@a-]{0,5}$/)), (each) => {
      expect(withFormula(withoutFormula(each))).toBe(each);
    }),
    { numRuns: runs(300) },
  );
});

describe.each<[ExportFormat, boolean, number]>([
  ['csv', false, 40],
  ['csv', true, 15],
  ['jsonl', false, 5],
  ['parquet', false, 8],
  ['arrow', false, 8],
])('%s (exact texts: %s)', (format, isExact, count) => {
  test('items come back as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 6 }), async (items) => {
        const path = await written(items, format, isExact);
        expect(await readBack(path)).toEqual(
          items.map((each) => bucketsOf(plain(each) as Record<string, unknown>)),
        );
      }),
      { numRuns: runs(count, count * 4) },
    );
  });
});

test('a table that a person can read: one column for each key, values of one kind as they are', async () => {
  const items = [
    { inputs: { question: '=1+1', context: { a: 1 } }, expected_outputs: { answer: 'yes' }, source_id: 's1' },
    { inputs: { question: '' }, expected_outputs: { answer: 'no', note: null } },
  ];
  expect(readFileSync(await written(items, 'csv', false), 'utf8')).toBe(
    [
      'inputs.question,inputs.context,expected_outputs.answer,source_id,expected_outputs.note,spandeck_cells',
      `'=1+1,"{""a"":1}",yes,s1,,csv`,
      '"""""",,no,,null,csv',
      '',
    ].join('\n'),
  );
  const table = await itemTable(() => items.map((each) => writeExact(each)));
  expect(table.typedRow(items[0])).toEqual({
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
