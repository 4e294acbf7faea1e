/** Looks into an uploads store that is not open, for what is to begin by itself. */
import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { z } from 'zod';
import { parseRow } from './open.ts';

/** Since which version of the store there are planned starts. */
const PLANNED_SINCE = 20;
const BUSY_TIMEOUT_MS = 1_000;

const earliestRow = z.object({ earliestMs: z.number().nullable() });

/**
 * Wall time of the earliest planned start; null where there is none, no store, or one of another version. Changes
 * nothing. Throws what SQLite throws for a damaged file.
 */
export function earliestPlannedStart(file: string): number | null {
  if (!existsSync(file)) return null;
  const db = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    if (Number(db.pragma('user_version', { simple: true })) < PLANNED_SINCE) return null;
    const row = db
      .prepare(
        `SELECT min(at_ms) AS earliestMs FROM (
           SELECT min(start_at_ms) AS at_ms FROM job WHERE state = 'scheduled'
           UNION ALL SELECT min(start_at_ms) FROM deletion WHERE status = 'scheduled')`,
      )
      .get();
    return parseRow(earliestRow, row, 'planned start').earliestMs;
  } finally {
    db.close();
  }
}
