/**
 * Mirrors of lists for which the positions of rows are noted, and of lists without: both are divided into the same
 * files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MirrorCatalog } from '../../electron/shared/mirror-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { MirrorRig } from '../helpers/mirror-rig.ts';

const itemsOf = (dataset: string): ListQuery => ({
  operation: 'datasets.items',
  path: { dataset_id: dataset },
  query: {},
});
const ROWS = 40_000;
const named = (count: number) => Array.from({ length: count }, (_, at) => [`item ${at}`, { at }] as const);
/** A list in which every third row has no identity. */
const partlyNamed = named(ROWS).map(([id, row], at) => [at % 3 === 0 ? null : id, row] as const);

let folder: DataFolder;
let rig: MirrorRig;

beforeEach(() => {
  folder = new DataFolder();
  rig = new MirrorRig(folder);
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function change(sql: string): void {
  const db = new BetterSqlite(folder.file('library.db'));
  try {
    db.exec(sql);
    db.exec('UPDATE generation SET revision = revision + 1');
  } finally {
    db.close();
  }
}

const tables = (): MirrorCatalog['tables'] =>
  JSON.parse(readFileSync(join(folder.file('notebooks'), 'catalog.json'), 'utf8')).tables;
const rowsIn = (): number[] => Object.values(tables()).map(({ rows }) => rows);

test('writes no file again if the places of the rows are not noted any more', async () => {
  rig.read(itemsOf('a'), partlyNamed);
  const first = await rig.write(folder.file('notebooks'));
  expect(first.result?.files).toBeGreaterThan(1);
  change('DELETE FROM row_place');
  const { result } = await rig.write(folder.file('notebooks'));
  expect(result).toMatchObject({ rows: ROWS, filesWritten: 0 });
});

test('counts only the rows that are still stored, and writes only the file that lost some', async () => {
  rig.read(itemsOf('a'), named(ROWS));
  await rig.write(folder.file('notebooks'));
  change('DELETE FROM list_row WHERE position IN (3, 4)');
  const { result } = await rig.write(folder.file('notebooks'));
  expect(result).toMatchObject({ rows: ROWS - 2, filesWritten: 1 });
  expect(rowsIn()).toEqual([ROWS - 2]);
});

test('writes no rows of a list whose rows are gone', async () => {
  rig.read(itemsOf('a'), named(10));
  change('DELETE FROM list_row');
  await rig.write(folder.file('notebooks'));
  expect(rowsIn()).toEqual([0]);
});

test('keeps rows of several datasets with equal ids', async () => {
  rig.names = new Map([
    ['a', 'First'],
    ['b', 'Second'],
  ]);
  rig.read(itemsOf('a'), named(3));
  rig.read(itemsOf('b'), named(2));
  await rig.write(folder.file('notebooks'));
  expect(rowsIn()).toEqual([5]);
});
