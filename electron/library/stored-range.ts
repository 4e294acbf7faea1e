/** What is stored of a question for another time range, where nothing is stored for its own. Pure. */
import type { ListQuery, TimeRange } from '../shared/model.ts';
import { rangeOfQuery, textWithoutRange } from '../shared/query-range.ts';

/**
 * Of the stored questions that differ from a canonical one in their range alone: the latest as long as its own, else the
 * latest of any length, of these the longest. Null where there is none, and for a question without a range.
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
