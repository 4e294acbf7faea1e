/** One figure of a benchmark. */
export interface BenchResult {
  name: string;
  figure: number;
  unit: string;
  /** The limit for the figure; null if there is none. */
  limit: number | null;
  /** Figure divided by limit. */
  ratio: number | null;
  /** Whether the row is about a peer. Its limit is only for comparison, so it cannot be missed. */
  isPeer?: boolean;
  /** The conditions of the measurement, or why it was impossible. Begins with `more is better` if that is so. */
  note: string;
}

export function result(
  name: string,
  figure: number,
  unit: string,
  limit: number | null,
  note: string,
): BenchResult {
  return { name, figure, unit, limit, ratio: limit === null || limit === 0 ? null : figure / limit, note };
}
