/** The search over all stored data: request and result. */
import { MAX_TYPED_CHARS } from './fold.ts';
import type { ListQuery } from './model.ts';
import * as z from './zod.ts';

/** In display order of the groups. */
export const SEARCH_KINDS = [
  'names',
  'attributes',
  'resources',
  'uploads',
  'items',
  'results',
  'spans',
  'values',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Maximum hits that are ranked and counted in each kind; beyond that, "500+" is shown. */
export const MAX_COUNTED_HITS = 500;
const MAX_HITS_AT_ONCE = 100;

export const searchRequest = z.strictObject({
  typed: z.string().max(MAX_TYPED_CHARS),
  /** Null: all kinds. */
  kind: z.enum(SEARCH_KINDS).nullable(),
  /** Searches only records of this application. */
  applicationId: z.string().max(200).nullable(),
  /** Finds only hits with a time from `sinceMs` (inclusive) to `untilMs` (exclusive). */
  sinceMs: z.number().nullable(),
  untilMs: z.number().nullable(),
  offset: z.int().min(0).max(MAX_COUNTED_HITS),
  /** Maximum hits of each kind in the answer. */
  limit: z.int().min(0).max(MAX_HITS_AT_ONCE),
});
export type SearchRequest = z.infer<typeof searchRequest>;

/** Start and end, in UTF-16 units of the accompanying text. */
export type TextRange = readonly [number, number];

export interface SearchHit {
  /** Constant while the record is stored. */
  id: string;
  kind: SearchKind;
  title: string;
  titleRanges: readonly TextRange[];
  /** Place of the hit if it is not in the title: the field, and the text around the hit. */
  found: { field: string; text: string; ranges: readonly TextRange[] } | null;
  /** A word that describes the record, e.g. a data type; may be empty. */
  note: string;
  /** The application or dataset that the record belongs to; may be empty. */
  place: string;
  atMs: number | null;
  /** Ids and names needed to open the view of the record. */
  target: Readonly<Record<string, string>>;
  /** The stored list and the position where its record can be read; null if it is in no list. */
  row: { query: ListQuery; position: number } | null;
}

/** How much of a kind is stored, and can thus be found. */
export interface SearchReach {
  /** Number of stored records; a record in several lists counts once. */
  storedRows: number;
  /** The number is a lower bound, because there are too many rows in several lists to compare. */
  isAtLeast: boolean;
  /** The number that the service states; null while unknown. */
  totalRows: number | null;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface SearchGroup {
  kind: SearchKind;
  hits: readonly SearchHit[];
  count: number;
  /** There are more hits than were counted. */
  hasMore: boolean;
  reach: SearchReach;
}

export interface SearchAnswer {
  groups: readonly SearchGroup[];
  /** Number of counted hits for each application, in descending order. */
  applications: readonly { id: string; name: string; count: number }[];
  /** Stored rows that are not in the index yet. */
  rowsLeft: number;
  /** The search reached its time limit, so there may be more hits. */
  isCut: boolean;
  /** If nothing is found: similar spellings that would have hits, the most similar first. */
  near: readonly string[];
  tookMs: number;
}
