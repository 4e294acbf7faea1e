/** Data kept for offline use: jobs, and the lists and records that each of them keeps. */

import { type JobRecord, recordFields, wallMs, wireError } from '../core/jobs/job-record.ts';
import { damageOf, readable } from '../core/readable.ts';
import { AppError, type WireError } from '../shared/errors.ts';
import {
  KEEP_STATES,
  type KeepCounts,
  type KeepDrop,
  type KeepPlan,
  type KeepSpace,
  type KeepState,
  keepPlan,
  type LeftList,
  type SpaceKind,
} from '../shared/keep-model.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import * as z from '../shared/zod.ts';
import { damagedLists } from './damaged-lists.ts';
import { createDamagedRows, type DamagedRows } from './damaged-rows.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { keysOf } from './library-rows.ts';
import { commitOf, type Database, parseRow } from './open.ts';
import { asJson, json } from './row-parts.ts';

export interface StoredKept extends JobRecord {
  plan: KeepPlan;
  state: KeepState;
  refreshHours: number | null;
  /** Data read before this time is read again. */
  notBeforeMs: number;
  /** Duration of the last reading of everything, stored if what failed in it was read again. */
  takenMs?: number | null | undefined;
}

/**
 * Kinds of requests that follow from an answer: values of the entities, the model of a rule, the values it judges, its
 * bins.
 */
const LEADS_TO = ['values', 'rule-model', 'rule-values', 'rule-bins'] as const;
export type LeadsTo = (typeof LEADS_TO)[number];

/** A list or record to be kept. */
interface NewRequest {
  key: string;
  query: ListQuery;
  form: 'list' | 'record';
  /** The requests that follow once this one was answered. */
  leadsTo: LeadsTo | null;
}

export interface KeptRequest extends NewRequest {
  position: number;
  state: 'waiting' | 'read' | 'failed';
  generationId: number | null;
  rowCount: number;
  sizeBytes: number;
  readAtMs: number | null;
  error: WireError | null;
}

/** A list or record of an entry; an unreadable one has an error instead of the request. */
type PlacedRequest = { position: number } & (
  | { request: KeptRequest; damage: null }
  | { request: null; damage: AppError }
);

export interface KeptStore {
  jobs: JobStore<StoredKept>;
  /** Unreadable entries. */
  damaged: DamagedRows;
  commit<T>(work: () => T): T;
  /** Adds requests; those that the job already has stay unchanged. */
  add(jobId: string, questions: readonly NewRequest[]): void;
  save(jobId: string, request: KeptRequest): void;
  /** The first waiting request after position `after`. Unreadable requests before it are marked as failed. */
  nextWaiting(jobId: string, after: number): KeptRequest | null;
  page(jobId: string, after: number, limit: number): PlacedRequest[];
  ofOperations(jobId: string, operations: readonly string[]): KeptRequest[];
  /** Removes the list or record from this job; its stored data stays. */
  remove(jobId: string, position: number): void;
  counts(jobId: string): KeepCounts & { oldestMs: number | null };
  /** Marks all requests for another reading; `failedOnly`: only the failed ones. */
  readAgain(jobId: string, failedOnly: boolean): void;
  /** Hides the entry, which can still be restored. */
  softDelete(jobId: string): void;
  /** Returns whether the entry was hidden. */
  restore(jobId: string): boolean;
  /** Deletes this hidden entry, or all hidden entries if null. */
  purgeDeleted(jobId: string | null): void;
  /**
   * Handles up to `limit` requests of removed jobs: deletes the lists and records that nothing else keeps and no tab
   * shows. Returns the number handled, which is 0 at the end.
   */
  sweepDropped(limit: number, openTabIds: readonly string[]): number;
  space(): Pick<KeepSpace, 'keptBytes' | 'kinds' | 'seenBytes' | 'left' | 'leftCount'>;
  /** Does not throw for a missing job, whose removal affects nothing. */
  planDrop(jobId: string): KeepDrop;
}

const row: z.ZodType<KeptRequest> = z.object({
  key: z.string(),
  query: json(listQuery),
  form: z.enum(['list', 'record']),
  leadsTo: z.enum(LEADS_TO).nullable(),
  position: z.int(),
  state: z.enum(['waiting', 'read', 'failed']),
  generationId: z.int().nullable(),
  rowCount: z.int(),
  sizeBytes: z.int(),
  readAtMs: wallMs.nullable(),
  error: json(wireError).nullable(),
});
const placeRow = z.object({ position: z.int() });
const countsRow = z.object({
  questions: z.int(),
  read: z.int(),
  failed: z.int(),
  incomplete: z.int(),
  rows: z.int(),
  sizeBytes: z.int(),
  // A time beyond bounds belongs to a damaged request.
  oldestMs: wallMs.nullable().catch(null),
});
const droppedRow = z.object({ jobId: z.string(), position: z.int(), key: z.string(), form: z.string() });
const spaceRow = z.object({ operation: z.string(), isKept: z.int(), sizeBytes: z.int() });
const leftRow: z.ZodType<LeftList> = z.object({
  query: json(listQuery),
  atMs: wallMs,
  sizeBytes: z.int(),
  limit: z.string(),
});
const dropRow = z.object({
  goes: z.int(),
  goesBytes: z.int(),
  stays: z.int(),
  others: json(z.array(z.string())),
});
/** Maximum number of evicted lists that are listed. */
const MAX_LEFT = 200;

/** Value of `is_hidden` for entries that were removed but can be restored. */
const ASIDE = 2;
const IS_ASIDE = `kind = 'keep-offline' AND is_hidden = ${ASIDE}`;

/** A list is kept if its key is in the table, whatever entry it belongs to, unless that entry was removed. */
const IS_KEPT = `EXISTS (SELECT 1 FROM kept_question JOIN job ON job.job_id = kept_question.job_id
  WHERE query_key = list.list_key AND is_hidden = 0)`;

/** Lists that were evicted and not read since. */
const HAS_LEFT = 'removed_at_ms IS NOT NULL AND shown_generation_id IS NULL';
/** Other entries that keep the same list or record as `q`. */
const OTHERS = `SELECT 1 FROM kept_question o JOIN job ON job.job_id = o.job_id
  WHERE o.query_key = q.query_key AND o.job_id <> q.job_id AND is_hidden = 0`;
/** Operations that are not listed count as `other`. */
const SPACE_KIND_OF: Readonly<Record<string, SpaceKind>> = {
  'catalog.list': 'catalog',
  'catalog.values': 'catalog',
  'attributes.list': 'catalog',
  'spans.query': 'spans',
  'datasets.items': 'items',
};

function createKeptJobs(db: Database): JobStore<StoredKept> {
  return createJobStore(db, {
    kind: 'keep-offline',
    what: 'kept entry',
    schema: z.object({
      ...recordFields,
      state: z.enum(KEEP_STATES),
      plan: keepPlan,
      refreshHours: z.int().nullable(),
      notBeforeMs: wallMs,
      takenMs: z.number().nullish(),
    }),
    plan: [],
    title: ({ plan }) => plan.name,
    subject: ({ plan }) => plan.id,
  });
}

function statements(db: Database) {
  const columns = `query_key AS key, query, form, leads_to AS leadsTo, position, state, generation_id AS generationId,
    row_count AS rowCount, size_bytes AS sizeBytes, read_at_ms AS readAtMs, error_json AS error`;
  return {
    add: db.prepare(`
      INSERT INTO kept_question (job_id, position, query_key, query, form, leads_to, state, row_count, size_bytes)
      SELECT @jobId, coalesce(max(position) + 1, 0), @key, @query, @form, @leadsTo, 'waiting', 0, 0
      FROM kept_question WHERE job_id = @jobId
      ON CONFLICT (job_id, query_key) DO NOTHING`),
    save: db.prepare(`
      UPDATE kept_question SET state = @state, generation_id = @generationId, row_count = @rowCount,
        size_bytes = @sizeBytes, read_at_ms = @readAtMs, error_json = @error
      WHERE job_id = @jobId AND position = @position`),
    next: db.prepare(`
      SELECT ${columns} FROM kept_question WHERE job_id = ? AND state = 'waiting' AND position > ?
      ORDER BY position LIMIT 1`),
    page: db.prepare(`
      SELECT ${columns} FROM kept_question WHERE job_id = ? AND position > ? ORDER BY position LIMIT ?`),
    ofOperation: db.prepare(
      `SELECT ${columns} FROM kept_question WHERE job_id = ? AND query_key >= ? AND query_key < ?`,
    ),
    counts: db.prepare(`
      SELECT count(*) AS questions, coalesce(sum(state = 'read'), 0) AS read,
        coalesce(sum(state = 'failed'), 0) AS failed,
        coalesce(sum(iif(json_valid(error_json), error_json ->> '$.code', '') = 'INCOMPLETE'), 0) AS incomplete, coalesce(sum(row_count), 0) AS rows,
        coalesce(sum(size_bytes), 0) AS sizeBytes, min(read_at_ms) AS oldestMs
      FROM kept_question WHERE job_id = ?`),
    fail: db.prepare(
      "UPDATE kept_question SET state = 'failed', error_json = ? WHERE job_id = ? AND position = ?",
    ),
    readAgain: db.prepare(`
      UPDATE kept_question SET state = 'waiting', generation_id = NULL, error_json = NULL
      WHERE job_id = @jobId AND (@failedOnly = 0 OR state = 'failed')`),
    dropped: db.prepare(`
      SELECT q.job_id AS jobId, position, query_key AS key, form FROM kept_question q
      JOIN job ON job.job_id = q.job_id WHERE job.kind = 'keep-offline' AND is_hidden = 1 LIMIT ?`),
    removeRequest: db.prepare('DELETE FROM kept_question WHERE job_id = ? AND position = ?'),
    removeJobs: db.prepare(`
      DELETE FROM job WHERE kind = 'keep-offline' AND is_hidden = 1
        AND NOT EXISTS (SELECT 1 FROM kept_question WHERE kept_question.job_id = job.job_id)`),
    softDelete: db.prepare(`UPDATE job SET is_hidden = ${ASIDE} WHERE job_id = ?`),
    restore: db.prepare(`UPDATE job SET is_hidden = 0 WHERE job_id = ? AND ${IS_ASIDE}`),
    purgeDeleted: db.prepare(
      `UPDATE job SET is_hidden = 1 WHERE ${IS_ASIDE} AND (@jobId IS NULL OR job_id = @jobId)`,
    ),
    isKept: db.prepare('SELECT 1 FROM kept_question WHERE query_key = ? LIMIT 1').pluck(),
    viewsOf: db
      .prepare<[string], string>(
        'SELECT view_id FROM list_view JOIN list ON list.id = list_id WHERE list_key = ?',
      )
      .pluck(),
    discard: db.prepare(
      'UPDATE generation SET is_discarded = 1 WHERE list_id = (SELECT id FROM list WHERE list_key = ?)',
    ),
    unshow: db.prepare('UPDATE list SET shown_generation_id = NULL WHERE list_key = ?'),
    removeRecord: db.prepare('DELETE FROM record WHERE record_key = ?'),
    space: db.prepare(`
      SELECT iif(json_valid(query), json_extract(query, '$.operation'), '') AS operation, ${IS_KEPT} AS isKept,
        coalesce(sum(size_bytes), 0) AS sizeBytes
      FROM generation JOIN list ON list.id = list_id WHERE is_discarded = 0 GROUP BY 1, 2
      UNION ALL
      SELECT iif(json_valid(query), json_extract(query, '$.operation'), ''), 1, sum(sizeBytes) FROM (
        SELECT query, max(size_bytes) AS sizeBytes FROM kept_question q JOIN job ON job.job_id = q.job_id
        WHERE form = 'record' AND is_hidden = 0 GROUP BY query_key)
      GROUP BY 1`),
    left: db.prepare(`
      SELECT query, removed_at_ms AS atMs, coalesce(removed_bytes, 0) AS sizeBytes, removed_to AS "limit" FROM list
      WHERE ${HAS_LEFT} ORDER BY removed_at_ms DESC, id DESC LIMIT ${MAX_LEFT}`),
    leftCount: db.prepare(`SELECT count(*) FROM list WHERE ${HAS_LEFT}`).pluck(),
    drop: db.prepare(`
      WITH own AS (
        SELECT size_bytes, EXISTS (${OTHERS}) AS isShared FROM kept_question q WHERE q.job_id = @jobId)
      SELECT coalesce(sum(NOT isShared), 0) AS goes, coalesce(sum(iif(isShared, 0, size_bytes)), 0) AS goesBytes,
        coalesce(sum(isShared), 0) AS stays,
        (SELECT json_group_array(title) FROM (
          SELECT DISTINCT title FROM kept_question q JOIN kept_question o ON o.query_key = q.query_key
          JOIN job ON job.job_id = o.job_id
          WHERE q.job_id = @jobId AND o.job_id <> @jobId AND is_hidden = 0 ORDER BY title)) AS others
      FROM own`),
  };
}

export function createKeptStore(db: Database): KeptStore {
  const sql = statements(db);
  const add = db.transaction((jobId: string, questions: readonly NewRequest[]) => {
    for (const { key, query, form, leadsTo } of questions) {
      sql.add.run({ jobId, key, query: JSON.stringify(query), form, leadsTo });
    }
  });
  const isShown = (key: string, openTabIds: readonly string[]) =>
    sql.viewsOf.all(key).some((viewId) => openTabIds.some((tabId) => viewId.startsWith(`tab-${tabId}.`)));
  const sweep = db.transaction((limit: number, openTabIds: readonly string[]): number => {
    const found = sql.dropped.all(limit).map((each) => parseRow(droppedRow, each, 'dropped list'));
    for (const { jobId, position, key, form } of found) {
      sql.removeRequest.run(jobId, position);
      if (sql.isKept.get(key) !== undefined) continue;
      if (form === 'record') sql.removeRecord.run(key);
      else if (!isShown(key, openTabIds)) {
        sql.discard.run(key);
        sql.unshow.run(key);
      }
    }
    if (found.length < limit) sql.removeJobs.run();
    return found.length;
  });
  const read = (found: unknown) => parseRow(row, found, 'kept list');
  const placed = (jobId: string, found: unknown): PlacedRequest => {
    const { position } = parseRow(placeRow, found, 'kept list');
    try {
      return { position, request: read(found), damage: null };
    } catch (problem) {
      const error = damageOf(problem);
      if (error === null) throw problem;
      const message = `${error.message} It is kept_question ${jobId}/${position}.`;
      return { position, request: null, damage: new AppError(error.code, message) };
    }
  };
  const jobs = createKeptJobs(db);
  const commit = commitOf(db);
  return {
    jobs,
    commit,
    damaged: createDamagedRows([jobs.damaged, damagedLists(db)], commit),
    add: add.immediate,
    save: (jobId, { position, state, generationId, rowCount, sizeBytes, readAtMs, error }) => {
      const facts = { state, generationId, rowCount, sizeBytes, readAtMs, error: asJson(error) };
      sql.save.run({ jobId, position, ...facts });
    },
    nextWaiting: (jobId, after) => {
      for (let last = after; ; ) {
        const found = sql.next.get(jobId, last);
        if (found === undefined) return null;
        const { position, request, damage } = placed(jobId, found);
        if (request !== null) return request;
        sql.fail.run(asJson(damage.toWire()), jobId, position);
        last = position;
      }
    },
    page: (jobId, after, limit) => sql.page.all(jobId, after, limit).map((found) => placed(jobId, found)),
    ofOperations: (jobId, operations) =>
      operations.flatMap((operation) => readable(sql.ofOperation.all(jobId, ...keysOf(operation)), read)),
    remove: (jobId, position) => {
      sql.removeRequest.run(jobId, position);
    },
    counts: (jobId) => parseRow(countsRow, sql.counts.get(jobId), 'kept lists'),
    readAgain: (jobId, failedOnly) => {
      sql.readAgain.run({ jobId, failedOnly: Number(failedOnly) });
    },
    softDelete: (jobId) => {
      sql.softDelete.run(jobId);
    },
    restore: (jobId) => sql.restore.run(jobId).changes > 0,
    purgeDeleted: (jobId) => {
      sql.purgeDeleted.run({ jobId });
    },
    sweepDropped: sweep.immediate,
    space: () => {
      const kinds = { catalog: 0, spans: 0, items: 0, rest: 0 };
      let seenBytes = 0;
      for (const found of sql.space.all()) {
        const { operation, isKept, sizeBytes } = parseRow(spaceRow, found, 'library size');
        if (isKept === 1) kinds[SPACE_KIND_OF[operation] ?? 'rest'] += sizeBytes;
        else seenBytes += sizeBytes;
      }
      const keptBytes = Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0);
      const left = readable(sql.left.all(), (found) => parseRow(leftRow, found, 'list that left'));
      return {
        keptBytes,
        kinds,
        seenBytes,
        left,
        leftCount: parseRow(z.int(), sql.leftCount.get(), 'lists'),
      };
    },
    planDrop: (jobId) => parseRow(dropRow, sql.drop.get({ jobId }), 'kept lists'),
  };
}
