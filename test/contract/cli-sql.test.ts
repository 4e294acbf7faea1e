/** `profile` and `sql`: profiles of stored data, and queries over it. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeAll(async () => {
  rig = await LaterRig.start();
});
afterAll(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const ask = async (...words: string[]) => {
  const { code, stdout, stderr } = await rig.here(words);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

test('a list that was read has a profile, and is a queryable view', async () => {
  const { items: datasets } = await ask('ls', 'datasets', '--all');
  const profile = await ask('profile', 'datasets');
  expect(profile).toMatchObject({ storedRows: datasets.length, totalRows: datasets.length });
  expect(profile.items.find(({ field }: { field: string }) => field === 'name')).toMatchObject({
    kind: 'text',
    rows: { total: datasets.length },
  });
  const { items: views } = await ask('sql', '--views');
  expect(views).toMatchObject([
    { name: 'datasets', title: 'All stored datasets, once each, of 1 stored list', rows: datasets.length },
    { name: 'requests', title: 'The request log of this connection', complete: true },
    { name: 'lists."Datasets #1"', rows: datasets.length, complete: true },
  ]);
  const [, , { name: listName }] = views;
  expect((await ask('sql', `SELECT count(*) AS n FROM ${listName}`)).items).toEqual([{ n: datasets.length }]);
  expect((await ask('sql', 'SELECT count(*) AS n, min(name) AS first FROM datasets')).items).toEqual([
    { n: datasets.length, first: datasets.map(({ name }: { name: string }) => name).toSorted()[0] },
  ]);
  const file = join(rig.folder.path, 'names.csv');
  const written = await ask('sql', "SELECT '=1+1' AS x, name FROM datasets ORDER BY name", '--output', file);
  expect(written).toMatchObject({ rows: datasets.length });
  expect(readFileSync(file, 'utf8').split('\n').slice(0, 2)).toEqual([
    'x,name',
    expect.stringMatching(/^'=1\+1,/),
  ]);
});

test('the smallest and the largest number of a profile have all their digits', async () => {
  const file = join(rig.folder.path, 'digits.jsonl');
  const rows = [
    '{"v":9007199254740993,"price":0.1234567890123456789}',
    '{"v":-9223372036854775807,"price":5}',
  ];
  writeFileSync(file, rows.join('\n'));
  const { items } = await ask('profile', file);
  expect(items).toMatchObject([
    { field: 'v', range: { min: '-9223372036854775807', max: '9007199254740993' } },
    { field: 'price', range: { min: '0.1234567890123456789', max: '5.0000000000000000000' } },
  ]);
  const { stdout } = await rig.textHere(['profile', file]);
  expect(stdout).toContain('-9223372036854775807 … 9007199254740993');
});

test('minus zero keeps its sign in each form of an answer', async () => {
  const select = `SELECT '-0.0'::DOUBLE AS d, ['-0.0'::DOUBLE, 0] AS l`;
  const jsonl = join(rig.folder.path, 'zero.jsonl');
  const csv = join(rig.folder.path, 'zero.csv');
  expect((await rig.here(['sql', select])).stdout).toContain('{"d":-0,"l":[-0,0]}');
  for (const flag of ['--output', '--to-file']) {
    for (const file of [jsonl, csv]) await rig.here(['sql', select, flag, file]);
    expect(readFileSync(jsonl, 'utf8')).toBe('{"d":-0,"l":[-0,0]}\n');
    expect(readFileSync(csv, 'utf8')).toBe('d,l\n-0,"[-0,0]"\n');
  }
});

test('a file has a profile over all its rows: a text file and a typed one have the same profile', async () => {
  const csv = join(rig.folder.path, 'refunds.csv');
  const rows = Array.from({ length: 300 }, (_, at) => ({
    n: at % 7,
    country: at % 3 === 0 ? '' : `c${at % 2}`,
    note: at % 10 === 0 ? null : `note ${at}`,
  }));
  writeFileSync(
    csv,
    ['n,country,note', ...rows.map(({ n, country, note }) => `${n},${country},${note ?? ''}`)].join('\n'),
  );
  const jsonl = join(rig.folder.path, 'refunds.jsonl');
  writeFileSync(jsonl, rows.map((row) => JSON.stringify(row)).join('\n'));
  const ofCsv = await ask('profile', csv);
  const ofJson = await ask('profile', jsonl);
  expect([ofCsv, ofJson]).toMatchObject([
    { rows: 300, badRows: 0, total: 3 },
    { rows: 300, badRows: 0, total: 3 },
  ]);
  const [n, country, note] = ofJson.items;
  expect(n).toMatchObject({ field: 'n', kind: 'integer', distinct: 7 });
  expect(n.bars.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(300);
  expect(country).toMatchObject({
    empty: { total: 100 },
    nulls: { total: 0 },
    tops: [{ total: 100 }, { total: 100 }],
  });
  expect(note).toMatchObject({ nulls: { total: 30 } });
  expect(ofCsv.items).toMatchObject([
    {
      field: 'n',
      kind: 'numeric-text',
      bars: expect.arrayContaining([expect.objectContaining({ total: 43 })]),
    },
    { field: 'country', empty: { total: 100 } },
    { field: 'note', empty: { total: 30 } },
  ]);
  // A last column is skipped if it has neither a name nor values.
  const trailing = join(rig.folder.path, 'trailing.csv');
  writeFileSync(trailing, 'n,country,\n1,FR,\n2,ES,\n');
  const passed = await ask('profile', trailing);
  expect(passed.items.map(({ field }: { field: string }) => field)).toEqual(['n', 'country']);
  // The text output has one line per column.
  expect((await rig.textHere(['profile', csv])).stdout.split('\n').length).toBeGreaterThan(3);
  const missing = await rig.here(['profile', join(rig.folder.path, 'nowhere.csv')]);
  expect(missing.code).not.toBe(0);
  expect((await rig.here(['profile', csv, '--application', 'x'])).stderr).toContain('--month-first alone');
});

test('the profile of a file shows the values that upload would read with the same flags', async () => {
  const file = join(rig.folder.path, 'values.csv');
  const rows = Array.from({ length: 40 }, (_, at) => {
    const day = String((at % 28) + 1).padStart(2, '0');
    return `${at % 4 === 0 ? 'n/a' : `1.2${String(at).padStart(2, '0')},5`};${day}.05.2026 00:30;x`;
  });
  writeFileSync(file, ['amount;at;note', ...rows, '1.299,5;31/31/2026;n/a'].join('\n'));
  const kinds = ({ items }: { items: { field: string; kind: string }[] }) =>
    Object.fromEntries(items.map(({ field, kind }) => [field, kind]));
  expect(kinds(await ask('profile', file))).toEqual({ amount: 'text', at: 'text', note: 'text' });
  const flags = ['--null', 'n/a', '--decimal', 'comma', '--day-first', '--zone', 'Europe/Berlin'];
  const read = await ask('profile', file, ...flags);
  expect(kinds(read)).toMatchObject({ amount: 'numeric-text', note: 'text' });
  const [amount, at, note] = read.items;
  expect([amount.nulls.total, at.nulls.total, note.nulls.total]).toEqual([10, 0, 1]);
  expect(amount.bars[0].from).toBe(1201.5);
  // One value is not a date. It is kept unchanged, and counted.
  expect((await rig.here(['profile', file, ...flags])).stderr).toContain(
    '1 value of “at” cannot be read as its flags say and stays unchanged, first “31/31/2026” in line 42.',
  );
  writeFileSync(file, ['amount;at;note', ...rows].join('\n'));
  const whole = await ask('profile', file, ...flags);
  expect(kinds(whole)).toMatchObject({ at: 'time' });
  expect(whole.types).toMatchObject([
    { name: 'amount', type: 'float', changes: [] },
    { name: 'at', type: 'timestamp', changes: [] },
    { name: 'note', type: 'str' },
  ]);
  // 00:30 in Berlin is on the previous day in UTC.
  expect(whole.items[1].bars[0].from).toBeLessThan(Date.parse('2026-05-01T00:00:00Z'));
  const json = join(rig.folder.path, 'values.jsonl');
  writeFileSync(json, ['{"n":"1,5"}', '{"n":"2,5","late":"-"}', '{"n":"-"}'].join('\n'));
  const ofJson = await ask('profile', json, '--null', '-', '--decimal', 'comma');
  expect(ofJson.items[0]).toMatchObject({ kind: 'number', nulls: { total: 1 } });
  expect(ofJson.items[1]).toMatchObject({ field: 'late', nulls: { total: 1 } });
  const unfit = await rig.here(['profile', json, '--zone', 'UTC']);
  expect(unfit.stderr).toContain(
    '--zone fits no column: expected a column of times, got n (str), late (str).',
  );
  expect((await rig.here(['profile', 'datasets', '--null', 'x'])).stderr).toContain(
    '--null belongs to a file, got a list.',
  );
});

test('a list is exported completely, the same rows in each format, with a manifest beside it', async () => {
  const { items } = await ask('ls', 'datasets', '--all');
  const ids = items.map(({ id }: { id: string }) => id);
  const at = (name: string) => join(rig.folder.path, name);
  for (const format of ['csv', 'jsonl', 'parquet']) {
    const file = at(`datasets.${format}`);
    const manifest = await ask('export', 'datasets', '--output', file);
    expect(manifest).toMatchObject({
      rows: ids.length,
      complete: true,
      source: { operation: 'datasets.list' },
    });
    expect(manifest.sha256).toBe(createHash('sha256').update(readFileSync(file)).digest('hex'));
    expect(manifest.columns).toContainEqual(expect.objectContaining({ name: 'id' }));
    expect(JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'))).toEqual(manifest);
    expect(existsSync(`${file}.part`)).toBe(false);
  }
  const lines = readFileSync(at('datasets.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(items);
  const parquet = Uint8Array.from(readFileSync(at('datasets.parquet'))).buffer;
  const rows = await parquetReadObjects({ file: parquet, compressors });
  expect(rows.map(({ id }) => id)).toEqual(ids);
  const [head, ...cells] = readFileSync(at('datasets.csv'), 'utf8').trimEnd().split('\n');
  expect([head?.split(',')[0], cells.map((line) => line.split(',')[0])]).toEqual(['id', ids]);
});

test('a mistake is one line with its position', async () => {
  const wrong = await rig.here(['sql', 'SELECT nothing FROM nowhere']);
  expect(wrong.stderr).toContain('SQL line 1, column 21: No view named nowhere.');
  const write = await rig.here(['sql', 'DROP VIEW datasets']);
  expect(write.stderr).toContain('SQL: Expected one SELECT statement');
  const file = await rig.here(['sql', 'SELECT 1', '--output', 'x.txt']);
  expect(file.stderr).toContain('.csv, .jsonl, .parquet or .arrow');
  expect((await rig.here(['sql'])).stderr).toContain('sql expects a SELECT in quotes');
});

describe('values that are too long to show', () => {
  const LONG = 1_000_000;

  test('as many rows as fit are shown, with a note and a way to all of them', async () => {
    const { code, stdout, stderr } = await rig.here([
      'sql',
      `SELECT repeat('x', ${LONG}) AS a FROM range(100)`,
    ]);
    expect(code).toBe(0);
    const { items, total, complete } = JSON.parse(stdout);
    expect(items.map(({ a }: { a: string }) => a.length)).toEqual(Array.from({ length: 31 }, () => LONG));
    expect({ total, complete }).toEqual({ total: null, complete: false });
    expect(stderr).toMatch(
      /^Shown: 31 rows, because the values are too long for more\. All rows: --output FILE\./m,
    );
  });

  test('a row of many long values is cut at its values, each with its length', async () => {
    const columns = Array.from({ length: 40 }, (_, at) => `repeat('${at % 10}', ${LONG}) AS c${at}`);
    const { items, complete } = await ask('sql', `SELECT ${columns.join(', ')}`);
    const lengths = Object.values<string>(items[0]).map((value) => value.length);
    expect(lengths.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => LONG));
    expect(Math.max(...lengths.slice(16))).toBeLessThan(LONG / 2);
    expect(items[0].c39).toMatch(/^9+… \(1,000,000 characters\)$/);
    expect(complete).toBe(true);
  });

  test('JSON that was cut is text with its length', async () => {
    const { items } = await ask('sql', "SELECT to_json(repeat('x', 9000000)) AS a");
    // A regular expression over the whole text would exceed the call stack of some engines.
    const text: string = items[0].a;
    expect([text.slice(0, 4), text.slice(-27)]).toEqual([
      '"xxx',
      'x… (9,000,002 characters)'.padStart(27, 'x'),
    ]);
    expect(text.slice(1, -26).replaceAll('x', '')).toBe('');
  });

  test.each([
    ['beyond the limit of the engine', "repeat('x', 4000000 + range::INT)"],
    ['that the limit of the engine does not count', "repeat('x', 4000000)"],
  ])('a query with memory %s ends with what to do', async (_where, value) => {
    const { code, stderr } = await rig.here(['sql', `SELECT ${value} FROM range(3000)`]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error INVALID_ARGUMENT: SQL: This query needs more memory than a query may use\. Select fewer rows/m,
    );
  });
});
