/** Finds the earliest scheduled start in the closed stores of a connection. */

import { existsSync, statSync } from 'node:fs';
import { MAX_DATE_MS, wallMs } from '../core/jobs/job-record.ts';
import { latestStart } from '../core/jobs/repeat.ts';
import { earlierStart } from '../core/jobs/start-plan.ts';
import { readable } from '../core/readable.ts';
import { activeRepeat, repeat } from '../shared/repeat-model.ts';
import * as z from '../shared/zod.ts';
import type { Maintenance } from './maintenance-thread.ts';
import { type Database, parseRow } from './open.ts';
import { openToRead } from './open-file.ts';
import { json } from './row-parts.ts';

/** Stores that hold jobs. */
export const PLANNED_STORES = ['uploads', 'datasets', 'library'] as const;
export type PlannedStore = (typeof PLANNED_STORES)[number];

/** Time after which a file counts as unchanged. Two changes within it may have the same time in a file system. */
const SETTLED_AFTER_MS = 3_000;
const earliestRow = z.object({ earliestMs: wallMs.nullable() });
const repeatedRow = z.object({
  state: z.string(),
  startAtMs: wallMs,
  createdAtMs: wallMs,
  repeat: json(repeat),
});

/**
 * Wall time of the earliest planned start; null if there is none, no store, or a store without jobs. Reads only. Call
 * it in a thread, because a leftover log is read completely. `nowMs`: wall time. Throws SQLite errors for a damaged
 * file, and STORE_DAMAGED for a damaged log, which stays unchanged.
 */
export function earliestPlannedStart(file: string, nowMs: number): number | null {
  if (!existsSync(file)) return null;
  const db = openToRead(file, { nowMs });
  try {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'job_to_start'").get() === undefined)
      return null;
    const row = db
      .prepare(
        // Data for offline use is excluded, because it is read again when its connection is opened.
        `SELECT min(start_at_ms) AS earliestMs FROM job
         WHERE start_at_ms BETWEEN ? AND ? AND is_hidden = 0 AND kind <> 'keep-offline'`,
      )
      .get(-MAX_DATE_MS, MAX_DATE_MS);
    const { earliestMs } = parseRow(earliestRow, row, 'planned start');
    return earliestMs === null ? null : Math.min(earliestMs, ...hastenedStarts(db, nowMs));
  } finally {
    db.close();
  }
}

/** Earlier starts of repeats that were planned too late, because the clock was ahead. A session plans them anew. */
function hastenedStarts(db: Database, nowMs: number): number[] {
  const rows = db
    .prepare(
      `SELECT state, start_at_ms AS startAtMs, created_at_ms AS createdAtMs, facts_json -> '$.repeat' AS repeat FROM job
       WHERE start_at_ms > ? AND is_hidden = 0
         AND iif(json_valid(facts_json), json_type(facts_json, '$.repeat'), NULL) = 'object'`,
    )
    .all(nowMs);
  return readable(rows, (row) => {
    const job = parseRow(repeatedRow, row, 'repeat');
    const active = activeRepeat(job);
    const latestMs = active === null ? null : latestStart(active, job, nowMs);
    return earlierStart(job.startAtMs, latestMs, nowMs) ?? job.startAtMs;
  });
}

export interface PlannedStarts {
  /**
   * Reads `earliestPlannedStart` in a thread, and again only after the store or its log has changed, or the clock was set
   * back. If the files cannot be read, rejects once and then returns null until then.
   */
  earliest(store: PlannedStore, file: string, nowMs: number): Promise<number | null>;
}

export function createPlannedStarts(maintenance: Pick<Maintenance, 'plannedStart'>): PlannedStarts {
  const known = new Map<string, { state: string; earliestMs: number | null; readAtMs: number }>();
  return {
    earliest: async (store, file, nowMs) => {
      const { state, changedAtMs } = stateOf(file);
      if (state === null) return null;
      const before = known.get(file);
      if (before?.state === state && before.readAtMs <= nowMs) return before.earliestMs;
      const keep = (earliestMs: number | null) => {
        if (changedAtMs < nowMs - SETTLED_AFTER_MS) known.set(file, { state, earliestMs, readAtMs: nowMs });
        else known.delete(file);
      };
      try {
        const earliestMs = await maintenance.plannedStart(store, file, nowMs);
        keep(earliestMs);
        return earliestMs;
      } catch (problem) {
        keep(null);
        throw problem;
      }
    },
  };
}

/** Sizes and modification times of a store and its log; `state` is null if there is no store. */
function stateOf(file: string): { state: string | null; changedAtMs: number } {
  const store = statSync(file, { throwIfNoEntry: false });
  if (store === undefined) return { state: null, changedAtMs: 0 };
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  // An empty log is ignored, because reading a store leaves one.
  const changed = log === undefined || log.size === 0 ? [store] : [store, log];
  return {
    state: changed.map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`).join(' '),
    changedAtMs: Math.max(...changed.map(({ mtimeMs }) => mtimeMs)),
  };
}
