import type { MirrorTableWriter } from '../analysis/mirror-client.ts';
import type { MirrorSource } from '../analysis/mirror-segments.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { JobSource } from '../jobs/source.ts';
import type { UsualAction } from '../jobs/usual-control.ts';
import type { AppError } from '../shared/errors.ts';
import type { MirrorCatalog, MirrorJob, MirrorPlan } from '../shared/mirror-model.ts';
import type { RepeatChange, RepeatRule } from '../shared/repeat-model.ts';
import type { MirrorStore } from './stored-mirror.ts';

export interface MirrorStart {
  /** Null for a draft, until a folder is chosen. */
  folder: string | null;
  /** Wall time of the start; null for now, or for the next time of the rule. */
  startAtMs: number | null;
  /** Absent or null if the mirror runs once. */
  rule?: RepeatRule | null;
}

/** Mirrors of the stored tables of one connection. */
export interface Mirrors {
  /** Newest first. */
  list(): MirrorJob[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(mirrorId: string): MirrorJob;
  /**
   * Creates a mirror in this folder, which replaces an earlier one; a draft if `folder` is null. Throws
   * INVALID_ARGUMENT for a folder with other files, CONFLICT if the earlier mirror is running.
   */
  create(plan: MirrorPlan, start: MirrorStart): Promise<MirrorJob>;
  /**
   * Sets, pauses, resumes or ends the repeat of a mirror. Returns the job that then has the repeat, which is another
   * one if this one has ended. Throws INVALID_ARGUMENT for a change that the job's state does not allow, CONFLICT if
   * its folder has another repeat.
   */
  repeat(mirrorId: string, change: RepeatChange): MirrorJob;
  /** Called when data for offline use was read. Starts the runs that follow it. */
  startDueAfterSync(): void;
  /** Sets the folder of a draft, which then starts. Throws like `create`. */
  chooseFolder(mirrorId: string, folder: string): Promise<MirrorJob>;
  /**
   * Throws INVALID_ARGUMENT for an action that the job's state does not allow, CONFLICT if another process is running
   * it.
   */
  control(mirrorId: string, action: UsualAction, startAtMs?: number | null): MirrorJob;
  /** Removes the job but not the files. Throws CONFLICT while it is running. */
  forget(mirrorId: string): void;
  /** The catalog in the folder. Throws NOT_STORED if it does not exist any more. */
  catalog(mirrorId: string): Promise<MirrorCatalog>;
  /** The mirrors as jobs, for the channels of all jobs. */
  source: JobSource<'mirror'>;
  damaged: DamagedRows;
  /** Resolves when the mirror is no longer active here. */
  whenIdle(mirrorId: string): Promise<MirrorJob>;
  /** Call after a start. `continues`: running mirrors continue, and due ones start. */
  recover(continues: boolean): void;
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

/** A stored table. */
export interface MirrorableTable {
  /** Name of the table in SQL: letters, digits and underscores. */
  name: string;
  title: string;
  source: MirrorSource;
  /** A value that changes whenever the rows may have changed. */
  state: string;
  /** Upper bound of the number of rows, because a record may be in several lists. */
  mostRows: number;
  /** A text about missing rows; null if none are missing. */
  missing: string | null;
  /** Values of the added columns that hold names of records. */
  owners: readonly { column: string; id: string; name: string }[];
  /** Times when the oldest and the newest row were read; null if unknown. */
  oldestMs: number | null;
  newestMs: number | null;
}

export interface MirrorDeps {
  connection: { id: string; name: string; baseUrl: string };
  store: MirrorStore;
  /** The stored tables of each kind, by their names in SQL. */
  tables: () => Promise<MirrorableTable[]>;
  writeTable: MirrorTableWriter;
  /** Patterns of private fields. */
  privateFields: () => readonly string[];
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  /** The reason why the state of the computer delays planned readings; null if they start. */
  heldBy: () => string | null;
  onChanged: (job: MirrorJob) => void;
  /** Wall time when data for offline use was last read; null if it never was, or if a reading is in progress. */
  lastSyncMs: () => number | null;
  /** Called when a job was replaced by a later one for the same folder, or by later runs of its repeat. */
  onReplaced: (mirrorId: string) => void;
}
