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

/** The offline data of one connection, behind the channels `keep:*`. */
export interface Keep {
  /** Newest first. */
  list(): Kept[];
  /** Throws INVALID_ARGUMENT if there is none. */
  get(keptId: string): Kept;
  space(): KeepSpace;
  /**
   * Estimated requests and disk space of keeping, from stored totals or the first page of each list. Throws AppError if
   * that cannot be determined.
   */
  estimate(plan: KeepPlan, signal?: AbortSignal): Promise<KeepEstimate>;
  /** Starts at once. An entry with the same plan is read again. Throws INVALID_ARGUMENT, DISK_FULL, STORE_FAILED. */
  start(plan: KeepPlan, refreshHours: number | null): Kept;
  /** Throws INVALID_ARGUMENT if its state does not allow the action, CONFLICT if another process is working on it. */
  control(keptId: string, action: KeepAction): Kept;
  setRefresh(keptId: string, hours: number | null): Kept;
  /** Deletes local data that nothing else keeps and no tab shows. */
  drop(keptId: string): void;
  /** Like `drop`, but ten minutes later or at the next start of a window: until then it can be restored. */
  softDelete(keptId: string): void;
  /** Throws INVALID_ARGUMENT if it is already deleted. */
  restore(keptId: string): Kept;
  /** The data that dropping it would remove. Throws INVALID_ARGUMENT if there is none. */
  planDrop(keptId: string): KeepDrop;
  /** How long another reading takes, or the rest of the one under way, without a request. Throws as `get`. */
  planSync(keptId: string): KeepSync;
  /** Reads all kept data, or one entry, with the network cut. */
  test(keptId: string | null): Promise<KeepTest>;
  /** The source for the channels of all jobs. */
  source: JobSource<'keep-offline'>;
  damaged: DamagedRows;
  /** Resolves once no work on it is running here. */
  whenIdle(keptId: string): Promise<Kept>;
  /** Call after a start. `continues`: resumes interrupted entries and reads due ones again. */
  recover(continues: boolean): void;
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

export interface KeepDeps {
  connectionId: string;
  store: KeptStore;
  library: Library;
  /** A library on the same store whose every request fails. */
  cutLibrary: () => Library;
  client: ServiceClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  settings: () => { keepShare: number; staleAfterMs: number; mostListBytes: number; pageRows: number };
  openTabIds: () => readonly string[];
  windowsOf: (operation: string) => readonly ShareWindow[];
  /** Why no request would be answered now, or null. */
  blockingError: () => AppError | null;
  /** An entry was dropped, perhaps while it was read. */
  onDropped: () => void;
  /** Why planned readings wait for the computer; null if they start. */
  heldBy: () => string | null;
  onChanged: (kept: Kept) => void;
}
