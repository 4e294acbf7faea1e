/** Finds the same query for another time range, if nothing is stored for the requested one. Pure. */
import type { ListQuery, TimeRange } from '../shared/model.ts';
import { rangeOfQuery, textWithoutRange } from '../shared/query-range.ts';

/**
 * Finds a stored query that differs from a canonical one only in its range. Prefers the latest range of the same
 * length, then the latest of any length, and among equally late ones the longest. Null if there is none, or if the
 * query has no range.
 */
export function storedRangeOf(asked: ListQuery, stored: () => Iterable<ListQuery>): TimeRange | null {
  const own = rangeOfQuery(asked);
  if (own === null) return null;
  const text = textWithoutRange(asked);
  const lengthOf = ({ startMs, endMs }: TimeRange) => endMs - startMs;
  const isAsLong = (range: TimeRange) => lengthOf(range) === lengthOf(own);
  let best: TimeRange | null = null;
  for (const query of stored()) {
    const range = rangeOfQuery(query);
    if (range === null || textWithoutRange(query) !== text) continue;
    if (range.startMs === own.startMs && range.endMs === own.endMs) continue;
    const order =
      best === null
        ? 1
        : Number(isAsLong(range)) - Number(isAsLong(best)) ||
          range.endMs - best.endMs ||
          lengthOf(range) - lengthOf(best);
    if (order > 0) best = range;
  }
  return best;
}
