/** Finds the files that unfinished jobs read, in the closed stores of a connection. */
import { existsSync } from 'node:fs';
import * as z from '../shared/zod.ts';
import { parseRow } from './open.ts';
import { openToRead } from './open-file.ts';

const pathRow = z.object({ path: z.string() });

/**
 * Paths of the files of unfinished jobs in one store; empty if there is no store. Reads only. Call it in a thread,
 * because a leftover log is read completely. `nowMs`: wall time. Throws SQLite errors for a damaged file and for a store
 * of a version without jobs of this form, and STORE_DAMAGED for a damaged log.
 */
export function neededFiles(file: string, nowMs: number): string[] {
  if (!existsSync(file)) return [];
  const db = openToRead(file, { nowMs });
  try {
    const rows = db
      .prepare(
        // Jobs that were created and not shown yet (is_hidden = 2) are included.
        `SELECT DISTINCT plan_json ->> '$.path' AS path FROM job
         WHERE is_hidden <> 1 AND (ended_at_ms IS NULL OR lease_owner IS NOT NULL)
           AND CASE WHEN json_valid(plan_json) THEN json_type(plan_json, '$.path') END = 'text'`,
      )
      .all();
    return rows.map((row) => parseRow(pathRow, row, 'path of a job').path);
  } finally {
    db.close();
  }
}
