/** Spans of the applications. */
import type { PageRequest } from './envelope.ts';
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';
import type { RowPage } from './store-catalog.ts';

interface SpanRow {
  applicationId: string;
  traceId: string;
  spanId: string;
  sessionId: string | null;
  startMs: number;
  record: JsonRecord;
}

interface SpanPage extends PageRequest {
  startMs: number;
  endMs: number;
  order: 'oldest' | 'newest';
}

export interface SpanStore {
  add(span: SpanRow): void;
  get(applicationId: string, traceId: string, spanId: string): JsonRecord | null;
  /** Spans of an application that start in [startMs, endMs), oldest first; at most `limit` (default: all). */
  between(applicationId: string, startMs: number, endMs: number, limit?: number): JsonRecord[];
  count(applicationId: string, startMs: number, endMs: number): number;
  page(applicationId: string, query: SpanPage): RowPage<JsonRecord>;
  removeTraces(applicationId: string, traceIds: readonly string[]): void;
  removeSessions(applicationId: string, sessionIds: readonly string[]): void;
  removeApplication(applicationId: string): void;
}

interface StoredSpan {
  record: string;
}

const IN_RANGE = 'application_id = ? AND start_ms >= ? AND start_ms < ?';
type Range = [string, number, number];

function reader(db: Sqlite): Pick<SpanStore, 'get' | 'between' | 'count' | 'page'> {
  const one = db.prepare<[string, string, string], StoredSpan>(
    'SELECT record FROM span WHERE application_id = ? AND trace_id = ? AND span_id = ?',
  );
  const count = db.prepare<Range, { total: number }>(`SELECT count(*) AS total FROM span WHERE ${IN_RANGE}`);
  const oldest = db.prepare<[...Range, number, number], StoredSpan>(
    `SELECT record FROM span WHERE ${IN_RANGE} ORDER BY start_ms, span_id LIMIT ? OFFSET ?`,
  );
  const newest = db.prepare<[...Range, number, number], StoredSpan>(
    `SELECT record FROM span WHERE ${IN_RANGE} ORDER BY start_ms DESC, span_id LIMIT ? OFFSET ?`,
  );
  const total = (...range: Range): number => count.get(...range)?.total ?? 0;
  return {
    get: (applicationId, traceId, spanId) => {
      const row = one.get(applicationId, traceId, spanId);
      return row === undefined ? null : parseRecord(row.record);
    },
    between: (applicationId, startMs, endMs, limit = -1) =>
      oldest.all(applicationId, startMs, endMs, limit, 0).map((row) => parseRecord(row.record)),
    count: total,
    page: (applicationId, { startMs, endMs, order, limit, offset }) => {
      const statement = order === 'oldest' ? oldest : newest;
      const rows = statement.all(applicationId, startMs, endMs, limit, offset);
      return {
        items: rows.map((row) => parseRecord(row.record)),
        total: total(applicationId, startMs, endMs),
      };
    },
  };
}

export function createSpanStore(db: Sqlite): SpanStore {
  const insert = db.prepare(
    'INSERT INTO span (application_id, trace_id, span_id, session_id, start_ms, record) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const listed = 'IN (SELECT value FROM json_each(?))';
  const removeTraces = db.prepare(`DELETE FROM span WHERE application_id = ? AND trace_id ${listed}`);
  const removeSessions = db.prepare(`DELETE FROM span WHERE application_id = ? AND session_id ${listed}`);
  const removeApplication = db.prepare('DELETE FROM span WHERE application_id = ?');
  return {
    ...reader(db),
    add: (span) => {
      insert.run(
        span.applicationId,
        span.traceId,
        span.spanId,
        span.sessionId,
        span.startMs,
        JSON.stringify(span.record),
      );
    },
    removeTraces: (applicationId, ids) => {
      removeTraces.run(applicationId, JSON.stringify(ids));
    },
    removeSessions: (applicationId, ids) => {
      removeSessions.run(applicationId, JSON.stringify(ids));
    },
    removeApplication: (applicationId) => {
      removeApplication.run(applicationId);
    },
  };
}
