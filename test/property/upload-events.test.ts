/** Rows of delimited text as events: what is copied byte by byte is what converting each value on its own comes to. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLUMN_TYPES, PROBLEM_KINDS, REPAIR_KINDS } from '../../electron/shared/upload-model.ts';
import { CsvReader } from '../../electron/uploads/readers/csv-reader.ts';
import { decoderFor, measureFor } from '../../electron/uploads/readers/encoding.ts';
import type { SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { CellEncoder } from '../../electron/uploads/validate/cell-encoder.ts';
import { Events } from '../../electron/uploads/validate/events.ts';
import { type ReadingPlan, RowValidator } from '../../electron/uploads/validate/validate.ts';
import { runs } from '../helpers/runs.ts';

const HEADER = ['a', 'b', 'c'] as const;
const NULL_WORDS = ['NA', 'null', '-999', '0', 'nichts dä', 'x'];
const digits = fc
  .tuple(
    fc.constantFrom('', '', '-', '+', '--', '0', '-00'),
    fc.stringMatching(/^\d{0,18}$/),
    fc.constantFrom('', '.', '.0', '.50', '.1234567890123456789', 'e5', '.e', '..1', ',5'),
  )
  .map((parts) => parts.join(''));
const cell = fc.oneof(
  digits,
  fc.integer({ min: -3, max: 120 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    ...NULL_WORDS,
    ...NULL_WORDS.map((word) => ` ${word} `),
    '',
    ' ',
    'true',
    'No',
    'nan',
    '-0',
    '-0.0',
  ),
  fc.constantFrom(
    'France',
    'Spain ',
    ' Spain',
    'é',
    'a"b',
    'a\\b',
    'a\tb',
    'a,b',
    '\n',
    '[1,2]',
    '{"k":1}',
    '日本',
  ),
  fc.constantFrom('2024-01-31', '2024-01-31 10:00:00', '1/31/24', '1700000000', '9'.repeat(400)),
  fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => text.isWellFormed()),
);
const type = fc.constantFrom(...COLUMN_TYPES);
const facts = fc.record({
  type: fc.constant(null),
  categories: fc.option(fc.constant<(string | number | boolean)[]>(['France', 'Spain', 1, true])),
  min: fc.option(fc.constantFrom(0, -1.5)),
  max: fc.option(fc.constantFrom(100, 0.1)),
  dimensions: fc.constant(null),
});
const table = fc.record({
  // Columns that take any text leave the rows whole of which a column of numbers takes a few.
  types: fc.tuple(
    fc.oneof(fc.constantFrom('int', 'float'), type),
    fc.constantFrom('str', 'category'),
    fc.oneof(fc.constant('str'), type),
  ),
  facts: fc.option(fc.tuple(facts, facts, facts)),
  id: fc.option(fc.constantFrom(...HEADER)),
  time: fc.option(fc.constantFrom(...HEADER)),
  mode: fc.constantFrom('publish' as const, 'update' as const),
  // Words that are numbers keep columns of numbers from being copied.
  nullWords: fc.oneof(fc.constantFrom<string[]>([], ['NA', 'x']), fc.subarray(NULL_WORDS)),
  constants: fc.constantFrom(undefined, [], ['1'], ['2', 'no number']),
  repairs: fc.array(
    fc.record({
      source: fc.constantFrom(...HEADER),
      problem: fc.constantFrom(...PROBLEM_KINDS),
      kind: fc.constantFrom(...REPAIR_KINDS),
    }),
    { maxLength: 6 },
  ),
  encoding: fc.constantFrom('utf-8', 'windows-1252'),
  rows: fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
  cutAt: fc.nat({ max: 200 }),
});

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function read(bytes: Buffer, cutAt: number, encoding: string, sink?: CellEncoder): SourceRow[] {
  const reader = new CsvReader({
    start: { byteOffset: 0, line: 1, row: 1 },
    decode: decoderFor(encoding),
    measure: measureFor(encoding),
    maxRowBytes: 4_000_000,
    delimiter: ',',
    quote: '"',
    columns: HEADER.length,
    sink,
  });
  return [...reader.push(bytes.subarray(0, cutAt)), ...reader.push(bytes.subarray(cutAt)), ...reader.end()];
}

describe('events of delimited text', () => {
  test('the same as of its rows one by one: events, ids, places, bad rows, notes', () => {
    fc.assert(
      fc.property(
        table,
        ({ types, facts: known, id, time, mode, nullWords, constants, repairs, encoding, rows, cutAt }) => {
          const plan: ReadingPlan = {
            dialect: { format: 'csv', encoding, delimiter: ',', quote: '"', hasHeader: true, nullWords },
            columns: HEADER.map((source, at) => ({ source, target: source, type: types[at] ?? 'str' })),
            mode,
            repairs,
            constants: constants?.map((value, at) => ({ target: `constant ${at}`, type: 'int', value })),
          };
          const model =
            known === null
              ? null
              : {
                  columns: HEADER.map((name, at) => ({ name, ...(known[at] ?? known[0]) })),
                  eventIdColumn: id,
                  eventTsColumn: time,
                  eventTsFormat: null,
                };
          // Twice: what was met before is remembered.
          const lines = [...rows, ...rows].map((cells) => cells.map(quoted).join(','));
          const bytes = Buffer.from(`${lines.join('\n')}\n`);
          const one = new RowValidator(plan, [...HEADER], model);
          const checked = read(bytes, cutAt, encoding).map((row) => ({ row, ...one.check(row) }));
          const validator = new RowValidator(plan, [...HEADER], model);
          const events = new Events();
          const decode = decoderFor(encoding);
          const left = read(
            bytes,
            cutAt,
            encoding,
            new CellEncoder({ events, validator, plan, decode, quote: '"' }),
          ).map((row) => validator.check(row));
          const good = checked.flatMap((found) => ('json' in found ? [found] : []));
          const bad = checked.flatMap((found) => ('bad' in found ? [found.bad] : []));
          expect(good.map((_, at) => events.textOf(at, at + 1))).toEqual(good.map(({ json }) => json));
          expect(events.count).toBe(good.length);
          expect(events.ownIds).toEqual(good.map(({ ownId }) => ownId));
          expect(good.map((_, at) => events.placeOf(at))).toEqual(
            good.map(({ row: { row, line, nextLine, byteStart, byteEnd } }) => ({
              row,
              line,
              nextLine,
              byteStart,
              byteEnd,
            })),
          );
          const said = [...events.bad, ...left.flatMap((found) => ('bad' in found ? [found.bad] : []))];
          expect(said.toSorted((a, b) => a.row - b.row)).toEqual(bad);
          expect(validator.notes()).toEqual(one.notes());
          expect(validator.problems()).toEqual(one.problems());
          expect(events.repaired).toBe(good.filter(({ isRepaired }) => isRepaired).length);
          if (good.length > 0) {
            const all = events.textOf(0, events.count);
            expect(all).toBe(good.map(({ json }) => json).join(','));
            expect(events.bytesOf(0, events.count)).toBe(Buffer.byteLength(all));
          }
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});
