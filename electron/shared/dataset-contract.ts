/** The channels of builds (datasets from spans) beside those of all jobs, and of scores; merged into contract.ts. */
import { z } from 'zod';
import type * as d from './dataset-model.ts';
import {
  BUILD_ROW_FILTERS,
  datasetTarget,
  mapping,
  STEP_WAYS,
  spanRef,
  timeRange,
  UNRESOLVED_ACTIONS,
} from './dataset-model.ts';
import { listQuery } from './model.ts';
import { pickSource } from './pick-source.ts';
import { MOST_REVIEW_EVENTS, type ReviewEvent, reviewEvent } from './review-model.ts';
import { comparisonQuestion, type ScoreComparison } from './score-comparison.ts';
import type { ScoreResult } from './score-model.ts';
import { type SpanFileCheck, spanFile } from './span-file.ts';
import { LEAST_TWIN_THRESHOLD, TWIN_SKIPS, type TwinPair } from './twin-model.ts';

const connectionId = z.uuid();
const buildId = z.string().max(100);
const position = z.int().min(0);
const offset = z.int().min(0);
const limit = z.int().min(1).max(200);
const read = <A extends string>(action: A) =>
  z.strictObject({ action: z.literal(action), connectionId, buildId });

/** What can be changed of a build, beside what is done with every job. */
export const buildChange = z.discriminatedUnion('type', [
  /** Mapping, target and `skipsAdded` change only while `editing`, the rest whenever nothing is on its way. */
  z.strictObject({
    type: z.literal('settings'),
    patch: z.strictObject({
      name: z.string().max(200).optional(),
      mapping: mapping.optional(),
      target: datasetTarget.nullable().optional(),
      skipsAdded: z.boolean().optional(),
      skipsUnresolved: z.boolean().optional(),
      widens: z.boolean().optional(),
      /** Reads the spans again before the first call, and stops where they changed. */
      rechecks: z.boolean().optional(),
      /** Asks the service before the first call which spans of files it has. */
      asks: z.boolean().optional(),
      timeRange: timeRange.nullable().optional(),
      marginMs: z.int().min(0).max(31_536_000_000).optional(),
    }),
  }),
  /** Picks all of a source into the basket, as one step back. Progress comes by jobs:changed. */
  z.strictObject({ type: z.literal('pick-all'), source: pickSource }),
  /** Asks for spans of files at the service now, and for those of which only their ids are here, while `editing`. */
  z.strictObject({ type: z.literal('ask') }),
  /** Picks spans of another basket of the same application by their places in it, with what was edited of them. */
  z.strictObject({
    type: z.literal('pick-of'),
    fromId: buildId,
    positions: z.array(position).min(1).max(1_000),
  }),
  /** Takes spans out of the basket, while `editing`. `continues`: undone together with the change before. */
  z.strictObject({
    type: z.literal('unpick'),
    continues: z.boolean().optional(),
    spans: z.union([z.array(spanRef).min(1).max(1_000), z.literal('all'), z.literal('excluded')]),
  }),
  /** Goes back, or forward again, over what was picked and taken out, while `editing`. */
  z.strictObject({ type: z.literal('step'), way: z.enum(STEP_WAYS) }),
  z.strictObject({
    type: z.literal('exclude'),
    positions: z.array(position).min(1).max(1_000),
    isExcluded: z.boolean(),
  }),
  /** Looks for spans whose input is nearly that of another one and excludes all or some of them, while `editing`. */
  z.strictObject({
    type: z.literal('find-twins'),
    threshold: z.number().min(LEAST_TWIN_THRESHOLD).max(1),
    skips: z.enum(TWIN_SKIPS),
  }),
  /**
   * After a 422: go on without the spans it named, ask for them again, with a wider time range if wished, or look for
   * them in wider and wider time ranges (`widen`).
   */
  z.strictObject({
    type: z.literal('settle-unresolved'),
    action: z.enum(UNRESOLVED_ACTIONS),
    marginMs: z.int().min(0).max(31_536_000_000).nullable(),
  }),
  /** What a person decided in a review, in any state of the build. `seq`: the number of the first of the events. */
  z.strictObject({
    type: z.literal('review'),
    seq: offset,
    events: z.array(reviewEvent).min(1).max(MOST_REVIEW_EVENTS),
  }),
]);
export type BuildChange = z.output<typeof buildChange>;

export const datasetContract = {
  /**
   * Adds rows of a stored list of spans.query. `position` is the row's place in that list; spans that are not there
   * any more come back as `missing`, those in the basket already are counted. `continues`: undone together with the call before.
   */
  'builds:pick-spans': z.strictObject({
    connectionId,
    buildId,
    query: listQuery,
    continues: z.boolean().optional(),
    spans: z.array(spanRef.extend({ position })).min(1).max(1_000),
  }),
  'builds:read': z.discriminatedUnion('action', [
    /** Which of these spans are in the basket: to mark them in a list of spans. */
    read('find-picked').extend({ spans: z.array(spanRef).min(1).max(1_000) }),
    /** What spans a file holds; the whole of it is read. */
    z.strictObject({ action: z.literal('check-file'), connectionId, ...spanFile.shape }),
    /** `mapping`: a trial one; null: that of the build. */
    read('rows').extend({ mapping: mapping.nullable(), show: z.enum(BUILD_ROW_FILTERS), offset, limit }),
    /** Most frequent first. */
    read('keys').extend({ search: z.string().max(200), offset, limit }),
    read('check-mapping').extend({ mapping }),
    /** From well-known keys and, where the target has items, from the fields it holds already. */
    read('suggest-mapping'),
    /** Events of the review, from number `seq` on. */
    read('review').extend({ seq: offset }),
    /** Positions of the picked spans from this one on: what a review goes through. */
    read('places').extend({ position }),
    /** Whole records of picked spans, from this position on. */
    read('records').extend({ position }),
    /** One span whole. */
    read('span').extend({ position }),
    /** A twin beside what it is like. */
    read('twin').extend({ position }),
    /** Spans that are not as they were prepared. */
    read('differences').extend({ offset, limit }),
  ]),
  /**
   * The latest scores of items, one result per evaluator: what stands beside them in a list. Where they are too much
   * for a message, long reasonings are cut.
   */
  'scores:of-items': z.strictObject({
    connectionId,
    datasetId: z.string().max(100),
    itemIds: z.array(z.string().min(1).max(200)).min(1).max(200),
  }),
  /** Two runs, item by item: the summary and a part of the rows. */
  'scores:compare': z.strictObject({ connectionId, ...comparisonQuestion.shape }),
} as const;

export interface DatasetResults {
  'builds:pick-spans': { build: d.DatasetBuild; added: number; known: number; missing: d.SpanRef[] };
  'scores:of-items': ScoreResult[];
  'scores:compare': ScoreComparison;
}

/** What `builds:read` answers. */
export interface BuildAnswers {
  /** In the order asked; null where the span is not in the basket. */
  'find-picked': ({ position: number; state: d.SpanState } | null)[];
  'check-file': SpanFileCheck;
  rows: d.BuildRowPage;
  keys: { keys: d.BuildKey[]; total: number };
  'check-mapping': d.MappingCheck;
  'suggest-mapping': { entries: d.SuggestedEntry[] };
  /** May be fewer than `total - seq`. */
  review: { events: ReviewEvent[]; total: number };
  /** Ascending, a few thousand at most: ask again from after the last. */
  places: number[];
  /**
   * As many as a message carries: ask again from `next` on, null after the last. Of a span of which only the identity is
   * known, that.
   */
  records: { records: Record<string, unknown>[]; next: number | null };
  /**
   * `record` is null where only the identity of the span is known. `expected`: its expected output as text, without
   * what was edited; null where the mapping gives none.
   */
  span: { row: d.BuildRow; record: Record<string, unknown> | null; expected: string | null };
  twin: TwinPair;
  /** May be fewer than asked for: a message carries about 100 KB. */
  differences: { differences: d.RecheckDifference[]; total: number };
}
