/** Agreement of two or more judges beyond chance. Pure. */
import type { ScoreAgreement } from '../../shared/score-comparison.ts';
import { type Interval, wilson, Z_95 } from '../../shared/wilson.ts';
import { elementAt } from '../element-at.ts';
import { studentQuantile } from './distributions.ts';
import { Moments, UPPER } from './means.ts';

/** Number of items to which one judge gave the first label and the other judge the second. */
interface LabelPair {
  before: string;
  after: string;
  items: number;
}

/** Agreement of two judges on the same items, with the interval of Fleiss, Cohen and Everitt (1969); null without items. */
export function agreementOf(pairs: readonly LabelPair[]): ScoreAgreement | null {
  const items = pairs.reduce((sum, pair) => sum + pair.items, 0);
  if (items === 0) return null;
  const rates = new Map<string, { before: number; after: number }>();
  const rateOf = (label: string) => {
    const rate = rates.get(label) ?? { before: 0, after: 0 };
    rates.set(label, rate);
    return rate;
  };
  let equal = 0;
  for (const pair of pairs) {
    // A label without items is not counted.
    if (pair.items === 0) continue;
    rateOf(pair.before).before += pair.items / items;
    rateOf(pair.after).after += pair.items / items;
    if (pair.before === pair.after) equal += pair.items;
  }
  const share = equal / items;
  const chance = [...rates.values()].reduce((sum, { before, after }) => sum + before * after, 0);
  return {
    ...{ items, share, interval: wilson(equal, items) },
    kappa: rates.size < 2 ? null : kappaOf(pairs, { items, share, chance, rateOf }),
    rates: [...rates]
      .map(([label, rate]) => ({ label, ...rate }))
      .toSorted((one, other) => other.before - one.before || other.after - one.after),
  };
}

/** A smaller variance is a rounding error. */
const MIN_VARIANCE = 1e-14;

interface Chance {
  items: number;
  share: number;
  chance: number;
  rateOf: (label: string) => { before: number; after: number };
}

function kappaOf(
  pairs: readonly LabelPair[],
  { items, share, chance, rateOf }: Chance,
): { value: number; interval: Interval | null } {
  const value = (share - chance) / (1 - chance);
  let spread = 0;
  for (const pair of pairs) {
    const part = pair.items / items;
    // The rates are swapped, because a label of one judge is combined with the rate of the same label of the other
    // judge.
    const [before, after] = [rateOf(pair.before), rateOf(pair.after)];
    if (pair.before === pair.after) {
      spread += part * (1 - (before.before + before.after) * (1 - value)) ** 2;
    } else spread += part * (1 - value) ** 2 * (before.after + after.before) ** 2;
  }
  const variance = (spread - (value - chance * (1 - value)) ** 2) / (items * (1 - chance) ** 2);
  // The variance is 0, except for rounding, if all items are equal or if no agreement exceeds chance. This does not
  // mean certainty.
  if (variance < MIN_VARIANCE) return { value, interval: null };
  const half = Z_95 * Math.sqrt(variance);
  return { value, interval: [Math.max(-1, value - half), Math.min(1, value + half)] };
}

/** Minimum number of items for an interval of Fleiss' kappa. With fewer, it covers clearly less than 95 %. */
const MIN_INTERVAL_ITEMS = 10;

/**
 * Fleiss' kappa (1971) of two or more judges, from -1 to 1, with a 95 % interval by the leave-one-out jackknife over
 * items on Fisher's scale. `counts`: for each item, the number of judges that gave each label; every item must have the
 * same number of judges, at least two. Null if there are no items, or if all judgements have the same label. The
 * interval is null for fewer than 10 items, if the judges agree equally on every item, or if a single item decides
 * whether there are two labels. Throws RangeError if items have different numbers of judges.
 */
export function fleissKappa(
  counts: readonly (readonly number[])[],
): { value: number; interval: Interval | null } | null {
  const [first] = counts;
  if (first === undefined) return null;
  const sumOf = (row: readonly number[]) => row.reduce((sum, count) => sum + count, 0);
  const judges = sumOf(first);
  const totals = first.map(() => 0);
  let agreeing = 0;
  for (const row of counts) {
    if (judges < 2 || sumOf(row) !== judges)
      throw new RangeError(
        `Expected the same number of judges, at least 2, for every item; got ${sumOf(row)}.`,
      );
    for (const [label, count] of row.entries()) totals[label] = elementAt(totals, label) + count;
    agreeing += agreeingPairs(row);
  }
  const value = kappaOfSums({ items: counts.length, judges, totals, agreeing });
  if (value === null) return null;
  const others = counts.map((row) =>
    kappaOfSums({
      ...{ items: counts.length - 1, judges },
      totals: totals.map((total, label) => total - (row[label] ?? 0)),
      agreeing: agreeing - agreeingPairs(row),
    }),
  );
  const isEven = counts.every((row) => agreeingPairs(row) === agreeingPairs(first));
  return { value, interval: isEven ? null : jackknifeInterval(value, others) };
}

/** Number of pairs of judges, in both orders, that gave the item the same label. */
const agreeingPairs = (row: readonly number[]): number =>
  row.reduce((sum, count) => sum + count * (count - 1), 0);

interface JudgeSums {
  items: number;
  judges: number;
  /** Number of judgements by label. */
  totals: readonly number[];
  agreeing: number;
}

/** Fleiss' kappa; null if all judgements have the same label. */
function kappaOfSums({ items, judges, totals, agreeing }: JudgeSums): number | null {
  if (totals.filter((total) => total > 0).length < 2) return null;
  const chance = totals.reduce((sum, total) => sum + (total / (items * judges)) ** 2, 0);
  return (agreeing / (judges * (judges - 1) * items) - chance) / (1 - chance);
}

/**
 * `others`: the kappas computed without each item in turn. Uses Fisher's scale, because the distribution of kappa is
 * skewed near 1.
 */
function jackknifeInterval(value: number, others: readonly (number | null)[]): Interval | null {
  const items = others.length;
  const moments = new Moments();
  for (const other of others) {
    if (other === null) return null;
    moments.add(other);
  }
  if (items < MIN_INTERVAL_ITEMS) return null;
  const error = ((items - 1) * moments.deviation) / Math.sqrt(items);
  const half = (studentQuantile(UPPER, items - 1) * error) / (1 - value * value);
  const center = Math.atanh(value);
  return [Math.tanh(center - half), Math.tanh(center + half)];
}
