/** Decides which items of compared runs pass a filter. Pure. */
import type { NumberRange, RunFilter } from '../../shared/run-comparison.ts';
import { SCORE_CHANGES } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { RUN_FATES } from './run-columns.ts';
import { labelOf, type Ordered } from './run-places.ts';
import { isCounted, isInBin } from './score-shape.ts';

interface FilterParts {
  filter: RunFilter;
  /** Place of the baseline. */
  baseline: number;
  itemIds: readonly string[];
  /** The shown score by run. */
  scores: readonly Ordered[];
  /** The change of an item in a run, as its place in SCORE_CHANGES; in the baseline, of any run. */
  isChanged: (run: number, item: number, code: number) => boolean;
  /** Place of the item's state in RUN_FATES; −1: the run does not have it. */
  fateAt: (run: number, item: number) => number;
  /** Items with the words of the filter in an output; null: no words. */
  withWords: ReadonlySet<string> | null;
  /** Failure kind by item. */
  kinds: ReadonlyMap<string, string>;
}

/** Items by their index pass if they fulfil all of the filter; its choices on the score in one and the same run. */
export function passes(parts: FilterParts): (item: number) => boolean {
  const { filter, itemIds, scores, fateAt, withWords, kinds } = parts;
  const runs = scores.map((_, run) => run);
  const hasScore = onScore(parts, runs);
  const { fate, kind, items } = filter;
  const fateCode = fate === null ? -1 : RUN_FATES.indexOf(fate);
  const named = items === null ? null : new Set(items);
  return (item) => {
    if (fate !== null && !runs.some((run) => fateAt(run, item) === fateCode)) return false;
    if (hasScore !== null && !hasScore(item)) return false;
    if (kind === null && withWords === null && named === null) return true;
    const itemId = elementAt(itemIds, item);
    if (kind !== null && kinds.get(itemId) !== kind) return false;
    if (withWords !== null && !withWords.has(itemId)) return false;
    return named === null || named.has(itemId);
  };
}

/** Null if the filter has no choice on the score. */
function onScore(
  { filter, baseline, scores, isChanged }: FilterParts,
  runs: readonly number[],
): ((item: number) => boolean) | null {
  const { atLeast, difference, range, bin, label, labelBefore } = filter;
  const wanted = filter.change === null ? null : SCORE_CHANGES.indexOf(filter.change);
  const isOnDifference = atLeast !== null || difference !== null;
  const isOnValue = range !== null || bin !== null || label !== null || labelBefore !== null;
  if (wanted === null && !isOnDifference && !isOnValue) return null;
  const isSingle = runs.length === 1;
  const asked = runs.filter((run) =>
    filter.run === null ? run !== baseline || isSingle : run === filter.run,
  );
  const first = elementAt(scores, baseline);
  const before = first.values;
  return (item) =>
    asked.some((run) => {
      if (wanted !== null && !isChanged(run, item, wanted)) return false;
      const own = elementAt(scores, run);
      // NaN if the item has no value; NaN is in no range.
      const value = elementAt(own.values, item);
      if (label !== null && labelOf(own, item) !== label) return false;
      if (labelBefore !== null && labelOf(first, item) !== labelBefore) return false;
      if (range !== null && !isWithin(value, range, 0)) return false;
      if (
        bin !== null &&
        !(isCounted({ before: isSingle ? null : first, after: own }, item) && isInBin(value, bin))
      )
        return false;
      if (!isOnDifference) return true;
      const earlier = elementAt(before, item);
      if (Number.isNaN(value) || Number.isNaN(earlier)) return false;
      const rounding = ROUNDING * Math.max(Math.abs(value), Math.abs(earlier));
      const change = value - earlier;
      if (atLeast !== null && Math.abs(change) + rounding < atLeast) return false;
      return difference === null || isWithin(change, difference, rounding);
    });
}

/** Share of the larger number below which a difference is an error of rounding: 0.3 − 0.1 is at least 0.2. */
const ROUNDING = 1e-12;
const isWithin = (value: number, { from, to }: NumberRange, rounding: number): boolean =>
  !Number.isNaN(value) &&
  (from === null || value + rounding >= from) &&
  (to === null || value - rounding <= to);
