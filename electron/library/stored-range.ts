/** Finds the same query for another time range if nothing is stored for its own. Pure. */
import type { ListQuery, TimeRange } from '../shared/model.ts';
import { rangeOfQuery, textWithoutRange } from '../shared/query-range.ts';

/**
 * Among stored queries that differ from a canonical one only in their range: the latest range of the same length, else
 * the latest of any length, and among equally late ones the longest. Null if there is none, and for a query without a
 * range.
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
