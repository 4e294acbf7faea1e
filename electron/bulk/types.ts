import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { JobSource } from '../jobs/source.ts';
import type { Resources } from '../resources/types.ts';
import type {
  BulkAct,
  BulkAction,
  BulkItem,
  BulkItemState,
  BulkRecord,
  BulkRequest,
  BulkWords,
} from '../shared/bulk-contract.ts';
import type { AppError } from '../shared/errors.ts';
import type { PlannedRequest } from '../shared/job-kinds/job-kind.ts';

export interface NewBulk {
  request: BulkRequest;
  words: BulkWords;
  records: readonly BulkRecord[];
  /** Wall time at which the change starts automatically; null for now. */
  startAtMs: number | null;
}

/** Bulk changes of one connection, behind the channels `jobs:*`. */
export interface Bulk {
  /**
   * Stores the change and starts or schedules it. Throws INVALID_ARGUMENT (an operation that cannot be sent in bulk, a
   * start time in the past), CONFLICT (another change of some of these records is in progress), READ_ONLY, DISK_FULL,
   * STORE_FAILED; then nothing was stored or sent.
   */
  create(act: NewBulk): Promise<BulkAct>;
  /** Newest first. */
  list(): BulkAct[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(bulkId: string): BulkAct;
  listItems(
    bulkId: string,
    states: readonly BulkItemState[] | null,
    offset: number,
    limit: number,
  ): { items: BulkItem[]; total: number };
  /**
   * Throws INVALID_ARGUMENT for an action that the change's state does not allow, CONFLICT if another process is
   * running it.
   */
  control(bulkId: string, action: BulkAction, startAtMs: number | null): BulkAct;
  /** Throws CONFLICT while the change is running or planned. */
  forget(bulkId: string): void;
  /** Resolves when the change is no longer active here: it has ended, rests, or was postponed. */
  whenIdle(bulkId: string): Promise<BulkAct>;
  /** Resolves when a planned change has started or its plan was changed. */
  whenBegun(bulkId: string): Promise<void>;
  /** Bulk changes as jobs. */
  source: JobSource<'bulk'>;
  /**
   * Call after a start. Requests that were in flight when a program ended stay unknown until the service was asked.
   * `continues`: running changes continue, and planned ones start automatically.
   */
  recover(continues: boolean): void;
  /** Called when the service is reachable again. */
  wake(): void;
  suspend(error: AppError): void;
  /** Starts no further requests, and waits for those in flight. */
  stop(): Promise<void>;
}

export interface BulkDeps {
  connectionId: string;
  store: Pick<UploadStore, 'bulk' | 'bulkParts' | 'commit'>;
  resources: Pick<Resources, 'act' | 'look' | 'readTarget' | 'checkRepeatable'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  /** Time in milliseconds until these requests would be answered. */
  durationMs: (requests: readonly PlannedRequest[]) => number;
  /** The operation that reads the record which an operation changes; null if there is none. */
  readOf: (operation: string) => string | null;
  /** Time in milliseconds until one more request of an operation would be sent. */
  waitMs: (operation: string) => number;
  /** Rejects with CONFLICT if a record was read only at a former address; undefined without a former address. */
  checkRead?: ((ids: readonly string[]) => Promise<void>) | undefined;
  /** The reason why this connection cannot change anything, or null. */
  blockingError: () => AppError | null;
  onChanged: (act: BulkAct) => void;
}
