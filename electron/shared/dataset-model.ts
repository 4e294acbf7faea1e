/** Builds (basket, mapping, dataset) and score runs, shared by both processes. */
import type { WireError } from './errors.ts';
import type { ItemFieldChange } from './item-field-change.ts';
import { jsonObject } from './json-body.ts';
import type { BuildNearDuplicates, SpanNearDuplicate } from './near-duplicate-model.ts';
import type { PickSource } from './pick-source.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

/** The four buckets of a dataset item (SERVICE.md S2.6), in display order. */
export const BUCKETS = ['inputs', 'expected_outputs', 'metadata', 'extras'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Maximum spans in one from-spans call (SERVICE.md F3.3). */
export const MAX_SPANS_PER_CALL = 200;

/** Number of spans in the filter of one span query, limited by its number of rules (SERVICE.md F2.1). */
export const SPANS_A_REQUEST = 10;

/** One field of the items: `key` is an attribute key exactly as returned by spans.fields. */
export const mappingEntry = z.strictObject({
  bucket: z.enum(BUCKETS),
  field: z.string().max(500),
  key: z.string().max(1_000),
});
export type MappingEntry = z.infer<typeof mappingEntry>;

/**
 * Fields in the order of the form. While it is edited it may contain duplicates and empty names: `problems` lists them.
 */
export const mapping = z.array(mappingEntry).max(500);
export type Mapping = z.infer<typeof mapping>;

export const spanRef = z.strictObject({
  trace_id: z.string().min(1).max(200),
  span_id: z.string().min(1).max(200),
});
export type SpanRef = z.infer<typeof spanRef>;

export const datasetTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('existing'),
    datasetId: z.string().min(1).max(100),
    name: z.string().max(500),
  }),
  z.strictObject({
    kind: z.literal('new'),
    name: z.string().max(500),
    description: z.string().max(10_000).nullable(),
    metadata: jsonObject.nullable(),
  }),
]);
export type DatasetTarget = z.infer<typeof datasetTarget>;

/** Start inclusive, end exclusive; times in the service's format. */
export const timeRange = z.strictObject({
  startTime: z.string().min(1).max(100),
  endTime: z.string().min(1).max(100),
});
export type TimeRange = z.infer<typeof timeRange>;

/**
 * `editing`: nothing was sent. `committing`: calls are being sent. `waiting`: the service is unreachable, continues
 * automatically. `paused`: by a person, or the program ended. `stopped`: the service rejected a call; `failed` spans or
 * `error` say why. `needs-decision`: only calls of unknown outcome are left. `cancelled`: by a person; added items
 * stay, the rest is never sent.
 */
export const BUILD_STATES = [
  'editing',
  'committing',
  'waiting',
  'paused',
  'stopped',
  'needs-decision',
  'done',
  'cancelled',
] as const;
export type BuildState = (typeof BUILD_STATES)[number];

/** picked = excluded + added + unsent + unresolved + sending + unknown + acknowledged + givenUp, at every instant. */
export interface BuildCounts {
  picked: number;
  /** Excluded by the person. */
  excluded: number;
  /** Excluded because the target already has an item of the span, according to receipts and stored items. */
  added: number;
  unsent: number;
  /** Named by a 422; not sent again until a person decides. */
  unresolved: number;
  sending: number;
  unknown: number;
  acknowledged: number;
  /** In a call of unknown outcome that the person gave up. */
  givenUp: number;
  /** Spans picked by identity alone, for which no record is stored to show a preview. */
  withoutRecord: number;
}

/** Progress of picking a complete source into the basket. */
export interface BuildFill {
  /** `stopped`: by a person. `interrupted`: the program ended while it was picking. */
  phase: 'running' | 'done' | 'stopped' | 'interrupted' | 'failed';
  source: PickSource;
  /** Number of spans read from the source. */
  fetched: number;
  /** Spans that were not in the basket before. */
  added: number;
  /** Total spans of the source, as far as stated; null while unknown. */
  total: number | null;
  /** The list changed while it was read, between two pages, so spans may be missing. */
  hasMovedWhileRead: boolean;
  error: WireError | null;
}

/** Comparison of the created dataset with the expectation, after the last call. */
export interface BuildCheck {
  atMs: number;
  /**
   * The dataset's number of items according to its schema, before the first call and after the last; null if not read.
   */
  itemsBefore: number | null;
  itemsAfter: number | null;
  expectedAdded: number;
  /** Number of items read back and compared with the preview. */
  comparedItems: number;
  equalItems: number;
  /** First differences, as sentences (at most 20). */
  differences: string[];
  /** The result of the check. */
  verdict: 'equal' | 'count-agrees' | 'differs' | 'undecided';
  facts: string[];
  /** Number of items read back that have no field at all. */
  emptyItems?: number | undefined;
  /** Fields of the mapping that no item of the dataset has, e.g. `inputs.question`. */
  unfilled?: string[] | undefined;
}

/** Actions that a person can choose for spans that a call named as not found. */
export const UNRESOLVED_ACTIONS = ['exclude', 'retry', 'widen'] as const;
export type UnresolvedAction = (typeof UNRESOLVED_ACTIONS)[number];
/** Maximum calls with a wider range. */
export const MAX_SEARCH_CALLS = 12;

/** Search for spans that a call named as not found, in time ranges that grow step by step. */
export interface WiderSearch {
  /** Time added to both ends of a call's range; 0 while spans that were found are being sent. */
  marginMs: number;
  /** Number of calls with a wider range. */
  calls: number;
  /** Spans found and added, by margin. */
  found: { marginMs: number; spans: number }[];
  /** The service rejected a call with such a wide range. */
  isRefused: boolean;
  /** Why the search ended: after `widest` and `allowance`, some spans are still not found. Null while it continues. */
  end: 'all-found' | 'widest' | 'allowance' | 'refused' | null;
}

/**
 * Result of reading the picked spans again before the first call, because they may have changed since they were
 * prepared. `due`: not done yet. `found`: stopped, so that a person can look at the changes. `taken`: continues with
 * the current values. `refused`: the service does not support such a query, so the build continues without it.
 */
export const RECHECK_PHASES = ['due', 'found', 'same', 'taken', 'refused'] as const;
export interface BuildRecheck {
  phase: (typeof RECHECK_PHASES)[number];
  atMs: number | null;
  checked: number;
  /** No longer at the service, as far as it can be queried. */
  gone: number;
  /** Spans whose items would differ from those shown. */
  changed: number;
  /** Spans with the same values at another time. */
  moved: number;
}

/**
 * Asking the service for spans of files. `due`: before the first call. `off`: a person chose to send all of them as
 * items. `refused`: the service does not support such a query, so they are sent as items too.
 */
export const ASK_PHASES = ['due', 'running', 'done', 'refused', 'off'] as const;
export interface BuildAsk {
  phase: (typeof ASK_PHASES)[number];
  asked: number;
  /** Spans that the service has with the same values; they are added with from-spans. */
  known: number;
}

/** One span that differs from its prepared state. */
export interface RecheckDifference {
  position: number;
  name: string | null;
  spanId: string;
  kind: 'gone' | 'changed' | 'moved';
  /** Changes of the span's item; empty if the span is gone, or only at another time. */
  changes: ItemFieldChange[];
  /** The new start of the span; null if it is unchanged, or if the span is gone. */
  startsNow: string | null;
}

export const PICK_ACTS = ['pick', 'unpick'] as const;

export const STEP_DIRECTIONS = ['undo', 'redo'] as const;
export type StepDirection = (typeof STEP_DIRECTIONS)[number];

/** The effect of one action on the basket: spans added or removed. */
export interface PickStep {
  what: (typeof PICK_ACTS)[number];
  spans: number;
}

export interface DatasetBuild {
  buildId: string;
  connectionId: string;
  /** Name given by the person. */
  name: string;
  applicationId: string;
  applicationName: string;
  state: BuildState;
  /** Why the build waits or stopped; empty if that is obvious. */
  reason: string;
  error: WireError | null;
  mapping: Mapping;
  target: DatasetTarget | null;
  /** The target dataset; null until the dataset is created. */
  datasetId: string | null;
  /** Excludes spans whose item is already in the target. */
  skipsAdded: boolean;
  /** Excludes spans that the service cannot resolve, without stopping. */
  skipsUnresolved: boolean;
  /** Null before the first search. */
  nearDuplicates: BuildNearDuplicates | null;
  /** Bounds for every call, if set by a person; null: from the start times of each call's spans. */
  timeRange: TimeRange | null;
  /** Margin of each call's time range on both sides of its spans' start times. */
  marginMs: number;
  /** The search for spans that the service did not find; null if none was requested. */
  search: WiderSearch | null;
  /** Null if the spans are not read again. */
  recheck: BuildRecheck | null;
  /** Null if no span comes from a file. */
  ask: BuildAsk | null;
  counts: BuildCounts;
  batches: { total: number; acknowledged: number; unknown: number; doubtful: number };
  /** Why the item ids in the answer to the first `doubtful` call are not a receipt. */
  doubt: WireError | null;
  fill: BuildFill | null;
  /** The next undo and redo steps of the basket; null if there is none. */
  undo: PickStep | null;
  redo: PickStep | null;
  check: BuildCheck | null;
  /** Earliest and latest start of the picked spans; null if none has a time. */
  spanRange: TimeRange | null;
  /** Problems that prevent a commit; empty if it can be sent. */
  problems: string[];
  /** Wall time of the automatic start or continuation; set only while the build is edited, paused or stopped. */
  startAtMs: number | null;
  /** Set after an automatic start later than planned, because the application was closed or the computer slept. */
  lateStart: LateStart | null;
  createdAtMs: number;
  changedAtMs: number;
  endedAtMs: number | null;
}

/** State of one span of a build; the counts of a build are the numbers of its spans by state. */
export const SPAN_STATES = [
  'unsent',
  'excluded',
  'added',
  'unresolved',
  'sending',
  'unknown',
  'acknowledged',
  'given-up',
] as const;
export type SpanState = (typeof SPAN_STATES)[number];

/** The item that the service creates. */
export type ItemBuckets = Record<Bucket, Record<string, unknown>>;

/** One picked span with the item made from it. */
export interface BuildRow {
  /** Stable within the build; ascending in picking order. */
  position: number;
  trace_id: string;
  span_id: string;
  name: string | null;
  span_type: string | null;
  start_time: string | null;
  /** Input and output of the span for one line of a list, truncated; null without a record or text. */
  input: string | null;
  output: string | null;
  state: SpanState;
  /** Null if no record of the span is stored. Long texts are truncated: `isCut`. */
  item: ItemBuckets | null;
  isCut: boolean;
  /** Whether the span's expected output was edited in the review. */
  isEdited: boolean;
  /** Whether the span's contents come from a file. */
  isOfFile: boolean;
  /** Entries of the mapping whose key the span lacks. */
  missing: MappingEntry[];
  /** The span or item whose input is similar to that of this span, according to the last search. */
  nearDuplicate: SpanNearDuplicate | null;
  /** Id of the item in the dataset, if a receipt has it. */
  itemId: string | null;
  /** The service's message about the span, if it could not resolve it. */
  message: string | null;
  /** Number of the call that contains the span. */
  batch: number | null;
}

export interface BuildRowPage {
  /** May be fewer than requested: a message holds about 100 KB. Continue with the row after the last one. */
  rows: BuildRow[];
  matchingRows: number;
}

export const BUILD_ROW_FILTERS = [
  'all',
  'to-send',
  'missing',
  'near-duplicates',
  'unresolved',
  'excluded',
  'added',
  'acknowledged',
  'unknown',
] as const;
export type BuildRowFilter = (typeof BUILD_ROW_FILTERS)[number];

/** An attribute key of the picked spans. */
export interface BuildKey {
  key: string;
  /** Picked spans with this key, without excluded ones. */
  count: number;
  of: number;
  /** JSON types found in the samples: string, number, boolean, null, array, object. */
  types: string[];
  /** Up to three values as text, truncated to 150 characters. */
  samples: string[];
}

export interface ItemField {
  bucket: Bucket;
  field: string;
}

export interface MappingCheck {
  /** Problems that prevent sending it. */
  problems: string[];
  /** One for each entry of the mapping, in order. */
  coverage: { present: number; of: number }[];
  /** Spans that lack at least one key. */
  spansWithMissing: number;
  /** Spans with none of the keys that are mapped to inputs. */
  spansWithoutInputs: number;
  /** Inputs and expected outputs in the target's items that the mapping leaves out. */
  unfilled: ItemField[];
  /** Fields of the mapping that no item of the target has; empty if its items are unknown. */
  unseen: ItemField[];
}

/** Why an entry was suggested. */
export interface SuggestedEntry extends MappingEntry {
  reason: string;
}

export interface BuildPlan {
  /** Including `itemCalls`. */
  calls: number;
  spans: number;
  /** Among these spans, those with an edited expected output; they are sent as items, in separate calls. */
  edited: number;
  itemCalls: number;
  /** Among the spans, unedited ones from a file; they are sent as items too. */
  ofFile: number;
  /** Numbers among all spans from files: not looked up at the service yet, absent there, or with other values there. */
  unasked: number;
  absent: number;
  other: number;
  /** All requests of the build by operation: the calls, and the requests before and after them. */
  requests: { operation: string; count: number }[];
  /** Wall time of the last answer, by the scheduler's lanes. */
  finishAtMs: number;
  /** Text of the limit that determines when it finishes, e.g. `300 in 60 s`; null if none does. */
  limit: string | null;
  /** One sentence for a person. */
  sentence: string;
}
