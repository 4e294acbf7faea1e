/** Where the bars of a column of numbers or times begin and end. Pure. */
import type { ColumnKind } from './analysis-model.ts';

const MOST_BARS = 20;
/** Times are also drawn as wide as the view; a head joins neighbours. */
const MOST_TIME_BARS = 60;

/** Edges of the bars of an axis, one more than there are bars. Whole numbers of a small range get a bar each. */
export function edgesOf(min: number, max: number, kind: ColumnKind): number[] {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return [min, max];
  if (kind === 'integer' && span < MOST_BARS)
    return [...Array.from({ length: span + 1 }, (_, index) => min + index), max + 1];
  const bars = kind === 'time' ? MOST_TIME_BARS : MOST_BARS;
  const edges = Array.from({ length: bars }, (_, index) => min + (span * index) / bars);
  // Rounding may make two edges of a tiny range one.
  return [...new Set([...edges, max])];
}
