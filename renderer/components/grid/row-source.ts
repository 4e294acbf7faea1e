import type { Row } from './columns.ts';

/** Where a grid's rows come from, window by window. Its members may be read in templates: reactive. */
export interface RowSource {
  readonly count: number;
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
