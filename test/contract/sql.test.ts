/**
 * Typed SQL over stored lists, run by the real engine in its locked process: the answers, and all forbidden actions.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AnalysisLink } from '../../electron/analysis/analysis-link.ts';
import { withEngine } from '../../electron/analysis/engine.ts';
import { lockEngine } from '../../electron/analysis/locked-sql.ts';
import { createSql, type Sql } from '../../electron/analysis/sql.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

const ITEMS = [
  '{"value":"a","big":9007199254740993,"dec":12345678901234567.123456789,"at":"2026-01-01T00:00:00.123456+02:00","deep":{"k.x":1}}',
  '{"value":"b","big":2,"dec":1.5,"at":"2026-01-03T00:00:00Z","deep":{"k.x":2},"mixed":[1]}',
  '{"value":"c","big":null,"dec":2.5,"at":"","mixed":"x"}',
].map((text) => parseExact(text) as Record<string, unknown>);

let server: ScriptedServer;
let rig: LibraryRig;
let sql: Sql;
let link: AnalysisLink;
const never = new AbortController().signal;
beforeAll(async () => {
  server = await ScriptedServer.start((request, response) => sendPage(response, ITEMS, request));
  rig = new LibraryRig(server.baseUrl);
  await rig.read(listed('first'));
  await rig.read(listed('second'));
  link = new AnalysisLink({ startChild: startNodeChild, clock: systemClock, idleMs: 3_600_000 });
  sql = createSql({
    lists: () => rig.library.storedLists(),
    names: async () => new Map(),
    sidecars: rig.sidecars,
    startChild: startNodeChild,
    clock: systemClock,
  });
});
afterAll(async () => {
  await link.end();
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const listed = (name: string) => ({
  operation: 'catalog.values',
  path: { application_id: 'app' },
  query: { entity_type: 'attribute', name },
});

async function rowsOf(text: string, signal = never): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const page of sql.read(text, signal)) rows.push(...page.rows);
  return rows;
}

const rejection = (text: string): Promise<AppError> =>
  rowsOf(text).then(
    () => Promise.reject(new Error(`It was answered: ${text}`)),
    (error: AppError) => error,
  );

test('all stored records of a kind are a view, and each stored list is one in a schema of its own', async () => {
  expect((await sql.describe()).map(({ schema, name, storedRows }) => [schema, name, storedRows])).toEqual([
    [null, 'values', 6],
    ['lists', 'Values of app, entity type attribute, name first #1', 3],
    ['lists', 'Values of app, entity type attribute, name second #2', 3],
  ]);
  expect(await rowsOf('SELECT value, "deep.k.x" FROM lists."#1" WHERE "deep.k.x" >= 2;')).toEqual([
    ['b', '2'],
  ]);
  expect(await rowsOf('SELECT count(*) FROM lists."#1" JOIN lists."#2" USING (value) -- both')).toEqual([
    ['3'],
  ]);
});

test('digits, instants and mixed values are exact', async () => {
  expect(await rowsOf('FROM lists."#1" ORDER BY value LIMIT 1')).toEqual([
    ['a', '9007199254740993', '12345678901234567.123456789', '2025-12-31 22:00:00.123456+00', '1', null],
  ]);
  expect(await rowsOf('SELECT mixed FROM lists."#1" WHERE value > \'a\' ORDER BY value')).toEqual([
    ['[1]'],
    ['"x"'],
  ]);
});

const PARQUET = { format: 'parquet', columns: null, isExact: false, partitionBy: null } as const;

test('a very long cell is cut with its length before it leaves its process', async () => {
  const [[cell = '']] = (await rowsOf("SELECT repeat('x', 60000000) AS a")) as [[string]];
  expect(cell.length).toBeLessThan(8_001_000);
  expect(cell.slice(-30)).toMatch(/x… \(60,000,000 characters\)$/);
});

test('a result is written as Parquet, exact and complete', async () => {
  const file = rig.folder.file('result.parquet');
  const written = await sql.write('SELECT * FROM lists."#1" ORDER BY value; -- all', PARQUET, file, never);
  expect(written.rows).toBe(3);
  const rows = await parquetReadObjects({ file: arrayBuffer(file), compressors });
  expect(rows[0]).toMatchObject({
    big: 9_007_199_254_740_993n,
    at: new Date('2025-12-31T22:00:00.123Z'),
    'deep.k.x': 1n,
  });
  expect(await refusedFile('SELECT nothing FROM lists."#1"')).toMatchObject({
    details: { place: { line: 1, column: 8 } },
  });
});

function arrayBuffer(file: string): ArrayBuffer {
  return Uint8Array.from(readFileSync(file)).buffer;
}

async function refusedFile(text: string): Promise<unknown> {
  const file = rig.folder.file('refused.parquet');
  const refused = await sql.write(text, PARQUET, file, never).catch((error: unknown) => error);
  expect(existsSync(file)).toBe(false);
  return refused;
}

test('common forms of SELECT are answered', async () => {
  for (const text of [
    'VALUES (1)',
    'DESCRIBE lists."#1"',
    'SUMMARIZE lists."#1"',
    'WITH x AS (SELECT value FROM lists."#1") SELECT * FROM x UNION ALL SELECT value FROM lists."#2"',
    'WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r WHERE a < 5) SELECT * FROM r',
    'WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x), x2 AS MATERIALIZED (SELECT a FROM Y) SELECT * FROM X, x2',
    'WITH x AS (SELECT 1 AS a) SELECT * FROM (WITH x AS (SELECT a + 1 FROM x) SELECT * FROM x)',
    'SELECT * FROM range(3), unnest([1, 2]) t(x)',
    'SELECT value, row_number() OVER (ORDER BY value DESC) FROM lists."#1" QUALIFY row_number() OVER () < 3',
    'SELECT mixed->>0, CAST(big AS DECIMAL(20, 1)), CASE WHEN dec > 2 THEN 1 END FROM lists."#1" TABLESAMPLE reservoir(2 ROWS)',
    'SELECT DISTINCT ON (value) * EXCLUDE (mixed) FROM LISTS."#1" WHERE value IN (SELECT value FROM lists."#2")',
  ])
    expect(await rowsOf(text), text).not.toEqual([]);
});

describe('hostile SQL is rejected', () => {
  const secret = () => {
    const file = rig.folder.file('secret.csv');
    writeFileSync(file, 'word\nhidden\n');
    return file;
  };

  test('before the engine runs it: everything except a single SELECT over the views', async () => {
    const file = secret();
    const other = rig.folder.file('written.csv');
    for (const text of [
      '',
      'SELECT 1; SELECT 2',
      `SELECT * FROM read_csv('${file}')`,
      `SELECT * FROM read_text('${file}')`,
      `SELECT * FROM read_blob('/proc/self/environ')`,
      `SELECT * FROM sniff_csv('${file}')`,
      `SELECT * FROM glob('/*')`,
      `SELECT * FROM '${file}'`,
      `SELECT * FROM "${file}"`,
      `SELECT (SELECT count(*) FROM '${file}')`,
      `WITH x AS (SELECT * FROM '${file}') SELECT 1`,
      `SELECT * FROM (WITH y AS (SELECT 1) SELECT 1) JOIN y ON true`,
      'WITH duckdb_databases AS (SELECT path FROM duckdb_databases) SELECT * FROM duckdb_databases',
      'WITH x AS (SELECT path FROM duckdb_databases), duckdb_databases AS (SELECT 1) SELECT * FROM x',
      'WITH RECURSIVE x AS (SELECT path FROM duckdb_databases), duckdb_databases AS (SELECT 1) SELECT * FROM x',
      `WITH RECURSIVE duckdb_databases AS (SELECT path FROM duckdb_databases UNION ALL
        SELECT path FROM duckdb_databases WHERE false) SELECT * FROM duckdb_databases`,
      'WITH duckdb_databases AS MATERIALIZED (SELECT path FROM duckdb_databases) SELECT * FROM duckdb_databases',
      'SELECT (WITH duckdb_tables AS (SELECT sql FROM duckdb_tables LIMIT 1) SELECT sql FROM duckdb_tables)',
      `SELECT * FROM query('SELECT 1')`,
      `SELECT * FROM query_table('lists."#1"')`,
      `COPY lists."#1" TO '${other}'`,
      `COPY (SELECT 1) TO '${other}'`,
      `EXPORT DATABASE '${other}'`,
      `ATTACH '${other}'`,
      `ATTACH ':memory:' AS m`,
      'DETACH list_0',
      'USE list_0',
      'INSTALL httpfs',
      'LOAD httpfs',
      `LOAD '${other}'`,
      "SELECT * FROM read_parquet('https://example.com/x.parquet')",
      "SELECT * FROM 's3://bucket/x.parquet'",
      'CREATE SECRET s (TYPE http)',
      'CREATE TEMP TABLE t AS SELECT 1',
      'CREATE VIEW v AS SELECT 1',
      'INSERT INTO lists."#1" VALUES (1)',
      'DELETE FROM lists."#1"',
      'DROP VIEW lists."#1"',
      "SET memory_limit = '10GB'",
      'RESET threads',
      'SET VARIABLE x = 1',
      "PRAGMA temp_directory = '/tmp'",
      'PRAGMA enable_profiling',
      'CALL enable_logging()',
      "SELECT * FROM enable_logging(storage_path='/tmp')",
      'SELECT * FROM duckdb_settings()',
      'SELECT * FROM duckdb_secrets()',
      'SELECT * FROM pragma_table_info(\'lists."#1"\')',
      'SELECT * FROM information_schema.tables',
      'SELECT * FROM sqlite_master',
      'SELECT * FROM list_0.rows',
      'SHOW TABLES',
      "SELECT current_setting('temp_directory')",
      "SELECT write_log('x')",
      'EXPLAIN ANALYZE SELECT 1',
      'CHECKPOINT',
      'VACUUM',
      'BEGIN',
    ]) {
      const views = ['values', 'lists.#1', 'lists.#2'];
      expect(await link.call('check-sql', { sql: text, views }), text).toMatchObject({ isRead: false });
    }
    expect(await rejection(`SELECT * FROM '${file}'`)).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(existsSync(other)).toBe(false);
  });

  test('by the locked engine itself, in case the check ever passes it', async () => {
    const file = secret();
    const other = rig.folder.file('by-engine.csv');
    await withEngine({ spillFolder: rig.folder.file('spill') }, async (connection) => {
      await lockEngine(connection, null);
      for (const text of [
        `SELECT * FROM read_csv('${file}')`,
        `SELECT * FROM read_text('${file}')`,
        "SELECT * FROM read_blob('/proc/self/environ')",
        `SELECT * FROM sniff_csv('${file}')`,
        `SELECT * FROM '${file}'`,
        `COPY (SELECT 1) TO '${other}'`,
        `EXPORT DATABASE '${other}'`,
        `ATTACH '${other}'`,
        'INSTALL httpfs',
        'LOAD httpfs',
        "SELECT * FROM read_parquet('https://example.com/x.parquet')",
        "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
        "SET memory_limit = '10GB'",
        'RESET threads',
        "SET temp_directory = '/tmp'",
        "SET TimeZone = 'Asia/Tokyo'",
        'SET enable_external_access = true',
        'SET lock_configuration = false',
        "PRAGMA memory_limit = '10GB'",
      ])
        await expect(connection.runAndReadAll(text), text).rejects.toThrow(
          /disabled|locked|configuration|Permission|not supported|not available|Cannot/i,
        );
    });
    expect(existsSync(other)).toBe(false);
  });

  test('a mistake is reported with its position', async () => {
    expect(await rejection('SELECT value\nFROM lists."#1"\nWHERE valu = 1')).toMatchObject({
      message: expect.stringMatching(/^SQL line 3, column 7: There is no column valu\. Did you mean value\?/),
      details: { place: { line: 3, column: 7 } },
    });
    expect(await rejection('SELECT "é" AS x,\n  FROM FROM lists."#1"')).toMatchObject({
      details: { place: { line: 2, column: 8 } },
    });
    const long = `SELECT ${'1 + '.repeat(60)} missing FROM lists."#1"`;
    expect(await rejection(long)).toMatchObject({
      details: { place: { line: 1, column: long.indexOf('missing') + 1 } },
    });
    expect(await rejection('SELECT * FROM unknown')).toMatchObject({
      message: 'SQL line 1, column 15: No view named unknown. There are values.',
    });
    expect(await rejection('SELECT CAST(value AS INTEGER) FROM lists."#1"')).toMatchObject({
      message: expect.stringContaining('Could not convert string'),
    });
  });
});

describe('a result in the window', () => {
  const runId = '00000000-0000-4000-8000-000000000001';

  test('is sorted, filtered and profiled in its process, with exact digits', async () => {
    const result = await sql.run(runId, 'SELECT value, big, "at", dec, mixed FROM lists."#1"; -- all');
    expect(result).toMatchObject({
      ...{ rows: 3, isCut: false, views: ['lists.#1'] },
      columns: [
        { name: 'value', type: 'VARCHAR' },
        { name: 'big', type: 'BIGINT' },
        { name: 'at', type: 'TIMESTAMP WITH TIME ZONE' },
        { name: 'dec' },
        { name: 'mixed', type: 'JSON' },
      ],
    });
    const window = { offset: 0, limit: 10, sort: { field: 'big', isDescending: true }, filters: [] };
    expect((await sql.rows(runId, window)).rows.map(([value, big]) => [value, big])).toEqual([
      ['a', '9007199254740993'],
      ['b', '2'],
      ['c', null],
    ]);
    const filters = [{ kind: 'values' as const, field: 'value', values: ['a', 'b'], excludes: false }];
    expect(await sql.rows(runId, { ...window, sort: null, filters })).toMatchObject({ matchingRows: 2 });
    expect(await sql.profile(runId, ['big', 'at', 'value'], filters)).toMatchObject([
      { kind: 'integer', nulls: { total: 1, count: 0 }, rows: { total: 3, count: 2 } },
      { kind: 'time', bars: expect.arrayContaining([expect.objectContaining({ total: 1 })]) },
      { kind: 'text', rows: { total: 3, count: 3 }, tops: [{ value: 'a' }, { value: 'b' }, { value: 'c' }] },
    ]);
  });

  test('has a limited number of rows, in the order of the query, and says that there are more', async () => {
    const result = await sql.run(runId, 'SELECT * FROM range(200000) ORDER BY 1 DESC');
    expect(result).toMatchObject({ rows: 100_000, isCut: true });
    const window = { offset: 99_999, limit: 10, sort: null, filters: [] };
    expect((await sql.rows(runId, window)).rows).toEqual([['100000']]);
    const [profile] = await sql.profile(runId, ['range'], []);
    expect(profile?.bars.reduce((sum, { total }) => sum + total, 0)).toBe(100_000);
  });

  test('of DESCRIBE and SUMMARIZE, and of columns with one name, is one as well', async () => {
    expect(await sql.run(runId, 'DESCRIBE lists."#1";')).toMatchObject({ rows: 6 });
    const both = await sql.run(runId, 'SELECT * FROM lists."#1" a JOIN lists."#2" b USING (value)');
    expect(both.columns.map(({ name }) => name)).toContain('big_1');
  });

  test('is deleted once it was released, and says so; a mistake has its position', async () => {
    await sql.run(runId, 'SELECT 1');
    await sql.stop(runId);
    const window = { offset: 0, limit: 10, sort: null, filters: [] };
    await expect(sql.rows(runId, window)).rejects.toMatchObject({ code: 'NOT_STORED' });
    await expect(sql.run(runId, 'SELECT value,\n valu FROM lists."#1"')).rejects.toMatchObject({
      details: { place: { line: 2, column: 2 } },
    });
  });

  test('with values that are too long to be read together is refused with what to do', async () => {
    const refused = {
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(
        'This query needs more memory than a query may use. Select fewer rows',
      ),
    };
    await expect(sql.run(runId, "SELECT repeat('x', 4000000) FROM range(3000)")).rejects.toMatchObject(
      refused,
    );
    await sql.run(runId, "SELECT repeat('x', 4000000) AS a FROM range(400)");
    const window = { offset: 0, limit: 500, sort: null, filters: [] };
    await expect(sql.rows(runId, window)).rejects.toMatchObject(refused);
  });

  test('that is still being computed is stopped at once', async () => {
    const running = sql.run(
      runId,
      'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range < b.range',
    );
    setTimeout(() => void sql.stop(runId), 300);
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('is replaced by another run of its id, and no process is left', async () => {
    const alive = new Set<number>();
    const counted = createSql({
      ...{ lists: () => rig.library.storedLists(), sidecars: rig.sidecars, clock: systemClock },
      names: async () => new Map(),
      startChild: (file) => {
        const child = startNodeChild(file);
        const id = Math.max(0, ...alive) + 1;
        alive.add(id);
        return {
          ...child,
          kill: () => {
            alive.delete(id);
            child.kill();
          },
        };
      },
    });
    await counted.run(runId, 'SELECT 1');
    await counted.run(runId, 'SELECT 2');
    const window = { offset: 0, limit: 10, sort: null, filters: [] };
    expect((await counted.rows(runId, window)).rows).toEqual([[2]]);
    expect(alive.size).toBe(1);
    await counted.close();
    expect(alive.size).toBe(0);
  });

  test('views are described with their columns, before and after they were read', async () => {
    const columns = expect.arrayContaining([{ name: 'deep.k.x', type: 'BIGINT' }]);
    expect(await sql.describe()).toMatchObject([
      { ...{ name: 'values', storedRows: 6, isSample: false }, columns },
      { ...{ name: expect.stringMatching(/ #1$/), storedRows: 3, isSample: false }, columns },
      { name: expect.stringMatching(/ #2$/) },
    ]);
  });
});

test('a query that would run for hours is stopped without remains', async () => {
  const stop = new AbortController();
  const running = rowsOf(
    'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 11',
    stop.signal,
  );
  setTimeout(() => stop.abort(), 300);
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(readdirSync(rig.folder.file('analysis')).filter((name) => !name.endsWith('.duckdb'))).toEqual([]);
  expect(await rowsOf('SELECT 1')).toEqual([[1]]);
});

test.skipIf(process.platform === 'win32')('prepared lists are readable by the owner only', async () => {
  await rowsOf('SELECT count(*) FROM lists."#1"');
  const folder = rig.folder.file('analysis');
  const prepared = readdirSync(folder).filter((name) => name.endsWith('.duckdb'));
  expect(prepared.length).toBeGreaterThan(0);
  expect(prepared.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
});
