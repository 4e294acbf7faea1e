/**
 * Whether the read rows of a list are complete: compares their number of ids with the totals stated by its pages. Pure.
 */

/** No list has more rows: a higher total must be wrong. */
export const MAX_LIST_ROWS = 1_000_000_000;

/** The totals stated by the answers of a reading, in order. */
interface StatedTotals {
  first: number;
  last: number;
  hasGrown: boolean;
  hasShrunk: boolean;
}

/**
 * `none`: an answer stated no plausible total. `unknown`: the reading continued from rows whose totals were not stored.
 */
export type Totals = StatedTotals | 'unread' | 'none' | 'unknown';

/** Adds the total of the next answer. */
export function withTotal(totals: Totals, total: number | null): Totals {
  if (totals === 'unknown') return totals;
  if (totals === 'none' || total === null || total > MAX_LIST_ROWS) return 'none';
  return joinedTotals(totals, { first: total, last: total, hasGrown: false, hasShrunk: false });
}

/** The combined totals of a reading and the one after it. */
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

/** The total that all answers agreed on; null if there is none. */
export function fixedTotal(totals: Totals): number | null {
  return typeof totals === 'string' || totals.hasGrown || totals.hasShrunk ? null : totals.first;
}

interface ReadRows {
  /** Rows with an id count once. */
  rowCount: number;
  /** Pages did not join, rows came twice, or the total changed. */
  hasMoved: boolean;
  /** Rows without an id cannot be checked for duplicates. */
  hasUnnamed: boolean;
}

/**
 * Whether these are the rows that the service had at one moment. True if the pages join and have as many rows as they
 * state. If rows moved, the number of ids decides: a list that only shrank is complete if all of the first total were
 * read, and one that only grew if all of the last total were. Undetectable: one row is deleted and another added
 * between the same two answers, both among rows already read.
 */
export function isWhole(totals: Totals, { rowCount, hasMoved, hasUnnamed }: ReadRows): boolean {
  if (!hasMoved) return typeof totals === 'string' || rowCount >= totals.last;
  if (typeof totals === 'string' || hasUnnamed) return false;
  const { first, last, hasGrown, hasShrunk } = totals;
  if (hasGrown && hasShrunk) return false;
  return rowCount === (hasShrunk ? first : last);
}
