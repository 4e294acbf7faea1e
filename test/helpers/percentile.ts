/**
 * The smallest value that this share of all values, from 0 to 1, does not exceed (nearest rank); NaN if there are none.
 */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
