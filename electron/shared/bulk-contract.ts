/** One change for many records, shared by both processes. */
import type { WireError } from './errors.ts';
import { boundedBody } from './json-body.ts';
import { MAX_SEEN_FIELDS } from './seen-record.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

const parameter = z.string().min(1).max(60);
const word = z.string().min(1).max(60);

const MAX_FIELD_CHARS = 200;
const MARK_CHARS = 16;

/** Maximum records of one bulk change, and maximum ids in one message. */
export const MAX_RECORDS = 100_000;
export const MAX_IDS_A_REQUEST = 1_000;

export const bulkRequest = z.strictObject({
  /** An idempotent operation of the endpoint table. */
  operation: z.string().max(60),
  /** Parameters that are the same in every request of the change. */
  path: z.record(parameter, z.string().min(1).max(500)),
  query: z.record(parameter, z.string().max(4_000)),
  body: boundedBody.nullable(),
  /**
   * Place of the ids: in the path, with one request for each, or in a field of the body, with `most` ids in each
   * request.
   */
  ids: z.discriminatedUnion('place', [
    z.strictObject({ place: z.literal('path'), name: parameter }),
    z.strictObject({
      place: z.literal('body'),
      name: parameter,
      most: z.int().min(1).max(MAX_IDS_A_REQUEST),
    }),
  ]),
  /** The fields of each record that were seen, if records are to be compared with them before they are changed. */
  seenFields: z.array(z.string().max(MAX_FIELD_CHARS)).max(MAX_SEEN_FIELDS).optional(),
});
export type BulkRequest = z.infer<typeof bulkRequest>;

export const bulkWords = z.strictObject({
  /** The action: `Delete 5 baselines`, `Turn notifications on for 3 alert rules`. */
  title: z.string().min(1).max(200),
  noun: word,
  nouns: word,
  /** `going` is the text while it runs, such as `Deleting`; `done` the text afterwards, such as `deleted`. */
  going: word,
  done: word,
});
export type BulkWords = z.infer<typeof bulkWords>;

export const bulkRecord = z.strictObject({
  id: z.string().min(1).max(500),
  name: z.string().max(300),
  /** The mark (`seenMark`) of the record as the person saw it; absent if they did not. */
  seen: z.string().length(MARK_CHARS).optional(),
});
export type BulkRecord = z.infer<typeof bulkRecord>;

export const BULK_ITEM_STATES = [
  'waiting',
  'sending',
  'done',
  'failed',
  'changed',
  'unknown',
  'left',
] as const;
/**
 * `changed`: not sent, because the record is no longer as the person saw it. `unknown`: sent, but no answer arrived and
 * the present state of the record is inconclusive. `left`: not sent, because a person stopped the change.
 */
export type BulkItemState = (typeof BULK_ITEM_STATES)[number];

export const BULK_STATES = ['scheduled', 'running', 'waiting', 'paused', 'stopped', 'done'] as const;
/** `waiting`: waits for the service or a budget, and continues automatically. `stopped` and `done` are final. */
export type BulkState = (typeof BULK_STATES)[number];

/**
 * `start`: starts a scheduled one now. `schedule`: schedules an idle one at `startAtMs`. `stop`: unsent records are
 * left; cancels a scheduled one. `retry`: failed, changed or left records are sent again.
 */
export type BulkAction = 'start' | 'schedule' | 'pause' | 'resume' | 'stop' | 'retry';

/** The state of one bulk change. */
export interface BulkAct {
  bulkId: string;
  connectionId: string;
  operation: string;
  words: BulkWords;
  state: BulkState;
  /** Why the change waits, is idle or was stopped; otherwise empty. */
  reason: string;
  error: WireError | null;
  counts: Record<BulkItemState, number>;
  /** Total number of records. */
  total: number;
  /** Number of requests that make changes and are still to be sent. */
  requestsLeft: number;
  /** The operation that reads each waiting record before it is changed if the change is planned; null if none does. */
  readsIfPlannedBy: string | null;
  /** Remaining milliseconds, including waits for rate limits; null while it is not running. */
  etaMs: number | null;
  createdAtMs: number;
  endedAtMs: number | null;
  /** Wall time at which a `scheduled` one starts; null in every other state. */
  startAtMs: number | null;
  /** Set after an automatic start later than planned. */
  lateStart: LateStart | null;
}

export interface BulkItem extends BulkRecord {
  position: number;
  state: BulkItemState;
  error: WireError | null;
  /** The service's job for the record (deletion of an application); `done` then means that the job was accepted. */
  job: { id: string; name: string } | null;
}
