/** The request log of a connection: one row a call, the newest few thousand. */
import { z } from 'zod';
import type { Logger } from '../core/ports.ts';
import { type ErrorCode, isErrorCode, toAppError } from '../shared/errors.ts';
import type { RequestLogRow } from '../shared/model.ts';
import { type Database, parseRow } from './open.ts';

export interface RequestLogStore {
  /** Never throws: an answer matters more than its line in the log. */
  add(row: RequestLogRow): void;
  /** Newest first, from before `beforeMs`. Rows of one millisecond stay together, so a few more than `limit` may come. */
  list(options: { limit: number; beforeMs: number | null }): RequestLogRow[];
}

const KEPT_ROWS = 5_000;
const PRUNE_EVERY = 100;

const logRow = z
  .object({
    id: z.string(),
    at_ms: z.number(),
    operation: z.string(),
    url: z.string(),
    status: z.number().nullable(),
    error_code: z.string().nullable(),
    attempts: z.number(),
    queued_ms: z.number(),
    network_ms: z.number(),
    size_bytes: z.number(),
    priority: z.string(),
  })
  .transform(
    (row): RequestLogRow => ({
      id: row.id,
      atMs: row.at_ms,
      operation: row.operation,
      url: row.url,
      status: row.status,
      errorCode: codeOf(row.error_code),
      attempts: row.attempts,
      queuedMs: row.queued_ms,
      networkMs: row.network_ms,
      sizeBytes: row.size_bytes,
      priority: row.priority,
    }),
  );

function codeOf(text: string | null): ErrorCode | null {
  if (text === null) return null;
  return isErrorCode(text) ? text : 'INTERNAL';
}

export function createRequestLogStore(db: Database, logger: Logger, keptRows = KEPT_ROWS): RequestLogStore {
  const insert = db.prepare(`
    INSERT INTO request_log (id, at_ms, operation, url, status, error_code, attempts, queued_ms, network_ms,
      size_bytes, priority)
    VALUES (:id, :atMs, :operation, :url, :status, :errorCode, :attempts, :queuedMs, :networkMs, :sizeBytes, :priority)`);
  const prune = db.prepare('DELETE FROM request_log WHERE seq <= (SELECT max(seq) FROM request_log) - ?');
  const newest = db.prepare(`
    SELECT * FROM request_log
    WHERE at_ms < :beforeMs AND at_ms >= coalesce(
      (SELECT at_ms FROM request_log WHERE at_ms < :beforeMs ORDER BY at_ms DESC LIMIT 1 OFFSET :limit - 1), 0)
    ORDER BY at_ms DESC, seq DESC`);
  let added = 0;
  return {
    add: (row) => {
      try {
        insert.run({
          ...row,
          atMs: Math.round(row.atMs),
          queuedMs: Math.round(row.queuedMs),
          networkMs: Math.round(row.networkMs),
        });
        if (added % PRUNE_EVERY === 0) prune.run(keptRows);
        added += 1;
      } catch (problem) {
        logger.warn('request log not written', { requestId: row.id, code: toAppError(problem).code });
      }
    },
    list: ({ limit, beforeMs }) =>
      newest
        .all({ limit, beforeMs: beforeMs ?? Number.MAX_SAFE_INTEGER })
        .map((row) => parseRow(logRow, row, 'request log row')),
  };
}
