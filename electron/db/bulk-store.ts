/** Changes of many records: each record with what became of it. */
import { z } from 'zod';
import { NO_ITEMS } from '../core/jobs/bulk-act.ts';
import type { LeaseTable } from '../core/jobs/lease.ts';
import { readable } from '../core/readable.ts';
import {
  BULK_ITEM_STATES,
  BULK_STATES,
  type BulkItem,
  type BulkItemState,
  type BulkRequest,
  type BulkState,
  type BulkWords,
  bulkRequest,
  bulkWords,
} from '../shared/bulk-contract.ts';
import type { WireError } from '../shared/errors.ts';
import type { LateStart } from '../shared/upload-model.ts';
import type { DamagedSource } from './damaged-rows.ts';
import { createLeaseTable } from './lease-table.ts';
import { type Database, parseRow } from './open.ts';

import { asChecked, asJson, json, wireError } from './row-parts.ts';

export interface StoredBulkAct {
  bulkId: string;
  request: BulkRequest;
  words: BulkWords;
  total: number;
  state: BulkState;
  reason: string;
  error: WireError | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

interface StoredBulkItem extends BulkItem {
  part: number;
  attempts: number;
}

/** Records that one request names. */
export interface BulkPart {
  part: number;
  records: string[];
  attempts: number;
}

/** What became of the records of one request. */
export interface PartChange {
  state: BulkItemState;
  error: WireError | null;
  job: BulkItem['job'];
}

export interface BulkStore {
  create(act: StoredBulkAct): void;
  save(act: StoredBulkAct): void;
  get(bulkId: string): StoredBulkAct | null;
  /** Newest first; without those that cannot be read. */
  list(): StoredBulkAct[];
  damaged: DamagedSource;
  /** What begins by itself, and when. */
  scheduled(): { id: string; startAtMs: number }[];
  remove(bulkId: string): void;
  leases: LeaseTable;
  addItems(bulkId: string, items: readonly Pick<StoredBulkItem, 'position' | 'part' | 'id' | 'name'>[]): void;
  counts(bulkId: string): Record<BulkItemState, number>;
  /** The first request after `afterPart` whose records are in this state. */
  next(bulkId: string, state: BulkItemState, afterPart: number): BulkPart | null;
  /** Counts another attempt. */
  markSending(bulkId: string, part: number): void;
  savePart(bulkId: string, part: number, change: PartChange): void;
  /** Everything in one state goes to another, what is known of it forgotten where it is to be sent; how many. */
  moveAll(bulkId: string, from: BulkItemState, to: BulkItemState): number;
  /** What is not known may be sent again where it turns out not to be done. */
  forgetAttempts(bulkId: string): void;
  page(
    bulkId: string,
    states: readonly BulkItemState[] | null,
    offset: number,
    limit: number,
  ): StoredBulkItem[];
  count(bulkId: string, states: readonly BulkItemState[] | null): number;
}

const actRow = z.object({
  bulkId: z.string(),
  request: json(bulkRequest),
  words: json(bulkWords),
  total: z.number(),
  state: z.enum(BULK_STATES),
  reason: z.string(),
  error: json(wireError).nullable(),
  startAtMs: z.number().nullable(),
  lateStart: json(z.object({ plannedAtMs: z.number(), startedAtMs: z.number() })).nullable(),
  createdAtMs: z.number(),
  endedAtMs: z.number().nullable(),
});
const itemState = z.enum(BULK_ITEM_STATES);
const itemRow = z.object({
  position: z.number(),
  part: z.number(),
  id: z.string(),
  name: z.string(),
  state: itemState,
  attempts: z.number(),
  error: json(wireError).nullable(),
  job: json(z.object({ id: z.string(), name: z.string() })).nullable(),
});
const tallyRow = z.object({ state: itemState, items: z.number() });
const partRow = z.object({ part: z.number(), records: json(z.array(z.string())), attempts: z.number() });
const plannedRow = z.object({ id: z.string(), startAtMs: z.number() });
const number = z.number();

const ACT = `bulk_id AS bulkId, request_json AS request, words_json AS words, total, state, reason, error_json AS error,
  start_at_ms AS startAtMs, late_start_json AS lateStart, created_at_ms AS createdAtMs, ended_at_ms AS endedAtMs`;
const ITEM = `position, part, record_id AS id, name, state, attempts, error_json AS error, job_json AS job`;
const BY_STATE = 'bulk_id = @bulkId AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))';

function actStatements(db: Database) {
  return {
    create: db.prepare(
      `INSERT INTO bulk_act (bulk_id, request_json, words_json, total, state, reason, error_json, start_at_ms,
         late_start_json, created_at_ms, ended_at_ms)
       VALUES (@bulkId, @request, @words, @total, @state, @reason, @error, @startAtMs, @lateStart, @createdAtMs,
         @endedAtMs)`,
    ),
    save: db.prepare(
      `UPDATE bulk_act SET state = @state, reason = @reason, error_json = @error, start_at_ms = @startAtMs,
         late_start_json = @lateStart, ended_at_ms = @endedAtMs WHERE bulk_id = @bulkId`,
    ),
    get: db.prepare(`SELECT ${ACT} FROM bulk_act WHERE bulk_id = ?`),
    list: db.prepare(`SELECT ${ACT} FROM bulk_act ORDER BY created_at_ms DESC, bulk_id LIMIT 500`),
    scheduled: db.prepare(
      `SELECT bulk_id AS id, start_at_ms AS startAtMs FROM bulk_act
       WHERE state = 'scheduled' AND start_at_ms IS NOT NULL`,
    ),
    remove: db.prepare('DELETE FROM bulk_act WHERE bulk_id = ?'),
  };
}

function itemStatements(db: Database) {
  return {
    add: db.prepare(
      `INSERT INTO bulk_item (bulk_id, position, part, record_id, name, state, attempts)
       VALUES (@bulkId, @position, @part, @id, @name, 'waiting', 0)`,
    ),
    counts: db.prepare('SELECT state, count(*) AS items FROM bulk_item WHERE bulk_id = ? GROUP BY state'),
    next: db.prepare(
      `SELECT part, json_group_array(record_id) AS records, max(attempts) AS attempts FROM bulk_item
       WHERE bulk_id = @bulkId AND state = @state AND part = (
         SELECT min(part) FROM bulk_item WHERE bulk_id = @bulkId AND state = @state AND part > @afterPart)
       GROUP BY part`,
    ),
    markSending: db.prepare(
      `UPDATE bulk_item SET state = 'sending', attempts = attempts + 1, error_json = NULL
       WHERE bulk_id = ? AND part = ? AND state = 'waiting'`,
    ),
    savePart: db.prepare(
      `UPDATE bulk_item SET state = @state, error_json = @error, job_json = @job
       WHERE bulk_id = @bulkId AND part = @part`,
    ),
    moveAll: db.prepare(
      `UPDATE bulk_item SET state = @to,
         attempts = CASE WHEN @to = 'waiting' THEN 0 ELSE attempts END,
         error_json = CASE WHEN @to = 'waiting' THEN NULL ELSE error_json END
       WHERE bulk_id = @bulkId AND state = @from`,
    ),
    forgetAttempts: db.prepare(`UPDATE bulk_item SET attempts = 0 WHERE bulk_id = ? AND state = 'unknown'`),
    page: db.prepare(
      `SELECT ${ITEM} FROM bulk_item WHERE ${BY_STATE} ORDER BY position LIMIT @limit OFFSET @offset`,
    ),
    count: db.prepare(`SELECT count(*) FROM bulk_item WHERE ${BY_STATE}`).pluck(),
  };
}

const readAct = (row: unknown): StoredBulkAct => parseRow(actRow, row, 'change of many records');
const statesOf = (states: readonly BulkItemState[] | null) =>
  states === null ? null : JSON.stringify(states);

export function createBulkStore(db: Database): BulkStore {
  const acts = actStatements(db);
  const items = itemStatements(db);
  const bind = (act: StoredBulkAct) => ({
    ...act,
    request: asChecked(bulkRequest, act.request, 'change of many records'),
    words: asChecked(bulkWords, act.words, 'change of many records'),
    error: asJson(act.error),
    lateStart: asJson(act.lateStart),
  });
  return {
    create: (act) => {
      acts.create.run(bind(act));
    },
    save: (act) => {
      acts.save.run(bind(act));
    },
    get: (bulkId) => {
      const row = acts.get.get(bulkId);
      return row === undefined ? null : readAct(row);
    },
    list: () => readable(acts.list.all(), readAct),
    damaged: {
      kind: 'bulk',
      rows: () => acts.list.all(),
      read: readAct,
      columns: { id: 'bulkId', title: 'reason', atMs: 'createdAtMs' },
      remove: (bulkId) => {
        acts.remove.run(bulkId);
      },
    },
    scheduled: () => acts.scheduled.all().map((row) => parseRow(plannedRow, row, 'planned start')),
    remove: (bulkId) => {
      acts.remove.run(bulkId);
    },
    leases: createLeaseTable(db, 'bulk_act', 'bulk_id'),
    addItems: (bulkId, added) => {
      for (const item of added) items.add.run({ bulkId, ...item });
    },
    counts: (bulkId) => {
      const rows = items.counts.all(bulkId).map((row) => parseRow(tallyRow, row, 'counts of records'));
      return { ...NO_ITEMS, ...Object.fromEntries(rows.map(({ state, items: count }) => [state, count])) };
    },
    next: (bulkId, state, afterPart) => {
      const row = items.next.get({ bulkId, state, afterPart });
      return row === undefined ? null : parseRow(partRow, row, 'records of a request');
    },
    markSending: (bulkId, part) => {
      items.markSending.run(bulkId, part);
    },
    savePart: (bulkId, part, { state, error, job }) => {
      items.savePart.run({ bulkId, part, state, error: asJson(error), job: asJson(job) });
    },
    moveAll: (bulkId, from, to) => items.moveAll.run({ bulkId, from, to }).changes,
    forgetAttempts: (bulkId) => {
      items.forgetAttempts.run(bulkId);
    },
    page: (bulkId, states, offset, limit) =>
      items.page
        .all({ bulkId, states: statesOf(states), offset, limit })
        .map((row) => parseRow(itemRow, row, 'record of a change')),
    count: (bulkId, states) => number.parse(items.count.get({ bulkId, states: statesOf(states) })),
  };
}
