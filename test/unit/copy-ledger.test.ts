/** A check lists the values that the readable copy of a packed file changes, with their column and count. */
import * as arrow from 'apache-arrow';
import { expect, test } from 'vitest';
import { EMPTY_LEDGER, ledgerLines } from '../../electron/shared/value-ledger.ts';
import { mergeChanges } from '../../electron/uploads/unpack/copy-facts.ts';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { setUpFilesOfEachTest } from '../helpers/set-up-files.ts';
import { inline, number, sheetRows, workbookOf } from '../helpers/workbook-file.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFilesOfEachTest((made) => {
  ({ folder, files } = made);
});

async function linesOf(name: string, content: Uint8Array | null = null, unsent: string | null = null) {
  const changes = await copyLedger(files, folder.file(name), content, unsent);
  return ledgerLines({ ...EMPTY_LEDGER, changes });
}

const formula = '<c><f>1/0</f></c>';
const error = '<c t="e"><v>#N/A</v></c>';
const sheet = (rows: Parameters<typeof sheetRows>[0]) =>
  workbookOf({
    sheets: { Data: { rows: sheetRows(rows) } },
    formats: ['yyyy-mm-dd', 'hh:mm:ss', '[h]:mm:ss'],
  });

test('Excel: dates, times of day, durations, errors and formulas without a result', async () => {
  const names = ['name', 'day', 'at', 'took', 'rate', 'sum'];
  const lines = await linesOf(
    'book.xlsx',
    sheet([
      [inline('Quarter')],
      null,
      names.map(inline),
      [inline('two\nlines'), number(46_023, 1), number(0.5, 2), number(1.5, 3), error, number('1E-2')],
      [inline('b'), number(46_024, 1), number(0.25, 2), number(2, 3), number(1), formula],
    ]),
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      'day: date of a sheet written as ISO 8601, 2 values: 46023 → 2026-01-01 (line 4), 46024 → 2026-01-02 (line 6).',
      'at: time of day written as text, 2 values: 0.5 → 12:00:00 (line 4), 0.25 → 06:00:00 (line 6).',
      'took: duration written as text, 2 values: 1.5 → 36:00:00 (line 4), 2 → 48:00:00 (line 6).',
      'rate: cell with an error read as no value, 1 value: #N/A → no value (line 4).',
      'sum: number of a sheet written in its shortest form, 1 value: 1E-2 → 0.01 (line 4).',
      'sum: formula without its result in the file read as no value, 1 value: formula → no value (line 6).',
    ]),
  );
});

test('Excel: changes have the names of the header, also if a column has none', async () => {
  const data = [
    [inline('x'), number(46_023, 1), number(1), inline('y')],
    [inline('x'), number(46_024, 1), number(2), inline('y')],
  ];
  const [joined] = await linesOf(
    'joined.xlsx',
    workbookOf({
      formats: ['yyyy-mm-dd'],
      sheets: {
        Data: {
          rows: sheetRows([
            [inline('id'), inline('Trip'), null, null],
            [null, inline('day'), inline('cost'), null],
            ...data,
          ]),
          after: '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>',
        },
      },
    }),
  );
  expect(joined).toBe(
    'Trip day: date of a sheet written as ISO 8601, 2 values: 46023 → 2026-01-01 (line 3), 46024 → 2026-01-02 (line 4).',
  );
  const [plain] = await linesOf('plain.xlsx', sheet([['id', 'day', 'cost'].map(inline), ...data]));
  expect(plain).toBe(
    'day: date of a sheet written as ISO 8601, 2 values: 46023 → 2026-01-01 (line 2), 46024 → 2026-01-02 (line 3).',
  );
});

test('a column that is not sent is not counted', async () => {
  const book = sheet([
    [inline('day'), inline('n')],
    [number(46_023, 1), number(1)],
  ]);
  expect((await linesOf('book.xlsx', book)).join()).toContain('day: date of a sheet');
  expect((await linesOf('book.xlsx', book, 'day')).join()).not.toContain('date of a sheet');
});

test('Arrow: times of day, durations, bytes and NaN or infinite numbers', async () => {
  const table = new arrow.Table({
    at: arrow.vectorFromArray([43_200_000, null], new arrow.TimeMillisecond()),
    took: arrow.vectorFromArray([1_500n, 2n], new arrow.DurationMillisecond()),
    key: arrow.vectorFromArray([new Uint8Array([0, 255]), null], new arrow.Binary()),
    score: arrow.vectorFromArray([Number.NaN, 0.5], new arrow.Float64()),
    word: arrow.vectorFromArray(['a', 'b'], new arrow.Utf8()),
  });
  expect(await linesOf('table.arrow', arrow.tableToIPC(table, 'file'))).toEqual(
    expect.arrayContaining([
      'at: time of day written as text, 1 value: 43200000 → 12:00:00 (line 1).',
      'took: duration written as a number of its unit, 2 values: 1500 milliseconds → 1500 (line 1), 2 milliseconds → 2 (line 2).',
      'key: bytes written as base64, 1 value: 2 bytes → AP8= (line 1).',
      'score: NaN or infinity read as no value, 1 value: NaN → no value (line 1).',
    ]),
  );
});

test('Parquet: bytes, times of day, durations and NaN or infinite numbers are counted', async () => {
  await writeParquet(
    folder.file('table.parquet'),
    `SELECT 'text'::BLOB AS note, '\\x00\\xFF'::BLOB AS key, TIME '12:00:00' AS at, INTERVAL 2 HOUR AS took,
       CASE WHEN n = 1 THEN 'NaN'::DOUBLE ELSE 0.5 END AS score FROM range(3) t(n)`,
  );
  expect(await linesOf('table.parquet')).toEqual(
    expect.arrayContaining([
      `note: bytes read as text, 3 values: ${[1, 2, 3].map((line) => `4 bytes → text (line ${line})`).join(', ')}.`,
      `key: bytes written as base64, 3 values: ${[1, 2, 3].map((line) => `2 bytes → AP8= (line ${line})`).join(', ')}.`,
      `at: time of day written as text, 3 values: ${[1, 2, 3].map((line) => `12:00:00 (line ${line})`).join(', ')}.`,
      `took: duration written as text, 3 values: ${[1, 2, 3].map((line) => `02:00:00 (line ${line})`).join(', ')}.`,
      'score: NaN or infinity read as no value, 1 value: NaN → no value (line 2).',
    ]),
  );
});

test('Parquet: values inside lists, maps and structs are counted by themselves, infinities too', async () => {
  await writeParquet(
    folder.file('table.parquet'),
    `SELECT * FROM (VALUES
       ([1.5, 'nan'::DOUBLE, '-inf'::DOUBLE], [{'w': 'inf'::FLOAT, 'k': '\\xFF'::BLOB}, NULL], map {'a': ['nan'::DOUBLE]}, {'deep': {'x': 'inf'::DOUBLE}}, 7::VARIANT),
       (NULL, [], NULL, NULL, NULL), ([], NULL, map {}, {'deep': NULL}, NULL),
       (['inf'::DOUBLE, 2, NULL], [{'w': 1, 'k': NULL}], map {'b': [1.5]}, {'deep': {'x': 2}}, NULL)) t(list, parts, scores, place, free)`,
  );
  expect(await linesOf('table.parquet')).toEqual([
    'list: NaN or infinity read as no value, 3 values: NaN → no value (line 1), -Infinity → no value (line 1), Infinity → no value (line 4).',
    'parts: NaN or infinity read as no value, 1 value: Infinity → no value (line 1).',
    'parts: bytes written as base64, 1 value: 1 byte → /w== (line 1).',
    'scores: NaN or infinity read as no value, 1 value: NaN → no value (line 1).',
    'place.deep.x: NaN or infinity read as no value, 1 value: Infinity → no value (line 1).',
    'free: value of type VARIANT written as JSON, 1 value: 7 (line 1).',
  ]);
});

test('Arrow: values inside lists, structs and dictionaries are counted by themselves, infinities too', async () => {
  const list = (item: arrow.DataType) => new arrow.List(new arrow.Field('item', item));
  const part = new arrow.Struct<{ w: arrow.Float32; k: arrow.Binary }>([
    new arrow.Field('w', new arrow.Float32(), true),
    new arrow.Field('k', new arrow.Binary(), true),
  ]);
  const table = new arrow.Table({
    list: arrow.vectorFromArray(
      [[1.5, Number.NaN, -Infinity], null, [Infinity, 2]],
      list(new arrow.Float64()),
    ),
    parts: arrow.vectorFromArray([[{ w: Infinity, k: new Uint8Array([255]) }], [], null], list(part)),
    fixed: arrow.vectorFromArray(
      [[1, Number.NaN], null, [2, 3]],
      new arrow.FixedSizeList(2, new arrow.Field('item', new arrow.Float32())),
    ),
    score: arrow.vectorFromArray([Infinity, 0.5, Number.NaN], new arrow.Float64()),
  });
  expect(await linesOf('table.arrow', arrow.tableToIPC(table, 'file'))).toEqual([
    'list: NaN or infinity read as no value, 3 values: NaN → no value (line 1), -Infinity → no value (line 1), Infinity → no value (line 3).',
    'score: NaN or infinity read as no value, 2 values: Infinity → no value (line 1), NaN → no value (line 3).',
    'parts: NaN or infinity read as no value, 1 value: Infinity → no value (line 1).',
    'fixed: NaN or infinity read as no value, 1 value: NaN → no value (line 1).',
    'parts: bytes written as base64, 1 value: 1 byte → /w== (line 1).',
  ]);
});

test('a renamed column of a sheet is reported by its letter', () => {
  const change = { rule: 'cell-error', source: 'Quarter', letter: 'B', count: 1, examples: [] } as const;
  const { changes } = mergeChanges(
    EMPTY_LEDGER,
    [{ ...change, examples: [] }],
    [{ source: 'a', isSent: true }],
  );
  expect(changes).toEqual([{ rule: 'cell-error', source: 'Column B', count: 1, examples: [] }]);
});
