/** One change for many records, as both processes see it. */
import { z } from 'zod';
import type { WireError } from './errors.ts';
import { boundedBody } from './json-body.ts';
import type { LateStart } from './upload-model.ts';

const parameter = z.string().min(1).max(60);
const word = z.string().min(1).max(60);

/** Records that one act may name, and how many of them fit into one message. */
export const MOST_RECORDS = 100_000;
export const MOST_IDS_A_REQUEST = 1_000;

export const bulkRequest = z.strictObject({
  /** One of the endpoint table that can be sent twice without harm. */
  operation: z.string().max(60),
  /** The same in every request. */
  path: z.record(parameter, z.string().min(1).max(500)),
  query: z.record(parameter, z.string().max(4_000)),
  body: boundedBody.nullable(),
  /** Where the ids go: into the path, a request each, or into a field of the body, `most` ids a request. */
  ids: z.discriminatedUnion('place', [
    z.strictObject({ place: z.literal('path'), name: parameter }),
    z.strictObject({
      place: z.literal('body'),
      name: parameter,
      most: z.int().min(1).max(MOST_IDS_A_REQUEST),
    }),
  ]),
});
export type BulkRequest = z.infer<typeof bulkRequest>;

export const bulkWords = z.strictObject({
  /** What is done: `Delete 5 baselines`, `Turn notifications on for 3 alert rules`. */
  title: z.string().min(1).max(200),
  noun: word,
  nouns: word,
  /** `Deleting`; when it is over: `deleted`. */
  going: word,
  done: word,
});
export type BulkWords = z.infer<typeof bulkWords>;

export const bulkRecord = z.strictObject({ id: z.string().min(1).max(500), name: z.string().max(300) });
export type BulkRecord = z.infer<typeof bulkRecord>;

export const BULK_ITEM_STATES = ['waiting', 'sending', 'done', 'failed', 'unknown', 'left'] as const;
/**
 * `unknown`: sent, but no answer came and what is there now does not say either. `left`: not sent, as a person
 * stopped it.
 */
export type BulkItemState = (typeof BULK_ITEM_STATES)[number];

export const BULK_STATES = ['scheduled', 'running', 'waiting', 'paused', 'stopped', 'done'] as const;
/**
 * `waiting`: for the service or a budget, goes on by itself. `stopped` and `done` are over.
 */
export type BulkState = (typeof BULK_STATES)[number];

/**
 * `start`: now, of one that is scheduled. `schedule`: at `startAtMs`, of one that rests. `stop`: what was not sent is
 * left; calls off one that is scheduled. `retry`: what failed or was left is sent again.
 */
export type BulkAction = 'start' | 'schedule' | 'pause' | 'resume' | 'stop' | 'retry';

/** One change for many records, as far as it is. */
export interface BulkAct {
  bulkId: string;
  connectionId: string;
  operation: string;
  words: BulkWords;
  state: BulkState;
  /** Why it waits, rests or was stopped, in words; empty otherwise. */
  reason: string;
  error: WireError | null;
  counts: Record<BulkItemState, number>;
  /** Records in all. */
  total: number;
  /** Requests that are still to be sent. */
  requestsLeft: number;
  /** Milliseconds left including waits for rate limits; null while it is not under way. */
  etaMs: number | null;
  createdAtMs: number;
  endedAtMs: number | null;
  /** Wall time at which a `scheduled` one begins; null in every other state. */
  startAtMs: number | null;
  /** Set once it began by itself later than planned. */
  lateStart: LateStart | null;
}

export interface BulkItem extends BulkRecord {
  position: number;
  state: BulkItemState;
  error: WireError | null;
  /** The service's job that does it (deletion of an application); `done` then means that it took it on. */
  job: { id: string; name: string } | null;
}
