/** What is kept to be read offline, as both processes know it. */
import { z } from 'zod';
import type { WireError } from './errors.ts';
import { type ListQuery, listQuery } from './model.ts';
import type { LateStart } from './upload-model.ts';

export const KEEP_KINDS = ['application', 'dataset', 'model', 'alert-rule', 'chart'] as const;
export type KeepKind = (typeof KEEP_KINDS)[number];

export const KEEP_STATES = ['running', 'waiting', 'paused', 'done'] as const;
export type KeepState = (typeof KEEP_STATES)[number];

const MOST_HOURS = 24 * 31;

export const keepPlan = z.strictObject({
  kind: z.enum(KEEP_KINDS),
  id: z.string().min(1).max(200),
  name: z.string().max(500),
  /** Of an application the spans, of an alert rule the history in it; null: without. */
  range: z.strictObject({ startMs: z.number(), endMs: z.number() }).nullable(),
  /** Values of every entity of an application. */
  withValues: z.boolean(),
  /** The question of a chart, or the one for the values that an alert rule judged. */
  body: listQuery.shape.body.nullable(),
});
export type KeepPlan = z.infer<typeof keepPlan>;

/** Hours between two readings by itself; 0: at each start of the program; null: by hand. */
export const refreshHours = z.int().min(0).max(MOST_HOURS).nullable();

/** What a job keeps, in numbers. */
export interface KeepCounts {
  /** Lists and records that are to be kept. */
  questions: number;
  read: number;
  failed: number;
  rows: number;
  sizeBytes: number;
}

export interface Kept {
  keptId: string;
  connectionId: string;
  plan: KeepPlan;
  state: KeepState;
  reason: string;
  error: WireError | null;
  counts: KeepCounts;
  /** What is being read now, and how far. */
  reading: { query: ListQuery; rows: number; totalRows: number | null } | null;
  /** Of the oldest answer that is kept; null where there is none. */
  oldestMs: number | null;
  refreshHours: number | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

export interface KeepEstimate {
  requests: number;
  rows: number;
  sizeBytes: number;
  questions: number;
  /** With the share of the budget that keeping may use. */
  durationMs: number;
  /** Lists whose total the service does not state. */
  withoutTotal: number;
}

/** A list or record that cannot be read whole while nothing is asked of the service. */
export interface KeepGap {
  keptId: string;
  query: ListQuery;
  reason: string;
}

export interface KeepTest {
  atMs: number;
  /** Lists and records that were read, and rows in them. */
  questions: number;
  rows: number;
  /** The first of them. */
  gaps: KeepGap[];
  gapCount: number;
}

/** What the lists of a connection hold on disk. */
export interface KeepSpace {
  keptBytes: number;
  seenBytes: number;
  /** What is only looked at leaves beyond it. */
  limitBytes: number;
}
