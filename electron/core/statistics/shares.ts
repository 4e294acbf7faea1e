/** 95 % intervals of the difference of two shares, and the corresponding tests. Pure. */
import { type Interval, wilson } from '../../shared/wilson.ts';
import { headsCdf, headsProbability } from './distributions.ts';

/** Number of items for each pair of outcomes. `onlyBefore`: items that counted before but not after. */
export interface PairCounts {
  both: number;
  onlyAfter: number;
  onlyBefore: number;
  neither: number;
}

/**
 * Newcombe's interval (method 10) of the difference of two paired shares, after − before; null if there are no items.
 */
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

/**
 * Newcombe's interval (1998, method 10 for independent shares) of the difference, after − before; null if there are no
 * items.
 */
export function independentShares(before: Share, after: Share): Interval | null {
  const [ofBefore, ofAfter] = [wilson(before.count, before.items), wilson(after.count, after.items)];
  if (ofBefore === null || ofAfter === null) return null;
  const [from, to] = [before.count / before.items, after.count / after.items];
  const [[beforeLow, beforeHigh], [afterLow, afterHigh]] = [ofBefore, ofAfter];
  return [
    to - from - Math.hypot(to - afterLow, beforeHigh - from),
    to - from + Math.hypot(afterHigh - to, from - beforeLow),
  ];
}

export interface Share {
  count: number;
  items: number;
}

/**
 * Fisher's exact one-sided test: probability of at most the observed number of counted items after, if the share is the
 * same before and after. 1 if there are no items.
 */
export function fewerProbability(before: Share, after: Share): number {
  const counted = before.count + after.count;
  const other = before.items + after.items - counted;
  const least = Math.max(0, after.items - other);
  // Starts at the observed number and goes down; each term is computed from the previous one.
  let logarithm = logChoices(counted, after.count) + logChoices(other, after.items - after.count);
  logarithm -= logChoices(counted + other, after.items);
  let term = Math.exp(logarithm);
  let sum = 0;
  for (let count = after.count; count >= least && term > sum * 1e-18; count -= 1) {
    sum += term;
    term *= (count * (other - after.items + count)) / ((counted - count + 1) * (after.items - count + 1));
  }
  return Math.min(1, sum);
}

/** Logarithm of the number of ways to choose `some` of `all` items. */
function logChoices(all: number, some: number): number {
  let sum = 0;
  for (let at = 1; at <= Math.min(some, all - some); at += 1) sum += Math.log((all - at + 1) / at);
  return sum;
}

/**
 * McNemar's two-sided test of two paired shares: probabilities of numbers of changes at least as unequal, if there is
 * no difference.
 */
export function mcnemar({ onlyAfter, onlyBefore }: Pick<PairCounts, 'onlyAfter' | 'onlyBefore'>): {
  /** The exact test. The share of false alarms is at most the stated one, usually less. */
  exact: number;
  /**
   * The mid-p test, in which the probability of the observed numbers counts half. On average, the share of false alarms
   * is the stated one (Fagerland 2013).
   */
  mid: number;
} {
  const changes = onlyAfter + onlyBefore;
  if (changes === 0) return { exact: 1, mid: 1 };
  const fewer = Math.min(onlyAfter, onlyBefore);
  const exact = Math.min(1, 2 * headsCdf(fewer, changes));
  const mid = 2 * headsCdf(fewer, changes) - headsProbability(fewer, changes);
  return { exact, mid: onlyAfter === onlyBefore ? 1 : Math.min(1, mid) };
}
