/** Rows of files, uploads and their batches in the uploads store, parsed when they are read. */
import { type JobRecord, recordFields, wallMs, wireError } from '../core/jobs/job-record.ts';
import { withDecided } from '../shared/column-plan.ts';
import { type ColumnQuestion, columnQuestion } from '../shared/column-reading.ts';
import type { WireError } from '../shared/errors.ts';
import { type ModelFacts, modelFacts } from '../shared/upload-columns.ts';
import {
  type BatchEvidence,
  type ColumnPlan,
  columnPlan,
  type DryRun,
  JOB_STATES,
  type JobState,
  type OtherReading,
  otherReading,
  type ProblemGroup,
  problemGroup,
  type RowCount,
  type UploadBatch,
  type UploadPlan,
  uploadPlan,
} from '../shared/upload-model.ts';
import { type ValueLedger, valueLedger } from '../shared/value-ledger.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { createPartStore, type PartStore } from './part-store.ts';
import { json, withFormerName } from './row-parts.ts';

export { asJson } from './row-parts.ts';

/** Size and modification time of a file when it was read, to detect changes. */
interface FileProof {
  path: string;
  fileName: string;
  sizeBytes: number;
  mtimeMs: number;
}

export interface StoredScan extends FileProof {
  scanId: string;
  readingKey: string;
  plan: UploadPlan;
  schema: ModelFacts | null;
  phase: DryRun['phase'];
  readBytes: number;
  rows: number;
  badRows: number;
  batches: number;
  sendMs: number | null;
  notes: string[];
  /** Rows that are valid after a repair. */
  unusualRows: number;
  repairedRows: number;
  problems: ProblemGroup[];
  ledger: ValueLedger;
  questions: ColumnQuestion[];
  otherReading: OtherReading | null;
  /** Proposed columns for keys that are in no column. */
  proposed: ColumnPlan[];
  sha256: string | null;
  error: WireError | null;
  createdAtMs: number;
}

/** Row count of the environment before a job sent its first batch. */
export type Baseline = RowCount;

export interface StoredJob extends FileProof, JobRecord {
  scanId: string | null;
  sha256: string | null;
  /** Includes the column types decided by the check of the whole file. */
  plan: UploadPlan;
  /** Columns decided by the check, in addition to the original plan. */
  decided?: ColumnPlan[] | undefined;
  schema: ModelFacts | null;
  state: JobState;
  isCancelling: boolean;
  rows: number | null;
  rejected: number;
  requests: number;
  isolationRequests: number;
  /** Acknowledged batches whose answers have ids that are not a receipt. */
  doubtfulBatches: number;
  doubtfulRows: number;
  batchRows: number;
  maxBatchBytes: number;
  baseline: Baseline | null;
  /** The upload stopped at rejected rows, and a person continued it; since then, such rows are left out. */
  isPolicyLifted?: boolean | undefined;
  /** Row counts of the environment before and after the last undo. */
  undoCounts?: { before: RowCount; after: RowCount | null } | undefined;
}

/** Place of a batch in the file. Bad rows in between are not part of it. */
export interface BatchSpan {
  firstRow: number;
  lastRow: number;
  rows: number;
  firstLine: number;
  /** Line of the first row after the batch. */
  nextLine: number;
  byteStart: number;
  byteEnd: number;
  /** Hash of the bytes of the batch's rows. */
  sha256: string;
  /** Runs of consecutive rows with one line each, as [first row, first line, count]. */
  places: [number, number, number][];
  /** Event ids in the rows, if the model takes them from a column. */
  ownIds: string[] | null;
}

export interface StoredBatch extends BatchSpan, UploadBatch {
  root: number;
}

/** The service's answer to a batch. */
export interface BatchReceipt {
  /** Ids in row order; null if a person or evidence decided that the batch was stored. */
  eventIds: string[] | null;
  /** Ids received for the batch that cannot be assigned to a row. */
  looseIds: string[];
}

const evidence: z.ZodType<BatchEvidence> = z.object({
  verdict: z.enum(['stored', 'not-stored', 'undecided']),
  facts: z.array(z.string()),
  atMs: wallMs,
});
const baseline: z.ZodType<Baseline> = withFormerName(
  z.object({
    rowCount: z.number().nullable(),
    reason: z.string(),
    hasMoved: z.boolean().optional(),
    atMs: wallMs,
  }),
  'why',
  'reason',
);

const PHASES = ['running', 'done', 'failed', 'cancelled'] as const;
const BATCH_STATES = ['pending', 'sending', 'acknowledged', 'refused', 'unknown', 'cancelled'] as const;
const texts = z.array(z.string());

const scanRow = z.object({
  scanId: z.string(),
  path: z.string(),
  fileName: z.string(),
  sizeBytes: z.number(),
  mtimeMs: wallMs,
  readingKey: z.string(),
  plan: json(uploadPlan),
  schema: json(modelFacts).nullable(),
  phase: z.enum(PHASES),
  readBytes: z.number(),
  rows: z.number(),
  badRows: z.number(),
  batches: z.number(),
  sendMs: z.number().nullable(),
  notes: json(texts),
  unusualRows: z.number(),
  repairedRows: z.number(),
  problems: json(z.array(problemGroup)),
  ledger: json(valueLedger),
  questions: json(z.array(withFormerName(columnQuestion, 'why', 'reason'))),
  otherReading: json(otherReading).nullable(),
  proposed: json(z.array(columnPlan)),
  sha256: z.string().nullable(),
  error: json(wireError).nullable(),
  createdAtMs: wallMs,
});
const storedJob: z.ZodType<StoredJob> = z.object({
  ...recordFields,
  state: z.enum(JOB_STATES),
  path: z.string(),
  fileName: z.string(),
  plan: uploadPlan,
  sizeBytes: z.number(),
  mtimeMs: wallMs,
  scanId: z.string().nullable(),
  sha256: z.string().nullable(),
  schema: modelFacts.nullable(),
  isCancelling: z.boolean(),
  rows: z.number().nullable(),
  rejected: z.number(),
  requests: z.number(),
  isolationRequests: z.number(),
  doubtfulBatches: z.number(),
  doubtfulRows: z.number(),
  batchRows: z.number(),
  maxBatchBytes: z.number(),
  baseline: baseline.nullable(),
  isPolicyLifted: z.boolean().optional(),
  decided: z.array(columnPlan).optional(),
  undoCounts: z.object({ before: baseline, after: baseline.nullable() }).optional(),
});
/** The plan of a job is written once; decisions of the file check are added when it is read. */
export const jobSchema: z.ZodType<StoredJob> = storedJob.transform((job) =>
  job.decided === undefined ? job : { ...job, plan: withDecided(job.plan, job.decided) },
);

const batchSchema: z.ZodType<StoredBatch> = z.object({
  batch: z.number(),
  root: z.number(),
  firstRow: z.number(),
  lastRow: z.number(),
  rows: z.number(),
  firstLine: z.number(),
  nextLine: z.number(),
  byteStart: z.number(),
  byteEnd: z.number(),
  sha256: z.string(),
  places: z.array(z.tuple([z.number(), z.number(), z.number()])),
  ownIds: texts.nullable(),
  state: z.enum(BATCH_STATES),
  attempts: z.number(),
  sentAtMs: wallMs.nullable(),
  answeredAtMs: wallMs.nullable(),
  requestId: z.string().nullable(),
  error: wireError.nullable(),
  evidence: evidence.nullable(),
});

/** Batches of uploads as parts, with their receipts. */
export function createBatchStore(db: Database): PartStore<StoredBatch, BatchReceipt> {
  return createPartStore(db, {
    what: 'upload batch',
    schema: batchSchema,
    receipt: z.object({ eventIds: texts.nullable(), looseIds: texts }),
    place: ({ batch, root, rows, lastRow }) => ({ part: batch, root, weight: rows, endsAt: lastRow }),
  });
}

export const readScan = (row: unknown): StoredScan => parseRow(scanRow, row, 'dry run');
