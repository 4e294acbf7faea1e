/** Searches closed stores of a connection for scheduled starts. */
import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { z } from 'zod';
import { stateOfLog } from './log-evidence.ts';
import { parseRow } from './open.ts';
import { MAX_DATE_MS, wallMs } from './row-parts.ts';

/** Stores that hold jobs. */
export const PLANNED_STORES = ['uploads', 'datasets'] as const;
export type PlannedStore = (typeof PLANNED_STORES)[number];

const BUSY_TIMEOUT_MS = 1_000;
const earliestRow = z.object({ earliestMs: wallMs.nullable() });

/**
 * Wall time of the earliest planned start; null if there is none, no store, or a store without jobs, and also for a
 * store whose write-ahead log is damaged or too large to be read whole here. Read only. `nowMs`: wall time. Throws SQLite
 * errors for a damaged file.
 */
export function earliestPlannedStart(file: string, nowMs: number): number | null {
  // SQLite replaces the index of the log when it opens a store. Without the old index, a later opening cannot see that
  // the log is damaged.
  if (!existsSync(file) || stateOfLog(file, nowMs) !== 'whole') return null;
  const db = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'job_to_start'").get() === undefined)
      return null;
    const row = db
      .prepare(
        'SELECT min(start_at_ms) AS earliestMs FROM job WHERE start_at_ms BETWEEN ? AND ? AND is_hidden = 0',
      )
      .get(-MAX_DATE_MS, MAX_DATE_MS);
    return parseRow(earliestRow, row, 'planned start').earliestMs;
  } finally {
    db.close();
  }
}
