/**
 * Determines whether the rows read of a list are complete, by comparing their number of ids with the totals stated by
 * its pages. Pure.
 */

/** No list has more rows, so a higher total must be wrong. */
export const MAX_LIST_ROWS = 1_000_000_000;

/** A summary of the totals that the answers of a reading stated, in order. */
interface StatedTotals {
  first: number;
  last: number;
  hasGrown: boolean;
  hasShrunk: boolean;
}

/**
 * `unread`: no answer yet. `none`: an answer stated no plausible total. `unknown`: the reading continued from rows
 * whose totals were not stored.
 */
export type Totals = StatedTotals | 'unread' | 'none' | 'unknown';

/** Adds the total of the next answer. */
export function withTotal(totals: Totals, total: number | null): Totals {
  if (totals === 'unknown') return totals;
  if (totals === 'none' || total === null || total > MAX_LIST_ROWS) return 'none';
  return joinedTotals(totals, { first: total, last: total, hasGrown: false, hasShrunk: false });
}

/** The combined totals of a reading and of the next one. */
export function joinedTotals(before: Totals, after: Totals): Totals {
  if (before === 'unread') return after;
  if (after === 'unread') return before;
  if (before === 'unknown' || after === 'unknown') return 'unknown';
  if (before === 'none' || after === 'none') return 'none';
  return {
    first: before.first,
    last: after.last,
    hasGrown: before.hasGrown || after.hasGrown || after.first > before.last,
    hasShrunk: before.hasShrunk || after.hasShrunk || after.first < before.last,
  };
}

/** The total on which all answers agreed; null if there is none. */
export function fixedTotal(totals: Totals): number | null {
  return typeof totals === 'string' || totals.hasGrown || totals.hasShrunk ? null : totals.first;
}

interface ReadRows {
  /** Number of rows. Rows with the same id count once. */
  rowCount: number;
  /** True if pages did not join, rows came twice, or the total changed. */
  hasMoved: boolean;
  /** True if some rows have no id, so that they cannot be checked for duplicates. */
  hasUnnamed: boolean;
}

/**
 * Whether these are the rows that the service had at one moment. True if the pages join and have as many rows as they
 * state. If rows moved, the number of ids decides: a list that only shrank is complete if all rows of the first total
 * were read, and a list that only grew if all rows of the last total were. One case cannot be detected: among the rows
 * already read, one is deleted and another added between the same two answers.
 */
export function isWhole(totals: Totals, { rowCount, hasMoved, hasUnnamed }: ReadRows): boolean {
  if (!hasMoved) return typeof totals === 'string' || rowCount >= totals.last;
  if (typeof totals === 'string' || hasUnnamed) return false;
  const { first, last, hasGrown, hasShrunk } = totals;
  if (hasGrown && hasShrunk) return false;
  return rowCount === (hasShrunk ? first : last);
}
