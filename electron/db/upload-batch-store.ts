/** Batches of upload jobs and their receipts. */
import { z } from 'zod';
import type { BatchState } from '../shared/upload-model.ts';
import { type Database, parseRow } from './open.ts';
import { asJson, type Places, readBatch, readIds, type StoredBatch } from './upload-rows.ts';

/** One batch with what its receipt says. */
interface BatchReceipt {
  batch: number;
  places: Places;
  /** Ids in the order of the rows; null where none are known. */
  eventIds: string[] | null;
  /** Ids that came for the batch and belong to no row for certain. */
  looseIds: string[];
}

/** Beside the states of batches, in a question for some: acknowledged with ids that are no receipt. */
const DOUBTFUL = 'doubtful';

export interface BatchStore {
  /** Inserts or replaces the whole row. */
  save(jobId: string, batch: StoredBatch): void;
  saveReceipt(
    jobId: string,
    batch: number,
    eventIds: readonly string[] | null,
    looseIds?: readonly string[],
  ): void;
  get(jobId: string, batch: number): StoredBatch | null;
  /** The lowest batch in this state, or null. */
  first(jobId: string, state: BatchState): StoredBatch | null;
  list(jobId: string, states: readonly string[] | null, offset: number, limit: number): StoredBatch[];
  count(jobId: string, states: readonly string[] | null): number;
  /** The batch that ends furthest down the file: where cutting goes on. */
  last(jobId: string): StoredBatch | null;
  nextNumber(jobId: string): number;
  /** When the acknowledged batch that was sent last was sent. */
  latestAcknowledgedMs(jobId: string): number | null;
  /** Was this batch halved? */
  hasParts(jobId: string, root: number): boolean;
  /** What was not sent will not be sent. */
  cancelPending(jobId: string): void;
  root(jobId: string, root: number): { isolationRequests: number };
  addIsolationRequest(jobId: string, root: number): void;
  /** Acknowledged batches with their receipts, in the order of the file. */
  eachReceipt(jobId: string): IterableIterator<BatchReceipt>;
}

const COLUMNS = `batch, root, first_row AS firstRow, last_row AS lastRow, row_count AS rows, first_line AS firstLine,
  next_line AS nextLine, byte_start AS byteStart, byte_end AS byteEnd, sha256, places_json AS places,
  own_ids_json AS ownIds, state, attempts, isolation_requests AS isolationRequests, sent_at_ms AS sentAtMs,
  answered_at_ms AS answeredAtMs, request_id AS requestId, error_json AS error, evidence_json AS evidence`;
const BY_STATE = `job_id = @jobId AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states))
  OR (@isDoubtful = 1 AND state = 'acknowledged' AND error_json ->> 'code' = 'RECEIPT_DOUBTFUL'))`;

const receiptRow = z.object({
  batch: z.number(),
  lastRow: z.number(),
  places: z.string(),
  eventIds: z.string().nullable(),
  looseIds: z.string().nullable(),
});
const placeList = z.array(z.tuple([z.number(), z.number(), z.number()]));

function statements(db: Database) {
  return {
    save: db.prepare(
      `INSERT INTO batch (job_id, batch, root, first_row, last_row, row_count, first_line, next_line, byte_start,
         byte_end, sha256, places_json, own_ids_json, state, attempts, isolation_requests, sent_at_ms, answered_at_ms,
         request_id, error_json, evidence_json)
       VALUES (@jobId, @batch, @root, @firstRow, @lastRow, @rows, @firstLine, @nextLine, @byteStart, @byteEnd, @sha256,
         @places, @ownIds, @state, @attempts, @isolationRequests, @sentAtMs, @answeredAtMs, @requestId, @error,
         @evidence)
       ON CONFLICT (job_id, batch) DO UPDATE SET first_row = @firstRow, last_row = @lastRow, row_count = @rows,
         first_line = @firstLine, next_line = @nextLine, byte_start = @byteStart, byte_end = @byteEnd,
         sha256 = @sha256, places_json = @places, own_ids_json = @ownIds, state = @state, attempts = @attempts,
         sent_at_ms = @sentAtMs, answered_at_ms = @answeredAtMs, request_id = @requestId, error_json = @error,
         evidence_json = @evidence`,
    ),
    receipt: db.prepare(
      `INSERT INTO batch_receipt (job_id, batch, event_ids_json, loose_ids_json) VALUES (?, ?, ?, ?)
       ON CONFLICT (job_id, batch) DO UPDATE SET event_ids_json = excluded.event_ids_json,
         loose_ids_json = excluded.loose_ids_json`,
    ),
    get: db.prepare(`SELECT ${COLUMNS} FROM batch WHERE job_id = ? AND batch = ?`),
    first: db.prepare(`SELECT ${COLUMNS} FROM batch WHERE job_id = ? AND state = ? ORDER BY batch LIMIT 1`),
    list: db.prepare(
      `SELECT ${COLUMNS} FROM batch WHERE ${BY_STATE} ORDER BY batch LIMIT @limit OFFSET @offset`,
    ),
    count: db.prepare(`SELECT count(*) FROM batch WHERE ${BY_STATE}`).pluck(),
    last: db.prepare(`SELECT ${COLUMNS} FROM batch WHERE job_id = ? ORDER BY last_row DESC LIMIT 1`),
    next: db
      .prepare<[string], number>('SELECT coalesce(max(batch) + 1, 0) FROM batch WHERE job_id = ?')
      .pluck(),
    parts: db.prepare('SELECT 1 FROM batch WHERE job_id = ? AND root = ? AND batch <> root LIMIT 1'),
    cancel: db.prepare("UPDATE batch SET state = 'cancelled' WHERE job_id = ? AND state = 'pending'"),
    latest: db
      .prepare<[string], number | null>(
        "SELECT max(sent_at_ms) FROM batch WHERE job_id = ? AND state = 'acknowledged'",
      )
      .pluck(),
    root: db
      .prepare<[string, number], number>(
        'SELECT isolation_requests FROM batch WHERE job_id = ? AND batch = ?',
      )
      .pluck(),
    spend: db.prepare(
      'UPDATE batch SET isolation_requests = isolation_requests + 1 WHERE job_id = ? AND batch = ?',
    ),
    nextReceipt: db.prepare(
      `SELECT b.batch, b.last_row AS lastRow, b.places_json AS places, r.event_ids_json AS eventIds,
         r.loose_ids_json AS looseIds
       FROM batch b LEFT JOIN batch_receipt r USING (job_id, batch)
       WHERE b.job_id = ? AND b.state = 'acknowledged' AND b.last_row > ? ORDER BY b.last_row LIMIT 1`,
    ),
  };
}

export function createBatchStore(db: Database): BatchStore {
  const sql = statements(db);
  const optional = (row: unknown): StoredBatch | null => (row === undefined ? null : readBatch(row));
  const states = (list: readonly string[] | null) => ({
    states: list === null ? null : JSON.stringify(list),
    isDoubtful: list?.includes(DOUBTFUL) === true ? 1 : 0,
  });
  return {
    save: (jobId, batch) => {
      const { places, ownIds, error, evidence } = batch;
      sql.save.run({
        ...batch,
        jobId,
        places: asJson(places),
        ownIds: asJson(ownIds),
        error: asJson(error),
        evidence: asJson(evidence),
      });
    },
    saveReceipt: (jobId, batch, eventIds, looseIds = []) => {
      sql.receipt.run(jobId, batch, asJson(eventIds), looseIds.length === 0 ? null : asJson(looseIds));
    },
    get: (jobId, batch) => optional(sql.get.get(jobId, batch)),
    first: (jobId, state) => optional(sql.first.get(jobId, state)),
    list: (jobId, wanted, offset, limit) =>
      sql.list.all({ jobId, ...states(wanted), offset, limit }).map(readBatch),
    count: (jobId, wanted) => Number(sql.count.get({ jobId, ...states(wanted) })),
    last: (jobId) => optional(sql.last.get(jobId)),
    nextNumber: (jobId) => sql.next.get(jobId) ?? 0,
    latestAcknowledgedMs: (jobId) => sql.latest.get(jobId) ?? null,
    hasParts: (jobId, root) => sql.parts.get(jobId, root) !== undefined,
    cancelPending: (jobId) => {
      sql.cancel.run(jobId);
    },
    root: (jobId, root) => ({ isolationRequests: sql.root.get(jobId, root) ?? 0 }),
    addIsolationRequest: (jobId, root) => {
      sql.spend.run(jobId, root);
    },
    *eachReceipt(jobId) {
      for (let after = 0; ; ) {
        const row = sql.nextReceipt.get(jobId, after);
        if (row === undefined) return;
        const { batch, lastRow, places, eventIds, looseIds } = parseRow(receiptRow, row, 'receipt');
        const runs = parseRow(placeList, JSON.parse(places), 'receipt');
        yield {
          batch,
          places: runs,
          eventIds: eventIds === null ? null : readIds(eventIds),
          looseIds: looseIds === null ? [] : readIds(looseIds),
        };
        after = lastRow;
      }
    },
  };
}
