/** Files, dialects, plans, jobs, batches and receipts, shared by both processes. */
import { type ColumnQuestion, type ColumnReading, columnReading } from './column-reading.ts';
import { type Dialect, dialect } from './dialect.ts';
import type { WireError } from './errors.ts';
import {
  MAX_REPLACED_CHARS,
  MAX_REPLACEMENTS,
  PROBLEM_KINDS,
  type ProblemKind,
  REPAIR_KINDS,
} from './repair-options.ts';
import { rowPolicy } from './row-policy.ts';
import type { SentBefore } from './sent-before.ts';
import type { ValueLedger } from './value-ledger.ts';
import * as z from './zod.ts';

/** Types of model columns (SERVICE.md F1.2), and `json` for nested values that are sent unchanged. */
export const COLUMN_TYPES = [
  'int',
  'float',
  /** A number of any size, with every digit. */
  'decimal',
  'str',
  'bool',
  'category',
  'timestamp',
  'vector',
  'json',
] as const;
/** Bounds of a plan; `plan-bounds.ts` has the messages for plans that exceed them. */
export const COLUMN_NAME_CHARS = 10_000;
export const MAX_COLUMNS = 10_000;
export const MODEL_NAME_CHARS = 500;
export const ENV_TYPE_CHARS = 100;
export const ENV_NAME_CHARS = 500;
export const BATCH_ROWS = 100_000;
/**
 * Maximum ids in one deletion. The interface states no limit; this many UUIDs are 4 MB, less than a batch of an upload.
 */
export const MAX_DELETION_IDS = 100_000;

export const columnPlan = z.strictObject({
  /** Column name in the file. */
  source: z.string().max(COLUMN_NAME_CHARS),
  /** Field of the event that gets the value; null leaves the column out. */
  target: z.string().max(COLUMN_NAME_CHARS).nullable(),
  type: z.enum(COLUMN_TYPES),
  /** How values of the column are parsed; missing parts are decided from all values when the file is checked. */
  reading: columnReading.optional(),
});
export type ColumnPlan = z.infer<typeof columnPlan>;

/** A field with the same value in every row. */
export const constantColumn = z.strictObject({
  target: z.string().min(1).max(COLUMN_NAME_CHARS),
  type: z.enum(COLUMN_TYPES),
  /** Written in the notation of a cell. */
  value: z.string().max(COLUMN_NAME_CHARS),
});
export type ConstantColumn = z.infer<typeof constantColumn>;
export const MAX_CONSTANTS = 100;

/** A repair that applies only to values of a column with exactly this problem. */
export const repair = z.strictObject({
  source: z.string().max(COLUMN_NAME_CHARS),
  problem: z.enum(PROBLEM_KINDS),
  kind: z.enum(REPAIR_KINDS),
});
export type Repair = z.infer<typeof repair>;
export const MAX_REPAIRS = 500;

/** A value of a column that is replaced in every row that has it. */
export const replacement = z.strictObject({
  source: z.string().max(COLUMN_NAME_CHARS),
  /** The complete text of the cell; for a number in JSON its digits. */
  value: z.string().min(1).max(MAX_REPLACED_CHARS),
  /** Written in the notation of a cell; null sends no value. */
  with: z.string().max(COLUMN_NAME_CHARS).nullable(),
});
export type Replacement = z.infer<typeof replacement>;

/** One cell that was edited by hand. */
export const cellEdit = z.strictObject({
  source: z.string().max(COLUMN_NAME_CHARS),
  /** Line at which the row starts in the file. */
  line: z.int().min(1),
  byteOffset: z.int().min(0),
  /** The original text, truncated as in `PreviewRow`; null for an empty cell. */
  value: z.string().max(MAX_REPLACED_CHARS).nullable(),
  /** Written in the notation of a cell; null sends no value. */
  with: z.string().max(COLUMN_NAME_CHARS).nullable(),
});
export type CellEdit = z.infer<typeof cellEdit>;
/** Edits of single cells apply only to this content of the file. */
export const cellEdits = z.strictObject({
  sha256: z.string().length(64),
  cells: z.array(cellEdit).min(1).max(MAX_REPLACEMENTS),
});
export type CellEdits = z.infer<typeof cellEdits>;

/** Everything an upload needs to run again without questions. */
export const uploadPlan = z.strictObject({
  fileId: z.string().max(100),
  dialect,
  /** The parts of the dialect that a person set; the others were guessed from the file. Missing in earlier plans. */
  setDialect: dialect.partial().optional(),
  columns: z.array(columnPlan).max(MAX_COLUMNS),
  constants: z.array(constantColumn).max(MAX_CONSTANTS).optional(),
  repairs: z.array(repair).max(MAX_REPAIRS).optional(),
  /** A replacement takes precedence over repairs of the same value; an edit of the cell takes precedence over both. */
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).optional(),
  cellEdits: cellEdits.optional(),
  /** Whether keys of a JSON file that are not in `columns`, but in the model, become columns when they are found. */
  takesNewKeys: z.boolean().optional(),
  /** Name of the saved mapping that the plan is based on. */
  preset: z.string().max(100).optional(),
  modelId: z.uuid(),
  modelName: z.string().max(MODEL_NAME_CHARS),
  envType: z.string().min(1).max(ENV_TYPE_CHARS),
  envName: z.string().max(ENV_NAME_CHARS).nullable(),
  mode: z.enum(['publish', 'update']),
  batchRows: z.int().min(1).max(BATCH_ROWS),
  maxBatchBytes: z.int().min(1_000).max(100_000_000),
  /** Policy for rows rejected here, and by the service. */
  onBadRow: rowPolicy,
});
export type UploadPlan = z.infer<typeof uploadPlan>;

/** A dropped or chosen file. The window never sees its path. */
export interface OfferedFile {
  fileId: string;
  name: string;
  sizeBytes: number;
  /**
   * Container format of the file, e.g. `Parquet`, if it is not text. The first preview of such a file takes the time of
   * unpacking.
   */
  packed: string | null;
  /** Why the file cannot be used (unreadable, empty, binary), or null. */
  error: WireError | null;
}

export interface PreviewColumn {
  name: string;
  type: (typeof COLUMN_TYPES)[number];
  /** Number of empty cells in the sampled rows. */
  emptyCount: number;
  samples: string[];
  /** Suggested from the sampled rows; the check of the whole file decides. */
  reading?: ColumnReading;
  /** The notes of the preview about the column, valid while it has the suggested type and null words. */
  notes?: { about: 'type' | 'nulls'; text: string }[];
}

export interface PreviewRow {
  /** 1-based line in the file where the row starts. */
  line: number;
  /** Byte offset in the file at which it starts. */
  byteOffset: number;
  /** Cell texts, truncated to 200 characters; null for an empty cell. */
  cells: (string | null)[];
}

export interface FilePreview {
  fileId: string;
  name: string;
  sizeBytes: number;
  dialect: Dialect;
  /** One sentence for each guess, with the reason for it. */
  notes: string[];
  /** The sheets of a workbook that contain data, or the lists of objects in a JSON document. */
  sheets: string[];
  /** Whether format, encoding and delimiter are inherent in the file, so that they are neither guessed nor chosen. */
  isTyped: boolean;
  columns: PreviewColumn[];
  head: PreviewRow[];
  /** Rows from random places of the file. */
  sample: PreviewRow[];
  /** Approximate number of rows, from the size; exact after the dry run. */
  estimatedRows: number;
  /** Problems found in the first rows, which a dry run would report too. */
  problems: string[];
}

export const rowStart = z.object({
  /** 1-based number of the data row, without the header. */
  row: z.int().min(0),
  line: z.int().min(1),
  byteOffset: z.int().min(0),
});
export type RowStart = z.infer<typeof rowStart>;
/** Maximum rows in one request for check results. */
export const MAX_CHECKED_ROWS = 200;

/** A value of a row that does not fit its column, or did not fit before its repair. */
export interface CellMark {
  /** Column of the file. */
  source: string;
  /** Null if the value is missing, or has the right form but is not sufficient. */
  problem: ProblemKind | null;
  reason: string;
  isRepaired: boolean;
  /** Whether the value is sent unchanged although it is outside of the model's range or categories. */
  isUnusual: boolean;
  /** The value is repaired by an edit of this cell, or by a replacement of this value. */
  by?: 'edit' | 'replacement';
  /** The value that is sent instead; null for no value, and if it is not repaired. */
  after: string | null;
}

/** A row of the file with the result of its check. */
export interface CheckedRow extends RowStart {
  /** Cells of the first columns of the plan, in order; truncated, and null for an empty cell, as in `PreviewRow`. */
  cells: (string | null)[];
  marks: CellMark[];
  /** Why the row could not be parsed; null if it was. */
  problem: string | null;
}

export interface BadRow {
  /** 1-based number of the data row, without the header. */
  row: number;
  /** Line at which the row starts, counted from 1. */
  line: number;
  column: string | null;
  /** The cell's text, truncated to 200 characters. */
  value: string | null;
  reason: string;
  /** Byte offset of the row; only in a check by the same process. */
  byteOffset?: number;
}

/** Values of one column with the same problem. */
export const problemGroup = z.object({
  source: z.string(),
  problem: z.enum(PROBLEM_KINDS),
  /** Reason for the first value. */
  reason: z.string(),
  rows: z.number(),
  /** Rows repaired by the plan's repair, by a replacement, or by a cell edit. */
  repaired: z.number(),
  /** If true, an unrepaired value is sent unchanged, and its row is not bad. */
  isSent: z.boolean(),
  options: z.array(z.enum(REPAIR_KINDS)),
  /** The obvious repair; null if a person has to choose, or there is none. */
  proposed: z.enum(REPAIR_KINDS).nullable(),
  /** Why a person has to choose; otherwise empty. */
  note: z.string(),
  /** The first rows with this problem. Empty in checks stored by earlier versions. */
  places: z.array(rowStart).default([]),
  /**
   * The distinct values, the most frequent first. Checks of earlier versions have one entry for each of the first few
   * rows.
   */
  examples: z.array(
    z.object({
      /** The first row that has it. */
      row: z.number(),
      line: z.number(),
      before: z.string(),
      /** The value after each possible repair; null for no value. */
      after: z.partialRecord(z.enum(REPAIR_KINDS), z.string().nullable()),
      /** Number of rows with this value. */
      rows: z.number().default(1),
      /** Whether `before` is the complete text, so that a replacement applies to all of these rows. */
      isWhole: z.boolean().default(false),
    }),
  ),
  /** Rows whose value is not among `examples`. */
  otherRows: z.number().default(0),
});
export type ProblemGroup = z.infer<typeof problemGroup>;

/** Other quote characters, with which rows can be parsed that cannot be parsed now. */
export const otherReading = z.object({
  quote: dialect.shape.quote,
  escape: z.literal('\\').nullable(),
  /** Number of tried rows (`of`) that can be parsed with these quote characters. */
  rows: z.number(),
  of: z.number(),
  /** Line of the first such row. */
  line: z.number(),
});
export type OtherReading = z.infer<typeof otherReading>;

export interface DryRun {
  dryRunId: string;
  phase: 'running' | 'done' | 'failed' | 'cancelled';
  readBytes: number;
  sizeBytes: number;
  rows: number;
  badRows: number;
  /** Number of requests the upload would need. */
  batches: number;
  /** First bad rows (at most 200); the others through uploads:list-bad-rows. */
  firstBad: BadRow[];
  /** Number of columns of the model, and how many of them a column of the file fills; null if the model is unknown. */
  modelColumns?: { filled: number; total: number } | null;
  /** Hints for the person that make no row bad. */
  notes?: string[];
  /** Values that do not fit, most rows first; set once it has ended. */
  problems?: ProblemGroup[];
  /** Rows that are sent although a value is outside of the model's range or categories: rows = good + unusual + bad. */
  unusualRows?: number;
  /** Good or unusual rows with a repaired value. */
  repairedRows?: number;
  /** Values that are sent changed, and values that are not sent; set once it has ended. */
  ledger?: ValueLedger;
  /** Columns that can be parsed in two ways; nothing is sent until the plan answers the question of each. */
  questions?: ColumnQuestion[];
  otherReading?: OtherReading | null;
  /** Earlier uploads of the same contents to the same environment, newest first; set once it has ended. */
  sentBefore?: SentBefore[];
  /** Columns of the plan whose reading was chosen, or decided from the whole file. */
  columns?: ColumnPlan[];
  /** Hexadecimal hash of the whole contents; set once it has ended. */
  sha256?: string | null;
  /** Keys that are in no column of the plan, with the columns of the model that they could fill. */
  proposed?: ColumnPlan[];
  error: WireError | null;
  /** Predicted sending time, from the scheduler's plan. */
  sendMs: number | null;
}

export const JOB_STATES = [
  'ready',
  'scheduled',
  'running',
  'paused',
  'waiting',
  'needs-decision',
  'done',
  'cancelled',
  'failed',
] as const;
export type JobState = (typeof JOB_STATES)[number];

/** rows = rejected + acknowledged + refused + unknown + unsent, at every moment once `rows` is known. */
export interface UploadCounts {
  rows: number;
  rejected: number;
  acknowledged: number;
  refused: number;
  unknown: number;
  unsent: number;
}

/** Wall times of the planned and the actual start. */
export interface LateStart {
  plannedAtMs: number;
  startedAtMs: number;
}

/** A deletion of events of an upload, by the ids in its receipts. */
export interface UploadDeletion {
  deletionId: string;
  /** Number of acknowledged rows whose events the deletion named. */
  rows: number;
  atMs: number;
  /** `accepted`: the service accepted the deletion, but does not report its end. */
  outcome: 'going-on' | 'deleted' | 'accepted' | 'unknown';
}

/** The service's row count of an environment. */
export interface RowCount {
  rowCount: number | null;
  /** Reason for a missing count; empty if there is one. */
  reason: string;
  /** A second reading of the count gave a different number. */
  hasMoved?: boolean | undefined;
  atMs: number;
}

/** Row counts for judging whether an undo succeeded. */
interface UploadRowCounts {
  /** Count before the first batch; null if it was not read. */
  beforeUpload: RowCount | null;
  /** Before the deletions of the last undo, and after all of them had ended. */
  beforeUndo: RowCount | null;
  afterUndo: RowCount | null;
}

export interface UploadJob {
  jobId: string;
  connectionId: string;
  fileName: string;
  sizeBytes: number;
  plan: UploadPlan;
  state: JobState;
  /** Why the upload waits or failed, as text. */
  reason: string;
  error: WireError | null;
  counts: UploadCounts;
  batches: { total: number; acknowledged: number; refused: number; unknown: number };
  /** Acknowledged batches whose answers have event ids that are not a receipt for their rows. */
  doubtful: { batches: number; rows: number };
  /** Deletions that named events of the upload by id, newest first. */
  deletions: UploadDeletion[];
  rowCounts: UploadRowCounts;
  requests: number;
  /** Smoothed rows per second; null while nothing is sent. */
  rowsPerSecond: number | null;
  /** Remaining milliseconds, including waits for rate limits; null while unknown. */
  etaMs: number | null;
  createdAtMs: number;
  endedAtMs: number | null;
  /** Wall time at which a `scheduled` job starts; null in every other state. */
  startAtMs: number | null;
  /** Set after an automatic start later than planned, because the application was closed or the computer slept. */
  lateStart: LateStart | null;
}

export type BatchState = 'pending' | 'sending' | 'acknowledged' | 'refused' | 'unknown' | 'cancelled';

export interface UploadBatch {
  batch: number;
  firstRow: number;
  lastRow: number;
  rows: number;
  state: BatchState;
  attempts: number;
  sentAtMs: number | null;
  answeredAtMs: number | null;
  /** Request of the last answered attempt, in the request log. */
  requestId: string | null;
  error: WireError | null;
  /** For an unknown batch: evidence for whether it was stored. */
  evidence: BatchEvidence | null;
}

/**
 * Evidence about a batch of unknown outcome. The service cannot read single events, so only the environment's row count
 * can be compared.
 */
export interface BatchEvidence {
  verdict: 'stored' | 'not-stored' | 'undecided';
  /** Sentences with the figures behind the verdict. */
  facts: string[];
  atMs: number;
}

export interface EventDeletion {
  deletionId: string;
  modelId: string;
  what: string;
  atMs: number;
  /** Wall time at which a deletion of status `scheduled` is sent; null in every other status. */
  startAtMs: number | null;
  lateStart: LateStart | null;
  jobId: string | null;
  /** Uploads whose events the deletion named by id, according to their receipts. */
  uploads: { jobId: string; fileName: string; rows: number }[];
  /** `scheduled`, `sending`, `not-sent`, `paused`, `cancelled`, `refused`, `unknown`, or the status of the service's job. */
  status: string;
  progress: number | null;
  error: WireError | null;
}

/** Remaining daily event deletions of this token. */
export interface DeletionBudget {
  usedToday: number;
  limit: number;
  resetsAtMs: number | null;
}

/** The events of an upload that an undo deletes, and those that remain. */
export interface UndoPlan {
  jobId: string;
  /** Why nothing can be undone; empty if something can. */
  problem: string;
  /** Rows whose events are deleted. */
  rows: number;
  /** Distinct event ids. */
  events: number;
  /** In order of their start; those whose start is the time of the plan begin at once. */
  deletions: {
    events: number;
    startAtMs: number;
    isNow: boolean;
    /** The range holds exactly the events to delete, and its end is exclusive; null: the events are deleted by id. */
    range: { startTime: string; endTime: string } | null;
  }[];
  /** Facts about a time range that would replace several deletions by id; empty if it would not save any. */
  reason: string;
  /** Rows that remain, by reason. */
  left: {
    /** Rows without an answer, for which it is unknown whether they are stored. */
    unknown: number;
    /** Rows whose answer is not a receipt for them. */
    withoutId: number;
    /** Rows whose events have the same id as events of other uploads. */
    shared: number;
  };
  /** Rows whose events an earlier deletion removed, will remove, or (if it had no answer) may have removed. */
  deleted: number;
  maybeDeleted: number;
  budget: DeletionBudget;
}
