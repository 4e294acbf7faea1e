/** Data kept for offline use, shared by both processes. */
import type { WireError } from './errors.ts';
import type { JsonObject } from './json-body.ts';
import { type ListQuery, listQuery } from './model.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

export const KEEP_KINDS = [
  'application',
  'dataset',
  'experiment',
  'model',
  'alert-rule',
  'chart',
  'board',
] as const;
export type KeepKind = (typeof KEEP_KINDS)[number];

export const KEEP_STATES = ['running', 'waiting', 'paused', 'done'] as const;
export type KeepState = (typeof KEEP_STATES)[number];

const MAX_HOURS = 24 * 31;
/** Maximum viewed lists per connection, bounded because every change scans all of them. */
export const MAX_LISTS = 2_000;
/** Maximum number of entities chosen by name for their values. */
const MAX_ENTITIES = 500;

export const keepPlan = z.strictObject({
  kind: z.enum(KEEP_KINDS),
  id: z.string().min(1).max(200),
  name: z.string().max(500),
  /** Time range of the spans (application) or history (alert rule, rules of a board) to keep; null: none. */
  range: z
    .strictObject({
      startMs: z.number(),
      endMs: z.number(),
      /** Length in milliseconds of a range that ends with the day of each reading; absent: the range is fixed. */
      isRelative: z.literal(true).optional(),
    })
    .nullable(),
  /** Includes values of the application's entities. */
  withValues: z.boolean(),
  /** Keeps values of only these entities, if `withValues`; null: of all. */
  entities: z
    .array(z.strictObject({ name: z.string().min(1).max(2_000), type: z.string().min(1).max(200) }))
    .min(1)
    .max(MAX_ENTITIES)
    .nullable(),
  /** The query of a chart, the query for the values that an alert rule judged, or the charts of a board (`boardBody`). */
  body: listQuery.shape.body.nullable(),
});
export type KeepPlan = z.infer<typeof keepPlan>;

/** The queries of the charts of a board, the ids of the alert rules whose firings they show, and the state of its tab. */
export const boardBody = (
  queries: readonly JsonObject[],
  rules: readonly string[],
  params: Readonly<Record<string, string>>,
): JsonObject => ({ queries: [...queries], rules: [...rules], params: { ...params } });

const DAY_MS = 86_400_000;

/** The range of this length up to the end of the current day in UTC. */
export function rangeUpToDay(lengthMs: number, nowMs: number): NonNullable<KeepPlan['range']> {
  const endMs = Math.floor(nowMs / DAY_MS) * DAY_MS + DAY_MS;
  return { startMs: endMs - lengthMs, endMs, isRelative: true };
}

/** The plan with its range at a moment; unchanged if the range is fixed. */
export function planAt(plan: KeepPlan, nowMs: number): KeepPlan {
  const { range } = plan;
  if (range?.isRelative !== true) return plan;
  const moved = rangeUpToDay(range.endMs - range.startMs, nowMs);
  return moved.endMs === range.endMs ? plan : { ...plan, range: moved };
}

/**
 * Whether two plans keep the same data. For a relative time range, only its length is compared. The displayed name does
 * not count.
 */
export function isSamePlan(one: KeepPlan, other: KeepPlan): boolean {
  const textOf = ({ kind, id, range, withValues, entities, body }: KeepPlan) => {
    const lengthMs = range?.isRelative === true ? range.endMs - range.startMs : null;
    return JSON.stringify([kind, id, withValues, entities, body ?? null, lengthMs ?? range]);
  };
  return textOf(one) === textOf(other);
}

/** Hours between automatic readings; 0: at each start of the program; null: manual. */
export const refreshHours = z.int().min(0).max(MAX_HOURS).nullable();

/** Counts of a job that keeps data for offline use. */
export interface KeepCounts {
  /** Number of lists and records to be kept. */
  questions: number;
  read: number;
  failed: number;
  /** Lists that were read to their end but have missing rows; included in the lists that were read. */
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
  /** The current reading and its progress. */
  reading: { query: ListQuery; rows: number; totalRows: number | null } | null;
  /** Time of the oldest kept answer; null if there is none. */
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
  /** Within the share of the budget that keeping may use. */
  durationMs: number;
  /** Number of lists whose total the service does not state. */
  withoutTotal: number;
  /** Use of each limit of the service, by operation. */
  limits: KeepLimit[];
}

/** The cost of the next reading of an entry, or of the rest of the present one. */
export interface KeepSync {
  requests: number;
  /** Duration if keeping uses its whole share of the limits. */
  byLimitsMs: number;
  /** Remaining time if this reading takes as long as the last one; null if none has ended. */
  lastMs: number | null;
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
  /** Part of `count` that keeping may use. */
  allowed: number;
}

/** A list or record that cannot be read completely without a request to the service. */
export interface KeepGap {
  keptId: string;
  /** The query of the list or record; null if it cannot be read. */
  query: ListQuery | null;
  reason: string;
}

export interface KeepTest {
  atMs: number;
  /** Number of lists and records that were read, and of rows in them. */
  questions: number;
  rows: number;
  /** The first gaps. */
  gaps: KeepGap[];
  gapCount: number;
}

export type SpaceKind = 'catalog' | 'spans' | 'items' | 'rest';

/** A list whose rows were evicted. */
export interface LeftList {
  query: ListQuery;
  atMs: number;
  sizeBytes: number;
  /** The limit as text: `2 GB`. */
  limit: string;
}

/** Disk space of a connection's lists. */
export interface KeepSpace {
  keptBytes: number;
  /** Parts of `keptBytes`. */
  kinds: Record<SpaceKind, number>;
  seenBytes: number;
  /** Viewed lists beyond this limit are evicted. */
  limitBytes: number;
  /** Lists that were evicted since they were last read: the most recent ones, and the number of all. */
  left: LeftList[];
  leftCount: number;
  /** Share of each limit that keeping may use. */
  shares: KeepShare[];
}

/** The local data that dropping an entry removes. */
export interface KeepDrop {
  /** Lists and records that no other entry keeps. */
  goes: number;
  goesBytes: number;
  /** Lists and records that stay, because other entries keep them too. */
  stays: number;
  /** Names of those entries. */
  others: string[];
}
