/** Corrects rescued rows so that a store with missing rows makes no false statements. */
import { AppError } from '../shared/errors.ts';
import type { RescuedTable, StoreName } from '../shared/health-model.ts';
import { COUNT_SPANS } from './migrations/datasets/1050-span-counts.ts';
import type { Database } from './open.ts';
import { settleJobs } from './settled-jobs.ts';

const LOST = new AppError(
  'STORE_DAMAGED',
  'Part of its stored data was lost when the damaged store was repaired.',
);
const INCOMPLETE = new AppError(
  'STORE_DAMAGED',
  'Its store was damaged and repaired: it is not fully known what the service received. Compare before you send again.',
);
const RESTORED = new AppError(
  'CONFLICT',
  'An older copy of its store was restored: what was sent after the copy was made is not known here. Compare before you send again.',
);
/** Tables that record which requests were sent. */
const OF_JOBS = ['job', 'part', 'receipt', 'span', 'span_receipt', 'score_item'];

/**
 * Applies the rules, and returns the number of unfinished jobs that were ended or paused. `isLogLost`: the last changes
 * of any table may be missing. `nowMs`: wall time.
 */
export function settleRescued(
  db: Database,
  store: StoreName,
  { tables, isLogLost }: { tables: readonly RescuedTable[]; isLogLost: boolean },
  nowMs: number,
): number {
  const isLost = (...names: string[]) =>
    isLogLost || tables.some(({ table, gaps, dropped }) => names.includes(table) && gaps + dropped > 0);
  if (store === 'library') settleLists(db, isLost('long_text', 'long_text_part'));
  if (store === 'budget') settleBudget(db, isLost('permit_block', 'lane'));
  // Counts were copied with the spans, and inserting the spans counted them again.
  if (store === 'datasets') db.exec(COUNT_SPANS);
  return hasJobs(store) && isLost(...OF_JOBS) ? settleJobs(db, 'end', INCOMPLETE, nowMs) : 0;
}

/** A list with missing rows ends at the first gap, is marked as incomplete, and is read on from there. */
function settleLists(db: Database, hasLostTexts: boolean): void {
  if (hasLostTexts) {
    db.exec(`
      DELETE FROM list_row WHERE text_id IS NOT NULL;
      DELETE FROM record WHERE text_id IS NOT NULL;
      DELETE FROM long_text_part;
      DELETE FROM long_text;`);
  }
  const lost = JSON.stringify(LOST.toWire());
  // Deletes data that is rebuilt from the rows when it is needed.
  db.exec(`
    DELETE FROM row_place;
    CREATE TEMP TABLE cut AS
      SELECT g.id, (
        SELECT count(*) FROM (
          SELECT position, row_number() OVER (ORDER BY position) - 1 AS place FROM list_row WHERE generation_id = g.id
        ) WHERE position = place
      ) AS front
      FROM generation g
      WHERE g.row_count <> (SELECT count(*) FROM list_row WHERE generation_id = g.id);
    DELETE FROM list_row WHERE EXISTS
      (SELECT 1 FROM cut WHERE cut.id = list_row.generation_id AND list_row.position >= cut.front);
    UPDATE generation SET row_count = cut.front, front_position = cut.front, front_offset = cut.front,
      is_complete = 0, is_ended = 0, is_outdated = 1, revision = revision + 1
    FROM cut WHERE cut.id = generation.id;`);
  db.prepare(`
    UPDATE kept_question SET state = 'failed', error_json = ?, generation_id = NULL
    WHERE state = 'read' AND (
      (form = 'list' AND NOT EXISTS (SELECT 1 FROM list WHERE list_key = query_key AND shown_generation_id IS NOT NULL
        AND shown_generation_id NOT IN (SELECT id FROM cut)))
      OR (form = 'record' AND NOT EXISTS (SELECT 1 FROM record WHERE record_key = query_key)))`).run(lost);
  db.exec('DROP TABLE cut');
}

/**
 * Marks the use of limits as unknown if the row of the ledger is lost, because times of permits have no meaning without
 * it.
 */
function settleBudget(db: Database, hasLostPermits: boolean): void {
  const isTimeless = db.prepare('SELECT 1 FROM ledger').get() === undefined;
  if (isTimeless || hasLostPermits)
    db.exec('INSERT OR REPLACE INTO unknown_use (id, before_ms) VALUES (1, NULL)');
  if (!isTimeless) return;
  db.exec('DELETE FROM permit_block; DELETE FROM lane; DELETE FROM holder; DELETE FROM service_time;');
}

/** Whether the jobs of a store may write to the service; jobs of the library only read. */
const hasJobs = (store: StoreName): boolean => store === 'uploads' || store === 'datasets';

/**
 * Stops the jobs of a restored copy, which does not know what was sent after it was made. Jobs that write to the
 * service end, others are paused, and drafts stay. Returns the number of ended and paused jobs. `nowMs`: wall time.
 */
export function settleRestored(db: Database, store: StoreName, nowMs: number): number {
  return hasJobs(store) ? settleJobs(db, 'end', RESTORED, nowMs) : 0;
}
