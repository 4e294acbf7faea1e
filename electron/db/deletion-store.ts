/** Event deletions, which process is sending one, and the uploads whose events they named. */
import { z } from 'zod';
import type { LeaseTable } from '../core/jobs/lease.ts';
import { readable } from '../core/readable.ts';
import type { DamagedSource } from './damaged-rows.ts';
import { createLeaseTable } from './lease-table.ts';
import { type Database, parseRow } from './open.ts';
import { type PlannedStart, plannedRow } from './row-parts.ts';
import { asJson, readDeletion, type StoredDeletion } from './upload-rows.ts';

/** So many events of an upload were named by a deletion. */
interface TracedUpload {
  jobId: string;
  fileName: string;
  rows: number;
}

type UploadsDeletion = Pick<StoredDeletion, 'deletionId' | 'atMs' | 'status'> & { rows: number };

export interface DeletionStore {
  save(deletion: StoredDeletion): void;
  get(deletionId: string): StoredDeletion | null;
  /** Newest first; without those that cannot be read. */
  list(): StoredDeletion[];
  damaged: DamagedSource;
  /** What is sent by itself, and when. */
  scheduled(): PlannedStart[];
  /** Sent, and not looked at yet for the uploads they concern. */
  untraced(): StoredDeletion[];
  saveTrace(deletionId: string, uploads: readonly Pick<TracedUpload, 'jobId' | 'rows'>[]): void;
  uploadsOf(deletionId: string): TracedUpload[];
  /** Newest first. */
  ofUpload(jobId: string): UploadsDeletion[];
  leases: LeaseTable;
}

const COLUMNS = `deletion_id AS deletionId, model_id AS modelId, body_json AS body, what, at_ms AS atMs,
  start_at_ms AS startAtMs, late_start_json AS lateStart, service_job_id AS serviceJobId, status, progress,
  error_json AS error`;
/** Of these nothing has left this computer, or nothing was taken. */
const NEVER_TAKEN = `('scheduled', 'sending', 'not-sent', 'cancelled', 'refused')`;

const traced: z.ZodType<TracedUpload> = z.object({
  jobId: z.string(),
  fileName: z.string(),
  rows: z.number(),
});
const uploadsDeletion: z.ZodType<UploadsDeletion> = z.object({
  deletionId: z.string(),
  atMs: z.number(),
  status: z.string(),
  rows: z.number(),
});

function statements(db: Database) {
  return {
    save: db.prepare(
      `INSERT INTO deletion (deletion_id, model_id, body_json, what, at_ms, start_at_ms, late_start_json,
         service_job_id, status, progress, error_json)
       VALUES (@deletionId, @modelId, @body, @what, @atMs, @startAtMs, @lateStart, @serviceJobId, @status, @progress,
         @error)
       ON CONFLICT (deletion_id) DO UPDATE SET at_ms = @atMs, start_at_ms = @startAtMs, late_start_json = @lateStart,
         service_job_id = @serviceJobId, status = @status, progress = @progress, error_json = @error`,
    ),
    get: db.prepare(`SELECT ${COLUMNS} FROM deletion WHERE deletion_id = ?`),
    remove: db.prepare('DELETE FROM deletion WHERE deletion_id = ?'),
    list: db.prepare(`SELECT ${COLUMNS} FROM deletion ORDER BY at_ms DESC, deletion_id LIMIT 500`),
    scheduled: db.prepare(
      `SELECT deletion_id AS id, start_at_ms AS startAtMs FROM deletion
       WHERE status = 'scheduled' AND start_at_ms IS NOT NULL`,
    ),
    untraced: db.prepare(
      `SELECT ${COLUMNS} FROM deletion WHERE is_traced = 0 AND status NOT IN ${NEVER_TAKEN}`,
    ),
    traced: db.prepare('UPDATE deletion SET is_traced = 1 WHERE deletion_id = ?'),
    trace: db.prepare(
      `INSERT INTO deletion_upload (job_id, deletion_id, row_count) SELECT job_id, ?, ? FROM upload WHERE job_id = ?
       ON CONFLICT (job_id, deletion_id) DO UPDATE SET row_count = excluded.row_count`,
    ),
    uploads: db.prepare(
      `SELECT t.job_id AS jobId, j.file_name AS fileName, t.row_count AS rows
       FROM deletion_upload t JOIN upload j USING (job_id) WHERE t.deletion_id = ? ORDER BY t.row_count DESC, t.job_id`,
    ),
    ofUpload: db.prepare(
      `SELECT deletion_id AS deletionId, at_ms AS atMs, status, row_count AS rows
       FROM deletion_upload JOIN deletion USING (deletion_id)
       WHERE job_id = ? ORDER BY at_ms DESC, deletion_id`,
    ),
  };
}

export function createDeletionStore(db: Database): DeletionStore {
  const sql = statements(db);
  return {
    save: (deletion) => {
      const { body, lateStart, error } = deletion;
      sql.save.run({ ...deletion, body: asJson(body), lateStart: asJson(lateStart), error: asJson(error) });
    },
    get: (deletionId) => {
      const row = sql.get.get(deletionId);
      return row === undefined ? null : readDeletion(row);
    },
    list: () => readable(sql.list.all(), readDeletion),
    damaged: {
      kind: 'deletion',
      rows: () => sql.list.all(),
      read: readDeletion,
      columns: { id: 'deletionId', title: 'what', atMs: 'atMs' },
      remove: (deletionId) => {
        sql.remove.run(deletionId);
      },
    },
    scheduled: () => sql.scheduled.all().map((row) => parseRow(plannedRow, row, 'planned start')),
    untraced: () => readable(sql.untraced.all(), readDeletion),
    saveTrace: (deletionId, uploads) => {
      for (const { jobId, rows } of uploads) sql.trace.run(deletionId, rows, jobId);
      sql.traced.run(deletionId);
    },
    uploadsOf: (deletionId) =>
      sql.uploads.all(deletionId).map((row) => parseRow(traced, row, 'events of an upload')),
    ofUpload: (jobId) =>
      sql.ofUpload.all(jobId).map((row) => parseRow(uploadsDeletion, row, 'deletion of an upload')),
    leases: createLeaseTable(db, 'deletion', 'deletion_id'),
  };
}
