/** Upload jobs, and which process sends them. */
import { z } from 'zod';
import type { LeaseTable } from '../core/jobs/lease.ts';
import type { Tallies } from '../core/jobs/upload-job.ts';
import { NO_TALLIES } from '../core/jobs/upload-job.ts';
import { readable } from '../core/readable.ts';
import { type BatchState, uploadPlan } from '../shared/upload-model.ts';
import type { DamagedSource } from './damaged-rows.ts';
import { createLeaseTable } from './lease-table.ts';
import { type Database, parseRow } from './open.ts';
import { asChecked, type PlannedStart, plannedRow } from './row-parts.ts';
import { asJson, readJob, type StoredJob } from './upload-rows.ts';

export interface UploadJobStore {
  create(job: StoredJob): void;
  /** Writes everything that can change after creation. */
  save(job: StoredJob): void;
  get(jobId: string): StoredJob | null;
  /** Newest first; without those that cannot be read. */
  list(): StoredJob[];
  damaged: DamagedSource;
  /** What begins by itself, and when. */
  scheduled(): PlannedStart[];
  /** Derived from the batches. */
  tallies(jobId: string): Tallies;
  /** Also forgets its reading of the file, where nothing else refers to it. */
  remove(jobId: string): void;
  leases: LeaseTable;
  /** Rows acknowledged by other jobs of the same environment, and whether any of theirs is not known. */
  rowsByOthers(job: StoredJob, sinceMs: number): { acknowledged: number; uncertain: number };
  learnedBatchRows(modelId: string): number | null;
  learnBatchRows(modelId: string, batchRows: number, atMs: number): void;
}

const COLUMNS = `job_id AS jobId, scan_id AS scanId, path, file_name AS fileName, size_bytes AS sizeBytes,
  mtime_ms AS mtimeMs, sha256, plan_json AS plan, schema_json AS schema, state, reason, error_json AS error,
  is_cancelling AS isCancelling, start_at_ms AS startAtMs, late_start_json AS lateStart, row_count AS rows, rejected, requests, isolation_requests AS isolationRequests,
  batch_rows AS batchRows, max_batch_bytes AS maxBatchBytes, baseline_json AS baseline, created_at_ms AS createdAtMs,
  ended_at_ms AS endedAtMs, doubtful_batches AS doubtfulBatches, doubtful_rows AS doubtfulRows`;

const tallyRow = z.object({ state: z.string(), batches: z.number(), rows: z.number() });
const othersRow = z.object({ acknowledged: z.number(), uncertain: z.number() });

function bind(job: StoredJob): Record<string, unknown> {
  return {
    ...job,
    plan: asChecked(uploadPlan, job.plan, 'upload'),
    schema: asJson(job.schema),
    error: asJson(job.error),
    baseline: asJson(job.baseline),
    lateStart: asJson(job.lateStart),
    isCancelling: job.isCancelling ? 1 : 0,
  };
}

function statements(db: Database) {
  return {
    create: db.prepare(
      `INSERT INTO upload (job_id, scan_id, path, file_name, size_bytes, mtime_ms, sha256, plan_json, schema_json, state,
         reason, error_json, is_cancelling, row_count, rejected, requests, isolation_requests, batch_rows,
         max_batch_bytes, baseline_json, created_at_ms, ended_at_ms, start_at_ms, late_start_json,
         doubtful_batches, doubtful_rows)
       VALUES (@jobId, @scanId, @path, @fileName, @sizeBytes, @mtimeMs, @sha256, @plan, @schema, @state, @reason, @error,
         @isCancelling, @rows, @rejected, @requests, @isolationRequests, @batchRows, @maxBatchBytes, @baseline,
         @createdAtMs, @endedAtMs, @startAtMs, @lateStart, @doubtfulBatches, @doubtfulRows)`,
    ),
    save: db.prepare(
      `UPDATE upload SET scan_id = @scanId, mtime_ms = @mtimeMs, sha256 = @sha256, schema_json = @schema, state = @state,
         reason = @reason, error_json = @error, is_cancelling = @isCancelling, row_count = @rows, rejected = @rejected,
         requests = @requests, isolation_requests = @isolationRequests, batch_rows = @batchRows,
         max_batch_bytes = @maxBatchBytes, baseline_json = @baseline, ended_at_ms = @endedAtMs, start_at_ms = @startAtMs,
         late_start_json = @lateStart, doubtful_batches = @doubtfulBatches, doubtful_rows = @doubtfulRows WHERE job_id = @jobId`,
    ),
    get: db.prepare(`SELECT ${COLUMNS} FROM upload WHERE job_id = ?`),
    list: db.prepare(`SELECT ${COLUMNS} FROM upload ORDER BY created_at_ms DESC, job_id`),
    scheduled: db.prepare(
      `SELECT job_id AS id, start_at_ms AS startAtMs FROM upload WHERE state = 'scheduled' AND start_at_ms IS NOT NULL`,
    ),
    tallies: db.prepare(
      'SELECT state, count(*) AS batches, sum(row_count) AS rows FROM batch WHERE job_id = ? GROUP BY state',
    ),
    // Not with the rest of it: what cannot be read can be removed all the same.
    scanOf: db.prepare<[string], string | null>('SELECT scan_id FROM upload WHERE job_id = ?').pluck(),
    remove: db.prepare('DELETE FROM upload WHERE job_id = ?'),
    removeScan: db.prepare(
      'DELETE FROM scan WHERE scan_id = ? AND NOT EXISTS (SELECT 1 FROM upload WHERE upload.scan_id = scan.scan_id)',
    ),
    others: db.prepare(
      `SELECT coalesce(sum(CASE WHEN b.state = 'acknowledged' AND b.answered_at_ms >= @sinceMs THEN b.row_count END), 0)
           AS acknowledged,
         coalesce(sum(CASE WHEN b.state IN ('unknown', 'sending') AND b.sent_at_ms >= @sinceMs THEN b.row_count END), 0)
           AS uncertain
       FROM batch b JOIN upload j USING (job_id)
       WHERE b.job_id <> @jobId AND j.plan_json ->> 'modelId' = @modelId AND j.plan_json ->> 'envType' = @envType
         AND j.plan_json ->> 'envName' IS @envName AND j.plan_json ->> 'mode' = 'publish'`,
    ),
    learned: db.prepare<[string], number>('SELECT batch_rows FROM learned_size WHERE model_id = ?').pluck(),
    learn: db.prepare(
      `INSERT INTO learned_size (model_id, batch_rows, at_ms) VALUES (?, ?, ?)
       ON CONFLICT (model_id) DO UPDATE SET batch_rows = excluded.batch_rows, at_ms = excluded.at_ms`,
    ),
  };
}

export function createUploadJobStore(db: Database): UploadJobStore {
  const sql = statements(db);
  const remove = db.transaction((jobId: string) => {
    const scanId = sql.scanOf.get(jobId) ?? null;
    sql.remove.run(jobId);
    if (scanId !== null) sql.removeScan.run(scanId);
  });
  return {
    create: (job) => {
      sql.create.run(bind(job));
    },
    save: (job) => {
      sql.save.run(bind(job));
    },
    get: (jobId) => {
      const row = sql.get.get(jobId);
      return row === undefined ? null : readJob(row);
    },
    list: () => readable(sql.list.all(), readJob),
    damaged: {
      kind: 'upload',
      rows: () => sql.list.all(),
      read: readJob,
      columns: { id: 'jobId', title: 'fileName', atMs: 'createdAtMs' },
      remove: (jobId) => remove(jobId),
    },
    scheduled: () => sql.scheduled.all().map((row) => parseRow(plannedRow, row, 'planned start')),
    tallies: (jobId) => {
      const tallies: Record<BatchState, { batches: number; rows: number }> = { ...NO_TALLIES };
      for (const row of sql.tallies.all(jobId)) {
        const { state, batches, rows } = parseRow(tallyRow, row, 'tally');
        if (Object.hasOwn(tallies, state)) tallies[state as BatchState] = { batches, rows };
      }
      return tallies;
    },
    remove: (jobId) => {
      remove.immediate(jobId);
    },
    leases: createLeaseTable(db, 'upload', 'job_id'),
    rowsByOthers: ({ jobId, plan }, sinceMs) => {
      const { modelId, envType, envName } = plan;
      return parseRow(othersRow, sql.others.get({ jobId, sinceMs, modelId, envType, envName }), 'tally');
    },
    learnedBatchRows: (modelId) => sql.learned.get(modelId) ?? null,
    learnBatchRows: (modelId, batchRows, atMs) => {
      sql.learn.run(modelId, batchRows, atMs);
    },
  };
}
