/** Looks into the stores of a connection that are not open, for what is to begin by itself. */
import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { z } from 'zod';
import { parseRow } from './open.ts';

interface PlannedTable {
  /** The version of its store since which something in it can begin by itself. */
  since: number;
  /** One row, one column: the wall time of the earliest, or null. */
  select: string;
}

/** By the name of the store: every table of which a row begins by itself. */
const PLANNED = {
  uploads: [
    { since: 1_000, select: `SELECT min(start_at_ms) AS at_ms FROM upload WHERE state = 'scheduled'` },
    {
      since: 1_000,
      select: 'SELECT min(start_at_ms) AS at_ms FROM job WHERE start_at_ms IS NOT NULL AND is_hidden = 0',
    },
  ],
  datasets: [
    {
      since: 1_000,
      select: 'SELECT min(start_at_ms) AS at_ms FROM job WHERE start_at_ms IS NOT NULL AND is_hidden = 0',
    },
  ],
} as const satisfies Record<string, readonly PlannedTable[]>;

export type PlannedStore = keyof typeof PLANNED;
export const PLANNED_STORES: readonly PlannedStore[] = ['uploads', 'datasets'];

const BUSY_TIMEOUT_MS = 1_000;
const earliestRow = z.object({ earliestMs: z.number().nullable() });

/**
 * Wall time of the earliest planned start; null where there is none, no store, or one of an earlier version. Changes
 * nothing. Throws what SQLite throws for a damaged file.
 */
export function earliestPlannedStart(file: string, store: PlannedStore): number | null {
  if (!existsSync(file)) return null;
  const db = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    const selects = PLANNED[store].flatMap(({ since, select }) => (version < since ? [] : [select]));
    if (selects.length === 0) return null;
    const row = db.prepare(`SELECT min(at_ms) AS earliestMs FROM (${selects.join(' UNION ALL ')})`).get();
    return parseRow(earliestRow, row, 'planned start').earliestMs;
  } finally {
    db.close();
  }
}
