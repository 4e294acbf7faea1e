/** Files, dialects, plans, jobs, batches and receipts, as both processes know them. */
import { z } from 'zod';
import { type ColumnQuestion, type ColumnReading, columnReading } from './column-reading.ts';
import { type Dialect, dialect } from './dialect.ts';
import type { WireError } from './errors.ts';
import { rowPolicy } from './row-policy.ts';
import type { SentBefore } from './sent-before.ts';
import type { ValueLedger } from './value-ledger.ts';

/** Types of model columns (SERVICE.md F1.2), and `json` for nested values that go as they are. */
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
/** Bounds of a plan; `plan-bounds.ts` says in words where one is passed. */
export const COLUMN_NAME_CHARS = 10_000;
export const MOST_COLUMNS = 10_000;
export const MODEL_NAME_CHARS = 500;
export const ENV_TYPE_CHARS = 100;
export const ENV_NAME_CHARS = 500;
export const BATCH_ROWS = 100_000;
/** What one deletion may name. The interface gives no bound; so many UUIDs are 4 MB, less than a batch of an upload. */
export const MOST_DELETION_IDS = 100_000;

export const columnPlan = z.strictObject({
  /** Column name in the file. */
  source: z.string().max(COLUMN_NAME_CHARS),
  /** Event field it becomes, or null to leave it out. */
  target: z.string().max(COLUMN_NAME_CHARS).nullable(),
  type: z.enum(COLUMN_TYPES),
  /** How its values are read; what is absent is decided by all of them when the file is checked. */
  reading: columnReading.optional(),
});
export type ColumnPlan = z.infer<typeof columnPlan>;

/** A field that every row gets, with the same value. */
export const constantColumn = z.strictObject({
  target: z.string().min(1).max(COLUMN_NAME_CHARS),
  type: z.enum(COLUMN_TYPES),
  /** As it would stand in a cell. */
  value: z.string().max(COLUMN_NAME_CHARS),
});
export type ConstantColumn = z.infer<typeof constantColumn>;
export const MOST_CONSTANTS = 100;

/** What can be done with a value that does not fit its column. */
export const REPAIR_KINDS = [
  ...(['trim', 'decimal-comma', 'thousands', 'currency', 'parentheses', 'percent', 'percent-share'] as const),
  ...(['null-word', 'spelling', 'true-false', 'day-first', 'month-name', 'compact-date', 'null'] as const),
] as const;
export type RepairKind = (typeof REPAIR_KINDS)[number];

/** How a value does not fit; `comma` is one that separates decimals or thousands. */
export const PROBLEM_KINDS = [
  ...(['trim', 'comma', 'decimal-comma', 'thousands', 'currency', 'parentheses', 'percent'] as const),
  ...(['null-word', 'spelling', 'true-false', 'day-first', 'month-name', 'compact-date'] as const),
  ...(['out-of-range', 'other'] as const),
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Done with values of a column that do not fit in this way, never with others. */
export const repair = z.strictObject({
  source: z.string().max(COLUMN_NAME_CHARS),
  problem: z.enum(PROBLEM_KINDS),
  kind: z.enum(REPAIR_KINDS),
});
export type Repair = z.infer<typeof repair>;
export const MOST_REPAIRS = 500;

/** Longer values are replaced cell by cell alone. */
export const MAX_REPLACED_CHARS = 200;
/** A value of a column that is sent as another one in every row that has it. */
export const replacement = z.strictObject({
  source: z.string().max(COLUMN_NAME_CHARS),
  /** The whole text of the cell; of a number in JSON its digits. */
  value: z.string().min(1).max(MAX_REPLACED_CHARS),
  /** As it would stand in a cell; null sends no value. */
  with: z.string().max(COLUMN_NAME_CHARS).nullable(),
});
export type Replacement = z.infer<typeof replacement>;
export const MAX_REPLACEMENTS = 500;

/** One cell that was edited by hand. */
export const cellEdit = z.strictObject({
  source: z.string().max(COLUMN_NAME_CHARS),
  /** Where its row starts in the file. */
  line: z.int().min(1),
  byteOffset: z.int().min(0),
  /** What stands in the file, cut as in `PreviewRow`; null for an empty cell. */
  value: z.string().max(MAX_REPLACED_CHARS).nullable(),
  /** As it would stand in the cell; null sends no value. */
  with: z.string().max(COLUMN_NAME_CHARS).nullable(),
});
export type CellEdit = z.infer<typeof cellEdit>;
/** Edits of single cells count for this content of the file alone. */
export const cellEdits = z.strictObject({
  sha256: z.string().length(64),
  cells: z.array(cellEdit).min(1).max(MAX_REPLACEMENTS),
});
export type CellEdits = z.infer<typeof cellEdits>;

/** Everything an upload needs to run again without a question. */
export const uploadPlan = z.strictObject({
  fileId: z.string().max(100),
  dialect,
  columns: z.array(columnPlan).max(MOST_COLUMNS),
  constants: z.array(constantColumn).max(MOST_CONSTANTS).optional(),
  repairs: z.array(repair).max(MOST_REPAIRS).optional(),
  /** They come before repairs of the same value, and edits of cells before both. */
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).optional(),
  cellEdits: cellEdits.optional(),
  /** Keys of a JSON file that are in no column here, and that the model has, become columns when they are found. */
  takesNewKeys: z.boolean().optional(),
  /** Name of the saved mapping that it comes from. */
  preset: z.string().max(100).optional(),
  modelId: z.uuid(),
  modelName: z.string().max(MODEL_NAME_CHARS),
  envType: z.string().min(1).max(ENV_TYPE_CHARS),
  envName: z.string().max(ENV_NAME_CHARS).nullable(),
  mode: z.enum(['publish', 'update']),
  batchRows: z.int().min(1).max(BATCH_ROWS),
  maxBatchBytes: z.int().min(1_000).max(100_000_000),
  /** Rows that are refused here, and by the service. */
  onBadRow: rowPolicy,
});
export type UploadPlan = z.infer<typeof uploadPlan>;

/** A file that was dropped or chosen. The window never sees its path. */
export interface OfferedFile {
  fileId: string;
  name: string;
  sizeBytes: number;
  /** What it is packed in, e.g. `Parquet`, where it is not text; its first preview takes the time of unpacking. */
  packed: string | null;
  /** Why it cannot be used (unreadable, empty, binary), or null. */
  error: WireError | null;
}

export interface PreviewColumn {
  name: string;
  type: (typeof COLUMN_TYPES)[number];
  /** Among the sampled rows. */
  emptyCount: number;
  samples: string[];
  /** As the sampled rows propose it; the check of the whole file decides. */
  reading?: ColumnReading;
  /** The notes of the preview that hold as long as its type or its null words are those proposed. */
  notes?: { about: 'type' | 'nulls'; text: string }[];
}

export interface PreviewRow {
  /** 1-based line in the file where the row starts. */
  line: number;
  /** Offset in the file at which it starts. */
  byteOffset: number;
  /** Cell texts, cut to 200 characters; null for an empty cell. */
  cells: (string | null)[];
}

export interface FilePreview {
  fileId: string;
  name: string;
  sizeBytes: number;
  dialect: Dialect;
  /** One sentence per guess: what was guessed and from what. */
  notes: string[];
  /** Of a workbook: its filled sheets. */
  sheets: string[];
  /** Format, encoding and delimiter are the file's own: nothing of them is guessed or chosen. */
  isTyped: boolean;
  columns: PreviewColumn[];
  head: PreviewRow[];
  /** Rows from random places of the file. */
  sample: PreviewRow[];
  /** Rough number of rows, from the size; exact after the dry run. */
  estimatedRows: number;
  /** What a dry run would surely complain of, seen in the head. */
  problems: string[];
}

/** Where a row starts. */
export const rowStart = z.object({
  /** 1-based number of the data row, header not counted. */
  row: z.int().min(0),
  line: z.int().min(1),
  byteOffset: z.int().min(0),
});
export type RowStart = z.infer<typeof rowStart>;
/** Of one question for rows of a file as a check sees them. */
export const MOST_CHECKED_ROWS = 200;

/** A value of a row that does not fit, or did not before it was repaired. */
export interface CellMark {
  /** Column of the file. */
  source: string;
  /** Null where the value is missing, or fits but is not enough. */
  problem: ProblemKind | null;
  reason: string;
  isRepaired: boolean;
  /** The value is sent as it is: outside of the model's range or categories, but no fault. */
  isUnusual: boolean;
  /** It is repaired by an edit of this cell, or by the replacement of this value. */
  by?: 'edit' | 'replacement';
  /** What is sent in its place; null for no value, and where it is not repaired. */
  after: string | null;
}

/** A row as it stands in the file, with what the check says of it. */
export interface CheckedRow extends RowStart {
  /** In the order of the plan's columns, of the first of them; cut and null as in `PreviewRow`. */
  cells: (string | null)[];
  marks: CellMark[];
  /** Why it is no row; null where it is one. */
  problem: string | null;
}

export interface BadRow {
  /** 1-based number of the data row, header not counted. */
  row: number;
  /** 1-based line where it starts. */
  line: number;
  column: string | null;
  /** The cell's text, cut to 200 characters. */
  value: string | null;
  reason: string;
  /** Where it starts; only of a check in the process that made it. */
  byteOffset?: number;
}

/** Values of one column that do not fit in the same way. */
export const problemGroup = z.object({
  source: z.string(),
  problem: z.enum(PROBLEM_KINDS),
  /** Of the first of them. */
  reason: z.string(),
  rows: z.number(),
  /** By the repair that the plan has for them, by a replacement, or by an edit of the cell. */
  repaired: z.number(),
  /** Without a repair the value is sent as it is, and the row is not bad. */
  isSent: z.boolean(),
  options: z.array(z.enum(REPAIR_KINDS)),
  /** What can plainly be done; null where a person has to choose, or nothing can. */
  proposed: z.enum(REPAIR_KINDS).nullable(),
  /** Why a person has to choose; empty otherwise. */
  note: z.string(),
  /** The first rows that have one. Checks that were stored by earlier versions know none. */
  places: z.array(rowStart).default([]),
  /** The values, those of most rows first; checks of earlier versions have one for each of the first few rows. */
  examples: z.array(
    z.object({
      /** The first row that has it. */
      row: z.number(),
      line: z.number(),
      before: z.string(),
      /** By repair; null for no value. */
      after: z.partialRecord(z.enum(REPAIR_KINDS), z.string().nullable()),
      /** That have this value. */
      rows: z.number().default(1),
      /** `before` is the whole text: it can be replaced in all of these rows. */
      isWhole: z.boolean().default(false),
    }),
  ),
  /** Rows whose value is not among `examples`. */
  otherRows: z.number().default(0),
});
export type ProblemGroup = z.infer<typeof problemGroup>;

/** Other signs around cells by which rows can be read that cannot be read as the file is. */
export const otherReading = z.object({
  quote: dialect.shape.quote,
  escape: z.literal('\\').nullable(),
  /** Rows that can be read so, among those that were tried. */
  rows: z.number(),
  of: z.number(),
  /** Of the first. */
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
  /** Requests the upload would need. */
  batches: number;
  /** First bad rows (at most 200); the rest through uploads:list-bad-rows. */
  firstBad: BadRow[];
  /** Columns of the model, and how many of them a column of the file fills; null where the model is not known. */
  modelColumns?: { filled: number; total: number } | null;
  /** What a person should know although no row is bad for it. */
  notes?: string[];
  /** Values that do not fit, most rows first; once it has ended. */
  problems?: ProblemGroup[];
  /** Sent although a value is outside of the model's range or categories: rows = good + unusual + bad. */
  unusualRows?: number;
  /** Good or unusual, with a value that was repaired. */
  repairedRows?: number;
  /** What becomes of values that do not leave as they stand, and what is not sent; once it has ended. */
  ledger?: ValueLedger;
  /** Columns that can be read in two ways; nothing is sent before each is answered in the plan. */
  questions?: ColumnQuestion[];
  otherReading?: OtherReading | null;
  /** Earlier uploads of the same content to the same environment, newest first; once it has ended. */
  sentBefore?: SentBefore[];
  /** Columns of the plan of which a reading was chosen, or decided by the whole file. */
  columns?: ColumnPlan[];
  /** Of the whole content, as hexadecimal text; once it has ended. */
  sha256?: string | null;
  /** Keys that are in no column of the plan, with the columns of the model that they could fill. */
  proposed?: ColumnPlan[];
  error: WireError | null;
  /** Predicted duration of the sending, from the scheduler's plan. */
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

/** rows = rejected + acknowledged + refused + unknown + unsent, at every instant once `rows` is known. */
export interface UploadCounts {
  rows: number;
  rejected: number;
  acknowledged: number;
  refused: number;
  unknown: number;
  unsent: number;
}

/** Wall times: when it was to begin, and when it did. */
export interface LateStart {
  plannedAtMs: number;
  startedAtMs: number;
}

/** A deletion of events of an upload, as its receipts tell. */
export interface UploadDeletion {
  deletionId: string;
  /** Acknowledged rows whose events it named. */
  rows: number;
  atMs: number;
  /** `accepted`: the service took it, and says nothing of its end. */
  outcome: 'going-on' | 'deleted' | 'accepted' | 'unknown';
}

/** The rows of an environment as the service counted them. */
export interface RowCount {
  rowCount: number | null;
  /** Why there is no count; empty where there is one. */
  why: string;
  /** It was another one at the second reading. */
  hasMoved?: boolean | undefined;
  atMs: number;
}

/** What there is to compare an undo with. */
interface UploadRowCounts {
  /** Before its first batch; null where it was not read. */
  beforeUpload: RowCount | null;
  /** Before the deletions of its last undo, and after all of them were through. */
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
  /** Why it waits or failed, in words. */
  reason: string;
  error: WireError | null;
  counts: UploadCounts;
  batches: { total: number; acknowledged: number; refused: number; unknown: number };
  /** Acknowledged, but the event ids in the answer are no receipt of the rows. */
  doubtful: { batches: number; rows: number };
  /** Deletions that named events of it by their ids, newest first. */
  deletions: UploadDeletion[];
  rowCounts: UploadRowCounts;
  requests: number;
  /** Rows per second, smoothed; null while not sending. */
  rowsPerSecond: number | null;
  /** Milliseconds left including waits for rate limits; null while not known. */
  etaMs: number | null;
  createdAtMs: number;
  endedAtMs: number | null;
  /** Wall time at which a `scheduled` job begins; null in every other state. */
  startAtMs: number | null;
  /** Set once it began by itself later than planned, as the application was closed or the computer slept. */
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
  /** Of the last attempt that was answered, as the request log has it. */
  requestId: string | null;
  error: WireError | null;
  /** For an unknown batch: what speaks for and against it being stored. */
  evidence: BatchEvidence | null;
}

/** The service has no read of single events; the environment's row count is what can be compared. */
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
  /** Uploads whose events it named by their ids, as their receipts tell. */
  uploads: { jobId: string; fileName: string; rows: number }[];
  /** `scheduled`, `sending`, `not-sent`, `cancelled`, `refused`, `unknown`, or that of the service's job. */
  status: string;
  progress: number | null;
  error: WireError | null;
}

/** What is left of the daily event deletions of this token. */
export interface DeletionBudget {
  usedToday: number;
  limit: number;
  resetsAtMs: number | null;
}

/** What an undo of an upload deletes, and what of the upload it leaves. */
export interface UndoPlan {
  jobId: string;
  /** Why nothing can be undone, in words; empty where something can. */
  problem: string;
  /** Rows whose events go. */
  rows: number;
  /** Distinct event ids. */
  events: number;
  /** In the order of their start; those with the time of the plan start at once. */
  deletions: {
    events: number;
    startAtMs: number;
    isNow: boolean;
    /** Everything in it goes, and nothing else lies there; null: by ids. The end is not included. */
    range: { startTime: string; endTime: string } | null;
  }[];
  /** What is known of a range of time in place of several deletions by ids; empty where it would save none. */
  why: string;
  /** Rows that stay, by why. */
  left: {
    /** No answer came: nobody knows whether they are stored. */
    unknown: number;
    /** The answer is no receipt of these rows. */
    withoutId: number;
    /** Other uploads stored events with the same id. */
    shared: number;
  };
  /** Rows that earlier deletions took back, or will. */
  deleted: number;
  budget: DeletionBudget;
}
