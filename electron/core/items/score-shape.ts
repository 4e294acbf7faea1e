/** The distribution of a score in one or two runs: bars of numbers, pairs of labels, failure kinds. Pure. */
import { MAX_LABEL_PAIRS, type NumberBin, type ScoreShape } from '../../shared/run-comparison.ts';
import { type ChangeCounts, SCORE_CHANGES } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { agreementOf } from '../statistics/agreement.ts';
import { labelOf, type Ordered } from './run-places.ts';

/** Maximum number of bars. */
const BINS = 20;
/**
 * Maximum number of distinct numbers for them to be grades. Rounding errors can make one grade appear as several
 * numbers.
 */
const MAX_DISTINCT = 200;
/** Numbers closer than this share of the range count as equal. */
const SAME_NUMBER = 1e-9;
/** Maximum deviation of a grade from its position, as a share of a step. */
const SAME_STEP = 1e-6;
const DIGITS = 12;
/**
 * Minimum step, as a share of the largest number. Smaller steps are rounding errors, and the edges of their bars could
 * coincide.
 */
const MIN_STEP = 10 ** (1 - DIGITS);

/** A score in the order of the items. */
export interface ShapeParts {
  /** Null if one run alone is described. */
  before: Ordered | null;
  after: Ordered;
  /** The change of each item, as index in SCORE_CHANGES. */
  codes: Uint8Array;
  itemIds: readonly string[];
  /** True if both runs judged the same texts, so that agreement of their labels is meaningful. */
  isOfSameTexts: boolean;
  /** Failure kind by item. */
  kinds: ReadonlyMap<string, string>;
}

export function shapeOf(parts: ShapeParts): Omit<ScoreShape, 'judged' | 'repetitions'> {
  const pairs = labelPairs(parts);
  const compared = pairs.flatMap(({ before, after, items }) =>
    before === null ? [] : [{ before, after, items }],
  );
  return {
    bins: binsOf(parts),
    labels: pairs.toSorted((one, other) => other.items - one.items).slice(0, MAX_LABEL_PAIRS),
    agreement: parts.isOfSameTexts ? agreementOf(compared) : null,
    failureKinds: kindCounts(parts),
  };
}

/** Whether the bars count an item: it must have a number, in a comparison in both runs. */
export const isCounted = (
  { before, after }: { before: Pick<Ordered, 'values'> | null; after: Pick<Ordered, 'values'> },
  item: number,
): boolean =>
  !Number.isNaN(elementAt(after.values, item)) &&
  (before === null || !Number.isNaN(elementAt(before.values, item)));

/** Used for the counts of the bars and for the lists of items behind them, so that both agree. */
export const isInBin = (value: number, { from, to, isLast }: NumberBin): boolean =>
  value >= from && (isLast ? value <= to : value < to);

function binsOf(parts: ShapeParts): ScoreShape['bins'] {
  const { before, after } = parts;
  const sides = before === null ? [after.values] : [after.values, before.values];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const distinct = new Set<number>();
  for (let item = 0; item < after.values.length; item += 1) {
    if (!isCounted(parts, item)) continue;
    for (const values of sides) {
      const value = elementAt(values, item);
      least = Math.min(least, value);
      most = Math.max(most, value);
      if (distinct.size <= MAX_DISTINCT) distinct.add(value);
    }
  }
  const grades = binsOfGrades(distinct, [least, most]);
  const bins = grades.length > 0 ? grades : emptyBins(least, most);
  const binOf = (value: number) =>
    bins.find(({ from, to }) => isInBin(value, { from, to, isLast: false })) ??
    elementAt(bins, bins.length - 1);
  for (let item = 0; item < after.values.length; item += 1) {
    if (!isCounted(parts, item)) continue;
    binOf(elementAt(after.values, item)).after += 1;
    if (before !== null) binOf(elementAt(before.values, item)).before += 1;
  }
  return bins;
}

/**
 * A bar for each grade, if the numbers are a few equidistant grades, such as 1 to 5 or thirds; otherwise empty.
 * Rounding errors of means do not count as further grades.
 */
function binsOfGrades(found: ReadonlySet<number>, [least, most]: [number, number]): ScoreShape['bins'] {
  const range = most - least;
  // The outer edges must be finite.
  const hasEdges = Number.isFinite(least - range) && Number.isFinite(most + range);
  if (found.size > MAX_DISTINCT || range === 0 || !hasEdges) return [];
  const gaps = [...found]
    .sort((one, other) => one - other)
    .flatMap((value, at, all) => (at === 0 ? [] : [value - elementAt(all, at - 1)]))
    .filter((gap) => gap > range * SAME_NUMBER);
  const step = Math.min(...gaps);
  if (step < MIN_STEP * Math.max(Math.abs(least), Math.abs(most))) return [];
  const steps = Math.round(range / step);
  const isGrade = (value: number) => {
    const place = (value - least) / step;
    return Math.abs(place - Math.round(place)) < SAME_STEP;
  };
  if (steps >= BINS || ![...found].every(isGrade)) return [];
  return Array.from({ length: steps + 1 }, (_, at) => {
    const value = Number((least + (range / steps) * at).toPrecision(DIGITS));
    return { from: value - step / 2, to: value + step / 2, value, before: 0, after: 0 };
  });
}

/** Bars of equal width without gaps. There are fewer if the numbers are too close together for distinct edges. */
function emptyBins(least: number, most: number): ScoreShape['bins'] {
  if (least > most) return [];
  const edges = [least];
  let last = least;
  for (let at = 1; at < BINS; at += 1) {
    // Computed without the difference of both, which may overflow.
    const edge = least * (1 - at / BINS) + most * (at / BINS);
    if (edge <= last || edge >= most) continue;
    edges.push(edge);
    last = edge;
  }
  return edges.map((from, at) => ({ from, to: edges[at + 1] ?? most, before: 0, after: 0 }));
}

function labelPairs({ before, after }: ShapeParts): ScoreShape['labels'] {
  const found = new Map<string, ScoreShape['labels'][number]>();
  if (after.labels === null || (before !== null && before.labels === null)) return [];
  for (let item = 0; item < after.labels.length; item += 1) {
    const [one, other] = [before === null ? null : labelOf(before, item), labelOf(after, item)];
    if (other === null || (before !== null && one === null)) continue;
    const key = JSON.stringify([one, other]);
    const pair = found.get(key) ?? { before: one, after: other, items: 0 };
    pair.items += 1;
    found.set(key, pair);
  }
  return [...found.values()];
}

function kindCounts({ codes, itemIds, kinds }: ShapeParts): ScoreShape['failureKinds'] {
  const found = new Map<string, ChangeCounts>();
  if (kinds.size === 0) return [];
  for (const [item, itemId] of itemIds.entries()) {
    const name = kinds.get(itemId);
    const change = SCORE_CHANGES[elementAt(codes, item)];
    if (name === undefined) continue;
    const counts = found.get(name) ?? { worse: 0, better: 0, changed: 0, same: 0, missing: 0 };
    // In a single run, no item has a change.
    if (change !== undefined) counts[change] += 1;
    found.set(name, counts);
  }
  return [...found]
    .map(([name, counts]) => ({ name, counts }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}
