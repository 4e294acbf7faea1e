/** Files that are dear to read or that no stack is deep enough for: each comes to rows with a named problem. */
import { expect, test } from 'vitest';
import { CsvReader } from '../../electron/uploads/readers/csv-reader.ts';
import { decoderFor, measureFor } from '../../electron/uploads/readers/encoding.ts';
import { JsonArrayReader } from '../../electron/uploads/readers/json-array-reader.ts';
import { JsonLinesReader } from '../../electron/uploads/readers/json-reader.ts';
import type { RowReader, SourceRow } from '../../electron/uploads/readers/row-source.ts';

const START = { byteOffset: 0, line: 1, row: 1 };
let measured = 0;
const measure = measureFor('utf-8');
const options = {
  start: START,
  decode: decoderFor('utf-8'),
  measure: (...range: Parameters<typeof measure>) => {
    measured += 1;
    return measure(...range);
  },
  maxRowBytes: 100_000,
};

function readAll(reader: RowReader, text: string): SourceRow[] {
  const bytes = Buffer.from(text);
  const rows: SourceRow[] = [];
  for (let from = 0; from < bytes.length; from += 65_536)
    rows.push(...reader.push(bytes.subarray(from, from + 65_536)));
  return [...rows, ...reader.end()];
}

test('millions of line ends after a quote that is not closed are counted, not read one by one', () => {
  measured = 0;
  const lines = 2_000_000;
  const reader = new CsvReader({ ...options, delimiter: ',', quote: '"', columns: 2 });
  const rows = readAll(reader, `1,"${'\n'.repeat(lines)}2,x\n`);
  expect(rows.map(({ line, cells }) => [line, cells])).toEqual([
    [1, null],
    [lines + 1, ['2', 'x']],
  ]);
  expect(rows[1]?.byteStart).toBe(3 + lines);
  expect(measured).toBeLessThan(1_000);
});

const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

test.each([
  [
    'JSON lines',
    (text: string) => readAll(new JsonLinesReader({ ...options, maxRowBytes: 4_000_000 }), text),
  ],
  [
    'a JSON array',
    (text: string) =>
      readAll(new JsonArrayReader({ ...options, maxRowBytes: 4_000_000, isInside: false }), `[${text}]`),
  ],
])('%s 100,000 levels deep is a bad row that says so', (_name, read) => {
  const [row] = read(deep(100_000));
  expect(row).toMatchObject({ record: null, problem: expect.stringContaining('500 levels') });
  // Digits that need exact reading make the deepest row no different.
  const [digits] = read(deep(100_000).replace('[]', '[9007199254740993]'));
  expect(digits?.problem).toContain('500 levels');
  const [fine] = read(`{"text":"${'['.repeat(2_000)}\\"","list":${deep(400)}}`);
  expect(fine?.problem).toBe(null);
});
