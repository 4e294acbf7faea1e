import type { ServiceClient } from '../api/types.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { KeptStore } from '../db/kept-store.ts';
import type { JobSource } from '../jobs/source.ts';
import type { Library } from '../library/types.ts';
import type { AppError } from '../shared/errors.ts';
import type {
  KeepDrop,
  KeepEstimate,
  KeepPlan,
  KeepSpace,
  KeepSync,
  KeepTest,
  Kept,
} from '../shared/keep-model.ts';
import type { ShareWindow } from './budget-share.ts';

type KeepAction = 'pause' | 'resume' | 'refresh' | 'retry';

/** The data of one connection that is kept for offline use, behind the channels `keep:*`. */
export interface Keep {
  /** Newest first. */
  list(): Kept[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(keptId: string): Kept;
  space(): KeepSpace;
  /**
   * Estimates the requests and the disk space, from stored totals or the first page of each list. Throws AppError if
   * they cannot be determined.
   */
  estimate(plan: KeepPlan, signal?: AbortSignal): Promise<KeepEstimate>;
  /**
   * Starts at once. If an entry with the same plan exists, it is read again, from now on at this interval. Undefined: no
   * interval was chosen, so that entry keeps its own. Throws INVALID_ARGUMENT, DISK_FULL, STORE_FAILED, CONFLICT.
   */
  start(plan: KeepPlan, refreshHours: number | null | undefined): Kept;
  /**
   * Throws INVALID_ARGUMENT if the entry's state does not allow the action, CONFLICT if another process is working on
   * it.
   */
  control(keptId: string, action: KeepAction): Kept;
  setRefresh(keptId: string, hours: number | null): Kept;
  /** Deletes the entry, and its local data unless another entry keeps it or a tab shows it. */
  drop(keptId: string): void;
  /**
   * Like `drop`, but the data is deleted ten minutes later, or at the next start of a window. Until then the entry can
   * be restored.
   */
  softDelete(keptId: string): void;
  /** Throws INVALID_ARGUMENT if the entry is already deleted. */
  restore(keptId: string): Kept;
  /** The data that `drop` would delete. Throws INVALID_ARGUMENT for an unknown id. */
  planDrop(keptId: string): KeepDrop;
  /**
   * Estimated time of another reading, or of the rest of the one in progress, without making a request. Throws like
   * `get`.
   */
  planSync(keptId: string): KeepSync;
  /** Reads all kept data, or one entry, with the network cut off. */
  test(keptId: string | null): Promise<KeepTest>;
  /** The entries as jobs, for the channels of all jobs. */
  source: JobSource<'keep-offline'>;
  damaged: DamagedRows;
  /** Resolves once no work on the entry is running here. */
  whenIdle(keptId: string): Promise<Kept>;
  /** Call this after a start. `continues`: resumes interrupted entries and reads due ones again. */
  recover(continues: boolean): void;
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

export interface KeepDeps {
  connectionId: string;
  store: KeptStore;
  library: Library;
  /** A library on the same store. All of its requests fail. */
  cutLibrary: () => Library;
  client: ServiceClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  settings: () => { keepShare: number; staleAfterMs: number; mostListBytes: number; pageRows: number };
  openTabIds: () => readonly string[];
  windowsOf: (operation: string) => readonly ShareWindow[];
  /** The reason why no request would be answered now, or null. */
  blockingError: () => AppError | null;
  /** Called when an entry was deleted, possibly while it was being read. */
  onDropped: () => void;
  /** The reason why the state of the computer delays planned readings; null if they start. */
  heldBy: () => string | null;
  onChanged: (kept: Kept) => void;
}
