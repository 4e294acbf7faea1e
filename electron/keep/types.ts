import type { ServiceClient } from '../api/types.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { KeptStore } from '../db/kept-store.ts';
import type { JobSource } from '../jobs/source.ts';
import type { Library } from '../library/types.ts';
import type { AppError } from '../shared/errors.ts';
import type { KeepDrop, KeepEstimate, KeepPlan, KeepSpace, KeepTest, Kept } from '../shared/keep-model.ts';
import type { ShareWindow } from './budget-share.ts';

type KeepAction = 'pause' | 'resume' | 'refresh' | 'retry';

/** What one connection keeps to be read offline, behind the channels `keep:*`. */
export interface Keep {
  /** Newest first. */
  list(): Kept[];
  /** Throws INVALID_ARGUMENT where there is none. */
  get(keptId: string): Kept;
  space(): KeepSpace;
  /**
   * What keeping would ask of the service and take on disk, from totals that are stored or a first page of each list.
   * Throws AppError where that cannot be found out.
   */
  estimate(plan: KeepPlan, signal?: AbortSignal): Promise<KeepEstimate>;
  /** Begins at once. One that is kept with the same plan is read anew. Throws INVALID_ARGUMENT, DISK_FULL, STORE_FAILED. */
  start(plan: KeepPlan, refreshHours: number | null): Kept;
  /** Throws INVALID_ARGUMENT for what is not possible in its state, CONFLICT where another process is at work on it. */
  control(keptId: string, action: KeepAction): Kept;
  setRefresh(keptId: string, hours: number | null): Kept;
  /** What nothing else keeps and no tab shows is removed from this computer. */
  drop(keptId: string): void;
  /** As `drop`, ten minutes later or at the next start of a window: until then it can be taken back. */
  setAside(keptId: string): void;
  /** Throws INVALID_ARGUMENT for one that is gone. */
  takeBack(keptId: string): Kept;
  /** What dropping it would remove. Throws INVALID_ARGUMENT where there is none. */
  planDrop(keptId: string): KeepDrop;
  /** Reads everything that is kept, or one entry, with the network cut. */
  test(keptId: string | null): Promise<KeepTest>;
  /** As the channels of all jobs have it. */
  source: JobSource<'keep-offline'>;
  damaged: DamagedRows;
  /** Resolves once nothing of it goes on here. */
  whenIdle(keptId: string): Promise<Kept>;
  /** After a start. `continues`: what was under way goes on, what is due is read anew. */
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
  /** Why nothing would be answered now, or null. */
  refusal: () => AppError | null;
  onChanged: (kept: Kept) => void;
}
