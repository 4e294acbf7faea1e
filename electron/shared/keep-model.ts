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
/** Lists of a connection that are only looked at: changes look through all of them. */
export const MOST_LISTS = 2_000;
/** Entities whose values are chosen by name. */
const MOST_ENTITIES = 500;

export const keepPlan = z.strictObject({
  kind: z.enum(KEEP_KINDS),
  id: z.string().min(1).max(200),
  name: z.string().max(500),
  /** Of an application the spans, of an alert rule the history in it; null: without. */
  range: z
    .strictObject({
      startMs: z.number(),
      endMs: z.number(),
      /** Up to the day of each reading, so many milliseconds long; absent: always these days. */
      isRelative: z.literal(true).optional(),
    })
    .nullable(),
  /** Values of the entities of an application. */
  withValues: z.boolean(),
  /** Only of these entities, where `withValues`; null: of all. */
  entities: z
    .array(z.strictObject({ name: z.string().min(1).max(2_000), type: z.string().min(1).max(200) }))
    .min(1)
    .max(MOST_ENTITIES)
    .nullable(),
  /** The question of a chart, or the one for the values that an alert rule judged. */
  body: listQuery.shape.body.nullable(),
});
export type KeepPlan = z.infer<typeof keepPlan>;

const DAY_MS = 86_400_000;

/** The time of this length up to the end of the day in UTC: it moves on with the day. */
export function rangeUpToDay(lengthMs: number, nowMs: number): NonNullable<KeepPlan['range']> {
  const endMs = Math.floor(nowMs / DAY_MS) * DAY_MS + DAY_MS;
  return { startMs: endMs - lengthMs, endMs, isRelative: true };
}

/** The plan as it is read at a moment: the same where its range does not move. */
export function planAt(plan: KeepPlan, nowMs: number): KeepPlan {
  const { range } = plan;
  if (range?.isRelative !== true) return plan;
  const moved = rangeUpToDay(range.endMs - range.startMs, nowMs);
  return moved.endMs === range.endMs ? plan : { ...plan, range: moved };
}

/** Hours between two readings by itself; 0: at each start of the program; null: by hand. */
export const refreshHours = z.int().min(0).max(MOST_HOURS).nullable();

/** What a job keeps, in numbers. */
export interface KeepCounts {
  /** Lists and records that are to be kept. */
  questions: number;
  read: number;
  failed: number;
  /** Of these: lists that were read to their end, and of which rows are missing. */
  incomplete: number;
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
  /** What it takes of each limit of the service, by operation. */
  limits: KeepLimit[];
}

/** A limit of the service for one operation. */
interface KeepWindow {
  operation: string;
  /** Requests in `lengthMs`. */
  count: number;
  lengthMs: number;
}

interface KeepLimit extends KeepWindow {
  requests: number;
}

export interface KeepShare extends KeepWindow {
  /** Of `count`: what keeping may use. */
  allowed: number;
}

/** A list or record that cannot be read whole while nothing is requested from the service. */
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

export type SpaceKind = 'catalog' | 'spans' | 'items' | 'rest';

/** A list whose rows made room for others. */
export interface LeftList {
  query: ListQuery;
  atMs: number;
  sizeBytes: number;
  /** The limit, in words: `2 GB`. */
  limit: string;
}

/** What the lists of a connection hold on disk. */
export interface KeepSpace {
  keptBytes: number;
  /** Parts of `keptBytes`. */
  kinds: Record<SpaceKind, number>;
  seenBytes: number;
  /** What is only looked at leaves beyond it. */
  limitBytes: number;
  /** Lists that left since they were read last: the newest of them, and how many there are. */
  left: LeftList[];
  leftCount: number;
  /** The share of each limit that keeping may use. */
  shares: KeepShare[];
}

/** What dropping an entry removes from this computer. */
export interface KeepDrop {
  /** Lists and records that nothing else keeps. */
  goes: number;
  goesBytes: number;
  /** Lists and records that stay, as other entries keep them too. */
  stays: number;
  /** Names of those entries. */
  others: string[];
}
