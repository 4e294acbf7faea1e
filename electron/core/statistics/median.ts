/** Medians with 95 % intervals that hold for any distribution. Pure. */
import type { ScoreEstimate } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { headsCdf } from './distributions.ts';
import type { Numbers } from './means.ts';

/** Probability that the median lies beyond the interval, at each end. */
const OUTSIDE = 0.025;

/**
 * The median, with an interval between two of the sorted numbers (Conover, section 3.2). The number of values below the
 * true median is distributed like heads in fair tosses. The interval is null for fewer than six numbers; the result is
 * null for none.
 */
export function medianOf(values: Numbers): ScoreEstimate | null {
  const items = values.length;
  if (items === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = items >> 1;
  const upper = elementAt(sorted, middle);
  const lower = elementAt(sorted, items % 2 === 1 ? middle : middle - 1);
  const value = lower === upper ? upper : lower / 2 + upper / 2;
  const cut = cutOf(items);
  const interval =
    cut === 0 ? null : ([elementAt(sorted, cut - 1), elementAt(sorted, items - cut)] as [number, number]);
  return { value, items, interval };
}

/** Number of values at each end that lie outside the interval; 0 if there are too few values. */
function cutOf(items: number): number {
  let [low, high] = [0, items >> 1];
  while (low < high) {
    const cut = Math.ceil((low + high) / 2);
    if (headsCdf(cut - 1, items) <= OUTSIDE) low = cut;
    else high = cut - 1;
  }
  return low;
}
