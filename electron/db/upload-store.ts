/** One connection's uploads on disk: readings, jobs, batches, receipts and event deletions. */
import type { Clock, Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import { UPLOAD_MIGRATIONS } from './migrations/uploads/index.ts';
import { type Database, openStore } from './open.ts';
import { type BatchStore, createBatchStore } from './upload-batch-store.ts';
import { createJobStore, type JobStore } from './upload-job-store.ts';
import { asJson, readDeletion, type StoredDeletion } from './upload-rows.ts';
import { createScanStore, type ScanStore } from './upload-scan-store.ts';

export type { BatchReceipt, BatchStore } from './upload-batch-store.ts';
export type { JobStore, Lease } from './upload-job-store.ts';
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
  /** Newest first. */
  list(): StoredDeletion[];
}

export interface UploadStore {
  scans: ScanStore;
  jobs: JobStore;
  batches: BatchStore;
  deletions: DeletionStore;
  /** Everything or nothing, on the disk before it returns. Throws AppError DISK_FULL, STORE_FAILED. */
  commit<T>(work: () => T): T;
  close(): void;
}

/** Opens `connections/<id>/uploads.db`; a commit survives a power cut. Throws AppError as `openStore` does. */
export function openUploadStore(options: { file: string; clock: Clock; logger: Logger }): UploadStore {
  return createUploadStore(openStore({ ...options, migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL' }));
}

export function createUploadStore(db: Database): UploadStore {
  return {
    scans: createScanStore(db),
    jobs: createJobStore(db),
    batches: createBatchStore(db),
    deletions: createDeletionStore(db),
    commit: (work) => {
      try {
        return db.transaction(work).immediate();
      } catch (problem) {
        throw toAppError(problem);
      }
    },
    close: () => {
      db.close();
    },
  };
}

function createDeletionStore(db: Database): DeletionStore {
  const save = db.prepare(
    `INSERT INTO deletion (deletion_id, model_id, body_json, what, at_ms, service_job_id, status, progress, error_json)
     VALUES (@deletionId, @modelId, @body, @what, @atMs, @serviceJobId, @status, @progress, @error)
     ON CONFLICT (deletion_id) DO UPDATE SET service_job_id = @serviceJobId, status = @status, progress = @progress,
       error_json = @error`,
  );
  const list = db.prepare(
    `SELECT deletion_id AS deletionId, model_id AS modelId, body_json AS body, what, at_ms AS atMs,
       service_job_id AS serviceJobId, status, progress, error_json AS error
     FROM deletion ORDER BY at_ms DESC, deletion_id LIMIT 500`,
  );
  return {
    save: (deletion) => {
      save.run({ ...deletion, body: asJson(deletion.body), error: asJson(deletion.error) });
    },
    list: () => list.all().map(readDeletion),
  };
}
