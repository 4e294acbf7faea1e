/**
 * Computes how many items a comparison needs, and the smallest difference that it can detect, at a level of 95 % and a
 * power of 80 %. Pure.
 */
import { Z_95 } from '../../shared/wilson.ts';
import type { Moments } from './means.ts';
import type { PairCounts } from './shares.ts';

/** The 80 % quantile of the normal distribution. */
const Z_80 = 0.8416212335729143;
/** Larger numbers are not stated, because nobody scores that many items. */
const MAX_MORE = 1_000_000;

/**
 * Number of items with which McNemar's test detects a difference of shares of this size, if this share of the items
 * changes (Connor 1987).
 */
export function itemsForShares(difference: number, changing: number): number {
  const needed = Z_95 * Math.sqrt(changing) + Z_80 * Math.sqrt(Math.max(0, changing - difference ** 2));
  return (needed / difference) ** 2;
}

/**
 * Number of items with which a mean difference of this size is distinguished from 0, given the standard deviation of
 * the differences.
 */
export function itemsForMeans(difference: number, deviation: number): number {
  // The last term is Guenther's correction (1981), because the deviation is estimated from the same items.
  return (((Z_95 + Z_80) * deviation) / difference) ** 2 + Z_95 ** 2 / 2;
}

/**
 * The smallest difference of shares that this number of items can detect, if this share of them changes. Null if even
 * the largest possible difference cannot be detected.
 */
export function smallestShare(items: number, changing: number): number | null {
  if (items === 0 || changing <= 0) return null;
  let [low, high] = [0, changing];
  if (itemsForShares(high, changing) > items) return null;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (itemsForShares(middle, changing) > items) low = middle;
    else high = middle;
  }
  return high;
}

/** The smallest mean difference that this number of items can detect; null for too few items. */
export function smallestMean(items: number, deviation: number): number | null {
  const counted = items - Z_95 ** 2 / 2;
  return counted <= 0 || deviation === 0 ? null : ((Z_95 + Z_80) * deviation) / Math.sqrt(counted);
}

/**
 * Number of additional items with which the observed difference of shares would be detected; null if there is no
 * difference.
 */
export function moreForShares(
  { both, onlyAfter, onlyBefore, neither }: PairCounts,
  designEffect = 1,
): number | null {
  const items = both + onlyAfter + onlyBefore + neither;
  const [changing, difference] = [(onlyAfter + onlyBefore) / items, (onlyAfter - onlyBefore) / items];
  return moreThan(items, itemsForShares(difference, changing) * designEffect);
}

/**
 * Number of additional items with which the observed mean difference would be distinguished from 0; null if it is 0.
 */
export function moreForMeans({ items, mean, deviation }: Moments, designEffect = 1): number | null {
  return moreThan(items, itemsForMeans(mean, deviation) * designEffect);
}

/** Additional items, rounded up to two digits. */
function moreThan(items: number, needed: number): number | null {
  const more = Math.ceil(needed - items);
  if (!Number.isFinite(more) || more <= 0 || more > MAX_MORE) return null;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(more)) - 1);
  return Math.ceil(more / unit) * unit;
}
