/** Results of SQL in files: numbers keep their type and all digits, even in lists, objects and maps. */
import { readFileSync, writeFileSync } from 'node:fs';
import * as duckdb from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, describe, expect, test } from 'vitest';
import { exportRows } from '../../electron/analysis/export-rows.ts';
import { toExactJson, toMessageJson } from '../../electron/analysis/row-json.ts';
import { writeExact } from '../../electron/shared/exact-json.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

const SQL = `SELECT sum(9007199254740993::BIGINT) AS s, 7::INTEGER AS i, 18446744073709551615::UBIGINT AS u, 0.5::FLOAT AS f,
  [9007199254740993::BIGINT, 2, NULL] AS l, {'n': 5::BIGINT, 't': ['a, b']} AS o, MAP {'k': 1.50::DECIMAL(4,2)} AS m,
  INTERVAL 90 MINUTE AS v, [1::HUGEINT] AS h, {'h': 2::HUGEINT, 'i': 3} AS oh, NULL::INTEGER AS nothing`;
const LARGE = '12345678901234567890123456789012345678';

async function written(format: 'csv' | 'jsonl' | 'parquet' | 'arrow', sql = SQL): Promise<string> {
  const target = folder.file(`result.${format}`);
  const how = { columns: null, format, isExact: true, partitionBy: null, target, spillFolder: folder.path };
  const source = { form: 'sql' as const, sql, files: [] };
  expect(await exportRows({ source, ...how }, () => undefined)).toMatchObject({ rows: 1 });
  return target;
}

const OBJECTS = {
  l: '[9007199254740993,2,null]',
  o: '{"n":5,"t":["a, b"]}',
  m: '[{"key":"k","value":1.5}]',
  h: '[1]',
  oh: '{"h":2,"i":3}',
};

test('JSON Lines', async () => {
  const line = readFileSync(await written('jsonl'), 'utf8').trim();
  const rest = Object.entries(OBJECTS).map(([name, json]) => `"${name}":${json}`);
  for (const part of ['"s":9007199254740993', '"i":7', '"v":"01:30:00"', ...rest])
    expect(line).toContain(part);
});

test('CSV', async () => {
  const [, line = ''] = readFileSync(await written('csv'), 'utf8').split('\n');
  const rest = Object.values(OBJECTS).map((json) => json.replaceAll('"', '""'));
  for (const part of ['9007199254740993,7,18446744073709551615,0.5,', ',01:30:00,', ...rest])
    expect(line).toContain(part);
});

test('Parquet', async () => {
  const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
  const read = await connection.runAndReadAll(`SELECT * FROM '${await written('parquet')}'`);
  const types = Object.fromEntries(
    read.columnNames().map((name, at) => [name, read.columnType(at).toString()]),
  );
  expect(types).toMatchObject({ s: 'DECIMAL(38,0)', i: 'INTEGER', u: 'UBIGINT', h: 'DECIMAL(38,0)[]' });
  const [row] = read.getRowObjectsJson();
  expect(row).toMatchObject({ s: '9007199254740993', h: ['1'], oh: { h: '2', i: 3 } });
  const [large] = (
    await connection.runAndReadAll(
      `SELECT h FROM '${await written('parquet', `SELECT ${LARGE}::HUGEINT AS h`)}'`,
    )
  ).getRowsJson();
  expect(large).toEqual([LARGE]);
  connection.closeSync();
});

test('Arrow', async () => {
  const table = tableFromIPC(readFileSync(await written('arrow')));
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  expect(types).toMatchObject({
    i: 'Int64',
    u: 'Uint64',
    f: 'Float32',
    s: 'Decimal[38e0]',
    nothing: 'Int64',
  });
  const value = (name: string): unknown => table.getChild(name)?.get(0);
  expect([value('i'), value('u'), value('f'), value('nothing')]).toEqual([
    7n,
    18446744073709551615n,
    0.5,
    null,
  ]);
  expect(String(value('s'))).toBe('9007199254740993');
  for (const [name, json] of Object.entries(OBJECTS)) expect(value(name)).toBe(json);
  const large = tableFromIPC(readFileSync(await written('arrow', `SELECT -${LARGE}::HUGEINT AS h`)));
  expect(String(large.getChild('h')?.get(0))).toBe(`-${LARGE}`);
  await expect(written('arrow', `SELECT ${LARGE}0::HUGEINT AS h`)).rejects.toThrow(/at most 38 digits/);
});

describe('a value of the engine', () => {
  test('minus zero keeps its sign, by itself and inside of other values', async () => {
    const sql = `SELECT '-0.0'::DOUBLE AS d, ['-0.0'::FLOAT, 0] AS l, {'a': '-0.0'::DOUBLE} AS o`;
    expect(readFileSync(await written('jsonl', sql), 'utf8')).toBe('{"d":-0,"l":[-0,0],"o":{"a":-0}}\n');
    expect(readFileSync(await written('csv', sql), 'utf8')).toBe('d,l,o\n-0,"[-0,0]","{""a"":-0}"\n');
  });

  test('keeps all digits of numbers in a list, as texts between processes if a double cannot hold them', async () => {
    const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
    const read = await connection.runAndReadAll('SELECT [9007199254740993, 2] AS l, NULL::INTEGER[] AS n');
    const [exact = []] = read.convertRows(toExactJson);
    const [message = []] = read.convertRows(toMessageJson);
    expect(writeExact(exact)).toBe('[[9007199254740993,2],null]');
    expect(message).toEqual([['9007199254740993', 2], null]);
    connection.closeSync();
  });
});

test('Arrow: a folder that does not exist rejects the export, and nothing else', async () => {
  const unhandled: unknown[] = [];
  const note = (problem: unknown) => unhandled.push(problem);
  process.on('unhandledRejection', note);
  const target = folder.file('missing/result.arrow');
  const how = {
    ...{ columns: null, format: 'arrow' as const, isExact: true },
    ...{ partitionBy: null, target, spillFolder: folder.path },
  };
  const source = { form: 'sql' as const, sql: 'SELECT * FROM range(300000)', files: [] };
  await expect(exportRows({ source, ...how }, () => undefined)).rejects.toMatchObject({ code: 'ENOENT' });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test('Arrow: many rows are read back', async () => {
  const target = folder.file('many.arrow');
  const how = {
    ...{ columns: null, format: 'arrow' as const, isExact: true },
    ...{ partitionBy: null, target, spillFolder: folder.path },
  };
  const sql = "SELECT range AS n, repeat('x', 500) AS t FROM range(100000)";
  const source = { form: 'sql' as const, sql, files: [] };
  expect(await exportRows({ source, ...how }, () => undefined)).toMatchObject({ rows: 100_000 });
  const table = tableFromIPC(readFileSync(target));
  expect([table.numRows, table.getChild('n')?.get(99_999)]).toEqual([100_000, 99_999n]);
});

test('Parquet in folders: different values with the same folder are refused', async () => {
  const target = folder.file('folders');
  const how = {
    ...{ columns: null, format: 'parquet' as const, isExact: true },
    ...{ partitionBy: 'model', target, spillFolder: folder.path },
  };
  const write = (...models: (string | null)[]) => {
    const file = folder.file('models.jsonl');
    writeFileSync(file, models.map((model, n) => `${JSON.stringify({ n, model })}\n`).join(''));
    return exportRows({ source: { form: 'lines', file }, ...how }, () => undefined);
  };
  expect(await write('gpt', null, 'x', '')).toMatchObject({ rows: 4 });
  // On every disk, rows without a value have a folder with this name.
  expect(await write('a', 'a', null, '__HIVE_DEFAULT_PARTITION__')).toEqual({
    refused: expect.stringMatching(
      /^Different values of model \((no value|__HIVE_DEFAULT_PARTITION__), (no value|__HIVE_DEFAULT_PARTITION__)\) would share a folder/,
    ),
  });
});
