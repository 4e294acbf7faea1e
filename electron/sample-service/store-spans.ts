/** Spans of the applications. */
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';

export interface SpanRow {
  applicationId: string;
  traceId: string;
  spanId: string;
  sessionId: string | null;
  startMs: number;
  record: JsonRecord;
}

export interface SpanStore {
  add(span: SpanRow): void;
  /** Spans of an application that start in [startMs, endMs), oldest first. */
  between(applicationId: string, startMs: number, endMs: number): JsonRecord[];
}

export function createSpanStore(db: Sqlite): SpanStore {
  const insert = db.prepare(
    'INSERT INTO span (application_id, trace_id, span_id, session_id, start_ms, record) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const between = db.prepare<[string, number, number], { record: string }>(
    'SELECT record FROM span WHERE application_id = ? AND start_ms >= ? AND start_ms < ? ORDER BY start_ms, span_id',
  );
  return {
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
    between: (applicationId, startMs, endMs) =>
      between.all(applicationId, startMs, endMs).map((row) => parseRecord(row.record)),
  };
}
