import type { ExportedRows } from '../analysis/protocol.ts';
import type { ServiceClient } from '../api/types.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { ExportStore } from '../db/export-store.ts';
import type { JobSource } from '../jobs/source.ts';
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

/** Writes chosen rows to `part`, in a process of its own. Rejects with AppError, CANCELLED once aborted. */
type WriteRows = (
  work: {
    rows: ChosenRows;
    plan: ExportForm;
    part: string;
  },
  signal: AbortSignal,
  onProgress: (rows: number) => void,
) => Promise<ExportedRows>;

/** Rows of a table that is no list: the answer of a query, records in a file of JSON lines, or a table of a store. */
type TableSource = { form: 'sql'; sql: string } | { form: 'lines'; file: string } | HeldSource;
interface HeldSource {
  form: 'held';
  /** Of the store. */
  file: string;
  table: HeldTable;
}

/** As `WriteRows`, of a table that is no list. */
type WriteTable = (
  work: { source: TableSource; plan: ExportForm; part: string },
  signal: AbortSignal,
  onProgress: (rows: number) => void,
) => Promise<ExportedRows>;

/** The rows of a stored table, and what is said of them. */
export interface ReadTable extends Pick<ChosenRows, 'isComplete' | 'oldestMs' | 'newestMs'> {
  /** For the manifest: what the rows are of. */
  about: Readonly<Record<string, unknown>>;
  rows: Iterable<Readonly<Record<string, unknown>>> | HeldSource;
}

export interface ExportStart {
  /** Null: it is a draft until one is chosen. */
  file: string | null;
  startAtMs: number | null;
  /** What was read before is read anew; 0: nothing is. */
  notBeforeMs: number;
}

/** Lists and tables of one connection, written to files. */
export interface Exports {
  /** Newest first. */
  list(): ExportJob[];
  /** Throws INVALID_ARGUMENT where there is none. */
  get(exportId: string): ExportJob;
  /** Throws INVALID_ARGUMENT for a list that is none, CONFLICT where the chosen rows are of a list that has changed. */
  create(plan: ExportPlan, start: ExportStart): Promise<ExportJob>;
  /** A file was chosen for a draft: it begins. */
  chooseFile(exportId: string, file: string): ExportJob;
  /** Throws INVALID_ARGUMENT for what is not possible in its state, CONFLICT where another process is at work on it. */
  control(
    exportId: string,
    action: 'start' | 'pause' | 'resume' | 'cancel' | 'schedule' | 'unschedule',
    startAtMs?: number | null,
  ): ExportJob;
  /** The file stays. Throws CONFLICT while it is under way. */
  forget(exportId: string): void;
  /** What was written beside the file. Throws NOT_STORED where it is not there any more. */
  manifest(exportId: string): Promise<ExportManifest>;
  /** As the channels of all jobs have it. */
  source: JobSource<'export'>;
  damaged: DamagedRows;
  /** Resolves once nothing of it goes on here. */
  whenIdle(exportId: string): Promise<ExportJob>;
  /** After a start. `continues`: what was under way goes on, what is due begins. */
  recover(continues: boolean): void;
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

export interface ExportDeps {
  connectionId: string;
  baseUrl: string;
  store: ExportStore;
  library: Pick<Library, 'readWhole' | 'chooseRows'>;
  client: ServiceClient;
  write: WriteRows;
  writeTable: WriteTable;
  /** Throws INVALID_ARGUMENT or NOT_STORED where it is not there any more. */
  readTable: (table: StoredTable) => Promise<ReadTable>;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  onChanged: (job: ExportJob) => void;
}
