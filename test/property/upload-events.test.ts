/**
 * Rows of delimited text and of JSON lines as events: copying bytes gives the same as converting each value separately.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROBLEM_KINDS, REPAIR_KINDS } from '../../electron/shared/repair-options.ts';
import type { ModelFacts } from '../../electron/shared/upload-columns.ts';
import { type CellEdits, COLUMN_TYPES } from '../../electron/shared/upload-model.ts';
import { CsvReader } from '../../electron/uploads/readers/csv-reader.ts';
import { decoderFor, measureFor } from '../../electron/uploads/readers/encoding.ts';
import { JsonLinesReader } from '../../electron/uploads/readers/json-reader.ts';
import type { SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { CellEncoder } from '../../electron/uploads/validate/cell-encoder.ts';
import { Events } from '../../electron/uploads/validate/events.ts';
import { LineEncoder } from '../../electron/uploads/validate/line-encoder.ts';
import type { ReadingPlan } from '../../electron/uploads/validate/reading-plan.ts';
import { RowValidator } from '../../electron/uploads/validate/validate.ts';
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
  // Columns that accept any text keep rows that a column of numbers would reject.
  types: fc.tuple(
    fc.oneof(fc.constantFrom('int', 'float'), type),
    fc.constantFrom('str', 'category'),
    fc.oneof(fc.constant('str'), type),
  ),
  facts: fc.option(fc.tuple(facts, facts, facts)),
  id: fc.option(fc.constantFrom(...HEADER)),
  time: fc.option(fc.constantFrom(...HEADER)),
  mode: fc.constantFrom('publish' as const, 'update' as const),
  // Words that mean null and are numbers prevent columns of numbers from being copied.
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
  replaced: fc.array(
    fc.record({
      source: fc.constantFrom(...HEADER),
      value: fc.oneof(
        fc.constantFrom('France', '1', '2', 'NA'),
        cell.filter((text) => text !== ''),
      ),
      with: fc.option(cell),
    }),
    { maxLength: 3 },
  ),
  edited: fc.array(
    fc.record({ source: fc.constantFrom(...HEADER), row: fc.nat({ max: 15 }), with: fc.option(cell) }),
    { maxLength: 3 },
  ),
  encoding: fc.constantFrom('utf-8', 'windows-1252'),
  rows: fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
  cutAt: fc.nat({ max: 200 }),
});

function modelOf(
  known: readonly Omit<ModelFacts['columns'][number], 'name'>[] | null,
  id: string | null,
  time: string | null,
): ModelFacts | null {
  if (known === null) return null;
  const columns = HEADER.flatMap((name, at) => {
    const found = known[at];
    return found === undefined ? [] : [{ name, ...found }];
  });
  return { columns, eventIdColumn: id, eventTsColumn: time, eventTsFormat: null };
}

/** Edits of cells in rows at these parts of the file, each followed by a line end. */
function editsOf(
  pieces: readonly string[],
  edited: readonly { source: string; row: number; with: string | null }[],
): CellEdits | undefined {
  const cells = edited.map(({ row, ...edit }) => {
    const before = pieces.slice(0, row).map((piece) => `${piece}\n`);
    return { ...edit, line: 1, value: null, byteOffset: Buffer.byteLength(before.join('')) };
  });
  return cells.length === 0 ? undefined : { sha256: '0'.repeat(64), cells };
}

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

/** Checks the rows one by one as they are in the file, and by an encoder. Both must give the same result. */
function expectSame(
  { plan, header, model }: { plan: ReadingPlan; header: string[] | null; model: ModelFacts | null },
  readWith: (encode: { events: Events; validator: RowValidator } | null) => SourceRow[],
): void {
  const one = new RowValidator(plan, header, model);
  const checked = readWith(null).map((row) => ({ row, ...one.check(row) }));
  const validator = new RowValidator(plan, header, model);
  const events = new Events();
  const left = readWith({ events, validator }).map((row) => validator.check(row));
  const good = checked.flatMap((found) => ('json' in found ? [found] : []));
  const bad = checked.flatMap((found) => ('bad' in found ? [found.bad] : []));
  expect(good.map((_, at) => events.jsonOf(at, at + 1).toString())).toEqual(good.map(({ json }) => json));
  expect(events.count).toBe(good.length);
  expect(events.ownIds).toEqual(good.map(({ ownId }) => ownId));
  expect(good.map((_, at) => events.placeOf(at))).toEqual(
    good.map(({ row: { row, line, nextLine, byteStart, byteEnd } }) => ({
      ...{ row, line, nextLine, byteStart, byteEnd },
    })),
  );
  const said = [...events.bad, ...left.flatMap((found) => ('bad' in found ? [found.bad] : []))];
  expect(said.toSorted((a, b) => a.row - b.row)).toEqual(bad);
  expect(validator.notes()).toEqual(one.notes());
  expect(validator.problems()).toEqual(one.problems());
  // The events decide the columns of a file.
  expect(validator.settled(plan)).toEqual(one.settled(plan));
  expect(events.repaired).toBe(good.filter(({ isRepaired }) => isRepaired).length);
  expect(events.unusual).toBe(good.filter(({ isUnusual }) => isUnusual).length);
  if (good.length > 0) {
    const all = events.jsonOf(0, events.count).toString();
    expect(all).toBe(good.map(({ json }) => json).join(','));
  }
}

function expectSameLines(plan: ReadingPlan, model: ModelFacts | null, bytes: Buffer, cutAt: number): void {
  const { encoding } = plan.dialect;
  const decode = decoderFor(encoding);
  expectSame({ plan, header: null, model }, (encode) => {
    const reader = new JsonLinesReader({
      ...{ start: { byteOffset: 0, line: 1, row: 1 }, decode, measure: measureFor(encoding) },
      maxRowBytes: 4_000_000,
      sink: encode === null ? undefined : new LineEncoder({ ...encode, plan, decode }),
    });
    const [one, two] = [bytes.subarray(0, cutAt), bytes.subarray(cutAt)];
    return [...reader.push(one), ...reader.push(two), ...reader.end()];
  });
}

/** Each occurs once in a column of its type. */
const ODD_TOKENS = [
  ...[
    '0.000001',
    '0.0000001',
    '0.05',
    '1.50',
    '1.0',
    '0.0',
    '-0',
    '-0.5',
    '01',
    '1.',
    '.5',
    '1e5',
    '1E+400',
    '-',
    '10',
  ],
  ...[
    '9007199254740993',
    '0.12345678901234567',
    '"NA"',
    '" NA "',
    '"NAN"',
    '""',
    '" "',
    '"a b"',
    '" a"',
    '"é"',
  ],
  ...[
    '"aéb"',
    '"nichts dä"',
    '"a\\n"',
    '"\\u0041"',
    '"\\u00e9"',
    '"\\x"',
    '"a\tb"',
    '"\u00a0"',
    '"1"',
    '"true"',
    'tru',
  ],
  ...[
    'true',
    'false',
    'null',
    'nul',
    '[1]',
    '{"k":1}',
    '"2024-01-31"',
    '1700000000',
    '"a',
    '',
    '"\\"',
    '"\\\\"',
  ],
];

/** A value that can occur in a JSON file, and sometimes an invalid one. */
const token = fc.oneof(
  cell.map((text) => JSON.stringify(text)),
  digits,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer({ min: -3, max: 120 }).map(String),
  fc.constantFrom(
    'true',
    'false',
    'null',
    'nul',
    '0.000001',
    '0.0000001',
    '0.05',
    '1.50',
    '-0',
    '0.0',
    '1e400',
  ),
  fc.constantFrom('12345678901234567890', '0.1234567890123456789', '[1,2]', '{"k":"}"}', '"a', '"\\x"'),
  fc.constantFrom('"\\u00e9"', '"\\ud800"', '"\u00a0"', '" é"', '"é "', '"a\u2028b"', '"\u007f"', '"\t"', ''),
);
const line = fc
  .record({
    keys: fc.oneof<fc.MaybeWeightedArbitrary<string[]>[]>(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ['a', 'b', 'c'],
          ['a', 'b', 'c', 'unsent'],
          ['a', 'a', 'b'],
          ['c', 'b', 'a', 'b'],
        ),
      },
      { weight: 2, arbitrary: fc.shuffledSubarray(['a', 'b', 'c', 'unsent', 'ä"', 'extra', 'a', '\\u0061']) },
    ),
    // Mostly a single odd value: if several are wrong, the row reports nothing about the others.
    tokens: fc.oneof(
      { weight: 1, arbitrary: fc.array(token, { minLength: 8, maxLength: 8 }) },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.nat({ max: 2 }), token)
          .map(([odd, value]) => ['1', '"France"', '"Spain"', '2', '3', '4', '5', '6'].with(odd, value)),
      },
    ),
    blank: fc.constantFrom('', '', ' ', '\t', ' \r', '\u00a0'),
    end: fc.constantFrom('', '', '', '', '', '', ' ', '\r', ',', '}', ' x'),
  })
  .map(({ keys, tokens, blank, end }) => {
    const parts = keys.map((key, at) => `"${key}"${blank}:${blank}${tokens[at] ?? ''}`);
    return `${blank}{${parts.join(`${blank},${blank}`)}${blank}}${end}`;
  });

describe('events of JSON lines', () => {
  test.each(COLUMN_TYPES)('the same as one by one for every odd value of a column of %s', (type) => {
    const dialect = {
      format: 'jsonl',
      encoding: 'utf-8',
      delimiter: ',',
      quote: 'none',
      hasHeader: false,
    } as const;
    const plan: ReadingPlan = {
      dialect: { ...dialect, nullWords: ['NA', 'nichts dä'] },
      columns: ['a', 'b'].map((source) => ({ source, target: source, type })),
      mode: 'publish',
    };
    const lines = ODD_TOKENS.flatMap((odd) => [
      ...[`{"a":${odd}}`, `{"a":null,"b":${odd}}`, `{"b":${odd},"a":${odd}}`, `{"a":null,"a":${odd}}`],
      ...[`{ "a" : ${odd} }`, `{"\\u0061":${odd}}`, `{"c":${odd}}`, `{"a":${odd}} x`, `{"a":${odd},}`],
    ]);
    expectSameLines(plan, null, Buffer.from([...lines, ...lines].join('\n')), 1_000);
  });

  test('the same as of its rows one by one: events, ids, positions, bad rows, notes', () => {
    fc.assert(
      fc.property(
        table,
        fc.array(
          fc.oneof(
            { weight: 9, arbitrary: line },
            { weight: 1, arbitrary: fc.constantFrom('', ' ', '[]', '{}') },
          ),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        fc.boolean(),
        (
          { types, facts: known, id, time, mode, nullWords, constants, repairs, encoding, cutAt, ...changed },
          lines,
          isEnded,
        ) => {
          const pieces = [...lines, ...lines];
          const plan: ReadingPlan = {
            dialect: {
              format: 'jsonl',
              encoding,
              delimiter: ',',
              quote: 'none',
              hasHeader: false,
              nullWords,
            },
            columns: [
              ...HEADER.map((source, at) => ({
                source,
                target: source,
                type: types[at] ?? ('str' as const),
              })),
              { source: 'unsent', target: null, type: 'str' },
              { source: 'ä"', target: 'd', type: 'str' },
            ],
            mode,
            repairs,
            replacements: changed.replaced,
            cellEdits: editsOf(pieces, changed.edited),
            constants: constants?.map((value, at) => ({ target: `constant ${at}`, type: 'int', value })),
          };
          const model = modelOf(known, id, time);
          const bytes = Buffer.from(`${pieces.join('\n')}${isEnded ? '\n' : ''}`);
          expectSameLines(plan, model, bytes, cutAt);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('events of delimited text', () => {
  test('the same as of its rows one by one: events, ids, positions, bad rows, notes', () => {
    fc.assert(
      fc.property(
        table,
        ({ types, facts: known, id, time, mode, nullWords, constants, repairs, ...file }) => {
          const { encoding, rows, cutAt, replaced, edited } = file;
          // Twice, because values that occurred before are cached.
          const lines = [...rows, ...rows].map((cells) => cells.map(quoted).join(','));
          const plan: ReadingPlan = {
            dialect: { format: 'csv', encoding, delimiter: ',', quote: '"', hasHeader: true, nullWords },
            columns: HEADER.map((source, at) => ({ source, target: source, type: types[at] ?? 'str' })),
            mode,
            repairs,
            replacements: replaced,
            cellEdits: editsOf(lines, edited),
            constants: constants?.map((value, at) => ({ target: `constant ${at}`, type: 'int', value })),
          };
          const model = modelOf(known, id, time);
          const bytes = Buffer.from(`${lines.join('\n')}\n`);
          expectSame({ plan, header: [...HEADER], model }, (encode) =>
            read(
              bytes,
              cutAt,
              encoding,
              encode === null
                ? undefined
                : new CellEncoder({
                    ...encode,
                    plan,
                    decode: decoderFor(encoding),
                    signs: { delimiter: ',', quote: '"', escape: null },
                  }),
            ),
          );
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
