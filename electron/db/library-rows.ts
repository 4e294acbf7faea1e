/** Rows of the library store, parsed when they are read. */
import { wallMs } from '../core/jobs/job-record.ts';
import { listQuery } from '../shared/model.ts';
import * as z from '../shared/zod.ts';
import { json } from './row-parts.ts';

const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);

/** The stored rows and progress of one reading of a list (a generation). */
export const generationRow = z
  .object({
    id: z.int(),
    list_id: z.int(),
    revision: z.int(),
    total_rows: z.int().nullable(),
    row_count: z.int(),
    front_position: z.int(),
    front_offset: z.int(),
    is_ended: flag,
    is_complete: flag,
    has_moved: flag,
    is_outdated: flag,
    is_total_refuted: flag,
    is_discarded: flag,
    size_bytes: z.int(),
    oldest_ms: wallMs.nullable(),
    newest_ms: wallMs.nullable(),
    request_id: z.string().nullable(),
    end_position: z.int(),
    carried_count: z.int(),
    gone_count: z.int(),
  })
  .transform((row) => ({
    id: row.id,
    listId: row.list_id,
    /** Changes with every write. */
    revision: row.revision,
    totalRows: row.total_rows,
    rowCount: row.row_count,
    /** There is no gap among rows before this position. */
    frontPosition: row.front_position,
    /** The offset to ask the service for next. */
    frontOffset: row.front_offset,
    /** One more than the last stored position. */
    endPosition: row.end_position,
    /** The last page was read; rows may be missing. */
    isEnded: row.is_ended || row.is_complete,
    /** The last page was read and no row is missing. */
    isComplete: row.is_complete,
    hasMoved: row.has_moved,
    /** A page below the stated total was empty, so the total is wrong. */
    isTotalRefuted: row.is_total_refuted,
    /** It was replaced by another reading, or removed. */
    isDiscarded: row.is_discarded,
    /** Size of its rows, counted against the limit of stored lists. */
    sizeBytes: row.size_bytes,
    /** Something changed at the service since: must be read again. */
    isOutdated: row.is_outdated,
    oldestMs: row.oldest_ms,
    newestMs: row.newest_ms,
    requestId: row.request_id,
    /** Rows at its end that this reading did not find: they come from the one before. */
    carriedRows: row.carried_count,
    /** Rows that the service no longer returns, each with the field `GONE_FIELD`. */
    goneRows: row.gone_count,
  }));
export type Generation = z.infer<typeof generationRow>;

export const listRow = z
  .object({
    id: z.int(),
    shown_generation_id: z.int().nullable(),
    // A damaged note on an eviction does not make the list unreadable.
    removed_at_ms: wallMs.nullable().catch(null),
    removed_to: z.string().nullable().catch(null),
  })
  .transform((row) => ({
    id: row.id,
    shownGenerationId: row.shown_generation_id,
    /** Time of the last eviction of its rows, and the limit that caused it. */
    removed:
      row.removed_at_ms === null || row.removed_to === null
        ? null
        : { atMs: row.removed_at_ms, to: row.removed_to },
  }));

export const storedRow = z.tuple([z.int(), z.string(), z.int().nullable()]);

export const recordRow = z
  .object({
    record: z.string(),
    text_id: z.int().nullable(),
    fetched_at_ms: wallMs,
    request_id: z.string(),
    is_outdated: flag,
    gone_at_ms: wallMs.nullable(),
  })
  .transform((row) => ({
    /** JSON; only the beginning of a long record. */
    record: row.record,
    /** The complete text of a long record. */
    textId: row.text_id,
    fetchedAtMs: row.fetched_at_ms,
    requestId: row.request_id,
    isOutdated: row.is_outdated,
    /** When the service was found not to have it any more. */
    goneAtMs: row.gone_at_ms,
  }));
export type StoredRecord = z.infer<typeof recordRow>;
/** A record from a fresh answer. */
export type AnsweredRecord = Pick<StoredRecord, 'record' | 'textId' | 'fetchedAtMs' | 'requestId'>;

/** One item, ready to be written. */
export interface NewRow {
  /** Null if the operation's items have none. */
  identity: string | null;
  /** Null if it is too long to be stored twice. */
  shownText: string | null;
  /** JSON; only the beginning of a long item. */
  record: string;
  /** The complete text of a long item, in the store of long texts. */
  textId: number | null;
}

export const newRow: z.ZodType<NewRow> = z
  .object({
    identity: z.string().nullable(),
    shown_text: z.string().nullable(),
    record: z.string(),
    text_id: z.int().nullable(),
  })
  .transform((row) => ({
    identity: row.identity,
    shownText: row.shown_text,
    record: row.record,
    textId: row.text_id,
  }));

/** One page of an answer, ready to be written. */
export interface NewPage {
  /** Offset of the first row. */
  offset: number;
  /** The front offset that this page continues, if it differs from `offset`: the page begins among stored rows. */
  follows?: number;
  /** The page does not join the stored rows: the list moved. */
  hasMoved?: boolean;
  rows: readonly NewRow[];
  total: number | null;
  receivedAtMs: number;
  requestId: string;
}

export const queryRow = z.object({ query: json(listQuery) });

/** Key range of all queries of an operation: from the first key up to, but excluding, the second. */
export function keysOf(operation: string): [string, string] {
  return [`${operation}:`, `${operation};`];
}
