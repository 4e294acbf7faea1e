/** The request log of a connection: one row for each call with its attempts; only the newest few thousand are kept. */

import { MAX_DATE_MS } from '../core/jobs/job-record.ts';
import type { Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import { DEFAULT_SETTINGS } from '../shared/settings.ts';
import type {
  LogSort,
  LogSortField,
  Priority,
  RequestDetails,
  RequestLogRow,
  StatusClass,
  StoredLogPage,
} from '../shared/traffic-model.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { readDetailRow, readLogRow } from './request-log-rows.ts';

/** A finished call; the log assigns its number. */
export type LoggedRequest = Omit<RequestDetails, 'seq'>;

/** A row must match every given part. */
export interface LogFilter {
  operation?: string | null | undefined;
  /** `GET`, `POST`, … */
  method?: string | null | undefined;
  priority?: Priority | null | undefined;
  statusClass?: StatusClass | null | undefined;
  /** Text contained in path and query (as sent, or decoded), operation, error code, status, group or id. */
  text?: string | null | undefined;
}

export interface RequestLogStore {
  /**
   * Adds a request and returns its row. Never throws, but returns null on failure, because an answer matters more than
   * its log entry.
   */
  add(request: LoggedRequest): RequestLogRow | null;
  /**
   * A page of rows, newest first or sorted. It continues after the row `beforeSeq`; a sorted page is empty if that row
   * is no longer in the log.
   */
  list(page: LogPageQuery): StoredLogPage;
  /** Null if the request is not in the log. */
  get(requestId: string): RequestDetails | null;
  /** Rows with details, oldest first, after `afterSeq`. For iterating over the whole log. */
  details(page: LogFilter & { limit: number; afterSeq: number }): RequestDetails[];
  /** First and last row number, which are never reused; null for an empty log. */
  extent(): LogExtent | null;
  /** Deletes all rows and returns their number. Throws STORE_FAILED. */
  clear(): number;
}

interface LogExtent {
  rows: number;
  firstSeq: number;
  lastSeq: number;
  /** When the oldest request ended. */
  oldestMs: number;
  /** When the newest request ended. */
  newestMs: number;
}

export type LogPageQuery = LogFilter & {
  sort?: LogSort | null | undefined;
  limit: number;
  beforeSeq: number | null;
};

export interface LogBounds {
  rows: number;
  /** Number of newest rows that keep their bodies. */
  bodies: number;
}

const MAX_BODIES = 1_000;

/** The bounds of a log that keeps this many requests. */
export function boundsOf(rows: number = DEFAULT_SETTINGS.logRequests): LogBounds {
  return { rows, bodies: Math.min(rows, MAX_BODIES) };
}

const PRUNE_EVERY = 100;
/** Maximum length of a stored group, which may be a long list of names. */
const MAX_GROUP_LENGTH = 200;

// Columns that are searched one by one, because concatenating them for every row takes three times as long.
const SEARCHED = ['url', 'operation', 'id', 'group_name', 'error_code', 'status']
  .map((column) => `log.${column} LIKE :text ESCAPE '\\'`)
  .join(' OR ');
const MATCHES = `
  (:operation IS NULL OR log.operation = :operation)
  AND (:text IS NULL OR ${SEARCHED} OR log.url LIKE :encoded ESCAPE '\\')
  AND (:method IS NULL OR log.operation LIKE :method)
  AND (:priority IS NULL OR log.priority = :priority)
  AND CASE :statusClass
    WHEN 'answered' THEN log.status BETWEEN 200 AND 399
    WHEN 'problems' THEN coalesce(log.error_code, '') <> 'CANCELLED'
      AND (log.error_code IS NOT NULL OR log.status IS NULL OR log.status >= 400)
    WHEN 'retried' THEN log.attempts > 1
    WHEN 'refused' THEN log.status = 429 OR log.refusals > 0
    WHEN 'client-error' THEN log.status BETWEEN 400 AND 499 AND log.status <> 429
    WHEN 'server-error' THEN log.status >= 500
    WHEN 'failed' THEN log.status IS NULL AND coalesce(log.error_code, '') <> 'CANCELLED'
    WHEN 'cancelled' THEN log.status IS NULL AND log.error_code = 'CANCELLED'
    ELSE 1 END`;
const DETAILS = `SELECT log.*, detail.origin, detail.tries_json, detail.error_json, detail.body, detail.body_kept
  FROM request_log AS log LEFT JOIN request_detail AS detail USING (seq)`;

function statements(db: Database) {
  return {
    insert: db.prepare(`
      INSERT INTO request_log (id, at_ms, started_at_ms, operation, url, status, error_code, attempts, refusals,
        queued_ms, network_ms, sent_bytes, size_bytes, priority, group_name, is_shared)
      VALUES (:id, :atMs, :startedAtMs, :operation, :url, :status, :errorCode, :attempts, :refusals, :queuedMs,
        :networkMs, :sentBytes, :sizeBytes, :priority, :group, :isShared)`),
    insertDetail: db.prepare(`
      INSERT INTO request_detail (seq, origin, tries_json, error_json, body, body_kept)
      VALUES (:seq, :origin, :tries, :error, :body, :bodyKept)`),
    prune: db.prepare('DELETE FROM request_log WHERE seq <= (SELECT max(seq) FROM request_log) - ?'),
    pruneBodies: db.prepare(`
      UPDATE request_detail SET body = NULL, body_kept = 'pruned'
      WHERE body IS NOT NULL AND seq <= (SELECT max(seq) FROM request_log) - ?`),
    newest: db.prepare('SELECT * FROM request_log WHERE seq < ? ORDER BY seq DESC LIMIT ?'),
    matching: (sort: LogSort | null) =>
      db
        .prepare<[unknown], number>(
          `SELECT seq FROM request_log AS log WHERE ${MATCHES} ORDER BY ${orderOf(sort)}`,
        )
        .pluck(),
    // Reads rows in the form used for lists.
    named: db.prepare(`
      SELECT log.* FROM json_each(?) AS wanted JOIN request_log AS log ON log.seq = wanted.value ORDER BY wanted.key`),
    clear: db.prepare('DELETE FROM request_log'),
    stored: db.prepare('SELECT count(*) FROM request_log').pluck(),
    extent: db.prepare(`
      WITH newest AS (SELECT seq, at_ms FROM request_log ORDER BY seq DESC LIMIT 1)
      SELECT (SELECT count(*) FROM request_log) AS rows, log.seq AS firstSeq, newest.seq AS lastSeq,
        iif(abs(log.at_ms) <= ${MAX_DATE_MS}, log.at_ms, 0) AS oldestMs,
        iif(abs(newest.at_ms) <= ${MAX_DATE_MS}, newest.at_ms, 0) AS newestMs
      FROM request_log AS log, newest ORDER BY log.seq LIMIT 1`),
    operations: db
      .prepare<[], string>('SELECT DISTINCT operation FROM request_log ORDER BY operation')
      .pluck(),
    one: db.prepare(`${DETAILS} WHERE log.id = ? ORDER BY log.seq DESC LIMIT 1`),
    details: db.prepare(`${DETAILS} WHERE log.seq > :afterSeq AND ${MATCHES} ORDER BY log.seq LIMIT :limit`),
  };
}

const extentRow = z.object({
  rows: z.int(),
  firstSeq: z.int(),
  lastSeq: z.int(),
  oldestMs: z.number(),
  newestMs: z.number(),
});

const SORT_COLUMNS: Readonly<Record<LogSortField, string>> = {
  totalMs: 'log.at_ms - log.started_at_ms',
  queuedMs: 'log.queued_ms',
  networkMs: 'log.network_ms',
  sizeBytes: 'log.size_bytes',
  attempts: 'log.attempts',
  status: 'coalesce(log.status, 0)',
};

/** ORDER BY clause; among equal rows, the newest comes first. */
function orderOf(sort: LogSort | null): string {
  if (sort === null) return 'seq DESC';
  return `${SORT_COLUMNS[sort.field]} ${sort.isDescending ? 'DESC' : 'ASC'}, seq DESC`;
}

function bound({ operation, method, priority, statusClass, text }: LogFilter): Record<string, string | null> {
  const typed = text?.trim() ?? '';
  return {
    operation: operation ?? null,
    method: method == null ? null : `${method} %`,
    priority: priority ?? null,
    statusClass: statusClass ?? null,
    text: typed === '' ? null : containing(typed),
    encoded: typed === '' ? null : containing(encodeURIComponent(typed)),
  };
}

/**
 * LIKE pattern for texts that contain `text`. LIKE ignores case for ASCII letters only, which is enough for addresses.
 */
const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

export function createRequestLogStore(
  db: Database,
  logger: Logger,
  bounds: LogBounds = boundsOf(),
): RequestLogStore {
  const sql = statements(db);
  let added = 0;
  const write = db.transaction((request: LoggedRequest): RequestLogRow => {
    const { origin, tries, error, body, bodyKept, ...listed } = request;
    const row = {
      ...listed,
      group: listed.group.slice(0, MAX_GROUP_LENGTH),
      atMs: Math.round(listed.atMs),
      startedAtMs: Math.round(listed.startedAtMs),
      queuedMs: Math.round(listed.queuedMs),
      networkMs: Math.round(listed.networkMs),
    };
    const seq = Number(sql.insert.run({ ...row, isShared: row.isShared ? 1 : 0 }).lastInsertRowid);
    sql.insertDetail.run({
      seq,
      origin,
      tries: JSON.stringify(tries),
      error: error === null ? null : JSON.stringify(error),
      body,
      bodyKept,
    });
    if (added % PRUNE_EVERY === 0) {
      sql.prune.run(bounds.rows);
      sql.pruneBodies.run(bounds.bodies);
    }
    added += 1;
    return { ...row, seq };
  });
  return {
    add: (request) => {
      try {
        return write(request);
      } catch (problem) {
        logger.warn('request log not written', { requestId: request.id, code: toAppError(problem).code });
        return null;
      }
    },
    list: ({ limit, beforeSeq, sort = null, ...filter }) => {
      const wanted = bound(filter);
      const storedRows = Number(sql.stored.get());
      // Finds the page and the count in one scan.
      const isAll = Object.values(wanted).every((part) => part === null);
      const found = isAll && sort === null ? null : sql.matching(sort).all(wanted);
      const rows =
        found === null
          ? sql.newest.all(beforeSeq ?? Number.MAX_SAFE_INTEGER, limit)
          : sql.named.all(JSON.stringify(pageOf(found, sort, beforeSeq).slice(0, limit)));
      return {
        rows: rows.map(readLogRow),
        matchingRows: found?.length ?? storedRows,
        storedRows,
        keptRows: bounds.rows,
        operations: sql.operations.all(),
      };
    },
    get: (requestId) => {
      const row = sql.one.get(requestId);
      return row === undefined ? null : readDetailRow(row);
    },
    details: ({ limit, afterSeq, ...filter }) =>
      sql.details.all({ ...bound(filter), limit, afterSeq }).map(readDetailRow),
    extent: () => {
      const row = sql.extent.get();
      return row === undefined ? null : parseRow(extentRow, row, 'request log');
    },
    clear: () => sql.clear.run().changes,
  };
}

/** Rows that follow the row with number `afterSeq`. */
function pageOf(found: readonly number[], sort: LogSort | null, afterSeq: number | null): readonly number[] {
  if (afterSeq === null) return found;
  if (sort === null) return found.filter((seq) => seq < afterSeq);
  const at = found.indexOf(afterSeq);
  return at === -1 ? [] : found.slice(at + 1);
}
