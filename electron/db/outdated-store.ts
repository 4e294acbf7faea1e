/** Marks what is stored as outdated, or as gone, after a change at the service. */
import { z } from 'zod';
import { type Database, parseRow } from './open.ts';

/** `outdated`: read again when next wanted; `gone`: the service has it no longer. */
export type Mark = 'outdated' | 'gone' | null;

export interface OutdatedStore {
  /** Asks `markOf` for every stored list and record, by its operation and its query (JSON), in one step. */
  mark(markOf: (operation: string, query: string) => Mark, nowMs: number): void;
}

const listRow = z.tuple([z.int(), z.string(), z.string()]);
const recordRow = z.tuple([z.string(), z.string(), z.string()]);

export function createOutdatedStore(db: Database): OutdatedStore {
  const lists = db.prepare("SELECT id, json_extract(query, '$.operation'), query FROM list").raw();
  const records = db
    .prepare("SELECT record_key, json_extract(query, '$.operation'), query FROM record")
    .raw();
  // Readings under way too: their first pages are from before the change.
  const markList = db.prepare('UPDATE generation SET is_outdated = 1 WHERE list_id = ?');
  const markRecord = db.prepare('UPDATE record SET is_outdated = 1 WHERE record_key = ?');
  const markGone = db.prepare('UPDATE record SET is_outdated = 1, gone_at_ms = ? WHERE record_key = ?');
  const mark = db.transaction((markOf: Parameters<OutdatedStore['mark']>[0], nowMs: number) => {
    for (const row of lists.all()) {
      const [id, operation, query] = parseRow(listRow, row, 'list');
      if (markOf(operation, query) !== null) markList.run(id);
    }
    for (const row of records.all()) {
      const [key, operation, query] = parseRow(recordRow, row, 'record');
      const found = markOf(operation, query);
      if (found === 'gone') markGone.run(nowMs, key);
      else if (found === 'outdated') markRecord.run(key);
    }
  });
  return { mark: mark.immediate };
}
