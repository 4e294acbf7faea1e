/** Dependencies and interface of the upload engine; `createUploads` in uploads.ts builds it. */
import type { ServiceClient } from '../api/types.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { AnyJobSource } from '../jobs/source.ts';
import type { Dialect } from '../shared/dialect.ts';
import type { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { UploadResults } from '../shared/upload-contract.ts';
import type {
  CheckedRow,
  DeletionBudget,
  DryRun,
  EventDeletion,
  FilePreview,
  OfferedFile,
  RowStart,
  UndoPlan,
  UploadBatch,
  UploadJob,
  UploadPlan,
} from '../shared/upload-model.ts';
import type { PreparedUpload, UploadChoices } from '../shared/upload-preparation.ts';
import type { ValueLedger } from '../shared/value-ledger.ts';
import type { WholeFile, WholeFileAction, WholeFileLook } from '../shared/whole-file-contract.ts';
import type { FileState } from './file-state.ts';

/** Maps the file ids that the window holds to paths. One for the whole process. */
export interface FileRegistry {
  /** The same files for one connection: readable copies made through it are removed with the connection. */
  ownedBy(connectionId: string): FileRegistry;
  /**
   * Checks each path (exists, is text or can be turned into text) and gives it an id; a folder or an archive stands for
   * the files in it. Never throws for a bad file.
   */
  offer(paths: readonly string[]): Promise<OfferedFile[]>;
  /**
   * Registers a file of an earlier run under its old id and checks it as `offer` does. `name`: the dropped name; null
   * if it was not kept, which uses the last part of the path.
   */
  offerAgain(fileId: string, path: string, name: string | null): Promise<OfferedFile>;
  /** Size and date of a file when it was offered; null if it could not be read then. */
  stateOf(fileId: string): FileState | null;
  /** The dropped path of an id. Throws FILE_NOT_FOUND for an unknown id. */
  resolve(fileId: string): { path: string; name: string };
  /**
   * The file as text: the file itself, or a copy that is made if it is missing. Rejects with FILE_* errors, DISK_FULL,
   * INVALID_ARGUMENT for a sheet that does not exist.
   */
  readable(fileId: string, dialect: Partial<Dialect> | null): Promise<{ path: string }>;
  /**
   * The path of the text; null if its copy is missing, or was made by an earlier version that read the file in another
   * way.
   */
  findReadable(fileId: string, dialect: Partial<Dialect> | null): Promise<string | null>;
  /** Marks a path that a job will read later, so that its copy is not removed as unused. */
  keep(path: string): Promise<void>;
  /** Reads a bounded part of the file in a worker thread, after unpacking it if it is packed. */
  inspect(fileId: string, override: Partial<Dialect> | null): Promise<FilePreview>;
  /**
   * The requests needed to send it as a whole file. Throws FILE_* errors, INVALID_ARGUMENT if it is neither CSV nor
   * Parquet.
   */
  lookAtWhole(fileId: string): Promise<WholeFileLook>;
}

/** Milliseconds until the scheduler's lane has granted `requests` more requests; null if unknown. */
type PlanSend = (operation: 'events.publish' | 'events.update', requests: number) => number | null;

export interface UploadOptions {
  /**
   * Maximum number of requests of one job in flight. Fewer are sent if row counts could not distinguish their batches.
   */
  maxInFlight: number;
  /** True if a refused batch may be halved until each faulty row is alone. */
  isolatesRefusedRows: boolean;
  /** Maximum extra requests for halving, per batch and per job. */
  isolationRequests: { perBatch: number; perJob: number };
  /** After this time, the row count of an environment is assumed to show everything that was stored. */
  evidenceSettleMs: number;
  /** Pause between the two readings of a row count. The count is conclusive only if both are equal. */
  countPauseMs: number;
  /** Maximum number of event ids that one deletion of an undo names. */
  idsPerDeletion: number;
  /** True if the process with this id is still running. If it is not, its lease is free at once. */
  isProcessAlive: (processId: number) => boolean;
  processId: number;
  /** Process ids are compared only within the same process space. */
  processSpace: string;
}

export interface UploadsDeps {
  connectionId: string;
  store: UploadStore;
  client: ServiceClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  files: FileRegistry;
  /** Folder for the spools of checks. A file in it is unlinked as soon as it is open. */
  spoolFolder: string;
  plan: PlanSend;
  /** Reports every poll of a service job until it has ended. Returns a function that stops following. */
  followJob: (jobId: string, follower: (job: JobState) => void) => () => void;
  /** Today's budget of event deletions, from the scheduler's lane. */
  readBudget: () => DeletionBudget;
  onJobChanged: (job: UploadJob) => void;
  onDryRunChanged: (dryRun: DryRun) => void;
  onDeletionChanged: (deletion: EventDeletion, budget: DeletionBudget) => void;
  /** The reason why nothing can be sent now (read-only, the offline switch, service unreachable), or null. */
  blockingError: () => AppError | null;
  onWholeFileChanged: (file: WholeFile) => void;
  /** The address of the connection, and when it was changed. */
  connection?: Pick<Connection, 'baseUrl' | 'movedFrom'>;
  /** Rejects with CONFLICT if one of these records was read only at a former address; undefined if there is none. */
  checkRead?: ((ids: readonly string[]) => Promise<void>) | undefined;
  options?: Partial<UploadOptions>;
}

export interface WholeFileRequest {
  modelId: string | null;
  envType: string;
  envName: string | null;
  /** False if the file is only uploaded and not read by the service. */
  publishes: boolean;
}

/** Whole-file uploads. Failures are AppErrors; failures after the row was stored are reported in the row. */
export interface WholeFiles {
  /** Newest first. */
  list(): WholeFile[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(id: string): WholeFile;
  /**
   * The number of requests needed to send the file. Throws FILE_* errors, INVALID_ARGUMENT if it is neither CSV nor
   * Parquet.
   */
  look(fileId: string): Promise<WholeFileLook>;
  /**
   * Returns when the row is stored. With `startAtMs` (a wall time in the future) the file is sent then; it waits if the
   * service cannot be reached. Throws the errors of `look`, and READ_ONLY; in both cases nothing was sent.
   */
  send(
    fileId: string,
    request: WholeFileRequest,
    startAtMs?: number | null,
    /** Runs the creation in a transaction together with the caller's own writes. */
    write?: (create: () => void) => void,
  ): Promise<WholeFile>;
  /** Sends a file by its path; for callers other than a window. */
  sendPath(
    file: { path: string; name: string },
    request: WholeFileRequest,
    partBytes?: number,
    startAtMs?: number | null,
  ): Promise<WholeFile>;
  /**
   * Throws FILE_CHANGED if `again` finds that the file has changed. Returns null if the file was removed from the list.
   */
  control(id: string, action: WholeFileAction, startAtMs?: number | null): Promise<WholeFile | null>;
  /**
   * Resolves when this process is neither sending nor publishing the file, nor about to start; the service's job may
   * still run.
   */
  whenSettled(id: string): Promise<WholeFile>;
}

/** Files that are being prepared. Failures are AppErrors. */
export interface Preparations {
  /** Stores a file and its choices durably. Throws FILE_NOT_FOUND for a file that was not offered. */
  keep(preparationId: string, fileId: string, choices: UploadChoices, isRestored?: boolean): void;
  /** In the order of their creation, each with the current state of its file. */
  list(): Promise<PreparedUpload[]>;
  /** Ends a preparation that was discarded or sent, in one transaction with `also`. */
  end(preparationId: string, also?: () => void): void;
}

interface BatchQuery {
  jobId: string;
  states: readonly string[] | null;
  offset: number;
  limit: number;
}

export interface DeletionRequest {
  modelId: string;
  /** Exactly one of `eventIds` and `timeRange` is not null. */
  eventIds: readonly string[] | null;
  timeRange: { startTime: string; endTime: string } | null;
  updateMetrics: boolean;
}

/** The plan that the person saw and agreed to. */
export interface UndoAgreement {
  events: number;
  deletions: number;
}

export type JobAction = 'start' | 'pause' | 'resume' | 'cancel' | 'gather-evidence' | 'schedule';
export type DeletionAction = 'start' | 'schedule' | 'resume' | 'cancel';
/** `rows-to-mend`: the rows that were rejected here or refused by the service, unchanged from the file. */
export type ExportKind = 'receipts' | 'refused-rows' | 'bad-rows' | 'rows-to-mend';

/** One connection's uploads and event deletions. Failures are AppErrors. */
export interface Uploads {
  /**
   * Must be called once after start. Batches that a killed process left `sending` become unknown (publish) or pending
   * (update). With `continues`, its running jobs continue and planned ones are started; otherwise they become paused.
   * Deletions are polled again. Jobs of another running process are not touched.
   */
  recover(how: { continues: boolean }): Promise<UploadJob[]>;
  inspect(fileId: string, override: Partial<Dialect> | null): Promise<FilePreview>;
  /** Returns at once. Progress and result are reported by onDryRunChanged. Sends no event. */
  startDryRun(plan: UploadPlan): Promise<DryRun>;
  getDryRun(dryRunId: string): DryRun;
  cancelDryRun(dryRunId: string): Promise<DryRun>;
  /**
   * Rows of the file as a dry run reads them, in file order. Throws INVALID_ARGUMENT if there is no such dry run, and
   * FILE_* errors.
   */
  checkRows(dryRunId: string, places: RowStart[]): Promise<CheckedRow[]>;
  /**
   * The reason why a text cannot replace a value of a column, by the plan and model of a dry run, as a sentence; null
   * if it can. `text`: null for no value. Throws INVALID_ARGUMENT if there is no such dry run.
   */
  checkValue(dryRunId: string, value: { source: string; text: string | null }): Promise<string | null>;
  /**
   * With `startAtMs` (a wall time in the future), the job starts at that time and `startsNow` is ignored. Rejects with
   * NEEDS_DECISION if the same content was already sent to the same place, unless the person has seen that warning.
   */
  createJob(
    plan: UploadPlan,
    startsNow: boolean,
    startAtMs?: number | null,
    /** The preparation that ends when this job is created. */
    preparationId?: string | null,
    /** The warnings that the person saw; see `checkTold`. */
    told?: readonly string[] | null,
  ): Promise<UploadJob>;
  listJobs(): UploadJob[];
  getJob(jobId: string): UploadJob;
  /** `startAtMs` is used by `schedule` only. */
  controlJob(jobId: string, action: JobAction, startAtMs?: number | null): Promise<UploadJob>;
  listBatches(query: BatchQuery): { batches: UploadBatch[]; total: number };
  listBadRows(query: {
    ownerId: string;
    offset: number;
    limit: number;
  }): UploadResults['uploads:list-bad-rows'];
  decideBatch(jobId: string, batch: number, decision: 'stored' | 'resend' | 'give-up'): Promise<UploadJob>;
  /** Writes to a temporary file next to `path`, then renames it. Returns the number of rows. */
  writeFile(ownerId: string, what: ExportKind, path: string): Promise<{ rows: number }>;
  /**
   * Describes the job that receipts belong to, for the manifest next to them. Throws INVALID_ARGUMENT if there is no
   * such job.
   */
  manifest(jobId: string): Readonly<Record<string, unknown>>;
  /** Changes of values, and notes, from the check of the whole file; empty before the check. */
  checkOf(jobId: string): { ledger: ValueLedger; notes: string[] };
  forgetJob(jobId: string): void;
  /**
   * With `startAtMs` (a wall time in the future) the deletion is stored and sent then. It waits if the service cannot
   * be reached.
   */
  deleteEvents(request: DeletionRequest, startAtMs?: number | null): Promise<EventDeletion>;
  /** Recalls the deletions that wait to be sent by this process. Requests already in flight still get their answers. */
  recallDeletions(): void;
  /**
   * The deletions that an undo of an upload would send, and their times, from `startAtMs` (a wall time in the future)
   * on. Sends nothing. Throws INVALID_ARGUMENT if there is no such upload.
   */
  planUndo(jobId: string, startAtMs?: number | null): Promise<UndoPlan>;
  /**
   * Stores these deletions, all or none, and sends those that are due. Throws INVALID_ARGUMENT with the `problem` of
   * the plan, CONFLICT if the plan is not the one agreed to, READ_ONLY.
   */
  undo(jobId: string, agreed: UndoAgreement, startAtMs?: number | null): Promise<{ deletionIds: string[] }>;
  /** Reads the service's row count after an undo. The job then has the count, or the reason why there is none. */
  countUndo(jobId: string): Promise<UploadJob>;
  /** For a scheduled deletion: sends it now, changes its time, or cancels it. */
  controlDeletion(
    deletionId: string,
    action: DeletionAction,
    startAtMs?: number | null,
  ): Promise<EventDeletion>;
  /** Resolves when a deletion was sent, or its plan was changed or cancelled; the service's job may still run. */
  whenSent(deletionId: string): Promise<EventDeletion>;
  listDeletions(): { deletions: EventDeletion[]; budget: DeletionBudget };
  deletionBudget(): DeletionBudget;
  /** Throws INVALID_ARGUMENT for an unknown id. */
  getDeletion(deletionId: string): EventDeletion;
  wholeFiles: WholeFiles;
  preparations: Preparations;
  /** Stored rows that cannot be read: uploads, deletions, whole files, bulk changes. */
  damaged: DamagedRows;
  /** Row uploads, whole-file uploads and event deletions as jobs. */
  sources: readonly AnyJobSource[];
  /** Called when the service can be reached again. Waiting jobs continue at once. */
  wake(): void;
  /** Resolves when the job is neither running, waiting nor about to start here. */
  whenIdle(jobId: string): Promise<UploadJob>;
  /** Gives requests in flight `graceMs` to finish, then ends every thread and timer. */
  stop(graceMs?: number): Promise<void>;
}
