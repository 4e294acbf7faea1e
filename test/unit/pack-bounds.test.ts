/** A pack with values that no library can store is refused with a message while it is read, and nothing is opened. */
import { expect, test } from 'vitest';
import { createPackTarget } from '../../electron/db/pack-store.ts';
import { manifestOf, takePack } from '../../electron/engine/pack-content.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

const MANIFEST = {
  ...{ format: 'spandeck-pack', version: 1, name: 'p', madeAtMs: 1, oldestMs: 1, newestMs: 2 },
  ...{ applications: [], datasets: [], experiments: [], charts: [], views: [], redact: [] },
  ...{ lists: 1, records: 0, rows: 1, contentBytes: 1_000_000 },
};
const LIST = {
  ...{ t: 'list', query: { operation: 'models.list', path: {}, query: {} }, totalRows: 1, rowCount: 1 },
  ...{ frontPosition: 1, isComplete: true, hasMoved: false, oldestMs: 1, newestMs: 2 },
};
const ROW = '{"t":"row","p":0,"r":{"id":"m"}}';
const REST = [
  '{"t":"charts","list":[]}',
  '{"t":"views","list":[]}',
  '{"t":"end","lists":1,"records":0,"rows":1}',
];

async function take(list: Record<string, unknown>, row = ROW): Promise<void> {
  using folder = new DataFolder();
  const target = createPackTarget({ file: folder.file('library.db'), clock: systemClock, logger });
  const lines = (async function* () {
    yield* [JSON.stringify(list), row, ...REST];
  })();
  try {
    await takePack(lines, manifestOf(JSON.stringify(MANIFEST)), 'one', target, () => undefined);
  } finally {
    target.close();
  }
}

test('a pack within the bounds is taken', async () => {
  await expect(take(LIST)).resolves.toBeUndefined();
});

const nested = (levels: number) => `{"t":"row","p":0,"r":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
const keys = (count: number) =>
  `{"t":"row","p":0,"r":{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}}`;

test.each([
  ['nesting', LIST, nested(60_000), 'a line with more than 500 levels'],
  ['keys', LIST, keys(100_010), 'a line with an object of more than 100,000 fields'],
  ['a time', { ...LIST, oldestMs: 1e300 }, ROW, 'expected a time that is a date for oldestMs, got 1e+300'],
  ['another time', { ...LIST, newestMs: -9e15 }, ROW, 'expected a time that is a date for newestMs, got -9'],
  ['a position', LIST, '{"t":"row","p":9007199254740991,"r":{}}', 'for p, got 9007199254740991'],
  ['a place', { ...LIST, frontPosition: 7 }, ROW, 'a list with 1 row that states 7 without a gap'],
])('%s beyond the bounds is refused with what was expected', async (_what, list, row, words) => {
  await expect(take(list, row)).rejects.toMatchObject({
    code: 'FILE_MALFORMED',
    message: expect.stringMatching(/^The pack .* Nothing was opened\. Ask for the file again\.$/),
  });
  await expect(take(list, row)).rejects.toThrow(words);
});

test.each(['madeAtMs', 'oldestMs', 'newestMs'])(
  'a manifest with an odd %s is refused, also by show',
  (name) => {
    const line = JSON.stringify({ ...MANIFEST, [name]: 1e300 });
    expect(() => manifestOf(line)).toThrow(`expected a time that is a date for ${name}, got 1e+300`);
    expect(() => manifestOf(`{"version":1,"a":${'['.repeat(60_000)}`)).toThrow('more than 500 levels');
  },
);
