/** One connection's uploads on disk: scans, jobs, batches, receipts, event deletions and bulk changes. */
import type { Clock, Logger } from '../core/ports.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { createBulkParts, createBulkStore } from './bulk-store.ts';
import { createDamagedRows, type DamagedRows } from './damaged-rows.ts';
import { createDeletionStore, type DeletionStore } from './deletion-store.ts';
import type { JobStore } from './job-store.ts';
import { UPLOAD_MIGRATIONS } from './migrations/uploads/index.ts';
import { commitOf, type Database, openStore } from './open.ts';
import { createOutboxStore } from './outbox-store.ts';
import type { PartStore } from './part-store.ts';
import { createPreparationStore, type PreparationStore } from './preparation-store.ts';
import { type ServiceOfStore, settleMove } from './service-of-store.ts';
import { createUploadJobStore, type UploadJobStore } from './upload-job-store.ts';
import { type BatchReceipt, createBatchStore, type StoredBatch } from './upload-rows.ts';
import { createScanStore, type ScanStore } from './upload-scan-store.ts';
import { createWholeFileStore, type StoredWholeFile } from './whole-file-store.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

export type { BulkPart, StoredBulkAct } from './bulk-store.ts';
export type { StoredDeletion } from './deletion-store.ts';
export type { StoredOutboxEntry } from './outbox-store.ts';
export type { StoredPreparation } from './preparation-store.ts';
export type { Baseline, StoredBatch, StoredJob, StoredScan } from './upload-rows.ts';
export type { StoredWholeFile } from './whole-file-store.ts';

export interface UploadStore {
  scans: ScanStore;
  jobs: UploadJobStore;
  batches: PartStore<StoredBatch, BatchReceipt>;
  deletions: DeletionStore;
  wholeFiles: JobStore<StoredWholeFile>;
  bulk: ReturnType<typeof createBulkStore>;
  bulkParts: ReturnType<typeof createBulkParts>;
  outbox: ReturnType<typeof createOutboxStore>;
  preparations: PreparationStore;
  /** Unreadable rows of all kinds. */
  damaged: DamagedRows;
  /**
   * Runs the work as one atomic commit, which is on disk when this returns. Throws AppError DISK_FULL, STORE_FAILED.
   */
  commit<T>(work: () => T): T;
  /** Like `commit`, but does not wait for the disk: the commit is on disk when `reachDisk` resolves. */
  commitSoon<T>(work: () => T): T;
  /** Resolves when every commit so far would survive a power cut. Rejects with AppError DISK_FULL, STORE_FAILED. */
  reachDisk(): Promise<void>;
  close(): void;
}

/** Opens `connections/<id>/uploads.db`; a commit survives a power cut. Throws the AppErrors of `openStore`. */
export function openUploadStore(options: {
  file: string;
  clock: Clock;
  logger: Logger;
  service?: ServiceOfStore | undefined;
}): UploadStore {
  const db = openStore({ ...options, migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL' });
  if (options.service !== undefined) settleMove(db, options.service, options.clock.nowMs());
  return createUploadStore(db);
}

export function createUploadStore(db: Database): UploadStore {
  const jobs = createUploadJobStore(db);
  const deletions = createDeletionStore(db);
  const wholeFiles = createWholeFileStore(db);
  const bulk = createBulkStore(db);
  const outbox = createOutboxStore(db);
  const commit = commitOf(db);
  let log: WriteAheadLog | null = null;
  return {
    scans: createScanStore(db),
    jobs,
    batches: createBatchStore(db),
    deletions,
    wholeFiles,
    bulk,
    bulkParts: createBulkParts(db),
    outbox,
    preparations: createPreparationStore(db),
    damaged: createDamagedRows(
      [jobs.damaged, deletions.damaged, wholeFiles.damaged, bulk.damaged, outbox.damaged],
      commit,
    ),
    commit,
    commitSoon: (work) => {
      log ??= WriteAheadLog.of(db);
      if (log === null) return commit(work);
      // Much faster than `db.pragma`, which prepares a statement in order to return a result.
      db.exec('PRAGMA synchronous = NORMAL');
      try {
        return commit(work);
      } finally {
        db.exec('PRAGMA synchronous = FULL');
      }
    },
    reachDisk: async () => {
      try {
        await log?.toDisk();
      } catch (problem) {
        const { code } = toAppError(problem);
        if (code === 'DISK_FULL') throw toAppError(problem);
        throw new AppError('STORE_FAILED', 'The disk refused a write to the local store.', {}, problem);
      }
    },
    close: () => {
      log?.close();
      db.close();
    },
  };
}
