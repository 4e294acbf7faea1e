/**
 * Near-duplicates of a build: picked spans whose input equals, or nearly equals, that of another span or a stored item.
 */
import type { TextPiece } from './word-diff.ts';

/** Minimum share of common shingles of two inputs. */
export const NEAR_DUPLICATE_THRESHOLD = 0.85;
export const MIN_NEAR_DUPLICATE_THRESHOLD = 0.5;

/**
 * Near-duplicates to exclude. `all`: requested by a person. `sure`: chosen automatically, if the input is already in
 * the dataset or is long. Many spans share a short input and differ otherwise, so such near-duplicates are only marked.
 */
export const NEAR_DUPLICATE_SKIPS = ['all', 'sure'] as const;
export type NearDuplicateSkips = (typeof NEAR_DUPLICATE_SKIPS)[number];

/**
 * The source that a near-duplicate is similar to: a span picked earlier, or an item in the dataset. `isSameSpan`: the
 * item was made from the span itself, whatever its input.
 */
type NearDuplicateSource =
  | { kind: 'span'; position: number }
  | { kind: 'item'; itemId: string; isSameSpan?: boolean };

export interface SpanNearDuplicate {
  of: NearDuplicateSource;
  /** 1 if the inputs are equal except for case and spaces. */
  likeness: number;
}

/** The result of the last search. */
export interface BuildNearDuplicates {
  threshold: number;
  found: number;
  /** Number of near-duplicates excluded from the dataset; a person kept the others. */
  skipped: number;
}

/**
 * Both inputs as a diff: `same` and `removed` pieces form the input of the source, `same` and `added` pieces that of
 * the near-duplicate.
 */
export interface NearDuplicatePair extends SpanNearDuplicate {
  pieces: TextPiece[];
  /** The texts are longer than the compared part. */
  isCut: boolean;
}
