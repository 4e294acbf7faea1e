/** Files that are expensive to read or nested too deeply for a stack: each row is read, and its problem is named. */
import { expect, test } from 'vitest';
import { CsvReader } from '../../electron/uploads/readers/csv-reader.ts';
import { decoderFor, measureFor } from '../../electron/uploads/readers/encoding.ts';
import { JsonArrayReader } from '../../electron/uploads/readers/json-array-reader.ts';
import { JsonLinesReader } from '../../electron/uploads/readers/json-reader.ts';
import type { RowReader, SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { neverHangs } from '../helpers/never-hangs.ts';

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

test('the reason of a malformed row does not depend on where its bytes are divided', () => {
  const text = '1,"a"b, more text\n2,x\n';
  const reasons = Array.from({ length: text.length - 1 }, (_, at) => {
    const reader = new CsvReader({ ...options, delimiter: ',', quote: '"', columns: 2 });
    const rows = [Buffer.from(text.slice(0, at + 1)), Buffer.from(text.slice(at + 1))].flatMap((bytes) =>
      reader.push(bytes),
    );
    return [...rows, ...reader.end()].map(({ problem, excerpt }) => [problem, excerpt]);
  });
  expect(reasons[0]?.[0]?.[0]).toMatch(/^Expected a delimiter after the closing quote/);
  for (const each of reasons) expect(each).toEqual(reasons[0]);
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
])('%s 100,000 levels deep is a bad row with the reason', (_name, read) => {
  const [row] = read(deep(100_000));
  expect(row).toMatchObject({ record: null, problem: expect.stringContaining('500 levels') });
  // Digits that must be read exactly do not change which row is the deepest.
  const [digits] = read(deep(100_000).replace('[]', '[9007199254740993]'));
  expect(digits?.problem).toContain('500 levels');
  const [fine] = read(`{"text":"${'['.repeat(2_000)}\\"","list":${deep(400)}}`);
  expect(fine?.problem).toBe(null);
});

/** Limit of the characters that may be in one string at a time. */
const MAX_ROW = 1_000_000;
const A_CHUNK = 65_536;

test.each([
  [
    'a cell of CSV',
    '1,"',
    '"\n',
    '2,x\n',
    (given: typeof options) => new CsvReader({ ...given, delimiter: ',', quote: '"', columns: 2 }),
  ],
  [
    'a text of JSON lines',
    '{"a":"',
    '"}\n',
    '{"a":"x"}\n',
    (given: typeof options) => new JsonLinesReader(given),
  ],
])(
  '%s of 50 MB is never one string in memory: the row is bad, the next one is read',
  (_name, before, after, next, open) => {
    let longest = 0;
    const decode: typeof options.decode = Object.assign(
      (bytes: Buffer, from: number, to: number) => {
        longest = Math.max(longest, to - from);
        return options.decode(bytes, from, to);
      },
      { encoding: options.decode.encoding, isValid: options.decode.isValid },
    );
    const reader = open({ ...options, decode, maxRowBytes: MAX_ROW });
    const chunk = Buffer.from('x'.repeat(A_CHUNK));
    const rows = reader.push(Buffer.from(before));
    // A reader that kept the whole text would scan it again for each chunk.
    neverHangs(() => {
      for (let bytes = 0; bytes < 50_000_000; bytes += A_CHUNK) rows.push(...reader.push(chunk));
    });
    rows.push(...reader.push(Buffer.from(after + next)), ...reader.end());
    expect(rows).toMatchObject([{ problem: expect.stringMatching(/1 MB/) }, { problem: null }]);
    expect(rows[0]?.byteEnd).toBeGreaterThan(50_000_000);
    expect(longest).toBeLessThan(MAX_ROW + 2 * A_CHUNK);
  },
);

test('a text of 50 MB in a JSON array, without a findable next row, is rejected by name within its first MB', () => {
  const reader = new JsonArrayReader({ ...options, maxRowBytes: MAX_ROW, isInside: false });
  const chunk = Buffer.from('x'.repeat(A_CHUNK));
  let pushed = 0;
  const readOn = () => {
    reader.push(Buffer.from('[{"a":"'));
    for (; pushed < 50_000_000; pushed += A_CHUNK) reader.push(chunk);
  };
  expect(readOn).toThrow(expect.objectContaining({ code: 'FILE_MALFORMED' }));
  expect(pushed).toBeLessThan(2 * MAX_ROW);
});
