/**
 * Plain rows that compiled code reads: the events and findings are the same as those of the reader that reads row by
 * row.
 */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assembledFiles } from '../../build/wat/assembled-files.ts';
import type { ModelFacts } from '../../electron/shared/upload-columns.ts';
import { COLUMN_TYPES } from '../../electron/shared/upload-model.ts';
import { CsvReader } from '../../electron/uploads/readers/csv-reader.ts';
import { decoderFor, measureFor } from '../../electron/uploads/readers/encoding.ts';
import { ReadingFacts } from '../../electron/uploads/readers/reading-facts.ts';
import type { RowRuns, SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { CellEncoder } from '../../electron/uploads/validate/cell-encoder.ts';
import { Events } from '../../electron/uploads/validate/events.ts';
import type { ReadingPlan } from '../../electron/uploads/validate/reading-plan.ts';
import { RowValidator } from '../../electron/uploads/validate/validate.ts';
import { runs } from '../helpers/runs.ts';

const HEADER = ['a', 'b', 'c', 'd'] as const;

/** Texts of cells exactly as in the file. Most are plain. */
const cell = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -20, max: 2_000 }).map(String) },
  { weight: 3, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 3, arbitrary: fc.stringMatching(/^-?\d{0,18}\.?\d{0,18}$/) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('France', 'Spain', 'New York', 'Yes', 'a', '', '0.5', '-0', '007'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('2024-01-31', '2024-01-31T10:00:00Z', 'NA', 'x', ' 1', '1 ', 'a '),
  },
  { weight: 2, arbitrary: fc.constantFrom('"quoted"', '"1"', '"a,b;c\td|e"', '""', '" "', "'x'", "'a,b'") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"a""b"',
      '"two\nlines"',
      '"two\rlines"',
      '"open',
      'a"b',
      '"a"b',
      ' "a"',
      '"a" ',
      "'it''s'",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('é', '日本', 'a\\b', 'a\tb', '\0', '\x7f', '\u2028', '🙂', 'ÿ') },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 300 }).map((length) => 'long text '.repeat(length).trim()),
  },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 320 }).map((length) => '7'.repeat(length)) },
);
const end = fc.oneof(
  { weight: 12, arbitrary: fc.constant('\n') },
  { weight: 2, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: fc.constantFrom('\r', '\n\n', '\r\n\r\n', '\r\r', '\n\r') },
);
const row = fc.record({
  cells: fc.oneof(
    { weight: 20, arbitrary: fc.array(cell, { minLength: 4, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(cell, { minLength: 0, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.constant<string[]>([...HEADER]) },
    {
      weight: 2,
      arbitrary: fc.array(
        fc.constantFrom<string[]>('', ' ', '""', '" "', '""""', '\u00a0', '\u3000', '=""', '"="""""'),
        {
          minLength: 4,
          maxLength: 4,
        },
      ),
    },
    { weight: 1, arbitrary: fc.constant<string[]>(['\ufeffa', 'b', 'c', 'd']) },
  ),
  end,
});
const facts = fc.record({
  type: fc.constant(null),
  categories: fc.option(fc.constant<(string | number | boolean)[]>(['France', 'Spain', 1]), { freq: 4 }),
  min: fc.option(fc.constantFrom(0, -1.5)),
  max: fc.option(fc.constantFrom(100, 0.5, 1_000)),
  dimensions: fc.constant(null),
});
const type = fc.oneof(fc.constantFrom('int', 'float', 'str', 'category'), fc.constantFrom(...COLUMN_TYPES));
const file = fc.record({
  types: fc.array(type, { minLength: 4, maxLength: 4 }),
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }),
  facts: fc.option(fc.array(facts, { minLength: 4, maxLength: 4 })),
  id: fc.option(fc.constantFrom(...HEADER), { freq: 3 }),
  time: fc.option(fc.constantFrom(...HEADER), { freq: 3 }),
  mode: fc.constantFrom('publish' as const, 'update' as const),
  nullWords: fc.constantFrom<string[]>([], ['NA', 'x'], ['0']),
  hasConstant: fc.boolean(),
  encoding: fc.constantFrom('utf-8', 'utf-8', 'windows-1252'),
  delimiter: fc.constantFrom(',', ',', ';', '\t', '|'),
  quote: fc.constantFrom('"', '"', "'", null),
  hasHeader: fc.boolean(),
  maxRowBytes: fc.constantFrom(4_000_000, 4_000_000, 300),
  rows: fc.array(row, { minLength: 1, maxLength: 30 }),
  repeats: fc.integer({ min: 1, max: 3 }),
  isEnded: fc.boolean(),
  /** Bytes to change: the position as a share of the file, and the new value. */
  damage: fc.array(
    fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0, 10, 13, 34, 44, 0x80, 0xc3, 0xff),
    ),
    {
      maxLength: 2,
    },
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
});
type File = typeof file extends fc.Arbitrary<infer T> ? T : never;

function bytesOf({ rows, repeats, delimiter, isEnded, damage, quote }: File): Buffer {
  const lines = Array.from({ length: repeats }, () =>
    rows.map(
      (each) =>
        each.cells.map((text) => (quote === "'" ? text.replaceAll('"', "'") : text)).join(delimiter) +
        each.end,
    ),
  ).flat();
  const bytes = Buffer.from(isEnded ? lines.join('') : lines.join('').replace(/[\r\n]+$/, ''));
  for (const [share, value] of damage)
    bytes[Math.min(Math.floor(share * bytes.length), bytes.length - 1)] = value;
  return bytes;
}

function planOf({
  types,
  order,
  mode,
  nullWords,
  hasConstant,
  encoding,
  delimiter,
  quote,
}: File): ReadingPlan {
  return {
    dialect: {
      format: 'csv',
      encoding,
      delimiter,
      quote: quote ?? 'none',
      hasHeader: true,
      nullWords,
    } as ReadingPlan['dialect'],
    columns: [
      ...order.map((at) => ({
        source: HEADER[at] ?? 'a',
        target: `to ${HEADER[at]} “é”`,
        type: types[at] ?? ('str' as const),
      })),
      ...HEADER.filter((_, at) => !order.includes(at)).map((source) => ({
        source,
        target: null,
        type: 'str' as const,
      })),
    ],
    mode,
    ...(hasConstant ? { constants: [{ target: 'constant', type: 'int' as const, value: '1' }] } : {}),
  };
}

function modelOf({ facts: known, id, time }: File): ModelFacts | null {
  if (known === null) return null;
  const target = (name: string | null) => (name === null ? null : `to ${name} “é”`);
  const columns = HEADER.flatMap((name, at) => {
    const found = known[at];
    return found === undefined ? [] : [{ name: `to ${name} “é”`, ...found }];
  });
  return { columns, eventIdColumn: target(id), eventTsColumn: target(time), eventTsFormat: null };
}

let taken = 0;

/** Everything that a check finds in a file. `byRuns`: compiled code reads the rows that it can. */
function findings(given: File, byRuns: boolean): unknown {
  const plan = planOf(given);
  const validator = new RowValidator(plan, [...HEADER], modelOf(given));
  const events = new Events();
  const decode = decoderFor(given.encoding);
  const { delimiter, quote } = given;
  const encoder = new CellEncoder({
    events,
    validator,
    plan,
    decode,
    signs: { delimiter, quote: quote ?? '', escape: null },
  });
  const counted = (from: RowRuns | null): RowRuns | null =>
    from && {
      load: (bytes) => from.load(bytes),
      takeRun: (at, place) => {
        const found = from.takeRun(at, place);
        taken += found.rows;
        return found;
      },
    };
  const known = new ReadingFacts();
  const reader = new CsvReader({
    ...{
      start: { byteOffset: 7, line: 2, row: 1 },
      decode,
      measure: measureFor(given.encoding),
      facts: quote === "'" ? undefined : known,
    },
    ...{ maxRowBytes: given.maxRowBytes, delimiter, quote, columns: HEADER.length },
    header: given.hasHeader ? Buffer.from(HEADER.join(delimiter)) : null,
    sink: {
      take: (bytes, bounds, place) => encoder.take(bytes, bounds, place),
      ...(byRuns ? { runs: (reading) => counted(encoder.runs(reading)) } : {}),
    },
  });
  const bytes = bytesOf(given);
  const cuts = given.cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  const left: SourceRow[] = [];
  [0, ...cuts].forEach((from, at) => {
    left.push(...reader.push(bytes.subarray(from, cuts[at] ?? bytes.length)));
  });
  left.push(...reader.end());
  const checked = left.map((each) => validator.check(each));
  return {
    events: Array.from({ length: events.count }, (_, at) => [
      events.jsonOf(at, at + 1).toString(),
      events.placeOf(at),
      events.sizeOf(at),
    ]),
    all: events.count === 0 ? '' : events.jsonOf(0, events.count).toString(),
    ...{
      ids: events.ownIds,
      bad: events.bad,
      left,
      checked,
      repaired: events.repaired,
      unusual: events.unusual,
    },
    ...{ notes: validator.notes(), problems: validator.problems(), settled: validator.settled(plan) },
    ...{ ledger: validator.ledger(plan), facts: known.notes() },
  };
}

describe('plain rows', () => {
  test('give the same events, places, bad rows and findings as rows that are taken one at a time', () => {
    fc.assert(
      fc.property(file, (given) => {
        expect(findings(given, true)).toEqual(findings(given, false));
      }),
      { numRuns: runs(1_000) },
    );
    expect(taken).toBeGreaterThan(1_000);
  });

  test('are written to a memory that grows while they are taken', () => {
    const name = 'n'.repeat(8_000);
    const plan: ReadingPlan = {
      dialect: {
        ...{ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true },
        nullWords: [],
      },
      columns: HEADER.map((source) => ({ source, target: `${source}${name}`, type: 'int' as const })),
      mode: 'publish',
    };
    const decode = decoderFor('utf-8');
    const json = ([1, 2] as const).map((way) => {
      const events = new Events();
      const validator = new RowValidator(plan, [...HEADER], null);
      const signs = { delimiter: ',', quote: '"', escape: null };
      const encoder = new CellEncoder({ events, validator, plan, decode, signs });
      const reader = new CsvReader({
        ...{ start: { byteOffset: 0, line: 1, row: 1 }, decode, measure: measureFor('utf-8') },
        ...{ maxRowBytes: 4_000_000, delimiter: ',', quote: '"', columns: HEADER.length },
        sink: way === 1 ? encoder : { take: (bytes, bounds, place) => encoder.take(bytes, bounds, place) },
      });
      // Every other row has a value that is left to the encoder.
      expect(reader.push(Buffer.from('1,2,3,4\n5, 6,7,8\n'.repeat(150)))).toEqual([]);
      expect(events.count).toBe(300);
      return events.jsonOf(0, events.count).toString();
    });
    expect(json[0] === json[1]).toBe(true);
  });

  test.each(assembledFiles())('$target is the code of its source', ({ target, text }) => {
    expect(readFileSync(target, 'utf8')).toBe(text);
  });
});
