/** The events of a review, as they are kept; `review-fold.ts` says what they make of it. */
import { z } from 'zod';

/** `skipped`: seen, not decided. `edited`: accepted with another expected output. */
export const VERDICTS = ['accepted', 'edited', 'rejected', 'skipped'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Events of one message at most. */
export const MOST_REVIEW_EVENTS = 200;
/** Of an edited expected output. */
export const MOST_EXPECTED_CHARACTERS = 80_000;
/** Spans of one group, and labels of one span. */
export const MOST_GROUPED = 2_000;
export const MOST_LABELS = 50;

const position = z.int().min(0);
const atMs = z.number();
const kindId = z.string().min(1).max(100);
const kindName = z.string().trim().min(1).max(200);

export const reviewEvent = z.discriminatedUnion('type', [
  /** Keys that are absent stay as they are. */
  z.strictObject({
    type: z.literal('mark'),
    position,
    patch: z.strictObject({
      verdict: z.enum(VERDICTS).nullable().optional(),
      /** The expected output as edited; null: as the span has it. */
      expected: z.string().max(MOST_EXPECTED_CHARACTERS).nullable().optional(),
      note: z.string().max(10_000).optional(),
      kindId: kindId.nullable().optional(),
      labels: z.array(z.string().min(1).max(100)).max(MOST_LABELS).optional(),
    }),
    atMs,
  }),
  /** Puts these spans into a failure kind, which is made where it is not there: a new kind, a group of notes, a split. */
  z.strictObject({
    type: z.literal('group'),
    kindId,
    name: kindName,
    positions: z.array(position).max(MOST_GROUPED),
    atMs,
  }),
  z.strictObject({ type: z.literal('rename-kind'), kindId, name: kindName, atMs }),
  /** The spans of one kind go into the other; the first is gone. */
  z.strictObject({ type: z.literal('merge-kinds'), kindId, into: kindId, atMs }),
  /** Whether skipped spans go into the dataset; they do not before a person says so. */
  z.strictObject({ type: z.literal('take-skipped'), takes: z.boolean(), atMs }),
  z.strictObject({ type: z.literal('undo'), atMs }),
  z.strictObject({ type: z.literal('redo'), atMs }),
]);
export type ReviewEvent = z.output<typeof reviewEvent>;
