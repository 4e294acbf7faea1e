/** Types of Parquet that the engine reads as other types: the values reach the rows as the file contains them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { clearFooter } from '../../electron/analysis/parquet-footer.ts';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import { type OpenFiles, readableText } from '../helpers/open-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { setUpFilesOfEachTest } from '../helpers/set-up-files.ts';

/** Files of a small writer that names its types only in the newer way. */
const NEWER_NAMES =
  'UEFSMRUAFQgVCCwVAhUAFQYVBgAA5k8AABUAFRAVECwVAhUAFQYVBgAA//////////8VABUIFQgsFQIVABUGFQYAAP3///8VABUIFQgsFQIVABUGFQYAADkwAAAVABUWFRYsFQIVABUGFQYAAAcAAAB7ImEiOjF9FQIZbEgGc2NoZW1hFQoAFQIlABgDZGF5bGwAAAAVBCUAGAN1NjRsrBNAEgAAABUCJQAYAmk4bKwTCBEAAAAVAiUAGAVwcmljZWxcFQQVEgAAABUMJQAYA2RvY2zMAAAAFgIZHBlcJggcFQIZJQAGGRgDZGF5FQAWAhYqFiomCAAAJjIcFQQZJQAGGRgDdTY0FQAWAhYyFjImMgAAJmQcFQIZJQAGGRgCaTgVABYCFioWKiZkAAAmjgEcFQIZJQAGGRgFcHJpY2UVABYCFioWKiaOAQAAJrgBHBUMGSUABhkYA2RvYxUAFgIWOBY4JrgBAAAW6AEWAgAoBGhhbmQA/wAAAFBBUjE=';
const CLOCK_NANOSECONDS =
  'UEFSMRUAFRAVECwVAhUAFQYVBgAAAXAByktVAAAVABUQFRAsFQIVABUGFQYAAP//////////FQIZPEgGc2NoZW1hFQQAFQQlABgEaGVyZWx8Ehw8AAAAAAAVBCUAGAN1dGNsfBEcPAAAAAAAFgIZHBksJggcFQQZJQAGGRgEaGVyZRUAFgIWMhYyJggAACY6HBUEGSUABhkYA3V0YxUAFgIWMhYyJjoAABZkFgIAKARoYW5kAH8AAABQQVIx';
/** The largest time, and the second largest date. */
const EXTREMES =
  'UEFSMRUAFRAVECwVAhUAFQYVBgAA/////////38VABUIFQgsFQIVABUGFQYAAP7//38VAhk8SAZzY2hlbWEVBAAVBCUAGAF0bIwRHCwAAAAAABUCJQAYAWQlDExsAAAAFgIZHBksJggcFQQZJQAGGRgBdBUAFgIWMhYyJggAACY6HBUCGSUABhkYAWQVABYCFioWKiY6AAAWXBYCACgEaGFuZAByAAAAUEFSMQ==';
const NOT_UTF8 =
  'UEFSMRUAFQwVDCwVAhUAFQYVBgAAAgAAAP/+FQIZLEgGc2NoZW1hFQIAFQwlABgBcyUATBwAAAAWAhkcGRwmCBwVDBklAAYZGAFzFQAWAhYuFi4mCAAAFi4WAgAoBGhhbmQASAAAAFBBUjE=';

/** A time, and the lowest number, which stands for a missing time. */
const LOWEST_TIME =
  'UEFSMRUAFRwVHCwVBBUAFQYVBhwAAAACAAAABAEBAAAAAgAAABUAFSwVLCwVBBUAFQYVBhwAAAACAAAABAEAAAAAAAAAAAAAAAAAAACAFQQZPDUAGAZzY2hlbWEVBAAVAiUCGAJpZAAVBCUCGAJhdCUUTIwSHCwAAAAAABYEGRwZLCYAHBUCGSUGABkYAmlkFQAWBBZCFkImCEkcFQAVABUCADwpBhkmAAQAAAAmABwVBBklBgAZGAJhdBUAFgQWUhZSJkpJHBUAFQAVAgA8KQYZJgAEAAAAFpQBFgQmCBaUAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGSwcAAAcAAAAwAAAAFBBUjE=';

let folder: DataFolder;
let files: OpenFiles;
setUpFilesOfEachTest((made) => {
  ({ folder, files } = made);
});

function write(name: string, base64: string): string {
  writeFileSync(folder.file(name), Buffer.from(base64, 'base64'));
  return folder.file(name);
}

/** Returns the rows as JSON Lines. */
const textOf = async (path: string): Promise<string> => (await readableText(files, path)).trimEnd();

const rowsOf = async (path: string): Promise<unknown[]> =>
  (await textOf(path)).split('\n').map((line): unknown => JSON.parse(line));

/** The bytes that describe times in nanoseconds, without a zone and with one. */
const LOCAL = Buffer.from('121c3c000000', 'hex');
const UTC = Buffer.from('111c3c000000', 'hex');

/** Marks all times in the file as UTC, as pandas does for times with a zone. */
function inUtc(path: string): void {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(LOCAL); at >= 0; at = bytes.indexOf(LOCAL)) UTC.copy(bytes, at);
  writeFileSync(path, bytes);
}

test('moments in UTC keep their nanoseconds, also in lists, objects and maps', async () => {
  const path = folder.file('moments.parquet');
  const time = (digits: string) => `TIMESTAMP_NS '2026-01-01 00:00:00.${digits}'`;
  const columns = [
    `${time('123456789')} AS t`,
    `[${time('000000001')}, NULL] AS l`,
    `{'a': 1, 'at': ${time('5')}} AS s`,
    `[{'at': ${time('000000002')}}] AS o`,
    `MAP {'k': ${time('000000003')}} AS m`,
  ];
  await writeParquet(path, `SELECT ${columns.join(', ')}`);
  inUtc(path);
  expect(await rowsOf(path)).toEqual([
    {
      t: '2026-01-01T00:00:00.123456789Z',
      l: ['2026-01-01T00:00:00.000000001Z', null],
      ...{ 's.a': 1, 's.at': '2026-01-01T00:00:00.5Z' },
      o: [{ at: '2026-01-01T00:00:00.000000002Z' }],
      m: { k: '2026-01-01T00:00:00.000000003Z' },
    },
  ]);
});

test('times of day keep their nanoseconds', async () => {
  const path = write('clock.parquet', CLOCK_NANOSECONDS);
  expect(await rowsOf(path)).toEqual([{ here: '26:03:04.000000001', utc: '-00:00:00.000000001+00' }]);
  expect(await copyLedger(files, path)).toMatchObject([
    { rule: 'time-of-day', source: 'here', count: 1 },
    { rule: 'time-of-day', source: 'utc', count: 1 },
  ]);
});

test('dates, decimals and unsigned numbers are read as such if the file names them in the newer way alone', async () => {
  expect(await textOf(write('newer.parquet', NEWER_NAMES))).toBe(
    '{"day":"2026-01-01","u64":18446744073709551615,"i8":-3,"price":123.45,"doc":{"a":1}}',
  );
});

test('a time beyond all dates is counted, and a year of seven digits keeps them', async () => {
  const path = write('extremes.parquet', EXTREMES);
  expect(await rowsOf(path)).toEqual([{ t: 'infinity', d: '+5881580-07-10' }]);
  expect(await copyLedger(files, path)).toMatchObject([
    {
      ...{ rule: 'typed-text', source: 't', count: 1 },
      examples: [{ before: 'after all dates', after: 'infinity' }],
    },
  ]);
});

test('texts that are not UTF-8 are refused with what to do', async () => {
  const [offered] = await files.offer([write('latin.parquet', NOT_UTF8)]);
  await expect(files.inspect(offered?.fileId ?? '', null)).rejects.toMatchObject({
    code: 'FILE_MALFORMED',
    message: expect.stringMatching(
      /^latin\.parquet .*its column “s”: .*Write the texts of that column in UTF-8, or as bytes/,
    ),
  });
});

test('a time that no calendar has is refused with its column and what to do', async () => {
  const [offered] = await files.offer([write('nat.parquet', LOWEST_TIME)]);
  await expect(files.inspect(offered?.fileId ?? '', null)).rejects.toMatchObject({
    code: 'FILE_MALFORMED',
    message: expect.stringMatching(
      /^nat\.parquet .*its column “at”: Expected times that a calendar has, got one beyond them.* Write missing times as null/,
    ),
  });
});

test('reads a file with * ? or [ in its name or folder, and no other file that fits the pattern', async () => {
  const names = ['data[1].parquet', 'x*.parquet', 'y?.parquet', 'of [2026]/z.parquet'];
  for (const other of ['data1.parquet', 'xy.parquet', 'yz.parquet', 'of 2/z.parquet']) {
    mkdirSync(dirname(folder.file(other)), { recursive: true });
    await writeParquet(folder.file(other), `SELECT 'other' AS v`);
  }
  for (const name of names) {
    const path = folder.file(name);
    mkdirSync(dirname(path), { recursive: true });
    await writeParquet(path, `SELECT 'own' AS v`);
    expect(await rowsOf(path)).toEqual([{ v: 'own' }]);
  }
});

// Such names are not possible on Windows.
test.skipIf(process.platform === 'win32')(
  'a file whose name the engine cannot be told is refused without the folder in the message',
  async () => {
    const path = folder.file('a\\[1].parquet');
    await writeParquet(path, `SELECT 'own' AS v`);
    const refused = rowsOf(path);
    await expect(refused).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.not.stringContaining(folder.path),
    });
  },
);

test('names of folders replace no value of the file; those of other columns are added as texts, with a note', async () => {
  const path = folder.file(
    'table/year=2026/zip=01234/kind=a%3Ab/none=__HIVE_DEFAULT_PARTITION__/id=99/part.parquet',
  );
  mkdirSync(dirname(path), { recursive: true });
  await writeParquet(path, 'SELECT 1 AS id');
  expect(await rowsOf(path)).toEqual([{ id: 1, year: '2026', zip: '01234', kind: 'a:b', none: null }]);
  const [offered] = await files.offer([path]);
  const { notes } = await files.inspect(offered?.fileId ?? '', null);
  expect(notes).toContain(
    'Values of all rows read from the names of the folders around the file: year = “2026”, zip = “01234”, kind = “a:b”, none = no value.',
  );
});

test('shapes are written as text and counted', async () => {
  const path = folder.file('shapes.parquet');
  await writeParquet(path, `SELECT 'POINT (1 2)'::GEOMETRY AS g`);
  expect(await rowsOf(path)).toEqual([{ g: 'POINT (1 2)' }]);
  expect(await copyLedger(files, path)).toMatchObject([{ rule: 'typed-text', source: 'g', count: 1 }]);
});

test('columns named as parts of a query are not read in place of the items of lists and maps', async () => {
  const path = folder.file('named.parquet');
  const columns = [
    "[DATE '2026-01-01'] AS l",
    "MAP {'k': DATE '2026-01-01'} AS m",
    "{'key': 'other', 'value': DATE '1999-01-01'} AS e",
    "{'key': 'other', 'value': DATE '1999-01-01'} AS v",
  ];
  await writeParquet(path, `SELECT ${columns.join(', ')}`);
  expect(await rowsOf(path)).toEqual([
    {
      ...{ l: ['2026-01-01'], m: { k: '2026-01-01' } },
      ...{ 'e.key': 'other', 'e.value': '1999-01-01', 'v.key': 'other', 'v.value': '1999-01-01' },
    },
  ]);
});

test('numbers that JSON does not have can be keys of a map', async () => {
  const path = folder.file('keys.parquet');
  await writeParquet(path, "SELECT MAP {'nan'::DOUBLE: 1, 0.5: 2} AS m");
  expect(await rowsOf(path)).toEqual([{ m: { nan: 1, 0.5: 2 } }]);
  expect(await copyLedger(files, path)).toEqual([]);
});

test('a damaged description with a list of more items than it has bytes ends at once', () => {
  // One field that claims to be a list of 2 ** 40 items of one byte each.
  const damaged = Buffer.from([0x19, 0xf3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x00]);
  expect(() => clearFooter(damaged)).toThrow(RangeError);
});
