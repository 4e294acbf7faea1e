/** Finds out which records are stored only as they were read before a moment, e.g. at a former address. */
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

export interface FormerReads {
  /**
   * The first of these ids whose record is stored, but was not read in the given time; null if there is none. Ids of
   * which nothing is stored do not count. `sinceMs` and `untilMs`: wall times.
   */
  notReadSince(ids: readonly string[], sinceMs: number, untilMs: number): string | null;
}

export function createFormerReads(db: Database): FormerReads {
  const isSince = (time: string) => `${time} BETWEEN @sinceMs AND @untilMs`;
  // Rows at the end of a reading of a kept list can come from the reading before.
  const isReturned = `(carried_count = 0 OR position <
    (SELECT max(position) + 1 FROM list_row AS other WHERE other.generation_id = generation.id) - carried_count)`;
  const find = db
    .prepare(`
      WITH asked (place, id) AS (SELECT key, value FROM json_each(@ids)),
      known (place, id, is_since) AS (
        SELECT place, asked.id, ${isSince('oldest_ms')} AND ${isReturned}
        FROM asked CROSS JOIN generation CROSS JOIN list_row
        ON generation_id = generation.id AND identity = asked.id
        WHERE is_discarded = 0 AND oldest_ms IS NOT NULL
        UNION ALL
        SELECT place, asked.id, ${isSince('oldest_ms')}
        FROM generation JOIN list ON list.id = list_id
        JOIN json_each(iif(json_valid(query), query, '{}'), '$.path') AS part JOIN asked ON asked.id = part.value
        WHERE is_discarded = 0 AND oldest_ms IS NOT NULL
        UNION ALL
        SELECT place, asked.id, ${isSince('fetched_at_ms')}
        FROM record JOIN json_each(iif(json_valid(query), query, '{}'), '$.path') AS part
        JOIN asked ON asked.id = part.value)
      SELECT id FROM known GROUP BY place HAVING max(is_since) = 0 ORDER BY place LIMIT 1`)
    .pluck();
  return {
    notReadSince: (ids, sinceMs, untilMs) => {
      const found = find.get({ ids: JSON.stringify(ids), sinceMs, untilMs });
      return found === undefined ? null : parseRow(z.string(), found, 'id of a record');
    },
  };
}
