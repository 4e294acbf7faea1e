/** One connection's uploads on disk: readings, jobs, batches, receipts, event deletions and changes of many records. */
import type { LeaseTable } from '../core/lease.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import { toAppError } from '../shared/errors.ts';
import { type BulkStore, createBulkStore } from './bulk-store.ts';
import { createDamagedRows, type DamagedRows, type DamagedSource } from './damaged-rows.ts';
import { createLeaseTable } from './lease-table.ts';
import { UPLOAD_MIGRATIONS } from './migrations/uploads/index.ts';
import { type Database, openStore, parseRow } from './open.ts';
import { createPreparationStore, type PreparationStore } from './preparation-store.ts';
import { type PlannedStart, plannedRow } from './row-parts.ts';
import { type BatchStore, createBatchStore } from './upload-batch-store.ts';
import { createJobStore, type JobStore } from './upload-job-store.ts';
import { asJson, readDeletion, type StoredDeletion } from './upload-rows.ts';
import { createScanStore, type ScanStore } from './upload-scan-store.ts';
import { createWholeFileStore, type WholeFileStore } from './whole-file-store.ts';

export type { BulkPart, BulkStore, PartChange, StoredBulkAct, StoredBulkItem } from './bulk-store.ts';
export type { PreparationStore, StoredPreparation } from './preparation-store.ts';
export type { PlannedStart } from './row-parts.ts';
export type { BatchReceipt, BatchStore } from './upload-batch-store.ts';
export type { JobStore } from './upload-job-store.ts';
export type {
  Baseline,
  FileProof,
  Places,
  StoredBatch,
  StoredDeletion,
  StoredJob,
  StoredScan,
} from './upload-rows.ts';
export type { ScanStore } from './upload-scan-store.ts';

export interface DeletionStore {
  save(deletion: StoredDeletion): void;
  get(deletionId: string): StoredDeletion | null;
  /** Newest first; without those that cannot be read. */
  list(): StoredDeletion[];
  damaged: DamagedSource;
  /** What is sent by itself, and when. */
  scheduled(): PlannedStart[];
  /** Which process is sending one. */
  leases: LeaseTable;
}

export interface UploadStore {
  scans: ScanStore;
  jobs: JobStore;
  batches: BatchStore;
  deletions: DeletionStore;
  wholeFiles: WholeFileStore;
  bulk: BulkStore;
  preparations: PreparationStore;
  /** Of all kinds: what is stored and cannot be read. */
  damaged: DamagedRows;
  /** Everything or nothing, on the disk before it returns. Throws AppError DISK_FULL, STORE_FAILED. */
  commit<T>(work: () => T): T;
  close(): void;
}

/** Opens `connections/<id>/uploads.db`; a commit survives a power cut. Throws AppError as `openStore` does. */
export function openUploadStore(options: { file: string; clock: Clock; logger: Logger }): UploadStore {
  return createUploadStore(openStore({ ...options, migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL' }));
}

export function createUploadStore(db: Database): UploadStore {
  const jobs = createJobStore(db);
  const deletions = createDeletionStore(db);
  const wholeFiles = createWholeFileStore(db);
  const bulk = createBulkStore(db);
  const commit = <T>(work: () => T): T => {
    try {
      return db.transaction(work).immediate();
    } catch (problem) {
      throw toAppError(problem);
    }
  };
  return {
    scans: createScanStore(db),
    jobs,
    batches: createBatchStore(db),
    deletions,
    wholeFiles,
    bulk,
    preparations: createPreparationStore(db),
    damaged: createDamagedRows([jobs.damaged, deletions.damaged, wholeFiles.damaged, bulk.damaged], commit),
    commit,
    close: () => {
      db.close();
    },
  };
}

function createDeletionStore(db: Database): DeletionStore {
  const columns = `deletion_id AS deletionId, model_id AS modelId, body_json AS body, what, at_ms AS atMs,
    start_at_ms AS startAtMs, late_start_json AS lateStart, service_job_id AS serviceJobId, status, progress,
    error_json AS error`;
  const save = db.prepare(
    `INSERT INTO deletion (deletion_id, model_id, body_json, what, at_ms, start_at_ms, late_start_json, service_job_id,
       status, progress, error_json)
     VALUES (@deletionId, @modelId, @body, @what, @atMs, @startAtMs, @lateStart, @serviceJobId, @status, @progress, @error)
     ON CONFLICT (deletion_id) DO UPDATE SET at_ms = @atMs, start_at_ms = @startAtMs, late_start_json = @lateStart,
       service_job_id = @serviceJobId, status = @status, progress = @progress, error_json = @error`,
  );
  const get = db.prepare(`SELECT ${columns} FROM deletion WHERE deletion_id = ?`);
  const remove = db.prepare('DELETE FROM deletion WHERE deletion_id = ?');
  const list = db.prepare(`SELECT ${columns} FROM deletion ORDER BY at_ms DESC, deletion_id LIMIT 500`);
  const scheduled = db.prepare(
    `SELECT deletion_id AS id, start_at_ms AS startAtMs FROM deletion
     WHERE status = 'scheduled' AND start_at_ms IS NOT NULL`,
  );
  return {
    save: (deletion) => {
      const { body, lateStart, error } = deletion;
      save.run({
        ...deletion,
        body: asJson(body),
        lateStart: asJson(lateStart),
        error: asJson(error),
      });
    },
    get: (deletionId) => {
      const row = get.get(deletionId);
      return row === undefined ? null : readDeletion(row);
    },
    list: () => readable(list.all(), readDeletion),
    damaged: {
      kind: 'deletion',
      rows: () => list.all(),
      read: readDeletion,
      columns: { id: 'deletionId', title: 'what', atMs: 'atMs' },
      remove: (deletionId) => {
        remove.run(deletionId);
      },
    },
    scheduled: () => scheduled.all().map((row) => parseRow(plannedRow, row, 'planned start')),
    leases: createLeaseTable(db, 'deletion', 'deletion_id'),
  };
}
