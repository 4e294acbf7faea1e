/**
 * Readers: any table in any dialect is read back unchanged, with its lines and offsets, wherever it is split into
 * pieces.
 */
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { isBlankCell } from '../../electron/uploads/readers/blank-row.ts';
import { CsvReader } from '../../electron/uploads/readers/csv-reader.ts';
import { byteStage, decoderFor, measureFor } from '../../electron/uploads/readers/encoding.ts';
import { JsonArrayReader } from '../../electron/uploads/readers/json-array-reader.ts';
import { JsonLinesReader } from '../../electron/uploads/readers/json-reader.ts';
import type { RowReader, SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { writeTable } from '../helpers/make-files.ts';
import { runs } from '../helpers/runs.ts';

const START = { byteOffset: 0, line: 1, row: 1 };

/** Splits bytes at the given positions. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const ends = [...places, bytes.length];
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

function readAll(reader: RowReader, bytes: Buffer, cuts: readonly number[], encoding: string): SourceRow[] {
  const stage = byteStage(encoding);
  const rows = pieces(bytes, cuts).flatMap((piece) => reader.push(stage.push(piece)));
  return [...rows, ...reader.push(stage.end()), ...reader.end()];
}

function options(encoding: string, maxRowBytes = 4_000_000) {
  return { start: START, decode: decoderFor(encoding), measure: measureFor(encoding), maxRowBytes };
}

const cell = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(
    '',
    ' ',
    '"',
    '""',
    ',',
    ';',
    "'",
    'a"b',
    '\n',
    '\r\n',
    'x\ny',
    '\r',
    '0',
    'null',
    'é',
    '日本',
    '😀',
  ),
);
const cuts = fc.array(fc.nat({ max: 5_000 }), { maxLength: 12 });
const encoding = fc.constantFrom('utf-8', 'utf-16le', 'utf-16be');
const wellFormed = (text: string) => text.isWellFormed();

describe('delimited text', () => {
  const table = fc.integer({ min: 1, max: 5 }).chain((columns) =>
    fc.array(
      fc
        .array(cell.filter(wellFormed), { minLength: columns, maxLength: columns })
        // Rows without any value in several columns are skipped, so they are not generated.
        .filter((cells) => columns === 1 || !cells.every(isBlankCell)),
      { minLength: 1, maxLength: 12 },
    ),
  );
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', '\t', ';', '|'),
    quote: fc.constantFrom('"' as const, "'" as const),
    lineEnd: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
    endsWithLineEnd: fc.boolean(),
    quotesAll: fc.boolean(),
  });

  test('a table is read back completely, for any dialect, encoding and split', () => {
    fc.assert(
      fc.property(table, dialect, cuts, encoding, (rows, how, where, name) => {
        // A byte order mark is handled when the file is opened; as the first character of a cell it would be mistaken
        // for one.
        const written = writeTable(rows, how);
        const bytes = iconv.encode(written.text, name);
        const reader = new CsvReader({ ...options(name), ...how, columns: rows[0]?.length ?? null });
        const read = readAll(reader, bytes, where, name);
        expect(read.map((row) => row.problem)).toEqual(rows.map(() => null));
        expect(read.map((row) => row.cells)).toEqual(rows);
        expect(read.map((row) => row.line)).toEqual(written.lines);
        expect(read.map((row) => row.row)).toEqual(rows.map((_row, index) => index + 1));
        expect(read[0]?.byteStart).toBe(0);
        expect(read.at(-1)?.byteEnd).toBe(bytes.length);
        read.forEach((row, index) => {
          if (index > 0) expect(row.byteStart).toBe(read[index - 1]?.byteEnd);
        });
      }),
      { numRuns: runs(400) },
    );
  });

  test('reading from any row returns the rest of the table', () => {
    fc.assert(
      fc.property(table, dialect, fc.nat(), encoding, (rows, how, from, name) => {
        const bytes = iconv.encode(writeTable(rows, how).text, name);
        const columns = rows[0]?.length ?? null;
        const all = readAll(new CsvReader({ ...options(name), ...how, columns }), bytes, [], name);
        const first = all[from % all.length];
        if (first === undefined) throw new Error('The table has no row.');
        const start = { byteOffset: first.byteStart, line: first.line, row: first.row };
        const reader = new CsvReader({ ...options(name), ...how, columns, start });
        expect(readAll(reader, bytes.subarray(first.byteStart), [], name)).toEqual(
          all.slice(from % all.length),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  test('bytes of any kind: pieces do not matter, offsets ascend without gaps or overlaps, memory stays bounded', () => {
    const noise = fc
      .array(fc.constantFrom('a', '"', '""', ',', '\n', '\r', '\r\n', 'é', '""x', '",', ' "', '\n"'), {
        maxLength: 60,
      })
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(noise, cuts, fc.integer({ min: 8, max: 40 }), (bytes, where, maxRowBytes) => {
        const open = () =>
          new CsvReader({ ...options('utf-8', maxRowBytes), delimiter: ',', quote: '"', columns: 2 });
        const cut = readAll(open(), bytes, where, 'utf-8');
        let last = 0;
        for (const row of cut) {
          expect(row.byteStart).toBeGreaterThanOrEqual(last);
          expect(row.byteEnd).toBeGreaterThan(row.byteStart);
          expect(row.problem === null).toBe(row.cells !== null);
          // Between two rows there are only empty lines, and rows without any value.
          expect(bytes.subarray(last, row.byteStart).toString()).toMatch(/^[\r\n," ]*$/);
          last = row.byteEnd;
        }
        expect(bytes.subarray(last).toString()).toMatch(/^[\r\n," ]*$/);
        const lineOf = (offset: number) =>
          1 +
          (bytes
            .subarray(0, offset)
            .toString('latin1')
            .match(/\r\n|\r|\n/g)?.length ?? 0);
        for (const row of cut) expect(row.line).toBe(lineOf(row.byteStart));
      }),
      { numRuns: runs(1_000) },
    );
  });
});

const json = fc.dictionary(
  fc.string({ maxLength: 6 }).filter((key) => key !== '__proto__'),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 5, noNullPrototype: true },
);

describe('JSON', () => {
  test('lines of objects are read back completely, bad lines keep their position', () => {
    const line = fc.oneof(
      json.map((value) => ({ text: JSON.stringify(value), value, isBad: false })),
      fc
        .constantFrom('{', '[1]', 'null', '"x"', '{"a":}', 'x')
        .map((text) => ({ text, value: null, isBad: true })),
      fc.constantFrom('', '  ').map((text) => ({ text, value: undefined, isBad: false })),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        cuts,
        encoding,
        fc.constantFrom('\n', '\r\n'),
        (lines, where, name, end) => {
          const bytes = iconv.encode(lines.map(({ text }) => text).join(end), name);
          const read = readAll(new JsonLinesReader(options(name)), bytes, where, name);
          const expected = lines.flatMap((item, index) =>
            item.value === undefined ? [] : [{ ...item, line: index + 1 }],
          );
          expect(read.map((row) => row.line)).toEqual(expected.map((item) => item.line));
          expect(read.map((row) => row.problem !== null)).toEqual(expected.map((item) => item.isBad));
          expect(JSON.stringify(read.map((row) => row.record))).toEqual(
            JSON.stringify(expected.map((item) => item.value)),
          );
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('an array of objects is read back completely, for any spaces and splits', () => {
    const indent = fc.constantFrom(undefined, 1, 2, '\t');
    fc.assert(
      fc.property(fc.array(json, { maxLength: 10 }), indent, cuts, encoding, (list, space, where, name) => {
        const text = JSON.stringify(list, null, space);
        const bytes = iconv.encode(text, name);
        const read = readAll(new JsonArrayReader({ ...options(name), isInside: false }), bytes, where, name);
        expect(JSON.stringify(read.map((row) => row.record))).toEqual(JSON.stringify(list));
        for (const row of read) {
          const before = iconv.decode(bytes.subarray(0, row.byteStart), name, { stripBOM: false });
          expect(row.line).toBe(1 + (before.match(/\n/g)?.length ?? 0));
          const own = iconv.decode(bytes.subarray(row.byteStart, row.byteEnd), name, { stripBOM: false });
          expect(JSON.stringify(JSON.parse(own))).toBe(JSON.stringify(row.record));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('an array that is truncated anywhere loses nothing silently', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), fc.nat(), cuts, (list, length, where) => {
        const whole = Buffer.from(JSON.stringify(list));
        const bytes = whole.subarray(0, 1 + (length % (whole.length - 1)));
        const read = readAll(
          new JsonArrayReader({ ...options('utf-8'), isInside: false }),
          bytes,
          where,
          'utf-8',
        );
        expect(read.at(-1)?.problem).toContain('cut off');
        expect(read.slice(0, -1).every((row) => row.problem === null)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});
