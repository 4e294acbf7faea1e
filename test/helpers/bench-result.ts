/** One figure of a benchmark. */
export interface BenchResult {
  name: string;
  figure: number;
  unit: string;
  /** The limit for the figure; null if there is none. */
  limit: number | null;
  /** Figure divided by limit. */
  ratio: number | null;
  /** A row of a peer: its limit is there to compare, and it does not miss it. */
  isPeer?: boolean;
  /** Begins with `more is better` if it is; the conditions of the measurement, or why it was impossible. */
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
