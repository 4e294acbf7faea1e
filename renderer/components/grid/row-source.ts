import { MAX_ROWS_AT_ONCE } from '../../lib/act-object.ts';
import type { Row } from '../../lib/grid/columns.ts';
import type { RowRange } from './ranges.ts';

const ROWS_AT_ONCE = 1_000;

/** Provides the rows of a grid piece by piece. Its members are reactive, so templates can read them. */
export interface RowSource {
  readonly count: number;
  /** Whether the rows are placeholders for rows that are loading. */
  readonly isPending?: boolean;
  /** `opening`: rows of another query are loading, and the present rows belong to the previous query. */
  readonly phase?: string;
  /** The row; undefined while it is not loaded. */
  row(index: number): Row | undefined;
  /** Sets the visible rows so that they are fetched; `end` is exclusive. */
  ensure(first: number, end: number): void;
  /** Fetches rows that the caller reads right afterwards, e.g. for a copy. */
  load?(first: number, end: number): Promise<void>;
}

/** A source whose rows are all in memory. */
export function arraySource(rows: readonly Row[]): RowSource {
  return { count: rows.length, row: (index) => rows[index], ensure: () => undefined };
}

/** The rows of a selection, at most 20,000. Rows that are not loaded are fetched. */
export async function readSelection(source: RowSource, selection: readonly RowRange[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { from, to } of selection) {
    const end = Math.min(to + 1, from + MAX_ROWS_AT_ONCE - rows.length, source.count);
    for await (const row of rowsBetween(source, from, end)) if (row !== undefined) rows.push(row);
  }
  return rows;
}

/**
 * Yields rows in order; `undefined` for an unavailable row. They are fetched in portions, as a source caches only a
 * limited number.
 */
export async function* rowsBetween(
  source: RowSource,
  from: number,
  end: number,
): AsyncGenerator<Row | undefined> {
  for (let first = from; first < end; first += ROWS_AT_ONCE) {
    const next = Math.min(end, first + ROWS_AT_ONCE);
    await source.load?.(first, next);
    // All rows of a portion are taken before other work can run, which could evict them.
    yield* Array.from({ length: next - first }, (_, at) => source.row(first + at));
  }
}
