import type { Database } from './open.ts';

/**
 * The statements of a table, prepared once for each open database and shared by several modules. They must not be
 * iterated, because an open cursor makes a statement unusable for other callers.
 */
export function oncePerDatabase<T extends object>(prepare: (db: Database) => T): (db: Database) => T {
  const prepared = new WeakMap<Database, T>();
  return (db) => {
    const known = prepared.get(db);
    if (known !== undefined) return known;
    const made = prepare(db);
    prepared.set(db, made);
    return made;
  };
}
