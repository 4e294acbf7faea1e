/**
 * Times at the ends of the range of Arrow keep their value, and are counted if they are written in a different form.
 */
import * as arrow from 'apache-arrow';
import { expect, test } from 'vitest';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import { type OpenFiles, readableText } from '../helpers/open-files.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

type Times = arrow.Time | arrow.Timestamp | arrow.Date_ | arrow.Duration;

const column = (type: Times, data: Int32Array | BigInt64Array) =>
  new arrow.Vector([new arrow.Data(type, 0, data.length, 0, [undefined, data])]);

/** Reads the values of a column `v`, and the changes that were made to them. */
async function read(type: Times, data: Int32Array | BigInt64Array) {
  const path = folder.file('times.arrow');
  const content = arrow.tableToIPC(new arrow.Table({ v: column(type, data) }), 'file');
  const changes = await copyLedger(files, path, content);
  const rows = (await readableText(files, path)).trimEnd().split('\n');
  return { changes, values: rows.map((row): unknown => Object.values(JSON.parse(row))[0]) };
}

test.each([
  [new arrow.TimeSecond(), Int32Array.of(86_400, -1), ['24:00:00', '-00:00:01']],
  [new arrow.TimeMillisecond(), Int32Array.of(93_784_500, -1), ['26:03:04.5', '-00:00:00.001']],
  [new arrow.TimeNanosecond(), BigInt64Array.of(86_400_000_000_001n), ['24:00:00.000000001']],
])(
  'a time of day beyond a day or below zero keeps its hours and its sign: %s',
  async (type, data, expected) => {
    const { values, changes } = await read(type, data);
    expect(values).toEqual(expected);
    expect(changes).toMatchObject([{ rule: 'time-of-day', count: expected.length }]);
  },
);

test.each([
  [
    new arrow.TimestampMillisecond(),
    BigInt64Array.of(2n ** 63n - 1n, 0n),
    '9223372036854775807 milliseconds since 1970',
  ],
  [new arrow.DateDay(), Int32Array.of(2_147_483_647, 0), '185542587100800 seconds since 1970'],
])('a time that no date can hold is counted: %s', async (type, data, text) => {
  const { values, changes } = await read(type, data);
  expect(values[0]).toBe(text);
  expect(changes).toMatchObject([{ rule: 'typed-text', count: 1, examples: [{ line: 1, after: text }] }]);
});

test('a single unit of a duration is named in the singular', async () => {
  const { changes } = await read(new arrow.DurationSecond(), BigInt64Array.of(1n));
  expect(changes).toMatchObject([{ examples: [{ before: '1 second', after: '1' }] }]);
});
