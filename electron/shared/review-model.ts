/** The stored events of a review, whose effect `review-fold.ts` computes. */
import * as z from './zod.ts';

/** `skipped`: seen, but not decided. `edited`: accepted with another expected output. */
export const VERDICTS = ['accepted', 'edited', 'rejected', 'skipped'] as const;
export type Verdict = (typeof VERDICTS)[number];

const named = z.strictObject({ id: z.string().min(1).max(100), name: z.string().max(500) });
/** A review, and the run over its dataset whose results the verdicts are added to. */
export const verdictTarget = z.strictObject({
  buildId: z.string().min(1).max(100),
  dataset: named,
  experiment: named,
});
export type VerdictTarget = z.output<typeof verdictTarget>;

/** Maximum events in one message. */
export const MAX_REVIEW_EVENTS = 200;
/** Maximum length of an edited expected output. */
export const MAX_EXPECTED_CHARACTERS = 80_000;
/** Maximum spans in one group, and labels of one span. */
export const MAX_GROUPED = 2_000;
export const MAX_LABELS = 50;
/** Maximum second reviews of one draft. */
export const MAX_SECOND_REVIEWS = 8;

const position = z.int().min(0);
const atMs = z.number();
const kindId = z.string().min(1).max(100);
const kindName = z.string().trim().min(1).max(200);
const note = z.string().max(10_000);
export const reviewerName = z.string().trim().min(1).max(100);

/** A decision of another reviewer on the span at this position, as in the file of that review. */
const secondMark = z.strictObject({ position, verdict: z.enum(VERDICTS), kind: kindName.nullable(), note });
export type SecondMark = z.output<typeof secondMark>;

export const reviewEvent = z.discriminatedUnion('type', [
  /** Absent keys stay unchanged. */
  z.strictObject({
    type: z.literal('mark'),
    position,
    patch: z.strictObject({
      verdict: z.enum(VERDICTS).nullable().optional(),
      /** The edited expected output; null: the span's own value. */
      expected: z.string().max(MAX_EXPECTED_CHARACTERS).nullable().optional(),
      note: note.optional(),
      kindId: kindId.nullable().optional(),
      labels: z.array(z.string().min(1).max(100)).max(MAX_LABELS).optional(),
    }),
    atMs,
  }),
  /**
   * Assigns a failure kind to these spans, and creates it if needed. Used for a new kind, for grouping notes and for
   * splitting a kind.
   */
  z.strictObject({
    type: z.literal('group'),
    kindId,
    name: kindName,
    positions: z.array(position).max(MAX_GROUPED),
    atMs,
  }),
  /** Accepts all of these spans that have no verdict yet. */
  z.strictObject({ type: z.literal('accept-open'), positions: z.array(position).max(MAX_GROUPED), atMs }),
  z.strictObject({ type: z.literal('rename-kind'), kindId, name: kindName, atMs }),
  /** Moves the spans of one kind to the other and deletes the first. */
  z.strictObject({ type: z.literal('merge-kinds'), kindId, into: kindId, atMs }),
  /** Whether skipped spans are added to the dataset; by default they are not. */
  z.strictObject({ type: z.literal('take-skipped'), takes: z.boolean(), atMs }),
  /**
   * Decisions of another reviewer on these spans; a long file is split into several events. `isFirst`: replaces an
   * earlier file of this reviewer. The event is not an undo step.
   */
  z.strictObject({
    type: z.literal('second-review'),
    reviewer: reviewerName,
    isFirst: z.boolean(),
    marks: z.array(secondMark).max(MAX_GROUPED),
    atMs,
  }),
  z.strictObject({ type: z.literal('remove-second-review'), reviewer: reviewerName, atMs }),
  z.strictObject({ type: z.literal('undo'), atMs }),
  z.strictObject({ type: z.literal('redo'), atMs }),
]);
export type ReviewEvent = z.output<typeof reviewEvent>;

/** Replaces a stored event that cannot be read. It changes nothing. */
interface DamagedReviewEvent {
  type: 'damaged';
  /** Number of the event in the review. */
  seq: number;
}
export type StoredReviewEvent = ReviewEvent | DamagedReviewEvent;
