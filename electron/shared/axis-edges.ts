/** Bar edges for a column of numbers or times. Pure. */
import type { ColumnKind } from './analysis-model.ts';

const MAX_BARS = 20;
/**
 * Maximum bars of times, which are also drawn at the full width of the view; a column summary merges neighbouring bars.
 */
const MAX_TIME_BARS = 60;

/** Bar edges of an axis, one more than there are bars. Integers of a small range get one bar each. */
export function edgesOf(min: number, max: number, kind: ColumnKind): number[] {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return [min, max];
  if (kind === 'integer' && span < MAX_BARS)
    return [...Array.from({ length: span + 1 }, (_, index) => min + index), max + 1];
  const bars = kind === 'time' ? MAX_TIME_BARS : MAX_BARS;
  const edges = Array.from({ length: bars }, (_, index) => min + (span * index) / bars);
  // Rounding may make two edges of a tiny range equal.
  return [...new Set([...edges, max])];
}
