/** A small line chart (sparkline) of values and thresholds, scaled to a box of pixels. Pure. */

export interface SparkValue {
  timeMs: number;
  value: number | null;
  severity?: unknown;
  warning?: number | null;
  critical?: number | null;
}

interface SparkPoint {
  timeMs: number;
  x: number;
  y: number;
}

interface Spark {
  /** The known values, oldest first. */
  points: SparkPoint[];
  /** Lines of the thresholds that are near enough to be drawn, with one point for each value that has a threshold. */
  levels: { severity: 'warning' | 'critical'; points: SparkPoint[] }[];
}

/**
 * Thresholds that would stretch the range of the values by more than this factor are not drawn: the line of the values
 * would be flat.
 */
const MAX_STRETCH = 4;

/** Scales values to points, with the largest value at the top. Values and thresholds that are null are omitted. */
export function sparkOf(values: readonly SparkValue[], width: number, height: number): Spark {
  const known = values.flatMap(({ timeMs, value }) => (value === null ? [] : [{ timeMs, value }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return { points: [], levels: [] };
  let low = Math.min(...known.map(({ value }) => value));
  let high = Math.max(...known.map(({ value }) => value));
  const reach = (high - low) * MAX_STRETCH;
  const near = (['warning', 'critical'] as const).flatMap((severity) => {
    const found = values.flatMap(({ timeMs, [severity]: value }) =>
      value === null || value === undefined || timeMs < first.timeMs || timeMs > last.timeMs
        ? []
        : [{ timeMs, value }],
    );
    const [least, most] = [
      Math.min(low, ...found.map(({ value }) => value)),
      Math.max(high, ...found.map(({ value }) => value)),
    ];
    return found.length === 0 || (reach > 0 && most - least > reach)
      ? []
      : [{ severity, found, least, most }];
  });
  for (const { least, most } of near) {
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  const length = last.timeMs - first.timeMs;
  const place = ({ timeMs, value }: { timeMs: number; value: number }): SparkPoint => ({
    timeMs,
    x: length === 0 ? width / 2 : ((timeMs - first.timeMs) / length) * width,
    // If all values are equal, the line is in the middle.
    y: high === low ? height / 2 : height - ((value - low) / (high - low)) * height,
  });
  return {
    points: known.map(place),
    levels: near.map(({ severity, found }) => ({ severity, points: found.map(place) })),
  };
}
