/** Tables in Parquet and Arrow files, which have types: values reach the rows unchanged, or are refused. */
import { writeFileSync } from 'node:fs';
import * as arrow from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { timeText } from '../../electron/uploads/unpack/json-cell.ts';
import { lz4Frame } from '../../electron/uploads/unpack/lz4-frame.ts';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import { type OpenFiles, offerOne, readableText } from '../helpers/open-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { setUpFilesOfEachTest } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFilesOfEachTest((made) => {
  ({ folder, files } = made);
});

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(folder.file(name), content);
  return folder.file(name);
}

/** Files of pyarrow that the engine of the program cannot write. */
const LONG_DECIMALS =
  'UEFSMRUEFSAVMkwVBBUAEgAAKLUv/SAQgQAAAQAAAAAAAAACAAAAAAAAABUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAABAEBAwIVBBU8FSRMFQIVABIAACi1L/0gHk0AABj//2oBACHAAhUAFRIVJCwVBBUQFQYVBhwAAAAotS/9IAlJAAACAAAAAwEBAgAVBBk8NQAYBnNjaGVtYRUEABUEJQIYAmlkABUOFTwVAhgGYW1vdW50JQoVBBWMASxcFQQVjAEAAAAWBBkcGSwmABwVBBk1AAYQGRgCaWQVDBYEFnQWmAEmViYIKSwVBBUAFQIAFQAVEBUCADwpBhkmAAQAAAAmABwVDhk1AAYQGRgGYW1vdW50FQwWBBaQARaKASbgASagASksFQQVABUCABUAFRAVAgA8KQYZJgICAAAAFoQCFgQmCBaiAgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGSwcAAAcAAAA6AAAAFBBUjE=';
const LONG_DECIMALS_IN_A_LIST =
  'UEFSMRUEFRAVIkwVAhUAEgAAKLUv/SAIQQAAAQAAAAAAAAAVABUSFSQsFQIVEBUGFQYcAAAAKLUv/SAJSQAAAgAAAAIBAQIAFQQVIhUkTBUCFQASAAAotS/9IBFNAAAY//9qAQAywAIVABUeFTAsFQIVEBUGFQYcAAAAKLUv/SAPeQAAAgAAAAIAAgAAAAIEAQIAFQQZbDUAGAZzY2hlbWEVBAAVBCUCGAJpZAA1AhgBYRUCFQZMPAAAADUEGARsaXN0FQIANQIYB2VsZW1lbnQVAgAVDhUiFQIYA2ZlZSUKFQQVUCxcFQQVUAAAABYCGRwZLCYAHBUEGTUABhAZGAJpZBUMFgIWZBaIASZGJggpLBUEFQAVAgAVABUQFQIAPCkGGSYAAgAAACYAHBUOGTUABhAZSAFhBGxpc3QHZWxlbWVudANmZWUVDBYCFoIBFpYBJtABJpABKSwVBBUAFQIAFQAVEBUCADwpJgIAGVYAAAAAAgAAABbmARYCJggWngIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI1LjAuMRksHAAAHAAAABsBAABQQVIx';
/** 03.123456789 and 03 seconds. */
const NANOSECONDS_OF_INT96 =
  'UEFSMRUEFTAVQkwVBBUAEgAAKLUv/SAYwQAAFXtz22IDAADTiiUAAK4X1GIDAADTiiUAFQAVEhUkLBUEFRAVBhUGHAAAACi1L/0gCUkAAAIAAAAEAQEDAhUEGSw1ABgGc2NoZW1hFQIAFQYlAhgBdAAWBBkcGRwmABwVBhk1AAYQGRgBdBUMFgQWhAEWqAEmZiYIKSwVBBUAFQIAFQAVEBUCADwpBhkmAAQAAAAWhAEWBCYIFqgBACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNS4wLjEZHBwAAACIAAAAUEFSMQ==';
const NAMES_IN_OTHER_CASE =
  'UEFSMRUEFRAVIkwVAhUAEgAAKLUv/SAIQQAAAQAAAAAAAAAVABUSFSQsFQIVEBUGFQYcAAAAKLUv/SAJSQAAAgAAAAIBAQIAFQQVEBUiTBUCFQASAAAotS/9IAhBAAACAAAAAAAAABUAFRIVJCwVAhUQFQYVBhwAAAAotS/9IAlJAAACAAAAAgEBAgAVBBUQFSJMFQIVABIAACi1L/0gCEEAAAMAAAAAAAAAFQAVEhUkLBUCFRAVBhUGHAAAACi1L/0gCUkAAAIAAAACAQECABUEFRAVIkwVAhUAEgAAKLUv/SAIQQAABAAAAAAAAAAVABUSFSQsFQIVEBUGFQYcAAAAKLUv/SAJSQAAAgAAAAICAQIAFQQVEBUiTBUCFQASAAAotS/9IAhBAAAFAAAAAAAAABUAFRIVJCwVAhUQFQYVBhwAAAAotS/9IAlJAAACAAAAAgIBAgAVBBl8NQAYBnNjaGVtYRUIABUEJQIYAklEABUEJQIYAmlkABUEJQIYAAA1AhgBcxUEABUEJQIYAXgAFQQlAhgBWAAWAhkcGVwmABwVBBk1AAYQGRgCSUQVDBYCFmQWiAEmRiYIKSwVBBUAFQIAFQAVEBUCADwpBhkmAAIAAAAmABwVBBk1AAYQGRgCaWQVDBYCFmQWiAEmzgEmkAEpLBUEFQAVAgAVABUQFQIAPCkGGSYAAgAAACYAHBUEGTUABhAZGAAVDBYCFmQWiAEm1gImmAIpLBUEFQAVAgAVABUQFQIAPCkGGSYAAgAAACYAHBUEGTUABhAZKAFzAXgVDBYCFmQWiAEm3gMmoAMpLBUEFQAVAgAVABUQFQIAPCkGGTYAAAIAAAAmABwVBBk1AAYQGSgBcwFYFQwWAhZkFogBJuYEJqgEKSwVBBUAFQIAFQAVEBUCADwpBhk2AAACAAAAFvQDFgImCBaoBQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGVwcAAAcAAAcAAAcAAAcAAAAnwEAAFBBUjE=';
const TIMES_BEYOND_A_DAY =
  'UEFSMRUEFTAVQkwVBhUAEgAAKLUv/SAYwQAAAUb21RUAAADAvfD//////2D/6d0AAAAAFQAVFBUmLBUGFRAVBhUGHAAAACi1L/0gClEAAAIAAAAGAQIDJAAVBBksNQAYBnNjaGVtYRUCABUEJQIYAXRsfBIcLAAAAAAAFgYZHBkcJgAcFQQZNQAGEBkYAXQVDBYGFoYBFqoBJmYmCCksFQQVABUCABUAFRAVAgA8KQYZJgAGAAAAFoYBFgYmCBaqAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGRwcAAAAkQAAAFBBUjE=';

describe('a Parquet file', () => {
  test('every value keeps its digits; nested columns are named by their paths', async () => {
    const path = folder.file('events.parquet');
    await writeParquet(
      path,
      `SELECT 9007199254740993::BIGINT big, 12345678901234567.123456789::DECIMAL(38,9) exact, 0.1::FLOAT short,
       'nan'::DOUBLE nil, 'inf'::DOUBLE most, TIMESTAMPTZ '2024-01-02 03:04:05.5+05:30' moment, TIMESTAMP '2024-01-02 03:04:05' wall,
       DATE '2024-01-02' date_of, {'city': 'Ulm', 'at': {'lat': 48.4}} place, [1.5, 'nan'::DOUBLE] list, '\\xAA'::BLOB bytes, NULL::INT gone`,
    );
    const { notes } = await files.inspect((await offerOne(files, path)).fileId, null);
    expect(notes).toEqual([
      'Parquet: the file states the names and types of its columns.',
      'Bytes that are not text, written as base64: bytes (1 value).',
    ]);
    const [line] = (await readableText(files, path)).split('\n');
    expect(line).toBe(
      '{"big":9007199254740993,"exact":12345678901234567.123456789,"short":0.1,"nil":null,"most":null,' +
        '"moment":"2024-01-01T21:34:05.5Z","wall":"2024-01-02T03:04:05","date_of":"2024-01-02","place.city":"Ulm","place.at.lat":48.4,' +
        '"list":[1.5,null],"bytes":"qg==","gone":null}',
    );
  });

  test('a bytes column that is entirely text is text, others are base64, both reported with their number', async () => {
    const path = folder.file('bytes.parquet');
    await writeParquet(
      path,
      `SELECT * FROM (VALUES
        (encode('Grün'), 'a'::BLOB, ['x'::BLOB, NULL], {'in': 'y'::BLOB, 'bin': '\\x01'::BLOB}, map {'k'::BLOB: 'v'::BLOB}, NULL::BLOB),
        ('0'::BLOB, '\\xAA'::BLOB, NULL, NULL, NULL, NULL)) t(text, mixed, list, part, map, none)`,
    );
    const { notes } = await files.inspect((await offerOne(files, path)).fileId, null);
    expect(notes.slice(1)).toEqual([
      'Bytes that are text in UTF-8, read as text: text (2 values), list (1 value), part.in (1 value), map (1 value).',
      'Bytes that are not text, written as base64: mixed (2 values), part.bin (1 value).',
    ]);
    expect(await readableText(files, path)).toBe(
      '{"text":"Grün","mixed":"YQ==","list":["x",null],"part.in":"y","part.bin":"AQ==","map":{"k":"v"},"none":null}\n' +
        '{"text":"0","mixed":"qg==","list":null,"part.in":null,"part.bin":null,"map":null,"none":null}\n',
    );
  });

  test('a value at row 10,000 that is not text keeps the whole column bytes', async () => {
    const path = folder.file('late.parquet');
    await writeParquet(
      path,
      `SELECT CASE WHEN i = 9999 THEN '\\xFF'::BLOB ELSE i::VARCHAR::BLOB END b FROM range(10000) r(i)`,
    );
    const lines = (await readableText(files, path)).trimEnd().split('\n');
    expect([lines[0], lines[9_999]]).toEqual(['{"b":"MA=="}', '{"b":"/w=="}']);
  });

  test('VARIANT is JSON for any content', async () => {
    const path = folder.file('variant.parquet');
    await writeParquet(
      path,
      `SELECT {'a': 34, 'b': ['iceberg', NULL]}::VARIANT v UNION ALL SELECT 7::VARIANT UNION ALL SELECT 'x'::VARIANT UNION ALL SELECT NULL`,
    );
    expect(await readableText(files, path)).toBe(
      '{"v":{"a":34,"b":["iceberg",null]}}\n{"v":7}\n{"v":"x"}\n{"v":null}\n',
    );
  });

  test('a table without rows is reported, in Parquet and in Arrow', async () => {
    const path = folder.file('none.parquet');
    await writeParquet(path, 'SELECT 1 a WHERE false');
    const none = new arrow.Table({ a: arrow.vectorFromArray([], new arrow.Int32()) });
    for (const file of [path, write('none.arrow', arrow.tableToIPC(none, 'file'))]) {
      const { fileId, name } = await offerOne(files, file);
      await expect(files.inspect(fileId, null)).rejects.toMatchObject({
        code: 'FILE_EMPTY',
        message: `${name} has no rows.`,
      });
    }
  });

  test('rows are in the order of the file, across its groups', async () => {
    const path = folder.file('many.parquet');
    await writeParquet(path, 'SELECT i FROM range(50000) r(i)', 'ROW_GROUP_SIZE 4096');
    const rows = (await readableText(files, path)).trimEnd().split('\n');
    expect(rows.length).toBe(50_000);
    expect(rows.every((row, index) => row === `{"i":${index}}`)).toBe(true);
  });

  test.each([
    ['amount', LONG_DECIMALS, 70],
    ['a', LONG_DECIMALS_IN_A_LIST, 40],
  ])(
    'decimals of more than 38 digits are refused, as the engine makes other numbers of them: %s',
    async (column, file, digits) => {
      const { fileId } = await offerOne(files, write('long.parquet', Buffer.from(file, 'base64')));
      await expect(files.inspect(fileId, null)).rejects.toMatchObject({
        code: 'FILE_MALFORMED',
        message: expect.stringContaining(
          `its column “${column}” has decimals of ${digits} digits, and at most 38 can be read. Write it as text or with fewer digits.`,
        ),
      });
    },
  );

  test('times of the type INT96 are read to the microsecond, with a note', async () => {
    const path = write('int96.parquet', Buffer.from(NANOSECONDS_OF_INT96, 'base64'));
    expect(await readableText(files, path)).toBe(
      '{"t":"2024-03-01T01:02:03.123456"}\n{"t":"2024-03-01T01:02:03"}\n',
    );
    const { notes } = await files.inspect((await offerOne(files, path)).fileId, null);
    expect(notes).toContain('Times read to the microsecond, further digits are left away: t.');
  });

  test('a time of day beyond a day or below zero, as fastparquet writes durations, keeps its hours and its sign', async () => {
    const path = write('long-times.parquet', Buffer.from(TIMES_BEYOND_A_DAY, 'base64'));
    expect(await readableText(files, path)).toBe(
      '{"t":"26:03:04.000001"}\n{"t":"-00:00:01"}\n{"t":"01:02:03.1"}\n',
    );
  });

  test('times before year 1 and after year 9999 have the form of ISO 8601', async () => {
    const path = folder.file('early.parquet');
    const early = "'0044-03-15 (BC) 12:00:00.5'";
    await writeParquet(
      path,
      `SELECT CAST(${early} AS DATE) AS d, CAST(${early} AS TIMESTAMP) AS t, [DATE '12026-01-05', DATE '2026-01-05'] AS l`,
    );
    expect(await readableText(files, path)).toBe(
      '{"d":"-000043-03-15","t":"-000043-03-15T12:00:00.5","l":["+012026-01-05","2026-01-05"]}\n',
    );
  });

  test('numbers that pandas, pyarrow and polars describe as durations are named with their unit', async () => {
    const pandas = JSON.stringify({ columns: [{ field_name: 'took', numpy_type: 'timedelta64[us]' }] });
    const took = arrow.vectorFromArray([1n], new arrow.DurationMillisecond());
    const stream = Buffer.from(arrow.tableToIPC(new arrow.Table({ took }), 'stream'));
    // The first message, which contains the schema.
    const schema = stream.subarray(0, 8 + stream.readUInt32LE(4)).toString('base64');
    for (const [key, value, unit] of [
      ['pandas', pandas, 'microseconds'],
      ['ARROW:schema', schema, 'milliseconds'],
    ]) {
      const path = folder.file(`${unit}.parquet`);
      const rows = 'SELECT 5400 AS n, 5400::BIGINT AS took UNION ALL SELECT 1, NULL';
      await writeParquet(path, rows, `KV_METADATA {'${key}': '${value}'}`);
      expect(await readableText(files, path)).toBe('{"n":5400,"took":5400}\n{"n":1,"took":null}\n');
      expect(await copyLedger(files, path)).toEqual([
        {
          ...{ rule: 'duration-number', source: 'took', count: 1 },
          examples: [{ line: 1, before: `5400 ${unit}`, after: '5400' }],
        },
      ]);
    }
  });

  test('columns that get another name are named', async () => {
    const path = write('names.parquet', Buffer.from(NAMES_IN_OTHER_CASE, 'base64'));
    expect(await readableText(files, path)).toBe('{"ID":1,"id_1":2,"C2":3,"s.x":4,"s.X_1":5}\n');
    const { notes } = await files.inspect((await offerOne(files, path)).fileId, null);
    expect(notes).toContain(
      'Columns renamed, because their names are empty, or differ from others in case at most: “id” is “id_1”, “” is “C2”, “s.X” is “s.X_1”.',
    );
    await writeParquet(folder.file('clash.parquet'), `SELECT 1 AS "a.b", {'b': 2} AS a`);
    const { fileId } = await offerOne(files, folder.file('clash.parquet'));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringContaining('two of its columns would have the name “a.b”. Rename one of them.'),
    });
  });

  test('a file that only starts like one is rejected, without its path', async () => {
    const { fileId } = await offerOne(files, write('bad.parquet', 'PAR1 and nothing else'));
    const error = await files.inspect(fileId, null).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code: 'FILE_MALFORMED' });
    expect(String(error)).toMatch(
      /bad\.parquet cannot be read as a Parquet file: [^.]*'bad\.parquet'\. It is cut off or damaged: copy or export it again, then choose it again\.$/,
    );
    expect(String(error)).not.toContain(folder.path);
  });
});

/** A stream of pyarrow with a run-end encoded column. */
const RUN_ENDS =
  '/////+gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAEAAAAEAAAA1P///wAAARYYAAAAHAAAAAQAAAACAAAAYAAAACAAAAABAAAAcgAAAMj///8QABQACAAGAAcADAAAABAAEAAAAAAAAQUQAAAAHAAAAAQAAAAAAAAABgAAAHZhbHVlcwAABAAEAAQAAAAQABQACAAAAAcADAAAABAAEAAAAAAAAAIQAAAAJAAAAAQAAAAAAAAACAAAAHJ1bl9lbmRzAAAAAAgADAAIAAcACAAAAAAAAAEgAAAA/////9gAAAAUAAAAAAAAAAwAFgAGAAUACAAMAAwAAAAAAwQAGAAAABgAAAAAAAAAAAAKABgADAAEAAgACgAAAGwAAAAQAAAAAgAAAAAAAAAAAAAABQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAgAAAAAAAAACAAAAAAAAAAQAAAAAAAAAAEAAAAAAAAAAAAAAAMAAAACAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAAAAAABAAAAcAAAAAAAAAD/////AAAAAA==';

describe('an Arrow file', () => {
  const table = new arrow.Table({
    big: arrow.vectorFromArray([9007199254740993n, null], new arrow.Int64()),
    short: arrow.vectorFromArray([0.1, Number.NaN], new arrow.Float32()),
    word: arrow.vectorFromArray(['a', 'b'], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
    list: arrow.vectorFromArray([[1, 2], []], new arrow.List(new arrow.Field('item', new arrow.Int32()))),
    place: arrow.vectorFromArray(
      [{ city: 'Ulm' }, null],
      new arrow.Struct([new arrow.Field('city', new arrow.Utf8())]),
    ),
  });
  const lines =
    '{"big":9007199254740993,"short":0.1,"word":"a","list":[1,2],"place.city":"Ulm"}\n{"big":null,"short":null,"word":"b","list":[],"place.city":null}\n';

  test.each(['file', 'stream'] as const)('a %s is read with its own types', async (kind) => {
    expect(await readableText(files, write(`t.${kind}.arrow`, arrow.tableToIPC(table, kind)))).toBe(lines);
  });

  test('intervals are written with all their parts, UUIDs and JSON in their own notation', async () => {
    const kinds = new arrow.Table({
      span: arrow.makeVector(
        arrow.makeData({
          type: new arrow.IntervalMonthDayNano(),
          length: 4,
          // Months, days, and 64 bits of nanoseconds.
          data: Int32Array.from([
            14,
            2,
            3_000_000_000 | 0,
            0,
            0,
            0,
            0,
            0,
            0,
            -1,
            -500_000_000,
            -1,
            0,
            400,
            0,
            0,
          ]),
        }),
      ),
      months: arrow.makeVector(
        arrow.makeData({
          type: new arrow.IntervalYearMonth(),
          length: 4,
          data: Int32Array.from([1, 12, 25, -3]),
        }),
      ),
      days: arrow.makeVector(
        arrow.makeData({
          type: new arrow.IntervalDayTime(),
          length: 4,
          data: Int32Array.from([1, 0, 0, 1500, 0, 0, -2, 90_000_000]),
        }),
      ),
    });
    const path = write('spans.arrow', arrow.tableToIPC(kinds, 'file'));
    const rows = (await readableText(files, path))
      .trimEnd()
      .split('\n')
      .map((row) => Object.values(JSON.parse(row)));
    expect(rows).toEqual([
      ['1 year 2 months 2 days 00:00:03', '1 month', '1 day'],
      ['00:00:00', '1 year', '00:00:01.5'],
      ['-1 days -00:00:00.5', '2 years 1 month', '00:00:00'],
      ['400 days', '-3 months', '-2 days 25:00:00'],
    ]);
    const named = (name: string, type: arrow.DataType) =>
      new arrow.Field(name, type, true, new Map([['ARROW:extension:name', `arrow.${name}`]]));
    const json = arrow.vectorFromArray(['{"a": 12345678901234567890}', 'no JSON', null], new arrow.Utf8());
    const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
    const uuid = arrow.vectorFromArray([bytes, null, bytes], new arrow.FixedSizeBinary(16));
    const schema = new arrow.Schema([named('json', json.type), named('uuid', uuid.type)]);
    const table = new arrow.Table(schema, { json, uuid });
    expect(await readableText(files, write('named.arrow', arrow.tableToIPC(table, 'file')))).toBe(
      '{"json":{"a":12345678901234567890},"uuid":"00112233-4455-6677-8899-aabbccddeeff"}\n{"json":"no JSON","uuid":null}\n{"json":null,"uuid":"00112233-4455-6677-8899-aabbccddeeff"}\n',
    );
  });

  test('negative zero keeps its sign, and a boolean of a byte is a boolean', async () => {
    const floats = arrow.vectorFromArray([-0, 0, null], new arrow.Float32());
    const bytes = arrow.vectorFromArray([1, 0, null], new arrow.Int8());
    const type = new Map([['ARROW:extension:name', 'arrow.bool8']]);
    const fields = [
      new arrow.Field('zero', floats.type, true),
      new arrow.Field('is_good', bytes.type, true, type),
    ];
    const table = new arrow.Table(new arrow.Schema(fields), { zero: floats, is_good: bytes });
    expect(await readableText(files, write('signs.arrow', arrow.tableToIPC(table, 'file')))).toBe(
      '{"zero":-0.0,"is_good":true}\n{"zero":0,"is_good":false}\n{"zero":null,"is_good":null}\n',
    );
  });

  test('two columns with the same name are refused, in structs too', async () => {
    const place = arrow.vectorFromArray(
      [{ b: 1 }],
      new arrow.Struct([new arrow.Field('b', new arrow.Int32())]),
    );
    const table = new arrow.Table({ 'a.b': arrow.vectorFromArray([2], new arrow.Int32()), a: place });
    const { fileId } = await offerOne(files, write('twice.arrow', arrow.tableToIPC(table, 'file')));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message:
        'twice.arrow cannot be read as an Arrow file: two of its columns would have the name “a.b”. Rename one of them, export it again, then choose it again.',
    });
  });

  test.each([
    ['file', 'its end is missing'],
    ['stream', 'Expected to read'],
  ] as const)('a %s that is cut off is refused with what to do', async (kind, reason) => {
    const whole = arrow.tableToIPC(new arrow.Table({ a: arrow.vectorFromArray(['x', 'y']) }), kind);
    const { fileId } = await offerOne(files, write('cut.arrow', whole.subarray(0, whole.length - 100)));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringMatching(
        `^cut\\.arrow cannot be read as an Arrow file after 0 rows: ${reason}.* It is cut off or damaged: copy or export it again, then choose it again\\.$`,
      ),
    });
  });

  test('a type that cannot be read is refused with a form that can', async () => {
    const { fileId } = await offerOne(files, write('runs.arrow', Buffer.from(RUN_ENDS, 'base64')));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringMatching(/RunEndEncoded.* save the table as Parquet, then choose that file\.$/),
    });
  });

  test('compressed with LZ4, including blocks that refer to earlier ones', () => {
    // Two linked blocks: "abcd", then a match of 8 bytes 4 back.
    const frame = Buffer.from([
      0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0x00, 5, 0, 0, 0, 0x40, 97, 98, 99, 100, 4, 0, 0, 0, 0x04, 4, 0,
      0x00, 0, 0, 0, 0,
    ]);
    expect(Buffer.from(lz4Frame(frame)).toString()).toBe('abcdabcdabcd');
    expect(() => lz4Frame(frame.subarray(0, 20))).toThrow('Expected data compressed with LZ4');
  });

  test('times keep all their digits', () => {
    expect(timeText(1_704_164_645_123_456_789n, 'nanosecond', true)).toBe('2024-01-02T03:04:05.123456789Z');
    expect(timeText(-1n, 'millisecond', false)).toBe('1969-12-31T23:59:59.999');
  });
});
