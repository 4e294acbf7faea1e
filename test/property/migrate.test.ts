/** After a migration, all rows of a store of the previous version exist. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Migration } from '../../electron/db/migrate.ts';
import { APP_MIGRATIONS } from '../../electron/db/migrations/app/index.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { type Database, openStore } from '../../electron/db/open.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** A typical migration: a new table with an index, a new column. */
const NEXT: Record<string, string> = {
  app: 'ALTER TABLE setting ADD COLUMN saved_at_ms INTEGER; CREATE TABLE pin (id INTEGER PRIMARY KEY) STRICT',
  library:
    'ALTER TABLE list ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0; CREATE INDEX by_pin ON list (is_pinned)',
};

function open(file: string, migrations: readonly Migration[]): Database {
  return openStore({
    file,
    migrations,
    synchronous: 'NORMAL',
    clock: new VirtualClock(),
    logger: silentLogger,
  });
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));

test.each([
  ['app', APP_MIGRATIONS],
  ['library', LIBRARY_MIGRATIONS],
])('%s: migrating from any prefix keeps every row', (room, migrations) => {
  const next = { number: 10_000, name: 'next', sql: NEXT[room] ?? '' };
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 30 }), (pairs) => {
      using folder = new DataFolder();
      const file = folder.file('store.db');
      const old = open(file, migrations);
      const insert =
        room === 'app'
          ? old.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, json_quote(?))')
          : old.prepare(
              'INSERT OR REPLACE INTO list (list_key, query, opened_at_ms) VALUES (?, json_quote(?), 1)',
            );
      for (const [name, value] of pairs) insert.run(name, value);
      const table = room === 'app' ? 'name, value FROM setting' : 'list_key, query FROM list';
      const before = old.prepare(`SELECT ${table} ORDER BY 1`).all();
      old.close();
      const updated = open(file, [...migrations, next]);
      expect(updated.prepare(`SELECT ${table} ORDER BY 1`).all()).toEqual(before);
      expect(updated.pragma('foreign_key_check')).toEqual([]);
      updated.close();
    }),
    { numRuns: runs(25, 100) },
  );
});
