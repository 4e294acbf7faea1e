/** Differences between a period and an earlier one, for cursor, legend, texts, tables and files. Pure. */
import { differenceOf } from '../../../electron/shared/chart-comparison.ts';
import type { ChartSeries, TimeSpan } from '../../lib/chart/types.ts';
import { formatNumber } from '../../lib/format.ts';
import { indexAt } from './buckets.ts';

interface Change {
  value: number;
  /** Change relative to the earlier value; null if that is zero. */
  share: number | null;
}

function changeFrom(earlier: number | null, now: number | null): Change | null {
  const value = differenceOf(earlier, now);
  if (value === null || earlier === null) return null;
  return { value, share: earlier === 0 ? null : value / Math.abs(earlier) };
}

/** Value at a time; null if there is none. */
function valueAt({ times, values }: ChartSeries, ms: number): number | null {
  const at = indexAt(times, ms);
  return at === -1 ? null : (values[at] ?? null);
}

/** Whether the value at this time is partial: its bin had not ended when it was read. */
export const isUnfinished = ({ openFromMs }: Pick<ChartSeries, 'openFromMs'>, ms: number): boolean =>
  openFromMs !== undefined && ms >= openFromMs;

const periodOf = (earlier: ChartSeries, series: readonly ChartSeries[]): ChartSeries | undefined =>
  earlier.earlierOf === undefined ? undefined : series.find(({ id }) => id === earlier.earlierOf);

/**
 * The change at a time between an earlier period and the period compared with it. Null if either has no value, if the
 * value of the later period is partial, or if the later period is not in `series`.
 */
export function changeAt(earlier: ChartSeries, series: readonly ChartSeries[], ms: number): Change | null {
  const period = periodOf(earlier, series);
  if (period === undefined || isUnfinished(period, ms)) return null;
  return changeFrom(valueAt(earlier, ms), valueAt(period, ms));
}

/** The change between two means, with both means. */
export interface MeanChange extends Change {
  earlierMean: number;
  mean: number;
  /** Number of times that the means cover. */
  count: number;
}

/**
 * The change of the mean over those times in the span at which both periods have a value. Unfinished bins are excluded.
 */
export function meanChange(
  earlier: ChartSeries,
  series: readonly ChartSeries[],
  { startMs, endMs }: TimeSpan,
): MeanChange | null {
  const period = periodOf(earlier, series);
  if (period === undefined) return null;
  let [count, before, now] = [0, 0, 0];
  for (const [index, ms] of earlier.times.entries()) {
    const own = earlier.values[index] ?? null;
    const later = valueAt(period, ms);
    if (ms < startMs || ms > endMs || own === null || later === null || isUnfinished(period, ms)) continue;
    count += 1;
    before += own;
    now += later;
  }
  if (count === 0) return null;
  const [earlierMean, mean] = [before / count, now / count];
  const change = changeFrom(earlierMean, mean);
  return change === null ? null : { ...change, earlierMean, mean, count };
}

const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${formatNumber(Math.abs(value))}`;

/** `+27.4 (+15.3 %)`. */
export function changeText({ value, share }: Change): string {
  const rounded = Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4));
  return `${signed(rounded)}${share === null ? '' : ` (${signed(Math.round(share * 1_000) / 10)} %)`}`;
}

/** Adds the change as a separate series after each earlier period, for tables and files. */
export function withChanges(series: readonly ChartSeries[]): ChartSeries[] {
  return series.flatMap((each) => {
    if (periodOf(each, series) === undefined) return [each];
    const { earlierOf: _, ...change } = each;
    const values = each.times.map((ms) => changeAt(each, series, ms)?.value ?? null);
    return [each, { ...change, id: `${each.id} change`, name: `Change from ${each.name}`, values }];
  });
}
