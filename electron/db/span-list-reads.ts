/** Stored lists of spans, for the thread that sums up traces. Read only. */
import { wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { json } from './row-parts.ts';

/** A stored list of spans. */
export interface SpanList {
  generationId: number;
  query: ListQuery;
  endPosition: number;
  isComplete: boolean;
  /**
   * Rows may be missing in between, because the list was read to its end without all of them, or has moved while it was
   * read.
   */
  hasHoles: boolean;
  /** Wall time of the list's oldest page; null if it is not known. */
  oldestMs: number | null;
}

const listRow = z
  .object({
    ...{ id: z.int(), query: json(listQuery), is_complete: z.int() },
    ...{ is_ended: z.int(), has_moved: z.int() },
    ...{ row_count: z.int(), front_position: z.int(), oldest_ms: wallMs.nullable() },
  })
  .transform(
    (row): SpanList => ({
      generationId: row.id,
      query: row.query,
      endPosition: row.is_complete === 1 ? row.row_count : row.front_position,
      isComplete: row.is_complete === 1,
      hasHoles: row.is_complete === 0 && (row.is_ended === 1 || row.has_moved === 1),
      oldestMs: row.oldest_ms,
    }),
  );
const version = z.string();

export function createSpanListReads(db: Database): {
  /** The latest first. */
  lists: () => SpanList[];
  /** Changes whenever the lists or their rows change. */
  version: () => string;
} {
  const shown = `FROM list JOIN generation ON generation.id = shown_generation_id
    WHERE list.query ->> '$.operation' = 'spans.query' AND row_count > 0`;
  const lists = db.prepare(
    `SELECT generation.id, list.query, is_complete, is_ended, has_moved, row_count, front_position, oldest_ms
     ${shown}
     ORDER BY newest_ms DESC, generation.id DESC`,
  );
  const versions = db
    .prepare(
      `SELECT coalesce(group_concat(generation.id || '.' || revision || '.' || coalesce(newest_ms, ''), ' '
         ORDER BY generation.id), '') ${shown}`,
    )
    .pluck();
  return {
    lists: () => readable(lists.all(), (row) => parseRow(listRow, row, 'list')),
    version: () => parseRow(version, versions.get(), 'list'),
  };
}
