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
  /** Wall time; null for now, or for the next time of the rule. */
  startAtMs: number | null;
  /** Absent or null: it runs once. */
  rule?: RepeatRule | null;
}

/** Mirrors of the stored tables of one connection. */
export interface Mirrors {
  /** Newest first. */
  list(): MirrorJob[];
  /** Throws INVALID_ARGUMENT if there is none. */
  get(mirrorId: string): MirrorJob;
  /**
   * A mirror of this folder, which replaces an earlier one of the same folder; a draft if `folder` is null. Throws
   * INVALID_ARGUMENT for a folder with other files, CONFLICT if the earlier one is running.
   */
  create(plan: MirrorPlan, start: MirrorStart): Promise<MirrorJob>;
  /**
   * Sets, pauses, resumes or ends its repeat. Returns the job that has the repeat: another one if this one has ended.
   * Throws INVALID_ARGUMENT for a change that its state does not allow, CONFLICT if its folder has another repeat.
   */
  repeat(mirrorId: string, change: RepeatChange): MirrorJob;
  /** Data for offline use was read: starts the runs that follow it. */
  startDueAfterSync(): void;
  /** Sets the folder of a draft, which then starts. Throws as `create` does. */
  chooseFolder(mirrorId: string, folder: string): Promise<MirrorJob>;
  /** Throws INVALID_ARGUMENT for an action that its state does not allow, CONFLICT if another process is running it. */
  control(mirrorId: string, action: UsualAction, startAtMs?: number | null): MirrorJob;
  /** Keeps the files. Throws CONFLICT while it is running. */
  forget(mirrorId: string): void;
  /** The catalog in its folder. Throws NOT_STORED if there is none any more. */
  catalog(mirrorId: string): Promise<MirrorCatalog>;
  /** For the channels common to all jobs. */
  source: JobSource<'mirror'>;
  damaged: DamagedRows;
  /** Resolves when it is not active here any more. */
  whenIdle(mirrorId: string): Promise<MirrorJob>;
  /** After a start. `continues`: running mirrors continue, and due ones start. */
  recover(continues: boolean): void;
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

/** A stored table. */
export interface MirrorableTable {
  /** Its name in SQL: letters, digits and underscores. */
  name: string;
  title: string;
  source: MirrorSource;
  /** Changes whenever its rows may have changed. */
  state: string;
  /** An upper bound: a record may be in several lists. */
  mostRows: number;
  /** Missing rows, in words; null if there are none. */
  missing: string | null;
  /** Values of added columns that are names of records. */
  owners: readonly { column: string; id: string; name: string }[];
  /** When the oldest and the newest of its rows were read; null if unknown. */
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
  /** Why planned readings wait for the computer; null if they start. */
  heldBy: () => string | null;
  onChanged: (job: MirrorJob) => void;
  /** Wall time of the last reading for offline use; null if there was none, or one is under way. */
  lastSyncMs: () => number | null;
  /** A job was replaced by a later one for the same folder, or by later runs of its repeat. */
  onReplaced: (mirrorId: string) => void;
}
