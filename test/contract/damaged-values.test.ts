/** An unreadable value of a stored row, in any column of any store, fails no list completely. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATASET, FAR, LaterRig, leave } from '../helpers/later-rig.ts';
import { runs } from '../helpers/runs.ts';

let rig: LaterRig;
beforeAll(async () => {
  rig = await LaterRig.start();
  const ids = await rig.datasetIds();
  const planned = [rig.upload(), rig.deletion(), await rig.fromSpans(), rig.scores(), rig.change(ids)];
  for (const command of planned) await rig.here([...command, ...FAR], leave);
  await rig.here(rig.upload(20));
  await rig.here(rig.scores());
  await rig.here(await rig.fromSpans());
  for (const resource of ['applications', 'datasets']) await rig.here(['ls', resource, '--all']);
  await rig.here(['items', DATASET, '--all']);
  await rig.here(['keep', 'dataset', DATASET]);
}, 60_000);
afterAll(async () => {
  await rig.end();
});

interface Place {
  file: string;
  table: string;
  column: string;
  type: string;
}

const STORES = ['spandeck.db', 'uploads.db', 'datasets.db', 'library.db', 'snapshots.db'];
/** Values that the strict tables of the engine accept. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  INTEGER: [9_000_000_000_000_000n, -1n, null],
  REAL: [9e15, -1, null],
  TEXT: ['{"broken', '7', null],
};

function places(): Place[] {
  const files = readdirSync(rig.folder.path, { recursive: true, encoding: 'utf8' });
  return STORES.flatMap((store) => files.filter((file) => file.endsWith(store))).flatMap((file) => {
    const db = new BetterSqlite(join(rig.folder.path, file));
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all()
      .map(String)
      .filter((table) => db.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() !== undefined);
    const found = tables.flatMap((table) =>
      (db.pragma(`table_info("${table}")`) as { name: string; type: string; pk: number }[])
        .filter(({ pk }) => pk === 0)
        .map(({ name, type }) => ({ file, table, column: name, type })),
    );
    db.close();
    return found;
  });
}

/** Writes a value into one row of each table; returns a function that restores all. Skips rows that a store rejects. */
function poison(places: readonly Place[], turn: number): () => void {
  const undo = places.flatMap(({ file, table, column, type }) => {
    const write = (text: string, ...values: unknown[]) => {
      const db = open(file);
      try {
        return db.prepare(text).run(...values);
      } finally {
        db.close();
      }
    };
    const db = open(file);
    const key = keyOf(db, table);
    const row: unknown = db
      .prepare(`SELECT ${key}, "${column}" FROM "${table}" LIMIT 1`)
      .raw()
      .safeIntegers()
      .get();
    db.close();
    const [id, before] = Array.isArray(row) ? row : [];
    const update = `UPDATE "${table}" SET "${column}" = ? WHERE ${key} = ?`;
    try {
      write(update, VALUES[type]?.[turn] ?? null, id);
      return [() => void write(update, before, id)];
    } catch (refused) {
      expect(String(refused)).toContain('constraint');
      return [];
    }
  });
  return () => {
    for (const each of undo.reverse()) each();
  };
}

function open(file: string): BetterSqlite.Database {
  const db = new BetterSqlite(join(rig.folder.path, file));
  db.pragma('ignore_check_constraints = ON');
  db.pragma('foreign_keys = OFF');
  return db;
}

function keyOf(db: BetterSqlite.Database, table: string): string {
  const columns = db.pragma(`table_info("${table}")`) as { name: string; pk: number }[];
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => `"${name}"`);
  return keys.length === 1 ? (keys[0] ?? 'rowid') : keys.length === 0 ? 'rowid' : keys.join(" || '/' || ");
}

const COMMANDS: Readonly<Record<string, readonly string[][]>> = {
  'spandeck.db': [['models'], ['settings', 'list']],
  'uploads.db': [['jobs'], ['uploads'], ['planned'], ['changes'], ['damaged']],
  'datasets.db': [['jobs'], ['builds'], ['scores'], ['planned'], ['review'], ['damaged']],
  'library.db': [
    ['sql', 'select count(*) from datasets'],
    ['search', 'claims', '--offline'],
    ['items', DATASET, '--offline'],
    ['kept'],
    ['damaged'],
  ],
  'snapshots.db': [['snapshots', DATASET]],
};

/** One column of each table at a time, each with each value; a long run covers all of them. */
function rounds(): { places: Place[]; turn: number; store: string }[] {
  const byTable = Map.groupBy(places(), ({ file, table }) => `${file} ${table}`);
  return STORES.flatMap((store) => {
    const tables = [...byTable.values()].filter(([first]) => first?.file.endsWith(store));
    const columns = Math.max(...tables.map(({ length }) => length));
    return Array.from({ length: columns * 3 }, (_, round) => ({
      store,
      turn: round % 3,
      places: tables.flatMap((each) => each[Math.floor(round / 3)] ?? []),
    }));
  });
}

test('no list fails completely', async () => {
  const all = rounds();
  const every = Math.max(1, Math.floor(all.length / runs(14, all.length)));
  const failed: string[] = [];
  for (const { places: at, turn, store } of all.filter((_, index) => index % every === 0)) {
    const undo = poison(at, turn);
    for (const command of COMMANDS[store] ?? []) {
      const { code, stderr, stdout } = await rig.textHere(command);
      const text = `${stderr}${stdout}`;
      if (code === 0 && !text.includes('INTERNAL')) continue;
      const names = at.map(({ table, column }) => `${table}.${column}`).join(' ');
      failed.push(`${store} (${turn}) ${names}: ${command.join(' ')}: ${text.slice(0, 300)}`);
    }
    undo();
  }
  expect(failed).toEqual([]);
}, 900_000);
