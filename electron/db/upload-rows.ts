/** What the uploads store holds, parsed on the way out. */
import { z } from 'zod';
import type { WireError } from '../shared/errors.ts';
import { type ModelFacts, modelFacts } from '../shared/upload-columns.ts';
import {
  type BatchEvidence,
  type BatchState,
  type DryRun,
  JOB_STATES,
  type JobState,
  type LateStart,
  type UploadPlan,
  uploadPlan,
} from '../shared/upload-model.ts';
import { parseRow } from './open.ts';
import { flag, json, lateStart, wireError } from './row-parts.ts';

export { asJson } from './row-parts.ts';

/** Size and time of change of a file when it was read. */
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
  sha256: string | null;
  error: WireError | null;
  createdAtMs: number;
}

/** Row count of the environment before the first batch of a job was sent. */
export interface Baseline {
  rowCount: number | null;
  /** Why there is no count; empty where there is one. */
  why: string;
  atMs: number;
}

export interface StoredJob extends FileProof {
  jobId: string;
  scanId: string | null;
  sha256: string | null;
  plan: UploadPlan;
  schema: ModelFacts | null;
  state: JobState;
  reason: string;
  error: WireError | null;
  isCancelling: boolean;
  startAtMs: number | null;
  lateStart: LateStart | null;
  rows: number | null;
  rejected: number;
  requests: number;
  isolationRequests: number;
  /** Acknowledged, but with ids that are no receipt. */
  doubtfulBatches: number;
  doubtfulRows: number;
  batchRows: number;
  maxBatchBytes: number;
  baseline: Baseline | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

/** [first row, first line, count]: consecutive rows of one line each. */
export type Places = [number, number, number][];

export interface StoredBatch {
  batch: number;
  root: number;
  firstRow: number;
  lastRow: number;
  rows: number;
  firstLine: number;
  nextLine: number;
  byteStart: number;
  byteEnd: number;
  sha256: string;
  places: Places;
  ownIds: string[] | null;
  state: BatchState;
  attempts: number;
  isolationRequests: number;
  sentAtMs: number | null;
  answeredAtMs: number | null;
  requestId: string | null;
  error: WireError | null;
  evidence: BatchEvidence | null;
}

const evidence: z.ZodType<BatchEvidence> = z.object({
  verdict: z.enum(['stored', 'not-stored', 'undecided']),
  facts: z.array(z.string()),
  atMs: z.number(),
});
const baseline: z.ZodType<Baseline> = z.object({
  rowCount: z.number().nullable(),
  why: z.string(),
  atMs: z.number(),
});

const PHASES = ['running', 'done', 'failed', 'cancelled'] as const;
const BATCH_STATES = ['pending', 'sending', 'acknowledged', 'refused', 'unknown', 'cancelled'] as const;
const texts = z.array(z.string());

const scanRow = z.object({
  scanId: z.string(),
  path: z.string(),
  fileName: z.string(),
  sizeBytes: z.number(),
  mtimeMs: z.number(),
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
  sha256: z.string().nullable(),
  error: json(wireError).nullable(),
  createdAtMs: z.number(),
});
const jobRow = z.object({
  jobId: z.string(),
  scanId: z.string().nullable(),
  path: z.string(),
  fileName: z.string(),
  sizeBytes: z.number(),
  mtimeMs: z.number(),
  sha256: z.string().nullable(),
  plan: json(uploadPlan),
  schema: json(modelFacts).nullable(),
  state: z.enum(JOB_STATES),
  reason: z.string(),
  error: json(wireError).nullable(),
  isCancelling: flag,
  startAtMs: z.number().nullable(),
  lateStart: json(lateStart).nullable(),
  rows: z.number().nullable(),
  rejected: z.number(),
  requests: z.number(),
  isolationRequests: z.number(),
  doubtfulBatches: z.number(),
  doubtfulRows: z.number(),
  batchRows: z.number(),
  maxBatchBytes: z.number(),
  baseline: json(baseline).nullable(),
  createdAtMs: z.number(),
  endedAtMs: z.number().nullable(),
});
const batchRow = z.object({
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
  places: json(z.array(z.tuple([z.number(), z.number(), z.number()]))),
  ownIds: json(texts).nullable(),
  state: z.enum(BATCH_STATES),
  attempts: z.number(),
  isolationRequests: z.number(),
  sentAtMs: z.number().nullable(),
  answeredAtMs: z.number().nullable(),
  requestId: z.string().nullable(),
  error: json(wireError).nullable(),
  evidence: json(evidence).nullable(),
});
export const readScan = (row: unknown): StoredScan => parseRow(scanRow, row, 'dry run');
export const readJob = (row: unknown): StoredJob => parseRow(jobRow, row, 'upload job');
export const readBatch = (row: unknown): StoredBatch => parseRow(batchRow, row, 'upload batch');
export const readIds = (text: unknown): string[] => parseRow(json(texts), text, 'receipt');
