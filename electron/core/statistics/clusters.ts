/** Computes means of items that belong together, such as spans of one trace or messages of one session. Pure. */
import type { Interval } from '../../shared/wilson.ts';
import { elementAt } from '../element-at.ts';
import { studentCdf, studentQuantile } from './distributions.ts';
import { type Numbers, UPPER } from './means.ts';

interface ClusteredMean {
  value: number;
  items: number;
  clusters: number;
  /** Null for fewer than two clusters, or if the numbers are too far apart for an interval. */
  interval: Interval | null;
  /** Ratio of the variance to that of the same number of independent items; null if the values do not vary. */
  designEffect: number | null;
  /**
   * Probability of a mean at least this far from 0 if the true mean is 0. Null if there is no interval, or if the
   * values do not vary.
   */
  probability: number | null;
}

/**
 * The mean over items and its 95 % interval. The interval stays valid if items of one cluster are similar (Liang and
 * Zeger 1986), because deviations are summed within each cluster first. It uses Student's quantile for the number of
 * clusters − 1. Also works for differences of pairs. Null if there are no items.
 *
 * @param clusters the cluster of each value, by index
 */
export function clusteredMean(
  values: Numbers,
  clusters: readonly (string | number)[] | Float64Array,
): ClusteredMean | null {
  const items = values.length;
  if (items === 0) return null;
  // Equal numbers must have no spread at all, not even a rounding error.
  const first = elementAt(values, 0);
  const isConstant = values.every((each) => each === first);
  let sumOfShares = 0;
  for (const each of values) sumOfShares += each / items;
  const value = isConstant ? first : sumOfShares;
  const sums = new Map<string | number, number>();
  let squares = 0;
  for (const [at, each] of values.entries()) {
    const cluster = elementAt(clusters, at);
    const step = each - value;
    squares += step * step;
    sums.set(cluster, (sums.get(cluster) ?? 0) + step);
  }
  const count = sums.size;
  const unknown = { interval: null, designEffect: null, probability: null };
  if (count < 2) return { value, items, clusters: count, ...unknown };
  let between = 0;
  for (const sum of sums.values()) between += sum * sum;
  const variance = ((count / (count - 1)) * between) / (items * items);
  const error = Math.sqrt(variance);
  const half = studentQuantile(UPPER, count - 1) * error;
  const independent = squares / (items - 1) / items;
  const designEffect = independent === 0 ? null : variance / independent;
  if (!Number.isFinite(half)) return { value, items, clusters: count, ...unknown };
  const probability = error === 0 ? null : 2 * studentCdf(-Math.abs(value) / error, count - 1);
  return { value, items, clusters: count, interval: [value - half, value + half], designEffect, probability };
}
