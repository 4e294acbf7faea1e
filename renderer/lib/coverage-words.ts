/** Texts about the comparison of a dataset with production. Pure. */
import type { Coverage, CoverageDimension } from '../../electron/shared/coverage-model.ts';
import { type Interval, wilson } from '../../electron/shared/wilson.ts';
import { formatCount, formatNumber } from './format.ts';
import { formatShare } from './span-fields.ts';

/** A share is named if it differs from production by more than this factor. */
const FACTOR = 2;
const MIN_SHARE = 0.005;

type Standing = 'missing' | 'under' | 'over' | 'even' | 'unknown';

export const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  missing: 'missing',
  under: 'too few',
  over: 'too many',
  even: '',
  unknown: 'not in production',
};

interface ShownShares {
  production: number;
  dataset: number;
  /** Confidence interval of the dataset's share if its items are a sample; null if it has no items. */
  interval: Interval | null;
  standing: Standing;
}

/** Shares of a value, from 0 to 1. */
export function sharesOfValue(
  { rows, items }: CoverageDimension,
  value: CoverageDimension['values'][number],
): ShownShares {
  const production = rows === 0 ? 0 : value.rows / rows;
  const dataset = items === 0 ? 0 : value.items / items;
  const interval = wilson(Math.min(value.items, items), items);
  const standing = standingOf(production, dataset);
  // With few items, chance alone can cause a difference of this size.
  const isSure = interval === null || production < interval[0] || production > interval[1];
  return { production, dataset, interval, standing: isSure || standing === 'missing' ? standing : 'even' };
}

/** Whether the dataset lacks a value that is common in production. */
export const isNotable = ({ standing, production }: Pick<ShownShares, 'standing' | 'production'>): boolean =>
  (standing === 'missing' || standing === 'under') && production >= MIN_SHARE;

function standingOf(production: number, dataset: number): Standing {
  if (production === 0) return 'unknown';
  if (dataset === 0) return 'missing';
  if (Math.max(production, dataset) < MIN_SHARE) return 'even';
  if (production > dataset * FACTOR) return 'under';
  return dataset > production * FACTOR ? 'over' : 'even';
}

/** `1,200 of 1,900 values`, `8 values`. */
export function valuesText({ storedValues, totalValues }: CoverageDimension): string {
  if (totalValues === null || totalValues === storedValues) return formatCount(storedValues, 'value');
  return `${formatNumber(storedValues)} of ${formatCount(totalValues, 'value')}`;
}

/** The effect of adding items in one sentence. */
export function fillText({ picked, candidates, before, after, blind }: Coverage['fill']): string {
  if (candidates === 0) return 'No stored span is left that could be added.';
  if (before === null || after === null) return 'Choose at least one field that counts.';
  if (picked === 0)
    return `Of ${formatCount(candidates, 'stored span')} none would bring the dataset nearer to production.`;
  const drawn = blind === null ? '' : ` (${formatNumber(picked)} random ones: ${formatShare(blind)})`;
  return `${formatCount(picked, 'span')} of ${formatNumber(candidates)} stored: mean coverage rises from ${formatShare(before)} to ${formatShare(after)}${drawn}.`;
}
