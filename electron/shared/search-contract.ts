/** The search over everything stored: what is asked, what comes back. */
import { z } from 'zod';
import type { ListQuery } from './model.ts';
import { MOST_TYPED_CHARS } from './narrowing.ts';

/** In the order in which groups are shown. */
export const SEARCH_KINDS = [
  'names',
  'attributes',
  'resources',
  'uploads',
  'items',
  'spans',
  'values',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Hits that are ranked and counted in each kind; beyond that it says "500+". */
export const MOST_COUNTED_HITS = 500;
const MOST_HITS_AT_ONCE = 100;

export const searchRequest = z.strictObject({
  typed: z.string().max(MOST_TYPED_CHARS),
  /** All kinds where null. */
  kind: z.enum(SEARCH_KINDS).nullable(),
  /** Only what belongs to this application. */
  applicationId: z.string().max(200).nullable(),
  /** Only what has a time, and one in [sinceMs, untilMs). */
  sinceMs: z.number().nullable(),
  untilMs: z.number().nullable(),
  offset: z.int().min(0).max(MOST_COUNTED_HITS),
  /** Hits of each kind. */
  limit: z.int().min(0).max(MOST_HITS_AT_ONCE),
});
export type SearchRequest = z.infer<typeof searchRequest>;

/** From and to, in UTF-16 units of the text beside it. */
export type TextRange = readonly [number, number];

export interface SearchHit {
  /** Stays the same while the record is stored. */
  id: string;
  kind: SearchKind;
  title: string;
  titleRanges: readonly TextRange[];
  /** Where the text was found if not in the title: the field, and the part around it. */
  found: { field: string; text: string; ranges: readonly TextRange[] } | null;
  /** A word on what it is, e.g. a data type; may be empty. */
  note: string;
  /** The application or dataset that it belongs to; may be empty. */
  place: string;
  atMs: number | null;
  /** Ids and names that the view of it needs. */
  target: Readonly<Record<string, string>>;
  /** The stored list and the place in it where its record can be read; null for what stands in no list. */
  row: { query: ListQuery; position: number } | null;
}

/** How much of a kind is stored, and so was searched. */
export interface SearchReach {
  storedRows: number;
  /** As the service states; null while not known. */
  totalRows: number | null;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface SearchGroup {
  kind: SearchKind;
  hits: readonly SearchHit[];
  count: number;
  /** There are more than were counted. */
  hasMore: boolean;
  reach: SearchReach;
}

export interface SearchAnswer {
  groups: readonly SearchGroup[];
  /** Hits by application, of those that were counted, most first. */
  applications: readonly { id: string; name: string; count: number }[];
  /** Stored rows that are not in the index yet. */
  rowsLeft: number;
  /** The search ended at its time limit: there may be more. */
  isCut: boolean;
  /** Where nothing is found: what is spelt nearly like it and would be found, nearest first. */
  near: readonly string[];
  tookMs: number;
}
