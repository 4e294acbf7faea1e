import type { ExportedRows } from '../analysis/protocol.ts';
import type { ServiceClient } from '../api/types.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { JobSource } from '../jobs/source.ts';
import type { UsualAction } from '../jobs/usual-control.ts';
import type { ChosenRows, Library } from '../library/types.ts';
import type { AppError } from '../shared/errors.ts';
import type {
  ExportForm,
  ExportJob,
  ExportManifest,
  ExportPlan,
  HeldTable,
  StoredTable,
} from '../shared/export-model.ts';
import type { RepeatChange, RepeatRule } from '../shared/repeat-model.ts';
import type { ExportStore } from './stored-export.ts';

/** Writes chosen rows to `part`, in a separate process. Rejects with AppError; with CANCELLED after an abort. */
type WriteRows = (
  work: {
    rows: ChosenRows;
    plan: ExportForm;
    part: string;
  },
  signal: AbortSignal,
  onProgress: (rows: number) => void,
) => Promise<ExportedRows>;

/** Rows of a table that is not a list: the result of a query, records in a JSON lines file, or a table of a store. */
type TableSource = { form: 'sql'; sql: string } | { form: 'lines'; file: string } | HeldSource;
interface HeldSource {
  form: 'held';
  /** The database file of the store. */
  file: string;
  table: HeldTable;
}

/** Like `WriteRows`, for a table that is not a list of the service. */
type WriteTable = (
  work: { source: TableSource; plan: ExportForm; part: string },
  signal: AbortSignal,
  onProgress: (rows: number) => void,
) => Promise<ExportedRows>;

/** The rows of a stored table, with facts about them. */
export interface ReadTable extends Pick<ChosenRows, 'isComplete' | 'oldestMs' | 'newestMs'> {
  /** The source of the rows, for the manifest. */
  about: Readonly<Record<string, unknown>>;
  rows: Iterable<Readonly<Record<string, unknown>>> | HeldSource;
}

export interface ExportStart {
  /** Null for a draft, until a file is chosen. */
  file: string | null;
  startAtMs: number | null;
  /** Rows read before this time are read again. 0 means none. */
  notBeforeMs: number;
  /**
   * Absent or null if the export runs once. Otherwise it first starts at `startAtMs`, or at the next time of the rule.
   */
  rule?: RepeatRule | null;
}

/** Exports of lists and tables of one connection. */
export interface Exports {
  /** Newest first. */
  list(): ExportJob[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(exportId: string): ExportJob;
  /**
   * Throws INVALID_ARGUMENT for an operation that is not a list, CONFLICT if the chosen rows are from a list that has
   * changed.
   */
  create(plan: ExportPlan, start: ExportStart): Promise<ExportJob>;
  /**
   * Sets, pauses, resumes or ends the repeat of an export. Returns the job that then has the repeat, which is another
   * one if this one has ended. Throws INVALID_ARGUMENT for a change that the job's state does not allow, CONFLICT if
   * its file has another repeat.
   */
  repeat(exportId: string, change: RepeatChange): ExportJob;
  /** Called when data for offline use was read. Starts the runs that follow it. */
  startDueAfterSync(): void;
  /** Sets the file of a draft, which then starts. */
  chooseFile(exportId: string, file: string): ExportJob;
  /**
   * Throws INVALID_ARGUMENT for an action that the job's state does not allow, CONFLICT if another process is running
   * it.
   */
  control(exportId: string, action: UsualAction, startAtMs?: number | null): ExportJob;
  /** Removes the job but not the file. Throws CONFLICT while it is running. */
  forget(exportId: string): void;
  /** The manifest next to the file. Throws NOT_STORED if it does not exist any more. */
  manifest(exportId: string): Promise<ExportManifest>;
  /** The exports as jobs, for the channels of all jobs. */
  source: JobSource<'export'>;
  damaged: DamagedRows;
  /** Resolves when the export is no longer active here. */
  whenIdle(exportId: string): Promise<ExportJob>;
  /** Call after a start. `continues`: running exports continue, and due ones start. */
  recover(continues: boolean): void;
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

export interface ExportDeps {
  connectionId: string;
  baseUrl: string;
  store: ExportStore;
  library: Pick<Library, 'fetchAll' | 'chooseRows'>;
  client: ServiceClient;
  write: WriteRows;
  writeTable: WriteTable;
  /** Throws INVALID_ARGUMENT or NOT_STORED if the table does not exist any more. */
  readTable: (table: StoredTable) => Promise<ReadTable>;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  /** Wall time when data for offline use was last read; null if it never was, or if a reading is in progress. */
  lastSyncMs: () => number | null;
  /** The reason why the state of the computer delays planned readings; null if they start. */
  heldBy: () => string | null;
  onChanged: (job: ExportJob) => void;
  /** Called when a run was removed because later runs of its repeat replace it. */
  onReplaced: (exportId: string) => void;
}
