/** Rows of the store of builds and score runs, parsed when they are read. */
import { recordFields, wallMs, wireError } from '../core/jobs/job-record.ts';
import type { BuildBatch, BuildEvidence } from '../shared/build-batch-model.ts';
import {
  ASK_PHASES,
  BUILD_STATES,
  type BuildAsk,
  type BuildCheck,
  type BuildFill,
  type BuildRecheck,
  type DatasetBuild,
  datasetTarget,
  mapping,
  RECHECK_PHASES,
  SPAN_STATES,
  type SpanState,
  type TimeRange,
  timeRange,
  type WiderSearch,
} from '../shared/dataset-model.ts';
import { type FilePlace, filePlace } from '../shared/items-model.ts';
import { pickSource } from '../shared/pick-source.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { type Database, parseRow } from './open.ts';
import { createPartStore, type PartStore } from './part-store.ts';
import { withFormerName } from './row-parts.ts';

/** Number of items in the target dataset before the first call. */
export interface ItemBaseline {
  items: number | null;
  /** Reason for a missing count; empty if there is one. */
  reason: string;
  atMs: number;
}

/** Displayed fields of a build, except counts derived from spans and calls, and the state needed to resume it. */
export interface StoredBuild
  extends Omit<
    DatasetBuild,
    | 'buildId'
    | 'connectionId'
    | 'counts'
    | 'batches'
    | 'doubt'
    | 'spanRange'
    | 'problems'
    | 'nearDuplicates'
    | 'undo'
    | 'redo'
  > {
  id: string;
  /** Positions of excluded near-duplicates, and of those that a person kept. */
  nearDuplicates: { threshold: number; found: number; skipped: number[]; kept: number[] } | null;
  /** Set while it is unknown whether the dataset was created. */
  creatingSinceMs: number | null;
  pickedRange: TimeRange | null;
  firstStartMs: number | null;
  lastStartMs: number | null;
  callSpans: number;
  nextPosition: number;
  baseline: ItemBaseline | null;
  /** For a `fill` from a file: the file, and how much of it is in the basket. */
  fileProgress: FileProgress | null;
}

export interface FileProgress {
  path: string;
  /** State of the file when the first spans were picked. */
  state: { sizeBytes: number; mtimeMs: number };
  /** The first row that was not read; null for the start of the file. */
  place: FilePlace | null;
  /** Number of rows before `place`. */
  rows: number;
}

/** A span without its record. */
export interface StoredSpan {
  position: number;
  traceId: string;
  spanId: string;
  startMs: number | null;
  startTime: string | null;
  name: string | null;
  spanType: string | null;
  shapeId: number | null;
  state: SpanState;
  batch: number | null;
  itemId: string | null;
  message: string | null;
}

const fillRow = z.object({
  phase: z.enum(['running', 'done', 'stopped', 'interrupted', 'failed']),
  source: pickSource,
  fetched: z.number(),
  added: z.number(),
  total: z.number().nullable(),
  hasMovedWhileRead: z.boolean(),
  error: wireError.nullable(),
});
/** Earlier versions stored only queries of the service. */
const fill: z.ZodType<BuildFill> = z.preprocess(
  (stored) =>
    typeof stored === 'object' && stored !== null && 'selection' in stored
      ? { source: { kind: 'service', selection: stored.selection }, ...stored }
      : stored,
  fillRow,
);
const fileProgress: z.ZodType<FileProgress> = z.object({
  path: z.string(),
  state: z.object({ sizeBytes: z.number(), mtimeMs: wallMs }),
  place: filePlace.nullable(),
  rows: z.number(),
});
const check: z.ZodType<BuildCheck> = z.object({
  atMs: wallMs,
  itemsBefore: z.number().nullable(),
  itemsAfter: z.number().nullable(),
  expectedAdded: z.number(),
  comparedItems: z.number(),
  equalItems: z.number(),
  differences: z.array(z.string()),
  verdict: z.enum(['equal', 'count-agrees', 'differs', 'undecided']),
  facts: z.array(z.string()),
  emptyItems: z.number().optional(),
  unfilled: z.array(z.string()).optional(),
});
const evidence: z.ZodType<BuildEvidence> = z.object({
  verdict: z.enum(['stored', 'not-stored', 'undecided']),
  facts: z.array(z.string()),
  atMs: wallMs,
});
const baseline: z.ZodType<ItemBaseline> = withFormerName(
  z.object({ items: z.number().nullable(), reason: z.string(), atMs: wallMs }),
  'why',
  'reason',
);

const search: z.ZodType<WiderSearch> = z.object({
  marginMs: z.number(),
  calls: z.number(),
  found: z.array(z.object({ marginMs: z.number(), spans: z.number() })),
  isRefused: z.boolean(),
  end: z.enum(['all-found', 'widest', 'allowance', 'refused']).nullable(),
});

const recheck: z.ZodType<BuildRecheck> = z.object({
  phase: z.enum(RECHECK_PHASES),
  atMs: wallMs.nullable(),
  checked: z.number(),
  gone: z.number(),
  changed: z.number(),
  moved: z.number().default(0),
});

const ask: z.ZodType<BuildAsk> = z.object({
  phase: z.enum(ASK_PHASES),
  asked: z.number(),
  known: z.number(),
});

const buildFields: z.ZodType<StoredBuild> = z.object({
  ...recordFields,
  state: z.enum(BUILD_STATES),
  name: z.string(),
  applicationId: z.string(),
  applicationName: z.string(),
  mapping,
  target: datasetTarget.nullable(),
  datasetId: z.string().nullable(),
  creatingSinceMs: wallMs.nullable(),
  skipsAdded: z.boolean(),
  skipsUnresolved: z.boolean(),
  nearDuplicates: z
    .object({
      threshold: z.number(),
      found: z.number(),
      skipped: z.array(z.number()),
      kept: z.array(z.number()),
    })
    .nullable()
    .default(null),
  marginMs: z.number(),
  search: search.nullable().default(null),
  recheck: recheck.nullable().default(null),
  ask: ask.nullable().default(null),
  timeRange: timeRange.nullable(),
  pickedRange: timeRange.nullable(),
  firstStartMs: wallMs.nullable(),
  lastStartMs: wallMs.nullable(),
  callSpans: z.number(),
  nextPosition: z.number(),
  baseline: baseline.nullable(),
  fill: fill.nullable(),
  fileProgress: fileProgress.nullable().default(null),
  check: check.nullable(),
  changedAtMs: wallMs,
});
/** Reads builds stored before `twins` was renamed. */
const buildSchema: z.ZodType<StoredBuild> = withFormerName(buildFields, 'twins', 'nearDuplicates');
/** Columns of a span, as expected by `readSpan`. */
export const SPAN_COLUMNS = `position, trace_id AS traceId, span_id AS spanId, start_ms AS startMs,
  start_time AS startTime, name, span_type AS spanType, shape_id AS shapeId, state, batch, item_id AS itemId, message`;

const spanRow = z.object({
  position: z.number(),
  traceId: z.string(),
  spanId: z.string(),
  startMs: wallMs.nullable(),
  startTime: z.string().nullable(),
  name: z.string().nullable(),
  spanType: z.string().nullable(),
  shapeId: z.number().nullable(),
  state: z.enum(SPAN_STATES),
  batch: z.number().nullable(),
  itemId: z.string().nullable(),
  message: z.string().nullable(),
});
const BATCH_STATES = ['sending', 'acknowledged', 'refused', 'unsent', 'unknown', 'given-up'] as const;
const callSchema: z.ZodType<BuildBatch> = z.object({
  batch: z.number(),
  how: z.enum(['spans', 'items']).default('spans'),
  spans: z.number(),
  firstPosition: z.number(),
  lastPosition: z.number(),
  state: z.enum(BATCH_STATES),
  startTime: z.string(),
  endTime: z.string(),
  sentAtMs: wallMs.nullable(),
  answeredAtMs: wallMs.nullable(),
  requestId: z.string().nullable(),
  error: wireError.nullable(),
  evidence: evidence.nullable(),
});

export function createBuildRows(db: Database): JobStore<StoredBuild> {
  return createJobStore(db, {
    kind: 'build',
    what: 'build',
    schema: buildSchema,
    plan: ['applicationId', 'applicationName'],
    title: ({ name }) => name,
  });
}

/** Calls as parts. `span_receipt` records which spans are in a dataset; it outlives the build. */
export function createBuildBatches(db: Database): PartStore<BuildBatch, never> {
  return createPartStore(db, {
    what: 'request of a build',
    schema: callSchema,
    receipt: z.never(),
    place: ({ batch, spans, lastPosition }) => ({ part: batch, weight: spans, endsAt: lastPosition }),
  });
}

export const readSpan = (row: unknown): StoredSpan => parseRow(spanRow, row, 'span of a build');
