/** One figure of a benchmark. */
export interface BenchResult {
  name: string;
  figure: number;
  unit: string;
  /** What the figure is held against; null where there is nothing to hold it against. */
  limit: number | null;
  /** Figure divided by limit. */
  ratio: number | null;
  /** Whether more or less is better, what it was measured on, or why it could not be. */
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
