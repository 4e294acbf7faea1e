/** Builds (basket, mapping, dataset) and score runs, as both processes know them. */
import { z } from 'zod';
import type { WireError } from './errors.ts';
import { jsonObject } from './json-body.ts';
import type { PickSource } from './pick-source.ts';
import type { ItemFieldChange } from './snapshot-model.ts';
import type { BuildTwins, SpanTwin } from './twin-model.ts';
import type { LateStart } from './upload-model.ts';

/** The four buckets of a dataset item (SERVICE.md S2.6), in the order they are shown. */
export const BUCKETS = ['inputs', 'expected_outputs', 'metadata', 'extras'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** Spans of one from-spans call at most (SERVICE.md F3.3). */
export const MAX_SPANS_PER_CALL = 200;

/** Spans named in the filter of one query of spans: it takes so many rules (SERVICE.md F2.1). */
export const SPANS_A_REQUEST = 10;

/** One field of the items: `key` is an attribute key exactly as spans.fields returns it. */
export const mappingEntry = z.strictObject({
  bucket: z.enum(BUCKETS),
  field: z.string().max(500),
  key: z.string().max(1_000),
});
export type MappingEntry = z.infer<typeof mappingEntry>;

/** In the order of the form. While it is edited it may hold duplicates and empty names: `problems` names them. */
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

/** Start inclusive, end exclusive; times as the service takes them. */
export const timeRange = z.strictObject({
  startTime: z.string().min(1).max(100),
  endTime: z.string().min(1).max(100),
});
export type TimeRange = z.infer<typeof timeRange>;

/**
 * `editing`: nothing was sent. `committing`: calls are being sent. `waiting`: the service cannot be reached, goes on
 * by itself. `paused`: by a person, or the program ended. `stopped`: the service refused a call; `failed` spans or
 * `error` say why. `needs-decision`: only calls of unknown outcome are left.
 * `cancelled`: by a person; items that were added stay, the rest is never sent.
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
  /** Left out by the person. */
  excluded: number;
  /** Left out because the target holds an item of the span already, by receipts and stored items. */
  added: number;
  unsent: number;
  /** Named by a 422; not sent again until it is decided what to do with them. */
  unresolved: number;
  sending: number;
  unknown: number;
  acknowledged: number;
  /** Of a call of unknown outcome that the person gave up. */
  givenUp: number;
  /** Picked by identity alone: no record is here to preview. */
  withoutRecord: number;
}

/** Picking all of a source into the basket. */
export interface BuildFill {
  /** `stopped` by a person; `interrupted`: the program ended meanwhile. */
  phase: 'running' | 'done' | 'stopped' | 'interrupted' | 'failed';
  source: PickSource;
  /** Spans of the source that were read. */
  fetched: number;
  /** Spans it brought that were not in the basket before. */
  added: number;
  /** Spans of the source, as far as it says; null while not known. */
  total: number | null;
  /** The list changed between two of its pages: spans may be missing. */
  hasMovedWhileRead: boolean;
  error: WireError | null;
}

/** What was found at the end, compared with what was expected. */
export interface BuildCheck {
  atMs: number;
  /** Items of the dataset by its schema, before the first call and after the last; null where not read. */
  itemsBefore: number | null;
  itemsAfter: number | null;
  expectedAdded: number;
  /** Items that were read back and compared with the preview. */
  comparedItems: number;
  equalItems: number;
  /** First differences, as sentences (at most 20). */
  differences: string[];
  /** One sentence. */
  verdict: 'equal' | 'count-agrees' | 'differs' | 'undecided';
  facts: string[];
}

/** What a person does with spans that a call named as not found. */
export const UNRESOLVED_ACTIONS = ['exclude', 'retry', 'widen'] as const;
export type UnresolvedAction = (typeof UNRESOLVED_ACTIONS)[number];
/** After so many calls with a wider range it is not widened again. */
export const MOST_SEARCH_CALLS = 12;

/** Spans that a call named as not found are looked for in wider and wider time ranges. */
export interface WiderSearch {
  /** Widening of a call's range on both sides; 0 while the spans that were found are sent first. */
  marginMs: number;
  /** Calls made with a wider range. */
  calls: number;
  /** Spans found, and so added, by the widening they were found with. */
  found: { marginMs: number; spans: number }[];
  /** The service refused a call with so wide a range. */
  isRefused: boolean;
  /** Why it ended: `widest` and `allowance` leave spans not found. Null while it goes on. */
  end: 'all-found' | 'widest' | 'allowance' | 'refused' | null;
}

/**
 * Picked spans read again before the first call, as they may have changed since they were prepared. `due`: to be done.
 * `found`: it stopped, for a person to see what changed. `taken`: it goes on with what is there now. `refused`: the
 * service does not answer such a question, so it goes on as before.
 */
export const RECHECK_PHASES = ['due', 'found', 'same', 'taken', 'refused'] as const;
export interface BuildRecheck {
  phase: (typeof RECHECK_PHASES)[number];
  atMs: number | null;
  checked: number;
  /** The service has them no more, as far as it lets be looked. */
  gone: number;
  /** Their items would have other values than those that were shown. */
  changed: number;
  /** At another time, with the same values. */
  moved: number;
}

/**
 * Spans of files are asked for at the service. `due`: before the first call. `off`: a person wants all of them to go as
 * items. `refused`: the service does not answer such a question, so they go as items too.
 */
export const ASK_PHASES = ['due', 'running', 'done', 'refused', 'off'] as const;
export interface BuildAsk {
  phase: (typeof ASK_PHASES)[number];
  asked: number;
  /** It has them with the same values: they go by from-spans. */
  known: number;
}

/** One span that is not as it was prepared. */
export interface RecheckDifference {
  position: number;
  name: string | null;
  spanId: string;
  kind: 'gone' | 'changed' | 'moved';
  /** Of its item; none of one that is gone or only at another time. */
  changes: ItemFieldChange[];
  /** Null where it is at its own time, or gone. */
  startsNow: string | null;
}

export const PICK_ACTS = ['pick', 'unpick'] as const;

export const STEP_WAYS = ['undo', 'redo'] as const;
export type StepWay = (typeof STEP_WAYS)[number];

/** What one act did to the basket: spans put in, or taken out. */
export interface PickStep {
  what: (typeof PICK_ACTS)[number];
  spans: number;
}

export interface DatasetBuild {
  buildId: string;
  connectionId: string;
  /** What the person calls it. */
  name: string;
  applicationId: string;
  applicationName: string;
  state: BuildState;
  /** Why it waits or stopped, in words; empty where that is plain. */
  reason: string;
  error: WireError | null;
  mapping: Mapping;
  target: DatasetTarget | null;
  /** The dataset that is written to; null until it is created. */
  datasetId: string | null;
  /** Leaves out spans that the target holds an item of already. */
  skipsAdded: boolean;
  /** Leaves out spans that the service cannot resolve, without stopping. */
  skipsUnresolved: boolean;
  /** Null before they were looked for. */
  twins: BuildTwins | null;
  /** Bounds for every call, where a person set them; null: from the start times of the spans of each call. */
  timeRange: TimeRange | null;
  /** Widening of the time range of each call on both sides of its spans' start times. */
  marginMs: number;
  /** The search of spans that the service did not find; null where none was asked for. */
  search: WiderSearch | null;
  /** Null where the spans are not read again. */
  recheck: BuildRecheck | null;
  /** Null where no span comes from a file. */
  ask: BuildAsk | null;
  counts: BuildCounts;
  batches: { total: number; acknowledged: number; unknown: number; doubtful: number };
  /** Why the item ids of the first `doubtful` call are no receipt. */
  doubt: WireError | null;
  fill: BuildFill | null;
  /** What is undone, and what is redone, next in the basket; null where there is nothing. */
  undo: PickStep | null;
  redo: PickStep | null;
  check: BuildCheck | null;
  /** Earliest and latest start of the picked spans; null where none carries a time. */
  spanRange: TimeRange | null;
  /** Anything that stands against a commit, in words; empty when it can be sent. */
  problems: string[];
  /** Wall time at which it begins, or goes on, by itself; only while it is edited, paused or stopped. */
  startAtMs: number | null;
  /** Set once it began by itself later than planned, as the application was closed or the computer slept. */
  lateStart: LateStart | null;
  createdAtMs: number;
  changedAtMs: number;
  endedAtMs: number | null;
}

/** Of one span of a build; the counts of a build are those of its spans by state. */
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

/** The item as the service writes it. */
export type ItemBuckets = Record<Bucket, Record<string, unknown>>;

/** One picked span with the item it becomes. */
export interface BuildRow {
  /** Stable within the build; ascending in the order of picking. */
  position: number;
  trace_id: string;
  span_id: string;
  name: string | null;
  span_type: string | null;
  start_time: string | null;
  state: SpanState;
  /** Null where no record of the span is here. Long texts are cut: `isCut`. */
  item: ItemBuckets | null;
  isCut: boolean;
  /** Its expected output was edited in the review. */
  isEdited: boolean;
  /** Its contents come from a file. */
  isOfFile: boolean;
  /** Entries of the mapping whose key the span lacks. */
  missing: MappingEntry[];
  /** What its input is like, as far as was looked for. */
  twin: SpanTwin | null;
  /** Id of the item in the dataset, where a receipt says it. */
  itemId: string | null;
  /** Answer of the service of the span, where it could not resolve it. */
  message: string | null;
  /** The call it belongs to. */
  batch: number | null;
}

export interface BuildRowPage {
  /** May be fewer than asked for: a message carries about 100 KB. Ask again from the row after the last one. */
  rows: BuildRow[];
  matchingRows: number;
}

export const BUILD_ROW_FILTERS = [
  'all',
  'to-send',
  'missing',
  'twins',
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
  /** Picked spans that hold it, excluded ones left out. */
  count: number;
  of: number;
  /** JSON types seen among the samples: string, number, boolean, null, array, object. */
  types: string[];
  /** Up to three values as text, cut to 150 characters. */
  samples: string[];
}

export interface ItemField {
  bucket: Bucket;
  field: string;
}

export interface MappingCheck {
  /** What stands against sending it, in words. */
  problems: string[];
  /** One per entry of the mapping, in its order. */
  coverage: { present: number; of: number }[];
  /** Spans that lack at least one key. */
  spansWithMissing: number;
  /** Inputs and expected outputs that the items of the target hold and the mapping leaves out. */
  unfilled: ItemField[];
  /** Fields of the mapping that no item of the target holds; empty where its items are not known. */
  unseen: ItemField[];
}

/** Why an entry was suggested. */
export interface SuggestedEntry extends MappingEntry {
  why: string;
}

export interface BuildPlan {
  /** With `itemCalls`. */
  calls: number;
  spans: number;
  /** Of them, those whose expected output was edited; they go as items, in calls of their own. */
  edited: number;
  itemCalls: number;
  /** Of the spans, those that come from a file and are not edited; they go as items too. */
  ofFile: number;
  /** Of all spans of files: not asked for at the service yet, not there, there with other values. */
  unasked: number;
  absent: number;
  other: number;
  /** Everything that is sent for it, by operation: the calls, and what surrounds them. */
  requests: { operation: string; count: number }[];
  /** Wall time of the last answer, by the scheduler's lanes. */
  finishAtMs: number;
  /** Text of the limit that decides when it finishes, e.g. `300 in 60 s`; null when none does. */
  limit: string | null;
  /** One sentence for a person. */
  sentence: string;
}
