/** Spans of builds that were read again and differ from their state in the build. */

import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';

export interface SpanNow {
  position: number;
  /** JSON; null if the service no longer has the span. */
  record: string | null;
}

export interface SpanNowStore {
  add(buildId: string, spans: readonly SpanNow[]): void;
  /** In order of position. */
  list(buildId: string, offset: number, limit: number): SpanNow[];
  /** Positions of spans that the service no longer has, from a position on. */
  gone(buildId: string, from: number, limit: number): number[];
  /** Replaces the records of the build by the new ones. */
  take(buildId: string): void;
  clear(buildId: string): void;
}

const spanNow: z.ZodType<SpanNow> = z.object({ position: z.number(), record: z.string().nullable() });

export function createSpanNowStore(db: Database): SpanNowStore {
  const add = db.prepare('INSERT OR REPLACE INTO span_now (build_id, position, record) VALUES (?, ?, ?)');
  const list = db.prepare(
    'SELECT position, record FROM span_now WHERE build_id = ? ORDER BY position LIMIT ? OFFSET ?',
  );
  const gone = db
    .prepare(
      'SELECT position FROM span_now WHERE build_id = ? AND record IS NULL AND position >= ? ORDER BY position LIMIT ?',
    )
    .pluck();
  const take = db.prepare(
    `INSERT OR REPLACE INTO span_record (build_id, position, record)
     SELECT build_id, position, record FROM span_now WHERE build_id = ? AND record IS NOT NULL`,
  );
  const clear = db.prepare('DELETE FROM span_now WHERE build_id = ?');
  return {
    add: (buildId, spans) => {
      for (const { position, record } of spans) add.run(buildId, position, record);
    },
    list: (buildId, offset, limit) =>
      list.all(buildId, limit, offset).map((row) => parseRow(spanNow, row, 'span read again')),
    gone: (buildId, from, limit) => z.array(z.number()).parse(gone.all(buildId, from, limit)),
    take: (buildId) => {
      take.run(buildId);
    },
    clear: (buildId) => {
      clear.run(buildId);
    },
  };
}
