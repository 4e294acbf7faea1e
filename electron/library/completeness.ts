/** Whether the rows that were read of a list are all of it: counted by their ids against the totals that its pages state. Pure. */

/** No list has more rows: such a total cannot be. */
export const MAX_LIST_ROWS = 1_000_000_000;

/** The totals that the answers of a reading stated, in their order. */
interface StatedTotals {
  first: number;
  last: number;
  hasGrown: boolean;
  hasShrunk: boolean;
}

/** `none`: an answer stated no total that can be. `unknown`: the reading went on from rows of which the totals are forgotten. */
export type Totals = StatedTotals | 'unread' | 'none' | 'unknown';

/** The totals with that of the next answer. */
export function withTotal(totals: Totals, total: number | null): Totals {
  if (totals === 'unknown') return totals;
  if (totals === 'none' || total === null || total > MAX_LIST_ROWS) return 'none';
  return joinedTotals(totals, { first: total, last: total, hasGrown: false, hasShrunk: false });
}

/** The totals of a reading and of the one after it. */
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

/** The one total that all answers stated; null where there is none. */
export function fixedTotal(totals: Totals): number | null {
  return typeof totals === 'string' || totals.hasGrown || totals.hasShrunk ? null : totals.first;
}

interface ReadRows {
  /** Rows with an id count once. */
  rowCount: number;
  /** Pages did not join, rows came twice, or the total changed. */
  hasMoved: boolean;
  /** Rows without an id: whether one of them came twice cannot be told. */
  hasUnnamed: boolean;
}

/**
 * Are these the rows that the service had at one moment? Pages that join, and bring as many rows as they state, are. Where
 * they moved, the number of ids decides: of a list that only shrank nothing is missing if all of the first total came, of
 * one that only grew if all of the last did. One row that goes and another that comes between the same two answers, both
 * among rows that were read already, leave no trace.
 */
export function isWhole(totals: Totals, { rowCount, hasMoved, hasUnnamed }: ReadRows): boolean {
  if (!hasMoved) return typeof totals === 'string' || rowCount >= totals.last;
  if (typeof totals === 'string' || hasUnnamed) return false;
  const { first, last, hasGrown, hasShrunk } = totals;
  if (hasGrown && hasShrunk) return false;
  return rowCount === (hasShrunk ? first : last);
}
