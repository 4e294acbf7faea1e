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
    /** All rows before this position are stored. */
    frontPosition: row.front_position,
    /** The next offset to request from the service. */
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
    /** The reading was replaced by another one, or removed. */
    isDiscarded: row.is_discarded,
    /** Size of the rows, which counts towards the limit of stored lists. */
    sizeBytes: row.size_bytes,
    /** Something has changed at the service since, so the list must be read again. */
    isOutdated: row.is_outdated,
    oldestMs: row.oldest_ms,
    newestMs: row.newest_ms,
    requestId: row.request_id,
    /** Number of rows at the end that this reading did not find and that come from an earlier one. */
    carriedRows: row.carried_count,
    /** Number of rows that the service no longer returns; each has the field `GONE_FIELD`. */
    goneRows: row.gone_count,
  }));
export type Generation = z.infer<typeof generationRow>;

export const listRow = z
  .object({
    id: z.int(),
    shown_generation_id: z.int().nullable(),
    // If the note on an eviction is damaged, the list is still readable.
    removed_at_ms: wallMs.nullable().catch(null),
    removed_to: z.string().nullable().catch(null),
  })
  .transform((row) => ({
    id: row.id,
    shownGenerationId: row.shown_generation_id,
    /** Time of the last eviction of the list's rows, and the limit that caused it. */
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
    /** JSON; of a long record only the beginning. */
    record: row.record,
    /** The complete text of a long record. */
    textId: row.text_id,
    fetchedAtMs: row.fetched_at_ms,
    requestId: row.request_id,
    isOutdated: row.is_outdated,
    /** Time at which the record was found missing at the service. */
    goneAtMs: row.gone_at_ms,
  }));
export type StoredRecord = z.infer<typeof recordRow>;
/** A record from a fresh answer. */
export type AnsweredRecord = Pick<StoredRecord, 'record' | 'textId' | 'fetchedAtMs' | 'requestId'>;

/** One item of an answer, ready to be written. */
export interface NewRow {
  /** Null if the items of the operation have no identity. */
  identity: string | null;
  /** Text for filtering; null if it is too long to be stored in addition to the record. */
  shownText: string | null;
  /** JSON; of a long item only the beginning. */
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
  /**
   * The front offset from which this page was requested, if it differs from `offset`, because the page begins among
   * stored rows.
   */
  follows?: number;
  /** The page does not join the stored rows, because the list has changed at the service. */
  hasMoved?: boolean;
  rows: readonly NewRow[];
  total: number | null;
  receivedAtMs: number;
  requestId: string;
}

export const queryRow = z.object({ query: json(listQuery) });

/** Key range of all queries of an operation, from the first key (inclusive) to the second (exclusive). */
export function keysOf(operation: string): [string, string] {
  return [`${operation}:`, `${operation};`];
}
