/** Intervals of shares and means, alone and in pairs, at 95 %; needed numbers of items at a power of 80 %. Pure. */

import type { ScoreEstimate } from '../../shared/score-comparison.ts';

type Interval = readonly [low: number, high: number];

/** Quantiles of the normal distribution: two-sided 95 %, and 80 % power. */
const Z = 1.959963984540054;
const Z_POWER = 0.8416212335729143;
/** Below this number of items, a difference is called too uncertain to judge. */
export const MIN_ITEMS_TO_JUDGE = 30;
/** Larger needed numbers are not stated: nobody scores so many items. */
const MAX_MORE = 1_000_000;

/** Wilson's interval of `count` of `items`; null without items. */
export function wilson(count: number, items: number): Interval | null {
  if (items === 0) return null;
  const share = count / items;
  const square = (Z * Z) / items;
  const middle = (share + square / 2) / (1 + square);
  const half = (Z / (1 + square)) * Math.sqrt((share * (1 - share)) / items + square / (4 * items));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Items by their pair of outcomes; `onlyBefore`: counted before and not after. */
export interface PairCounts {
  both: number;
  onlyAfter: number;
  onlyBefore: number;
  neither: number;
}

/** Newcombe's interval (method 10) of the difference of two paired shares, after − before; null without items. */
export function pairedShares({ both, onlyAfter, onlyBefore, neither }: PairCounts): Interval | null {
  const items = both + onlyAfter + onlyBefore + neither;
  const [ofAfter, ofBefore] = [wilson(both + onlyAfter, items), wilson(both + onlyBefore, items)];
  if (ofAfter === null || ofBefore === null) return null;
  const [after, before] = [(both + onlyAfter) / items, (both + onlyBefore) / items];
  const margins = (both + onlyAfter) * (onlyBefore + neither) * (both + onlyBefore) * (onlyAfter + neither);
  const cross = both * neither - onlyAfter * onlyBefore;
  const corrected = cross > 0 ? Math.max(cross - items / 2, 0) : cross;
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const distance = (one: number, other: number) =>
    Math.sqrt(Math.max(0, one * one - 2 * phi * one * other + other * other));
  const [[afterLow, afterHigh], [beforeLow, beforeHigh]] = [ofAfter, ofBefore];
  return [
    after - before - distance(after - afterLow, beforeHigh - before),
    after - before + distance(afterHigh - after, before - beforeLow),
  ];
}

/** Sums over numbers, from which a mean and its spread are computed without keeping the numbers. */
export class Moments {
  items = 0;
  #sum = 0;
  #center = 0;
  #squares = 0;

  /** Welford's update: the spread is exact for large numbers close to each other. */
  add(value: number): void {
    this.items += 1;
    this.#sum += value;
    const step = value - this.#center;
    this.#center += Number.isFinite(step)
      ? step / this.items
      : value / this.items - this.#center / this.items;
    this.#squares += step * (value - this.#center);
  }

  get mean(): number {
    if (this.items === 0) return 0;
    return Number.isFinite(this.#sum) ? this.#sum / this.items : this.#center;
  }

  get deviation(): number {
    return this.items < 2 ? 0 : Math.sqrt(this.#squares / (this.items - 1));
  }

  /** Student's interval of the mean; null for fewer than two numbers, and for numbers too far apart for one. */
  get estimate(): ScoreEstimate {
    const { items, mean } = this;
    const half = items < 2 ? 0 : (student(items - 1) * this.deviation) / Math.sqrt(items);
    const [low, high] = [mean - half, mean + half];
    const isKnown = items >= 2 && Number.isFinite(low) && Number.isFinite(high);
    return { value: mean, items, interval: isKnown ? [low, high] : null };
  }
}

/** The two-sided 95 % quantile of Student's distribution: exact up to 2, then Fisher's expansion. */
export function student(degrees: number): number {
  if (degrees === 1) return 12.706204736432095;
  if (degrees === 2) return 4.302652729749464;
  const [third, fifth, seventh, ninth] = [Z ** 3, Z ** 5, Z ** 7, Z ** 9];
  return (
    Z +
    (third + Z) / (4 * degrees) +
    (5 * fifth + 16 * third + 3 * Z) / (96 * degrees ** 2) +
    (3 * seventh + 19 * fifth + 17 * third - 15 * Z) / (384 * degrees ** 3) +
    (79 * ninth + 776 * seventh + 1482 * fifth - 1920 * third - 945 * Z) / (92_160 * degrees ** 4)
  );
}

/** Further items with which McNemar's test would find the seen difference of shares; null if there is none. */
export function moreForShares({ both, onlyAfter, onlyBefore, neither }: PairCounts): number | null {
  const items = both + onlyAfter + onlyBefore + neither;
  const [unequal, difference] = [(onlyAfter + onlyBefore) / items, (onlyAfter - onlyBefore) / items];
  const needed = Z * Math.sqrt(unequal) + Z_POWER * Math.sqrt(Math.max(0, unequal - difference ** 2));
  return moreThan(items, (needed / difference) ** 2);
}

/** Further items with which the mean of the differences would be told from 0; null if it is 0. */
export function moreForMeans({ items, mean, deviation }: Moments): number | null {
  return moreThan(items, (((Z + Z_POWER) * deviation) / mean) ** 2);
}

/** Rounded up to two digits. */
function moreThan(items: number, needed: number): number | null {
  const more = Math.ceil(needed - items);
  if (!Number.isFinite(more) || more <= 0 || more > MAX_MORE) return null;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(more)) - 1);
  return Math.ceil(more / unit) * unit;
}
