/** What the upload engine is given and what it offers; `createUploads` in uploads.ts builds it. */
import type { ServiceClient } from '../api/types.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { AnyJobSource } from '../jobs/source.ts';
import type { Dialect } from '../shared/dialect.ts';
import type { AppError } from '../shared/errors.ts';
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

/** Knows the paths behind the file ids that the window holds. One for the whole process. */
export interface FileRegistry {
  /** The same files, read for a connection: what is made to read them goes with it. */
  ownedBy(connectionId: string): FileRegistry;
  /**
   * Looks at each path (exists, is text or can be turned into text) and gives it an id; a folder or an archive stands for
   * the files in it. Never throws for a bad file.
   */
  offer(paths: readonly string[]): Promise<OfferedFile[]>;
  /**
   * Gives a file of an earlier run its id back, and looks at it as `offer` does. `name`: as it was dropped; where that was
   * not kept (null), the last part of its path.
   */
  offerAgain(fileId: string, path: string, name: string | null): Promise<OfferedFile>;
  /** Size and date of a file when it was offered; null where it could not be read then. */
  stateOf(fileId: string): FileState | null;
  /** The path behind an id, as it was dropped. Throws FILE_NOT_FOUND for an id that was not given out. */
  resolve(fileId: string): { path: string; name: string };
  /**
   * The file as text: itself, or a copy that is made where it is not there yet. Rejects with FILE_* errors, DISK_FULL,
   * INVALID_ARGUMENT for a sheet that is not there.
   */
  readable(fileId: string, dialect: Partial<Dialect> | null): Promise<{ path: string }>;
  /** The path of the text, null where its copy is not there. */
  findReadable(fileId: string, dialect: Partial<Dialect> | null): Promise<string | null>;
  /** A job will read this path later: a copy there is not removed as unused. */
  keep(path: string): Promise<void>;
  /** Reads a bounded part of the file in a worker thread, after its unpacking where it is packed. */
  inspect(fileId: string, override: Partial<Dialect> | null): Promise<FilePreview>;
  /** What sending it whole takes. Throws FILE_* errors, INVALID_ARGUMENT for what is neither CSV nor Parquet. */
  lookAtWhole(fileId: string): Promise<WholeFileLook>;
}

/** Milliseconds until `requests` more requests have been granted, by the scheduler's lane; null where not known. */
type PlanSend = (operation: 'events.publish' | 'events.update', requests: number) => number | null;

export interface UploadOptions {
  /** Requests of one job on their way at once, at most: fewer where their row counts would not tell them apart. */
  maxInFlight: number;
  /** May a refused batch be halved until the rows at fault stand alone? */
  isolatesRefusedRows: boolean;
  /** Extra requests that halving may cost, for one batch and for one job. */
  isolationRequests: { perBatch: number; perJob: number };
  /** After this long the row count of an environment is taken to show everything that was stored. */
  evidenceSettleMs: number;
  /** Pause between the two readings of a row count: one that stood still in it says something. */
  countPauseMs: number;
  /** Event ids that one deletion of an undo names at most. */
  idsPerDeletion: number;
  /** Is the process with this id still there? Decides at once that the lease of a killed one is free. */
  isProcessAlive: (processId: number) => boolean;
  processId: number;
  /** Process ids are compared only inside one of these. */
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
  /** Where checks keep what they converted; nothing in it has a name for longer than a moment. */
  spoolFolder: string;
  plan: PlanSend;
  /** Tells of every look at a job of the service until it has ended; answers what ends the following. */
  followJob: (jobId: string, follower: (job: JobState) => void) => () => void;
  /** Event deletions of today, from the scheduler's lane. */
  readBudget: () => DeletionBudget;
  onJobChanged: (job: UploadJob) => void;
  onDryRunChanged: (dryRun: DryRun) => void;
  onDeletionChanged: (deletion: EventDeletion, budget: DeletionBudget) => void;
  /** Why nothing can be sent now (read-only, the offline switch, no way to the service), or null where it can. */
  refusal: () => AppError | null;
  onWholeFileChanged: (file: WholeFile) => void;
  options?: Partial<UploadOptions>;
}

export interface WholeFileRequest {
  modelId: string | null;
  envType: string;
  envName: string | null;
  /** False: the file is uploaded and nothing reads it. */
  publishes: boolean;
}

/** Files sent as a whole. Failures are AppErrors; what fails after the row was stored is said in the row. */
export interface WholeFiles {
  /** Newest first. */
  list(): WholeFile[];
  /** Throws INVALID_ARGUMENT where there is none. */
  get(id: string): WholeFile;
  /** What sending it takes. Throws FILE_* errors, INVALID_ARGUMENT for what is neither CSV nor Parquet. */
  look(fileId: string): Promise<WholeFileLook>;
  /**
   * Returns once the row is stored; with `startAtMs` (wall time to come) it is sent by itself then. Without a way to the
   * service it waits. Throws what `look` throws, READ_ONLY; nothing was sent then.
   */
  send(
    fileId: string,
    request: WholeFileRequest,
    startAtMs?: number | null,
    /** Writes it, with whatever goes with it, or neither. */
    write?: (create: () => void) => void,
  ): Promise<WholeFile>;
  /** For a path that did not come from a window. */
  sendPath(
    file: { path: string; name: string },
    request: WholeFileRequest,
    partBytes?: number,
    startAtMs?: number | null,
  ): Promise<WholeFile>;
  /** `again` throws FILE_CHANGED where the file is not what it was. Null: forgotten. */
  control(id: string, action: WholeFileAction, startAtMs?: number | null): Promise<WholeFile | null>;
  /** Resolves when this process neither sends nor publishes it, nor is about to begin it; the service's job may still go on. */
  whenSettled(id: string): Promise<WholeFile>;
}

/** Files that are being prepared. Failures are AppErrors. */
export interface Preparations {
  /** On the disk when it returns. Throws FILE_NOT_FOUND for a file that was not offered. */
  keep(preparationId: string, fileId: string, choices: UploadChoices, isRestored?: boolean): void;
  /** In the order in which they were begun, with what became of their files. */
  list(): Promise<PreparedUpload[]>;
  /** It is discarded, or sent; `also` is written with it, or neither is. */
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
  /** Exactly one of the two. */
  eventIds: readonly string[] | null;
  timeRange: { startTime: string; endTime: string } | null;
  updateMetrics: boolean;
}

/** What the person saw and agreed to. */
export interface UndoAgreement {
  events: number;
  deletions: number;
}

export type JobAction = 'start' | 'pause' | 'resume' | 'cancel' | 'gather-evidence' | 'schedule';
export type DeletionAction = 'start' | 'schedule' | 'cancel';
export type ExportKind = 'receipts' | 'refused-rows' | 'bad-rows';

/** One connection's uploads and event deletions. Failures are AppErrors. */
export interface Uploads {
  /**
   * To be called once after start. Batches that a killed process left `sending` become unknown (publish) or
   * pending (update), jobs it left running go on (`continues`) or become paused, deletions are polled again. With
   * `continues` what was planned for later begins by itself in this process.
   * Jobs that another living process is sending are left alone.
   */
  recover(how: { continues: boolean }): Promise<UploadJob[]>;
  inspect(fileId: string, override: Partial<Dialect> | null): Promise<FilePreview>;
  /** Returns at once; progress and result come through onDryRunChanged. Sends no event. */
  startDryRun(plan: UploadPlan): Promise<DryRun>;
  getDryRun(dryRunId: string): DryRun;
  cancelDryRun(dryRunId: string): Promise<DryRun>;
  /**
   * Rows of the file as a dry run sees them, in the order of the file. Throws INVALID_ARGUMENT where there is no such dry
   * run, and FILE_* errors.
   */
  checkRows(dryRunId: string, places: RowStart[]): Promise<CheckedRow[]>;
  /**
   * Why a text cannot stand in place of a value of a column, in words, by the plan and model of a dry run; null where it
   * can. `text`: null for no value. Throws INVALID_ARGUMENT where there is no such dry run.
   */
  checkValue(dryRunId: string, value: { source: string; text: string | null }): string | null;
  /**
   * With `startAtMs` (wall time to come) it begins by itself then, and `startsNow` is not looked at. Rejects with
   * NEEDS_DECISION where the same content went to the same place, and nobody was told.
   */
  createJob(
    plan: UploadPlan,
    startsNow: boolean,
    startAtMs?: number | null,
    /** The preparation it comes from, which ends with it. */
    preparationId?: string | null,
    /** See `checkTold`. */
    told?: readonly string[] | null,
  ): Promise<UploadJob>;
  listJobs(): UploadJob[];
  getJob(jobId: string): UploadJob;
  /** `startAtMs` belongs to `schedule`. */
  controlJob(jobId: string, action: JobAction, startAtMs?: number | null): Promise<UploadJob>;
  listBatches(query: BatchQuery): { batches: UploadBatch[]; total: number };
  listBadRows(query: {
    ownerId: string;
    offset: number;
    limit: number;
  }): UploadResults['uploads:list-bad-rows'];
  decideBatch(jobId: string, batch: number, decision: 'stored' | 'resend' | 'give-up'): Promise<UploadJob>;
  /** Writes beside `path` under a temporary name, then renames. Returns the rows written. */
  writeFile(ownerId: string, what: ExportKind, path: string): Promise<{ rows: number }>;
  /** What the receipts of a job are of, for what is written beside them. Throws INVALID_ARGUMENT where there is no such job. */
  manifest(jobId: string): Readonly<Record<string, unknown>>;
  /** What the check of its whole file said of values; empty before it was checked. */
  checkOf(jobId: string): { ledger: ValueLedger; notes: string[] };
  forgetJob(jobId: string): void;
  /** With `startAtMs` (wall time to come) it is stored and sent by itself then; without a way to the service it waits. */
  deleteEvents(request: DeletionRequest, startAtMs?: number | null): Promise<EventDeletion>;
  /**
   * What an undo of an upload would delete, and when, from `startAtMs` on (wall time to come); sends nothing. Throws
   * INVALID_ARGUMENT where there is no such upload.
   */
  planUndo(jobId: string, startAtMs?: number | null): Promise<UndoPlan>;
  /**
   * Stores these deletions, all or none; those whose time has come are sent at once. Throws INVALID_ARGUMENT with the `problem` of
   * the plan, CONFLICT where the plan is not what was agreed to, READ_ONLY.
   */
  undo(jobId: string, agreed: UndoAgreement, startAtMs?: number | null): Promise<{ deletionIds: string[] }>;
  /** Has the service count the rows after an undo; the upload then has the count, or why there is none. */
  countUndo(jobId: string): Promise<UploadJob>;
  /** Of a deletion that is to be sent later: sends it now, changes its time, or calls it off. */
  controlDeletion(
    deletionId: string,
    action: DeletionAction,
    startAtMs?: number | null,
  ): Promise<EventDeletion>;
  /** Resolves when a deletion has left, or its plan was changed or called off; its job may still be at work. */
  whenSent(deletionId: string): Promise<EventDeletion>;
  listDeletions(): { deletions: EventDeletion[]; budget: DeletionBudget };
  deletionBudget(): DeletionBudget;
  /** Throws INVALID_ARGUMENT where there is none. */
  getDeletion(deletionId: string): EventDeletion;
  wholeFiles: WholeFiles;
  preparations: Preparations;
  /** What is stored and cannot be read: uploads, deletions, whole files, changes of many records. */
  damaged: DamagedRows;
  /** Uploads, files sent as they are, deletions of events: as jobs. */
  sources: readonly AnyJobSource[];
  /** The service can be reached again: waiting jobs go on at once. */
  wake(): void;
  /** Resolves when the job is neither running nor waiting nor about to begin by itself here. */
  whenIdle(jobId: string): Promise<UploadJob>;
  /** Lets requests on their way finish for `graceMs`, then ends every thread and timer. */
  stop(graceMs?: number): Promise<void>;
}
