import { MAX_ROWS_AT_ONCE } from '../../lib/act-object.ts';
import type { Row } from '../../lib/grid/columns.ts';
import type { RowRange } from './ranges.ts';

const ROWS_AT_ONCE = 1_000;

/** Where a grid's rows come from, window by window. Its members may be read in templates: reactive. */
export interface RowSource {
  readonly count: number;
  /** The rows only stand in for those to come. */
  readonly isPending?: boolean;
  /** `opening`: rows of another question are on their way; what is shown belongs to the one before. */
  readonly phase?: string;
  /** The row, or undefined while it is not there. */
  row(index: number): Row | undefined;
  /** Says which rows are in view, so that they are fetched; `end` is not included. */
  ensure(first: number, end: number): void;
  /** Fetches rows to be read right after, for a copy. */
  load?(first: number, end: number): Promise<void>;
}

/** Rows that are all here. */
export function arraySource(rows: readonly Row[]): RowSource {
  return { count: rows.length, row: (index) => rows[index], ensure: () => undefined };
}

/** The rows of a selection, fetched where they are not here; at most 20,000. */
export async function readSelection(source: RowSource, selection: readonly RowRange[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { from, to } of selection) {
    const end = Math.min(to + 1, from + MAX_ROWS_AT_ONCE - rows.length, source.count);
    for await (const row of rowsBetween(source, from, end)) if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** Rows one after the other; `undefined` for one that is not to be had. A source keeps only so many at a time. */
export async function* rowsBetween(
  source: RowSource,
  from: number,
  end: number,
): AsyncGenerator<Row | undefined> {
  for (let first = from; first < end; first += ROWS_AT_ONCE) {
    const next = Math.min(end, first + ROWS_AT_ONCE);
    await source.load?.(first, next);
    // All of them before anything else has its turn.
    yield* Array.from({ length: next - first }, (_, at) => source.row(first + at));
  }
}
