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

export interface NewBulk {
  request: BulkRequest;
  words: BulkWords;
  records: readonly BulkRecord[];
  /** Wall time at which it begins by itself; null: at once. */
  startAtMs: number | null;
}

/** Changes of many records of one connection, behind the channels `jobs:*`. */
export interface Bulk {
  /**
   * Writes it down and begins it, or plans it. Throws INVALID_ARGUMENT (an operation that cannot be sent for many, a
   * start that has passed), READ_ONLY, DISK_FULL, STORE_FAILED; then nothing was kept or sent.
   */
  create(act: NewBulk): Promise<BulkAct>;
  /** Newest first. */
  list(): BulkAct[];
  /** Throws INVALID_ARGUMENT where there is none. */
  get(bulkId: string): BulkAct;
  listItems(
    bulkId: string,
    states: readonly BulkItemState[] | null,
    offset: number,
    limit: number,
  ): { items: BulkItem[]; total: number };
  /** Throws INVALID_ARGUMENT for what is not possible in its state, CONFLICT where another process is at work on it. */
  control(bulkId: string, action: BulkAction, startAtMs: number | null): BulkAct;
  /** Throws CONFLICT while it is under way or planned. */
  forget(bulkId: string): void;
  /** Resolves once nothing of it is going on here: it is over, rests, or was put off to later. */
  whenIdle(bulkId: string): Promise<BulkAct>;
  /** Resolves when one that is to begin later has begun or was changed. */
  whenBegun(bulkId: string): Promise<void>;
  /** They as jobs. */
  source: JobSource<'bulk'>;
  /**
   * After a start: what was being sent when a program ended is not known until the service was asked. `continues`:
   * what was under way goes on, and what is planned begins by itself.
   */
  recover(continues: boolean): void;
  /** The service can be reached again. */
  wake(): void;
  /** Begins nothing more; waits for what is on its way. */
  stop(): Promise<void>;
}

export interface BulkDeps {
  connectionId: string;
  store: Pick<UploadStore, 'bulk' | 'bulkParts' | 'commit'>;
  resources: Pick<Resources, 'act' | 'look' | 'checkRepeatable'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  /** Milliseconds until so many requests of an operation would have been answered. */
  durationMs: (operation: string, requests: number) => number;
  /** Milliseconds until one request more of an operation would be sent. */
  waitMs: (operation: string) => number;
  /** Why this connection changes nothing, or null. */
  refusal: () => AppError | null;
  onChanged: (act: BulkAct) => void;
}
