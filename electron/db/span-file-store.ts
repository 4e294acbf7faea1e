/** Picked spans whose contents come from a file, and the service's answers about them. */
import * as z from '../shared/zod.ts';
import { readSpan, SPAN_COLUMNS, type StoredSpan } from './build-rows.ts';
import { type Database, parseRow } from './open.ts';

/**
 * `absent`: the service has no span with these ids. `other`: it has one with other values. `no-time`: it could not be
 * asked, because the span has no time.
 */
type FileAnswer = 'absent' | 'other' | 'no-time';

/** Unsent spans that will be sent as items. */
interface ItemSpans {
  edited: number;
  /** Number of spans from a file that are not edited. */
  ofFile: number;
  /** Numbers among all spans from files: not looked up at the service yet, absent there, or with other values there. */
  unasked: number;
  absent: number;
  other: number;
}

export interface SpanFileStore {
  count(buildId: string): ItemSpans;
  /** The spans at these positions whose contents come from a file. */
  among(buildId: string, positions: readonly number[]): Set<number>;
  /** Unsent spans that were not looked up at the service yet, from a position on. */
  unasked(buildId: string, position: number, limit: number): StoredSpan[];
  /** Unsent spans for which only ids are stored, from a position on. */
  bare(buildId: string, position: number, limit: number): StoredSpan[];
  answer(buildId: string, position: number, answer: FileAnswer): void;
}

const itemsRow: z.ZodType<ItemSpans> = z.object({
  edited: z.number(),
  ofFile: z.number(),
  unasked: z.number(),
  absent: z.number(),
  other: z.number(),
});

export function createSpanFileStore(db: Database): SpanFileStore {
  const count = db.prepare(
    `SELECT count(expected) AS edited, count(*) - count(expected) AS ofFile,
       coalesce(sum(is_of_file AND asked IS NULL), 0) AS unasked,
       coalesce(sum(asked = 'absent'), 0) AS absent, coalesce(sum(asked = 'other'), 0) AS other
     FROM (
       SELECT build_id, position, asked, 1 AS is_of_file, expected FROM span_of_file
         LEFT JOIN span_edit USING (build_id, position) WHERE build_id = @buildId
       UNION ALL
       SELECT build_id, position, NULL, 0, expected FROM span_edit e WHERE build_id = @buildId AND NOT EXISTS (
         SELECT 1 FROM span_of_file f WHERE f.build_id = e.build_id AND f.position = e.position)
     ) JOIN span USING (build_id, position) WHERE state IN ('unsent', 'unresolved')`,
  );
  const among = db
    .prepare(
      'SELECT position FROM span_of_file WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))',
    )
    .pluck();
  const unasked = db.prepare(
    `SELECT ${SPAN_COLUMNS} FROM span_of_file JOIN span USING (build_id, position)
     WHERE build_id = ? AND asked IS NULL AND state = 'unsent' AND position >= ? ORDER BY position LIMIT ?`,
  );
  const bare = db.prepare(
    `SELECT ${SPAN_COLUMNS} FROM span WHERE build_id = ? AND shape_id IS NULL AND state = 'unsent' AND position >= ?
     ORDER BY position LIMIT ?`,
  );
  const answer = db.prepare('UPDATE span_of_file SET asked = ? WHERE build_id = ? AND position = ?');
  return {
    count: (buildId) => parseRow(itemsRow, count.get({ buildId }), 'tally'),
    among: (buildId, positions) =>
      new Set(z.array(z.number()).parse(among.all(buildId, JSON.stringify(positions)))),
    unasked: (buildId, position, limit) => unasked.all(buildId, position, limit).map(readSpan),
    bare: (buildId, position, limit) => bare.all(buildId, position, limit).map(readSpan),
    answer: (buildId, position, said) => {
      answer.run(said, buildId, position);
    },
  };
}
