/** Calls of builds, and what is in datasets by their answers. */
import { z } from 'zod';
import type { BuildBatch, BuildBatchState } from '../shared/build-batch-model.ts';
import type { SpanRef } from '../shared/dataset-model.ts';
import { readBuildBatch } from './build-rows.ts';
import { type Database, parseRow } from './open.ts';
import { asJson } from './row-parts.ts';

interface Receipt extends SpanRef {
  /** Null where a person or evidence decided without an id. */
  itemId: string | null;
}

export interface BuildBatchStore {
  /** Inserts or replaces the whole row. */
  save(buildId: string, batch: BuildBatch): void;
  get(buildId: string, batch: number): BuildBatch | null;
  list(
    buildId: string,
    states: readonly BuildBatchState[] | null,
    offset: number,
    limit: number,
  ): BuildBatch[];
  count(buildId: string, states: readonly BuildBatchState[] | null): number;
  /** Acknowledged, but with ids that are no receipt. */
  countDoubtful(buildId: string): number;
  /** Why the first of these is in doubt; null where none is. */
  firstDoubt(buildId: string): BuildBatch | null;
  nextNumber(buildId: string): number;
  saveReceipts(datasetId: string, buildId: string, receipts: readonly Receipt[], atMs: number): void;
  /** Items of this dataset that any build has a receipt for: id → span id. */
  knownItemIds(datasetId: string): Map<string, string>;
}

const COLUMNS = `batch, spans, first_position AS firstPosition, last_position AS lastPosition, state,
  start_time AS startTime, end_time AS endTime, sent_at_ms AS sentAtMs, answered_at_ms AS answeredAtMs,
  request_id AS requestId, error_json AS error, evidence_json AS evidence`;
const BY_STATE =
  'build_id = @buildId AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))';

const number = z.int();
const knownRow = z.object({ itemId: z.string(), spanId: z.string() });

export function createBuildBatchStore(db: Database): BuildBatchStore {
  const save = db.prepare(
    `INSERT INTO batch (build_id, batch, spans, first_position, last_position, state, start_time, end_time, sent_at_ms,
       answered_at_ms, request_id, error_json, evidence_json)
     VALUES (@buildId, @batch, @spans, @firstPosition, @lastPosition, @state, @startTime, @endTime, @sentAtMs,
       @answeredAtMs, @requestId, @error, @evidence)
     ON CONFLICT (build_id, batch) DO UPDATE SET state = @state, sent_at_ms = @sentAtMs,
       answered_at_ms = @answeredAtMs, request_id = @requestId, error_json = @error, evidence_json = @evidence`,
  );
  const get = db.prepare(`SELECT ${COLUMNS} FROM batch WHERE build_id = ? AND batch = ?`);
  const list = db.prepare(
    `SELECT ${COLUMNS} FROM batch WHERE ${BY_STATE} ORDER BY batch LIMIT @limit OFFSET @offset`,
  );
  const count = db.prepare(`SELECT count(*) FROM batch WHERE ${BY_STATE}`).pluck();
  const doubtful = `build_id = ? AND state = 'acknowledged' AND error_json ->> 'code' = 'RECEIPT_DOUBTFUL'`;
  const countDoubtful = db.prepare(`SELECT count(*) FROM batch WHERE ${doubtful}`).pluck();
  const firstDoubt = db.prepare(`SELECT ${COLUMNS} FROM batch WHERE ${doubtful} ORDER BY batch LIMIT 1`);
  const next = db.prepare('SELECT coalesce(max(batch) + 1, 0) FROM batch WHERE build_id = ?').pluck();
  const receipt = db.prepare(
    `INSERT INTO span_receipt (dataset_id, span_id, trace_id, build_id, item_id, at_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (dataset_id, span_id, trace_id, build_id) DO UPDATE SET item_id = excluded.item_id,
       at_ms = excluded.at_ms`,
  );
  const known = db.prepare(
    'SELECT item_id AS itemId, span_id AS spanId FROM span_receipt WHERE dataset_id = ? AND item_id IS NOT NULL',
  );
  return {
    save: (buildId, batch) => {
      save.run({ buildId, ...batch, error: asJson(batch.error), evidence: asJson(batch.evidence) });
    },
    get: (buildId, batch) => {
      const row = get.get(buildId, batch);
      return row === undefined ? null : readBuildBatch(row);
    },
    list: (buildId, states, offset, limit) =>
      list.all({ buildId, states: asJson(states), offset, limit }).map(readBuildBatch),
    count: (buildId, states) =>
      parseRow(number, count.get({ buildId, states: asJson(states) }), 'number of calls'),
    countDoubtful: (buildId) => parseRow(number, countDoubtful.get(buildId), 'number of calls'),
    firstDoubt: (buildId) => {
      const row = firstDoubt.get(buildId);
      return row === undefined ? null : readBuildBatch(row);
    },
    nextNumber: (buildId) => parseRow(number, next.get(buildId), 'number of calls'),
    saveReceipts: (datasetId, buildId, receipts, atMs) => {
      for (const { trace_id, span_id, itemId } of receipts) {
        receipt.run(datasetId, span_id, trace_id, buildId, itemId, atMs);
      }
    },
    knownItemIds: (datasetId) =>
      new Map(
        known.all(datasetId).map((row) => {
          const { itemId, spanId } = parseRow(knownRow, row, 'receipt');
          return [itemId, spanId];
        }),
      ),
  };
}
