/** The real SQLite. Each open file is recorded with the life that opened it, so that a kill ends its use. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import type { Life, World } from './world.ts';

const openOf = new Map<Life, Set<BetterSqlite.Database>>();
let world: World | null = null;

export function watchDatabases(watched: World): void {
  world = watched;
}

/** Closes its databases normally, as Node does for a thread that has ended. */
export function closeDatabasesOf(life: Life): void {
  for (const [owner, open] of openOf) {
    if (!owner.isOf(life)) continue;
    for (const database of open) if (database.open) database.close();
    openOf.delete(owner);
  }
}

/** Abandons the open databases of a killed process, so that their write-ahead logs remain beside the files. */
export function abandonDatabasesOf(life: Life): void {
  const [own, others] = [new Set<string>(), new Set<string>()];
  for (const [owner, open] of openOf)
    for (const { name, open: isOpen } of open) if (isOpen) (owner.isOf(life) ? own : others).add(name);
  const left = [...own]
    .filter((file) => !others.has(file) && existsSync(`${file}-wal`))
    .flatMap((file) => [file, `${file}-wal`, `${file}-shm`])
    .flatMap((path) => (existsSync(path) ? [{ path, bytes: readFileSync(path) }] : []));
  closeDatabasesOf(life);
  for (const { path, bytes } of left) writeFileSync(path, bytes);
}

/** `PRAGMA max_page_count` of a database without a limit. */
const UNLIMITED_PAGES = 4_294_967_294;
/** Space on the disk for databases: with `full` they cannot grow, and with `read-only` they cannot be written. */
export type Room = 'room' | 'full' | 'read-only';
let room: Room = 'room';

function limit(database: BetterSqlite.Database): void {
  if (!database.open || database.memory || database.readonly) return;
  database.pragma(`query_only = ${room === 'read-only' ? 'ON' : 'OFF'}`);
  const pages = room === 'full' ? Number(database.pragma('page_count', { simple: true })) : UNLIMITED_PAGES;
  if (pages > 0) database.pragma(`max_page_count = ${pages}`);
}

/** Applies this restriction to every database file of the computer from now on. */
export function fillDatabases(given: Room): void {
  room = given;
  for (const open of openOf.values()) for (const database of open) limit(database);
}

/** `PRAGMA synchronous` of connections whose commits are on the disk when they return. */
const FULL = 2;

/**
 * Call before a power cut. Call the result once all connections are closed, to restore the files as the last sync left
 * them. A store that does not sync each commit loses its write-ahead log, and every store loses the index of its log.
 */
export function unsyncedBySQLite(): () => void {
  const levels = new Map<string, number>();
  for (const open of openOf.values()) {
    for (const database of open) {
      if (!database.open || database.memory || database.readonly) continue;
      const level = Number(database.pragma('synchronous', { simple: true }));
      levels.set(database.name, Math.max(levels.get(database.name) ?? 0, level));
    }
  }
  const losing = [...levels].flatMap(([file, level]) => (level < FULL && existsSync(file) ? [file] : []));
  const before = losing.map((file) => ({ file, bytes: readFileSync(file) }));
  return () => {
    // The index of a log is shared memory, which is never synced.
    for (const file of levels.keys()) rmSync(`${file}-shm`, { force: true });
    for (const { file, bytes } of before) {
      writeFileSync(file, bytes);
      rmSync(`${file}-wal`, { force: true });
    }
  };
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
    if (room !== 'room' && life?.isOnComputer === true) limit(database);
    if (life !== undefined) openOf.set(life, (openOf.get(life) ?? new Set()).add(database));
    return database;
  },
});
