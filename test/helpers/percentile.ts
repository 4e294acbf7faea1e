/**
 * The smallest value that is not exceeded by this share (0 to 1) of all values (nearest rank); NaN if there are none.
 */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
