/**
 * Random typed tables are written as Parquet and as Arrow in every encoding, and read back as their original values.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AnalysisLink } from '../../electron/analysis/analysis-link.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { Heartbeat } from '../../electron/uploads/heartbeat.ts';
import { unpack } from '../../electron/uploads/unpack/unpack.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { runs } from '../helpers/runs.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const text = fc
  .oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom('', 'a', '007'),
  )
  .filter((each) => each.isWellFormed() && !/\p{Cc}/u.test(each));
const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const moment = fc.integer({ min: -2_000_000_000_000, max: 4_000_000_000_000 });
const isoOf = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace(/\.?0*Z$/, '')
    .replace(/T(\d\d:\d\d)$/, 'T$1:00');

/** A value as SQL writes it, and as it is read in JSON. */
interface Made {
  sql: string;
  json: string;
}
const made = <T>(of: fc.Arbitrary<T>, sql: (value: T) => string, json: (value: T) => string) =>
  of.map((value): Made => ({ sql: sql(value), json: json(value) }));
const JSON_TEXT = (value: unknown): string => JSON.stringify(value);
const COLUMNS = {
  big: made(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    (v) => `${quoted(String(v))}::BIGINT`,
    String,
  ),
  exact: made(
    fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 999 })),
    ([whole, part]) => `${quoted(`${whole}.${String(part).padStart(3, '0')}`)}::DECIMAL(30,3)`,
    ([whole, part]) => `${whole}.${String(part).padStart(3, '0')}`,
  ),
  word: made(text, (v) => `${quoted(v)}::VARCHAR`, JSON_TEXT),
  unmarked: made(text, (v) => `encode(${quoted(v)})`, JSON_TEXT),
  // The first byte is invalid in UTF-8.
  bytes: made(
    fc.uint8Array({ maxLength: 6 }),
    (v) => `${quoted(`\\xff${hex(v)}`)}::BLOB`,
    (v) => JSON.stringify(Buffer.from([0xff, ...v]).toString('base64')),
  ),
  yes: made(fc.boolean(), (v) => `${v}::BOOLEAN`, String),
  wall: made(
    moment,
    (v) => `TIMESTAMP ${quoted(isoOf(v))}`,
    (v) => JSON.stringify(isoOf(v)),
  ),
  instant: made(
    moment,
    (v) => `TIMESTAMPTZ ${quoted(`${isoOf(v)}+00`)}`,
    (v) => JSON.stringify(`${isoOf(v)}Z`),
  ),
  list: made(
    fc.array(fc.option(text), { maxLength: 3 }),
    (v) => `[${v.map((each) => (each === null ? 'NULL' : quoted(each))).join(',')}]::VARCHAR[]`,
    JSON_TEXT,
  ),
  id: made(fc.uuid(), (v) => `${quoted(v)}::UUID`, JSON_TEXT),
};
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const row = fc.tuple(...NAMES.map((name) => fc.option(COLUMNS[name], { freq: 6 })));

test('Parquet: each value of each type, for any codec, version and row group size', async () => {
  const link = new AnalysisLink({ startChild: startNodeChild, clock: systemClock, idleMs: 60_000 });
  const [source, target] = [folder.file('table.parquet'), folder.file('table.jsonl')];
  const how = fc.record({
    codec: fc.constantFrom('uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw', 'brotli'),
    version: fc.constantFrom('V1', 'V2'),
    dictionary: fc.constantFrom(1, 1_000_000),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      how,
      async (rows, { codec, version, dictionary }) => {
        const cells = rows.map((cellsOfRow) => cellsOfRow.map((cell) => cell?.sql ?? 'NULL').join(', '));
        const types =
          'BIGINT, DECIMAL(30,3), VARCHAR, BLOB, BLOB, BOOLEAN, TIMESTAMP, TIMESTAMPTZ, VARCHAR[], UUID'.split(
            /, (?![^(]*\))/,
          );
        const select = NAMES.map((name, at) => `${name}::${types[at]} AS "${name}"`).join(', ');
        await writeParquet(
          source,
          `SELECT ${select} FROM (VALUES ${cells.map((each) => `(${each})`).join(', ')}) t(${NAMES.join(', ')})`,
          `COMPRESSION ${codec}, PARQUET_VERSION ${version}, DICTIONARY_SIZE_LIMIT ${dictionary}`,
        );
        const { bytes } = await link.call('parquet-to-json-lines', { source, target });
        const expected = rows.map(
          (each) => `{${NAMES.map((name, at) => `"${name}":${each[at]?.json ?? 'null'}`).join(',')}}`,
        );
        expect(readFileSync(target, 'utf8').trimEnd().split('\n')).toEqual(expected);
        const count = (name: keyof typeof COLUMNS) =>
          rows.filter((each) => each[NAMES.indexOf(name)] !== null).length;
        expect(bytes).toEqual(
          [
            { column: 'unmarked', values: count('unmarked'), isText: true },
            { column: 'bytes', values: count('bytes'), isText: false },
          ].filter(({ values }) => values > 0),
        );
        // Another reader finds the same texts and numbers.
        const file = Uint8Array.from(readFileSync(source)).buffer;
        const others = await parquetReadObjects({ file, compressors });
        expect(others.map(({ big, word }) => [big ?? null, word ?? null])).toEqual(
          rows.map((each) => [
            each[0] === null ? null : BigInt(each[0]?.json ?? ''),
            each[2] === null ? null : JSON.parse(each[2]?.json ?? ''),
          ]),
        );
      },
    ),
    { numRuns: runs(12, 300) },
  );
  await link.end();
}, 900_000);

test('Arrow: each value of each type, as a file and as a stream, with dictionaries or not', async () => {
  const [path, target] = [folder.file('table.arrow'), folder.file('table.jsonl')];
  const plain = fc.record({
    big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    short: fc.option(fc.integer({ min: -32_768, max: 32_767 })),
    real: fc.option(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    ),
    word: fc.option(text),
    yes: fc.option(fc.boolean()),
    at: fc.option(moment),
    list: fc.option(fc.array(fc.integer(), { maxLength: 3 })),
  });
  const how = fc.record({
    kind: fc.constantFrom('file' as const, 'stream' as const),
    isDictionary: fc.boolean(),
    zone: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(plain, { minLength: 1, maxLength: 12 }),
      how,
      async (rows, { kind, isDictionary, zone }) => {
        const utf8 = new arrow.Utf8();
        const table = new arrow.Table({
          big: arrow.vectorFromArray(
            rows.map(({ big }) => big),
            new arrow.Int64(),
          ),
          short: arrow.vectorFromArray(
            rows.map(({ short }) => short),
            new arrow.Int16(),
          ),
          real: arrow.vectorFromArray(
            rows.map(({ real }) => real),
            new arrow.Float64(),
          ),
          word: arrow.vectorFromArray(
            rows.map(({ word }) => word),
            isDictionary ? new arrow.Dictionary(utf8, new arrow.Int32()) : utf8,
          ),
          yes: arrow.vectorFromArray(
            rows.map(({ yes }) => yes),
            new arrow.Bool(),
          ),
          at: arrow.vectorFromArray(
            rows.map(({ at }) => at),
            new arrow.TimestampMillisecond(zone ? 'UTC' : null),
          ),
          list: arrow.vectorFromArray(
            rows.map(({ list }) => list),
            new arrow.List(new arrow.Field('item', new arrow.Int32())),
          ),
        });
        writeFileSync(path, arrow.tableToIPC(table, kind));
        const format = kind === 'file' ? 'arrow-file' : 'arrow-stream';
        await unpack(
          { path, name: 'table.arrow', format, member: null, sheet: null, target },
          new Heartbeat(),
        );
        const expected = rows.map(
          ({ big, short, real, word, yes, at, list }) =>
            `{"big":${big},"short":${short},"real":${real},"word":${JSON.stringify(word)},"yes":${yes},"at":${at === null ? null : JSON.stringify(`${isoOf(at)}${zone ? 'Z' : ''}`)},"list":${JSON.stringify(list)}}`,
        );
        expect(readFileSync(target, 'utf8').trimEnd().split('\n')).toEqual(expected);
      },
    ),
    { numRuns: runs(300, 10_000) },
  );
}, 900_000);
