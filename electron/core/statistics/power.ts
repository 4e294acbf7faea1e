/** How many items a comparison needs, and the smallest difference that it can see: at 95 % and a power of 80 %. Pure. */
import { Z_95 } from '../../shared/wilson.ts';
import type { Moments } from './means.ts';
import type { PairCounts } from './shares.ts';

/** The 80 % quantile of the normal distribution. */
const Z_80 = 0.8416212335729143;
/** Larger needed numbers are not stated: nobody scores that many items. */
const MAX_MORE = 1_000_000;

/** Items with which McNemar's test finds a difference of shares of this size, if this share of them changes (Connor 1987). */
export function itemsForShares(difference: number, changing: number): number {
  const needed = Z_95 * Math.sqrt(changing) + Z_80 * Math.sqrt(Math.max(0, changing - difference ** 2));
  return (needed / difference) ** 2;
}

/** Items with which a mean difference of this size is distinguished from 0, given the deviation of the differences. */
export function itemsForMeans(difference: number, deviation: number): number {
  // The last term is Guenther's correction (1981) for a deviation that is estimated from the same items.
  return (((Z_95 + Z_80) * deviation) / difference) ** 2 + Z_95 ** 2 / 2;
}

/**
 * The smallest difference of shares that this number of items shows, if this share of them changes; null if they cannot
 * show even the largest.
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

/** The smallest mean difference that this number of items shows; null for too few items. */
export function smallestMean(items: number, deviation: number): number | null {
  const counted = items - Z_95 ** 2 / 2;
  return counted <= 0 || deviation === 0 ? null : ((Z_95 + Z_80) * deviation) / Math.sqrt(counted);
}

/** Further items with which the seen difference of shares would be found; null if there is none. */
export function moreForShares(
  { both, onlyAfter, onlyBefore, neither }: PairCounts,
  designEffect = 1,
): number | null {
  const items = both + onlyAfter + onlyBefore + neither;
  const [changing, difference] = [(onlyAfter + onlyBefore) / items, (onlyAfter - onlyBefore) / items];
  return moreThan(items, itemsForShares(difference, changing) * designEffect);
}

/** Further items with which the mean of the differences would be distinguished from 0; null if it is 0. */
export function moreForMeans({ items, mean, deviation }: Moments, designEffect = 1): number | null {
  return moreThan(items, itemsForMeans(mean, deviation) * designEffect);
}

/** Rounded up to two digits. */
function moreThan(items: number, needed: number): number | null {
  const more = Math.ceil(needed - items);
  if (!Number.isFinite(more) || more <= 0 || more > MAX_MORE) return null;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(more)) - 1);
  return Math.ceil(more / unit) * unit;
}
