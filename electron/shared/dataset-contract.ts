/** The channels of builds (datasets from spans) and of scores that are not common to all jobs; merged into contract.ts. */
import type * as d from './dataset-model.ts';
import {
  BUILD_ROW_FILTERS,
  datasetTarget,
  mapping,
  STEP_DIRECTIONS,
  spanRef,
  timeRange,
  UNRESOLVED_ACTIONS,
} from './dataset-model.ts';
import { listQuery } from './model.ts';
import {
  MIN_NEAR_DUPLICATE_THRESHOLD,
  NEAR_DUPLICATE_SKIPS,
  type NearDuplicatePair,
} from './near-duplicate-model.ts';
import { pickSource } from './pick-source.ts';
import {
  MAX_REVIEW_EVENTS,
  reviewEvent,
  reviewerName,
  type StoredReviewEvent,
  verdictTarget,
} from './review-model.ts';
import {
  type ChosenItem,
  MAX_COMPARED_RUNS,
  type RunItem,
  type RunsComparison,
  runRef,
  runsQuery,
  usageQuery,
} from './run-comparison.ts';
import type { RunsUsage } from './run-usage.ts';
import type { ScoreResult } from './score-model.ts';
import type { GroupAgreement, ReviewAgreement, SecondReviewCounts } from './second-review.ts';
import { type SpanFileCheck, spanFile } from './span-file.ts';
import type { VerdictCounts } from './verdict-counts.ts';
import * as z from './zod.ts';

const connectionId = z.uuid();
const buildId = z.string().max(100);
const position = z.int().min(0);
const offset = z.int().min(0);
const limit = z.int().min(1).max(200);
const read = <A extends string>(action: A) =>
  z.strictObject({ action: z.literal(action), connectionId, buildId });

/** Changes specific to a build, besides the actions of every job. */
export const buildChange = z.discriminatedUnion('type', [
  /**
   * Mapping, target and `skipsAdded` can only change while `editing`, the others whenever nothing is in flight.
   * `skipsAdded` also while the build asks about spans that another build is adding: it then applies to the rest.
   */
  z.strictObject({
    type: z.literal('settings'),
    patch: z.strictObject({
      name: z.string().max(200).optional(),
      mapping: mapping.optional(),
      target: datasetTarget.nullable().optional(),
      skipsAdded: z.boolean().optional(),
      skipsUnresolved: z.boolean().optional(),
      widens: z.boolean().optional(),
      /** Reads the spans again before the first call, and stops if they changed. */
      rechecks: z.boolean().optional(),
      /** Asks the service before the first call which spans of files it has. */
      asks: z.boolean().optional(),
      timeRange: timeRange.nullable().optional(),
      marginMs: z.int().min(0).max(31_536_000_000).optional(),
    }),
  }),
  /** Picks a complete source into the basket, as one undo step. Progress is reported by jobs:changed. */
  z.strictObject({ type: z.literal('pick-all'), source: pickSource }),
  /** While `editing`: asks the service now for spans of files, and for spans with only their ids stored. */
  z.strictObject({ type: z.literal('ask') }),
  /** Picks spans of another basket of the same application by position, including their edits. */
  z.strictObject({
    type: z.literal('pick-of'),
    fromId: buildId,
    positions: z.array(position).min(1).max(1_000),
  }),
  /** While `editing`: removes spans from the basket. `continues`: undone together with the previous change. */
  z.strictObject({
    type: z.literal('unpick'),
    continues: z.boolean().optional(),
    spans: z.union([z.array(spanRef).min(1).max(1_000), z.literal('all'), z.literal('excluded')]),
  }),
  /** While `editing`: undoes or redoes picks and removals. */
  z.strictObject({ type: z.literal('step'), direction: z.enum(STEP_DIRECTIONS) }),
  z.strictObject({
    type: z.literal('exclude'),
    positions: z.array(position).min(1).max(1_000),
    isExcluded: z.boolean(),
  }),
  /**
   * While `editing`: searches for spans whose input is a near-duplicate of another, and excludes all or some of them.
   */
  z.strictObject({
    type: z.literal('find-near-duplicates'),
    threshold: z.number().min(MIN_NEAR_DUPLICATE_THRESHOLD).max(1),
    skips: z.enum(NEAR_DUPLICATE_SKIPS),
  }),
  /**
   * After a 422: continue without the spans it named, request them again, optionally with a wider time range, or search
   * for them in wider and wider time ranges (`widen`).
   */
  z.strictObject({
    type: z.literal('settle-unresolved'),
    action: z.enum(UNRESOLVED_ACTIONS),
    marginMs: z.int().min(0).max(31_536_000_000).nullable(),
  }),
  /** A person's review decisions, in any state of the build. `seq`: the number of the first event. */
  z.strictObject({
    type: z.literal('review'),
    seq: offset,
    events: z.array(reviewEvent).min(1).max(MAX_REVIEW_EVENTS),
  }),
]);
export type BuildChange = z.output<typeof buildChange>;

export const datasetContract = {
  /**
   * Adds rows of a stored list of spans.query. `position` is the row's position in that list; spans no longer there are
   * returned as `missing`, and those already in the basket are counted. `continues`: undone together with the previous
   * call.
   */
  'builds:pick-spans': z.strictObject({
    connectionId,
    buildId,
    query: listQuery,
    continues: z.boolean().optional(),
    spans: z.array(spanRef.extend({ position })).min(1).max(1_000),
  }),
  /** Reads the review file of another reviewer; replaces an earlier one of the same name. */
  'builds:add-second-review': z.strictObject({
    connectionId,
    buildId,
    file: spanFile,
    reviewer: reviewerName,
  }),
  /** Adds the verdicts of a review to the results of an existing run. */
  'builds:add-verdicts': z.discriminatedUnion('action', [
    /** Counts the verdicts to add. Reads the results of the run to their end, and sends nothing. */
    z.strictObject({ action: z.literal('preview'), connectionId, ...verdictTarget.shape }),
    /** Starts the durable job that adds them. */
    z.strictObject({ action: z.literal('send'), connectionId, ...verdictTarget.shape }),
  ]),
  'builds:read': z.discriminatedUnion('action', [
    /** Finds these spans in the basket, so that a list of spans can mark them. */
    read('find-picked').extend({ spans: z.array(spanRef).min(1).max(1_000) }),
    /** Reads a whole file and returns the spans in it. */
    z.strictObject({ action: z.literal('check-file'), connectionId, ...spanFile.shape }),
    /** `mapping`: a mapping to try; null: the mapping of the build. */
    read('rows').extend({ mapping: mapping.nullable(), show: z.enum(BUILD_ROW_FILTERS), offset, limit }),
    /** Most frequent first. */
    read('keys').extend({ search: z.string().max(200), offset, limit }),
    read('check-mapping').extend({ mapping }),
    /** From well-known keys and, if the target has items, from their fields. */
    read('suggest-mapping'),
    /** Events of the review, from number `seq` on. */
    read('review').extend({ seq: offset }),
    /** Positions of the picked spans from this one on, for a review. */
    read('places').extend({ position }),
    /** Agreement with each of the other reviewers. */
    read('agreements'),
    /** Agreement among all reviewers. */
    read('group-agreement'),
    /** Complete records of picked spans, from this position on. */
    read('records').extend({ position }),
    /** One complete span. */
    read('span').extend({ position }),
    /** A near-duplicate and the span or item that it resembles. */
    read('near-duplicate').extend({ position }),
    /** Spans that differ from their prepared state. */
    read('differences').extend({ offset, limit }),
  ]),
  /**
   * The latest scores of items, one result for each evaluator, for display in a list. If they exceed a message, long
   * reasonings are shortened.
   */
  'scores:of-items': z.strictObject({
    connectionId,
    datasetId: z.string().max(100),
    itemIds: z.array(z.string().min(1).max(200)).min(1).max(200),
  }),
  /** Compares runs over one dataset, from stored results: the summary and a page of the rows. */
  'runs:compare': z.strictObject({ connectionId, ...runsQuery.shape }),
  /** A page of the items of a filter, in its order. */
  'runs:items': z.strictObject({ connectionId, ...runsQuery.shape }),
  /** Tokens, cost and critical path of the traces that the results of runs name, once the stored spans are read. */
  'runs:usage': usageQuery.extend({ connectionId }),
  /** An item in each run. */
  'runs:item': z.strictObject({
    connectionId,
    runs: z.array(runRef).min(1).max(MAX_COMPARED_RUNS),
    itemId: z.string().min(1).max(500),
  }),
} as const;

export interface DatasetResults {
  'builds:add-second-review': SecondReviewCounts;
  'builds:pick-spans': { build: d.DatasetBuild; added: number; known: number; missing: d.SpanRef[] };
  'scores:of-items': ScoreResult[];
  'runs:compare': RunsComparison;
  'runs:items': ChosenItem[];
  'runs:usage': RunsUsage;
  'runs:item': RunItem;
}

/** The results of `builds:add-verdicts`. */
export interface VerdictAnswers {
  preview: VerdictCounts;
  send: { itemsId: string };
}

/** The results of `builds:read`. */
export interface BuildAnswers {
  /** In the requested order; null if the span is not in the basket. */
  'find-picked': ({ position: number; state: d.SpanState } | null)[];
  'check-file': SpanFileCheck;
  rows: d.BuildRowPage;
  keys: { keys: d.BuildKey[]; total: number };
  'check-mapping': d.MappingCheck;
  'suggest-mapping': { entries: d.SuggestedEntry[] };
  /** May be fewer than `total - seq`. */
  review: { events: StoredReviewEvent[]; total: number };
  agreements: ReviewAgreement[];
  /** Null for fewer than three reviewers. */
  'group-agreement': GroupAgreement | null;
  /** In ascending order, at most a few thousand: the next request starts after the last position. */
  places: number[];
  /**
   * As many records as fit into a message; `next` is the position to continue from, null after the last. A span known
   * only by its identity has no other fields.
   */
  records: { records: Record<string, unknown>[]; next: number | null };
  /**
   * `record` is null if only the identity of the span is known. `expected`: its unedited expected output as text; null
   * if the mapping has none.
   */
  span: { row: d.BuildRow; record: Record<string, unknown> | null; expected: string | null };
  'near-duplicate': NearDuplicatePair;
  /** May be fewer than requested: a message holds about 100 KB. */
  differences: { differences: d.RecheckDifference[]; total: number };
}
