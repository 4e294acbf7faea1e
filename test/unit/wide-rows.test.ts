/** Lists with many columns and thousands of rows, which exceed the engine's memory with its usual blocks. */
import { readdirSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withEngine } from '../../electron/analysis/engine.ts';
import { exportRows } from '../../electron/analysis/export-rows.ts';
import { LockedSql } from '../../electron/analysis/locked-sql.ts';
import { OpenRows } from '../../electron/analysis/open-rows.ts';
import { buildSidecar, readAbout } from '../../electron/analysis/sidecar-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const FIELDS = 1_000;
const ROWS = 2_200;
const folder = new DataFolder();
const spillFolder = folder.path;
const stored = { libraryFile: folder.file('library.db'), generationId: 1 };
const SUM_OF_LAST = Array.from({ length: ROWS }, (_, row) => row + FIELDS - 1).reduce(
  (sum, each) => sum + each,
);

beforeAll(() => {
  const db = new BetterSqlite(stored.libraryFile);
  db.exec(`CREATE TABLE list_row (generation_id INTEGER, position INTEGER, record TEXT, text_id INTEGER);
    CREATE TABLE long_text_part (text_id INTEGER, from_character INTEGER, part TEXT)`);
  const add = db.prepare('INSERT INTO list_row VALUES (1, ?, ?, NULL)');
  const names = Array.from({ length: FIELDS }, (_, at) => `f${at}`);
  db.transaction(() => {
    for (let row = 0; row < ROWS; row += 1)
      add.run(row, `{${names.map((name, at) => `"${name}":${row + at}`).join()}}`);
  })();
  db.close();
});
afterAll(() => folder[Symbol.dispose]());

test('are profiled without a file', async () => {
  const source = { form: 'stored', key: 'wide', stored, sample: null } as const;
  const profiles = await new OpenRows().use(source, spillFolder, (rows) => rows.profiles(['f999'], []));
  expect(profiles).toMatchObject([{ field: 'f999' }]);
});

test('are queried without a file, and leave none behind', async () => {
  const enginesThere = () => readdirSync(spillFolder).filter((name) => name.startsWith('engine-'));
  const before = enginesThere();
  const files = [{ schema: '', name: 'wide', from: { source: stored } }];
  const query = await LockedSql.open('SELECT CAST(sum(f999) AS VARCHAR) FROM wide', files, spillFolder, null);
  await query.begin();
  expect(await query.next()).toEqual([[String(SUM_OF_LAST)]]);
  query.close();
  await expect.poll(enginesThere).toEqual(before);
});

test('are prepared, and exported with all columns', async () => {
  const sidecar = folder.file('wide.duckdb');
  expect(await buildSidecar(stored, sidecar, spillFolder, () => undefined)).toMatchObject({ rows: ROWS });
  const { columns } = await withEngine({ file: sidecar, isReadOnly: true, spillFolder }, (connection) =>
    readAbout(connection),
  );
  expect(columns).toHaveLength(FIELDS);
  for (const format of ['parquet', 'csv'] as const) {
    const written = await exportRows(
      {
        source: { form: 'stored', sidecar, stored, positions: null },
        ...{ columns: null, format, isExact: true, partitionBy: null, spillFolder },
        target: folder.file(`wide.${format}`),
      },
      () => undefined,
    );
    expect(written, format).toMatchObject({ rows: ROWS, columns: { length: FIELDS } });
  }
});
