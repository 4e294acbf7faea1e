/** Decides which items of compared runs pass a filter. Pure. */
import type { NumberRange, RunFilter } from '../../shared/run-comparison.ts';
import { SCORE_CHANGES } from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { RUN_FATES } from './run-columns.ts';
import { labelOf, type Ordered } from './run-places.ts';
import { isCounted, isInBin } from './score-shape.ts';

interface FilterParts {
  filter: RunFilter;
  /** Index of the baseline among the runs. */
  baseline: number;
  itemIds: readonly string[];
  /** The displayed score in each run. */
  scores: readonly Ordered[];
  /** Whether an item has this change, given as index in SCORE_CHANGES, in a run. For the baseline: in any run. */
  isChanged: (run: number, item: number, code: number) => boolean;
  /** Index of an item's fate in RUN_FATES; −1 if the run does not have the item. */
  fateAt: (run: number, item: number) => number;
  /** Items with the filter's words in an output; null if the filter has no words. */
  withWords: ReadonlySet<string> | null;
  /** Failure kind by item. */
  kinds: ReadonlyMap<string, string>;
}

/**
 * Returns a function that tests an item by its index. An item must meet all conditions of the filter, and those on the
 * score within one run.
 */
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

/** Tests the conditions on the score; null if the filter has none. */
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
      // NaN if the item has no value. It lies in no range.
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

/** Differences below this share of the larger number are rounding errors, so that 0.3 − 0.1 counts as at least 0.2. */
const ROUNDING = 1e-12;
const isWithin = (value: number, { from, to }: NumberRange, rounding: number): boolean =>
  !Number.isNaN(value) &&
  (from === null || value + rounding >= from) &&
  (to === null || value - rounding <= to);
