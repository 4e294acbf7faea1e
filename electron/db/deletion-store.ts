/** Event deletions as jobs, and the uploads whose events they name. */
import { type JobRecord, recordFields, wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { type Database, parseRow } from './open.ts';

export interface StoredDeletion extends JobRecord {
  modelId: string;
  body: unknown;
  /** Description of the deleted events, for people. */
  what: string;
  serviceJobId: string | null;
  progress: number | null;
  /** When it was checked that the time range holds no other events; null if no check was needed. */
  provenAtMs: number | null;
}

/** An upload, with the number of its events that a deletion named. */
interface TracedUpload {
  jobId: string;
  fileName: string;
  rows: number;
}

interface UploadsDeletion {
  deletionId: string;
  atMs: number;
  status: string;
  rows: number;
}

export interface DeletionStore extends JobStore<StoredDeletion> {
  /** Sent deletions that were not assigned to uploads yet. */
  untraced(): StoredDeletion[];
  saveTrace(deletionId: string, uploads: readonly Pick<TracedUpload, 'jobId' | 'rows'>[]): void;
  uploadsOf(deletionId: string): TracedUpload[];
  /** Deletions of an upload, newest first. */
  ofUpload(jobId: string): UploadsDeletion[];
}

/** States in which nothing was sent, or the service accepted nothing. */
const NEVER_TAKEN = new Set(['scheduled', 'sending', 'not-sent', 'paused', 'cancelled', 'refused']);

const traced: z.ZodType<TracedUpload> = z.object({
  jobId: z.string(),
  fileName: z.string(),
  rows: z.number(),
});
const uploadsDeletion: z.ZodType<UploadsDeletion> = z.object({
  deletionId: z.string(),
  atMs: wallMs,
  status: z.string(),
  rows: z.number(),
});

function statements(db: Database) {
  return {
    isTraced: db.prepare('SELECT 1 FROM traced_deletion WHERE deletion_id = ?'),
    traced: db.prepare('INSERT INTO traced_deletion (deletion_id) VALUES (?) ON CONFLICT DO NOTHING'),
    trace: db.prepare(
      `INSERT INTO deletion_upload (job_id, deletion_id, row_count) SELECT job_id, ?, ? FROM job WHERE job_id = ?
       ON CONFLICT (job_id, deletion_id) DO UPDATE SET row_count = excluded.row_count`,
    ),
    uploads: db.prepare(
      `SELECT t.job_id AS jobId, j.title AS fileName, t.row_count AS rows
       FROM deletion_upload t JOIN job j USING (job_id) WHERE t.deletion_id = ?
       ORDER BY t.row_count DESC, t.job_id`,
    ),
    ofUpload: db.prepare(
      `SELECT t.deletion_id AS deletionId, j.created_at_ms AS atMs, j.state AS status, t.row_count AS rows
       FROM deletion_upload t JOIN job j ON j.job_id = t.deletion_id
       WHERE t.job_id = ? ORDER BY j.created_at_ms DESC, t.deletion_id`,
    ),
  };
}

export function createDeletionStore(db: Database): DeletionStore {
  const sql = statements(db);
  const deletions = createJobStore<StoredDeletion>(db, {
    kind: 'deletion',
    what: 'deletion of events',
    schema: z.object({
      ...recordFields,
      state: z.string(),
      modelId: z.string(),
      body: z.unknown(),
      what: z.string(),
      serviceJobId: z.string().nullable(),
      progress: z.number().nullable(),
      provenAtMs: wallMs.nullable().default(null),
    }),
    plan: ['modelId', 'body', 'what', 'provenAtMs'],
    title: ({ what }) => what,
  });
  return {
    ...deletions,
    untraced: () =>
      deletions
        .list()
        .filter(({ id, state }) => !NEVER_TAKEN.has(state) && sql.isTraced.get(id) === undefined),
    saveTrace: (deletionId, uploads) => {
      for (const { jobId, rows } of uploads) sql.trace.run(deletionId, rows, jobId);
      sql.traced.run(deletionId);
    },
    uploadsOf: (deletionId) =>
      readable(sql.uploads.all(deletionId), (row) => parseRow(traced, row, 'events of an upload')),
    ofUpload: (jobId) =>
      readable(sql.ofUpload.all(jobId), (row) => parseRow(uploadsDeletion, row, 'deletion of an upload')),
  };
}
