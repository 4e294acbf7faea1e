/** Finds values far from most others of their column, from the histogram. Pure. */
import type { ColumnProfile } from '../../../electron/shared/analysis-model.ts';
import { formatNumber } from '../format.ts';

/** Minimum number of values; fewer have no reliable distribution. */
const FEWEST = 20;
/** If more values than this share are beyond a fence, they count as part of the distribution. */
const MAX_SHARE = 0.05;
/** Distance of the fences in interquartile ranges (Tukey's outer fences). */
const FENCE = 3;

type Bar = ColumnProfile['bars'][number];

/** The value below which `share` of all values lie, assuming an even distribution within each bar. */
function quantile(bars: readonly Bar[], all: number, share: number): number {
  let before = 0;
  for (const { from, to, total } of bars) {
    if (total > 0 && before + total >= all * share)
      return from + ((all * share - before) / total) * (to - from);
    before += total;
  }
  return bars.at(-1)?.to ?? 0;
}

const countOf = (bars: readonly Bar[]): number => bars.reduce((sum, { total }) => sum + total, 0);
const written = (value: number): string =>
  formatNumber(Number.isInteger(value) ? value : Number(value.toPrecision(3)));

/** `3 outliers over 240`, at most one text per end of the axis; none for times. */
export function outlierTexts({ kind, bars }: Pick<ColumnProfile, 'kind' | 'bars'>): string[] {
  const all = countOf(bars);
  if (kind === 'time' || all < FEWEST) return [];
  const [low, high] = [quantile(bars, all, 0.25), quantile(bars, all, 0.75)];
  const fence = FENCE * (high - low);
  const above = bars.filter(({ from, total }) => total > 0 && from >= high + fence);
  const below = bars.filter(({ to, total }) => total > 0 && to <= low - fence);
  return [
    { found: below, bound: `under ${written(below.at(-1)?.to ?? 0)}` },
    { found: above, bound: `over ${written(above[0]?.from ?? 0)}` },
  ].flatMap(({ found, bound }) => {
    const count = countOf(found);
    if (count === 0 || count > all * MAX_SHARE) return [];
    return [`${formatNumber(count)} ${count === 1 ? 'outlier' : 'outliers'} ${bound}`];
  });
}
