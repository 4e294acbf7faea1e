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

/** Writes chosen rows to `part`, in a separate process. Rejects with AppError; CANCELLED after an abort. */
type WriteRows = (
  work: {
    rows: ChosenRows;
    plan: ExportForm;
    part: string;
  },
  signal: AbortSignal,
  onProgress: (rows: number) => void,
) => Promise<ExportedRows>;

/**
 * Rows of a table that is not a list: the result of a query, records in a file of JSON lines, or a table of a store.
 */
type TableSource = { form: 'sql'; sql: string } | { form: 'lines'; file: string } | HeldSource;
interface HeldSource {
  form: 'held';
  /** The store's file. */
  file: string;
  table: HeldTable;
}

/** Like `WriteRows`, for a table that is not a list. */
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
  /** Rows read before this time are read again; 0: none are. */
  notBeforeMs: number;
  /** Absent or null: it runs once. Otherwise the first start is `startAtMs`, or the next time of the rule. */
  rule?: RepeatRule | null;
}

/** Exports of lists and tables of one connection. */
export interface Exports {
  /** Newest first. */
  list(): ExportJob[];
  /** Throws INVALID_ARGUMENT if there is none. */
  get(exportId: string): ExportJob;
  /**
   * Throws INVALID_ARGUMENT for an operation that is not a list, CONFLICT if the chosen rows are from a list that has
   * changed.
   */
  create(plan: ExportPlan, start: ExportStart): Promise<ExportJob>;
  /**
   * Sets, pauses, resumes or ends its repeat. Returns the job that has the repeat: another one if this one has ended.
   * Throws INVALID_ARGUMENT for a change that its state does not allow, CONFLICT if its file has another repeat.
   */
  repeat(exportId: string, change: RepeatChange): ExportJob;
  /** Data for offline use was read: starts the runs that follow it. */
  startDueAfterSync(): void;
  /** Sets the file of a draft, which then starts. */
  chooseFile(exportId: string, file: string): ExportJob;
  /** Throws INVALID_ARGUMENT for an action that its state does not allow, CONFLICT if another process is running it. */
  control(exportId: string, action: UsualAction, startAtMs?: number | null): ExportJob;
  /** Keeps the file. Throws CONFLICT while it is running. */
  forget(exportId: string): void;
  /** The manifest written next to the file. Throws NOT_STORED if it does not exist any more. */
  manifest(exportId: string): Promise<ExportManifest>;
  /** For the channels common to all jobs. */
  source: JobSource<'export'>;
  damaged: DamagedRows;
  /** Resolves when it is not active here any more. */
  whenIdle(exportId: string): Promise<ExportJob>;
  /** After a start. `continues`: running exports continue, and due ones start. */
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
  /** Throws INVALID_ARGUMENT or NOT_STORED if it does not exist any more. */
  readTable: (table: StoredTable) => Promise<ReadTable>;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  /** Wall time of the last reading for offline use; null if there was none, or one is under way. */
  lastSyncMs: () => number | null;
  /** Why planned readings wait for the computer; null if they start. */
  heldBy: () => string | null;
  onChanged: (job: ExportJob) => void;
  /** A run was removed because later runs of its repeat replace it. */
  onReplaced: (exportId: string) => void;
}
