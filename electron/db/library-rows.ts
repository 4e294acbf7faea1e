/** Rows of the library store as they are read, parsed on arrival. */
import { z } from 'zod';
import { listQuery } from '../shared/model.ts';
import { json, wallMs } from './row-parts.ts';

const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);

/** One reading of a list (a generation), as far as it came. */
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
  })
  .transform((row) => ({
    id: row.id,
    listId: row.list_id,
    /** Changes with every write. */
    revision: row.revision,
    totalRows: row.total_rows,
    rowCount: row.row_count,
    /** Rows before this position are there without a gap. */
    frontPosition: row.front_position,
    /** The offset to ask the service for next. */
    frontOffset: row.front_offset,
    /** One more than the last stored position. */
    endPosition: row.end_position,
    /** The last page was read. */
    isEnded: row.is_ended || row.is_complete,
    /** And no row is missing. */
    isComplete: row.is_complete,
    hasMoved: row.has_moved,
    /** A page below the stated total was empty. */
    isTotalRefuted: row.is_total_refuted,
    /** Another reading took its place, or it was removed. */
    isDiscarded: row.is_discarded,
    /** Of its rows, as counted against the limit of stored lists. */
    sizeBytes: row.size_bytes,
    /** Something changed at the service since: to be read again. */
    isOutdated: row.is_outdated,
    oldestMs: row.oldest_ms,
    newestMs: row.newest_ms,
    requestId: row.request_id,
  }));
export type Generation = z.infer<typeof generationRow>;

export const listRow = z
  .object({
    id: z.int(),
    shown_generation_id: z.int().nullable(),
    removed_at_ms: wallMs.nullable(),
    removed_to: z.string().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    shownGenerationId: row.shown_generation_id,
    /** When and for which limit its rows were removed last. */
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
    /** JSON; of a long record only its head. */
    record: row.record,
    /** Of a long record: the whole of it. */
    textId: row.text_id,
    fetchedAtMs: row.fetched_at_ms,
    requestId: row.request_id,
    isOutdated: row.is_outdated,
    /** When the service was known to have it no longer. */
    goneAtMs: row.gone_at_ms,
  }));
export type StoredRecord = z.infer<typeof recordRow>;
/** A record as it was answered just now. */
export type AnsweredRecord = Pick<StoredRecord, 'record' | 'textId' | 'fetchedAtMs' | 'requestId'>;

/** One item, ready to be written. */
export interface NewRow {
  /** Null where the operation's items have none. */
  identity: string | null;
  /** Null where it is too long to be kept twice. */
  shownText: string | null;
  /** JSON; of a long item only its head. */
  record: string;
  /** Of a long item: the whole of it, in the store of long texts. */
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
  /** The front offset that it goes on from, where that is not its own: it begins among rows that are here. */
  follows?: number;
  /** It was seen not to join what is here: the list moved. */
  hasMoved?: boolean;
  rows: readonly NewRow[];
  total: number | null;
  receivedAtMs: number;
  requestId: string;
}

export const queryRow = z.object({ query: json(listQuery) });

/** The keys of all questions of an operation: from the first one up to the second. */
export function keysOf(operation: string): [string, string] {
  return [`${operation}:`, `${operation};`];
}
