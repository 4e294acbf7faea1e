/** The real SQLite; each open file is recorded with the life that opened it, so that a kill closes it. */
import BetterSqlite from 'better-sqlite3';
import type { Life, World } from './world.ts';

const openOf = new Map<Life, Set<BetterSqlite.Database>>();
let world: World | null = null;

export function watchDatabases(watched: World): void {
  world = watched;
}

export function closeDatabasesOf(life: Life): void {
  for (const [owner, open] of openOf) {
    if (!owner.isOf(life)) continue;
    for (const database of open) if (database.open) database.close();
    openOf.delete(owner);
  }
}

/** Open database files of a life and its threads. */
export function openDatabasesOf(life: Life): string[] {
  return [...openOf].flatMap(([owner, open]) =>
    owner.isOf(life) ? [...open].flatMap((each) => (each.open ? [each.name] : [])) : [],
  );
}

export default new Proxy(BetterSqlite, {
  construct: (target, given: [string, BetterSqlite.Options?], asked) => {
    const life = world?.life();
    if (life?.isGone === true) throw new Error('The process has ended.');
    const database: BetterSqlite.Database = Reflect.construct(target, given, asked);
    if (life !== undefined) openOf.set(life, (openOf.get(life) ?? new Set()).add(database));
    return database;
  },
});
