/** A profile folder from before the first release is moved away completely, with a clear message. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { APP_MIGRATIONS } from '../../electron/db/migrations/app/index.ts';
import { BUDGET_MIGRATIONS } from '../../electron/db/migrations/budget/index.ts';
import { quarantineOlder } from '../../electron/db/quarantine.ts';
import { MIGRATIONS_OF } from '../../electron/db/update-store.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runHere } from '../helpers/run-here.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** Creates a store of the last version before the first release. */
function makeOlder(number = 20): void {
  const db = new BetterSqlite(folder.file('spandeck.db'));
  db.exec(`CREATE TABLE IF NOT EXISTS connection (id TEXT); PRAGMA user_version = ${number}`);
  db.close();
  writeFileSync(folder.file('spandeck.db-wal'), '');
  writeFileSync(folder.file('budget.db'), 'permits');
  mkdirSync(folder.file('connections/one'), { recursive: true });
  writeFileSync(folder.file('connections/one/uploads.db'), 'receipts');
  writeFileSync(folder.file('window.json'), '{}');
}

const quarantined = () => quarantineOlder(dataPaths(folder.path));
const aside = (name: string) => join(folder.path, name);

test('stores and connections move together, byte for byte; other files stay', () => {
  makeOlder();
  expect(quarantined()).toBe(aside('from-before'));
  expect(readdirSync(folder.path).toSorted()).toEqual(['from-before', 'window.json']);
  const moved = readdirSync(aside('from-before')).toSorted();
  expect(moved).toEqual(['budget.db', 'connections', 'spandeck.db', 'spandeck.db-wal']);
  expect(readFileSync(aside('from-before/connections/one/uploads.db'), 'utf8')).toBe('receipts');
  expect(quarantined()).toBeNull();
});

test('a second quarantine gets its own folder', () => {
  for (const name of ['from-before', 'from-before-2']) {
    makeOlder();
    expect(quarantined()).toBe(aside(name));
  }
});

test('a move begun by a killed process is completed', () => {
  makeOlder();
  mkdirSync(aside('from-before/connections/two'), { recursive: true });
  writeFileSync(aside('from-before/budget.db-shm'), '');
  // The folder of its connections was moved, but not the store of connections.
  rmSync(folder.file('connections'), { recursive: true });
  expect(quarantined()).toBe(aside('from-before'));
  expect(readdirSync(aside('from-before/connections'))).toEqual(['two']);
});

test('nothing moves if the folder is empty, of this or a later version, or without a store', () => {
  expect(quarantined()).toBeNull();
  for (const number of [1_000, 9_999]) {
    makeOlder(number);
    expect(quarantined()).toBeNull();
  }
  writeFileSync(folder.file('spandeck.db'), 'no store');
  expect(quarantined()).toBeNull();
  expect(existsSync(aside('from-before'))).toBe(false);
});

test('every store begins with the baseline that distinguishes it from earlier ones', () => {
  const all = [APP_MIGRATIONS, BUDGET_MIGRATIONS, ...Object.values(MIGRATIONS_OF)];
  for (const [baseline] of all) expect(baseline?.number).toBe(1_000);
});

test('a command reports it, and works with a new folder', async () => {
  makeOlder();
  const { stderr } = await runHere(['ls', 'models'], { dataDir: folder.path });
  expect(stderr).toContain('before the first release');
  expect(stderr).toContain(aside('from-before'));
  expect(existsSync(folder.file('spandeck.db'))).toBe(true);
});
