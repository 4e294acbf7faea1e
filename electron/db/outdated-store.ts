/** Marks stored data as outdated or gone after a change at the service. */
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

/** `outdated`: read again at the next use. `gone`: the service no longer has it. */
type Mark = 'outdated' | 'gone' | null;

export interface OutdatedStore {
  /**
   * Marks stored lists and records of these operations in one transaction. `markOf` gets the query of each (JSON) and
   * returns the mark.
   */
  mark(operations: readonly string[], markOf: (query: string) => Mark, nowMs: number): void;
}

const listRow = z.tuple([z.int(), z.string()]);
const recordRow = z.tuple([z.string(), z.string()]);

export function createOutdatedStore(db: Database): OutdatedStore {
  const isOneOf =
    "iif(json_valid(query), json_extract(query, '$.operation'), '') IN (SELECT value FROM json_each(?))";
  const lists = db.prepare(`SELECT id, query FROM list WHERE ${isOneOf}`).raw();
  const records = db.prepare(`SELECT record_key, query FROM record WHERE ${isOneOf}`).raw();
  // Includes generations in progress, whose first pages are from before the change.
  const markList = db.prepare('UPDATE generation SET is_outdated = 1 WHERE list_id = ?');
  const markRecord = db.prepare('UPDATE record SET is_outdated = 1 WHERE record_key = ?');
  const markGone = db.prepare('UPDATE record SET is_outdated = 1, gone_at_ms = ? WHERE record_key = ?');
  const mark = db.transaction((...[operations, markOf, nowMs]: Parameters<OutdatedStore['mark']>) => {
    const names = JSON.stringify(operations);
    for (const row of lists.all(names)) {
      const [id, query] = parseRow(listRow, row, 'list');
      if (markOf(query) !== null) markList.run(id);
    }
    for (const row of records.all(names)) {
      const [key, query] = parseRow(recordRow, row, 'record');
      const found = markOf(query);
      if (found === 'gone') markGone.run(nowMs, key);
      else if (found === 'outdated') markRecord.run(key);
    }
  });
  return { mark: mark.immediate };
}
