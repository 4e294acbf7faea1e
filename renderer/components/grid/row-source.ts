import { AppError } from '../../../electron/shared/errors.ts';
import { MAX_ROWS_AT_ONCE } from '../../lib/act-object.ts';
import type { Row } from '../../lib/grid/columns.ts';
import { type HeldRows, identityOf } from './held-rows.ts';
import type { RowRange } from './ranges.ts';

const ROWS_AT_ONCE = 1_000;

/** Provides the rows of a grid piece by piece. Its members are reactive, so templates can read them. */
export interface RowSource {
  readonly count: number;
  /** Whether the rows are placeholders for rows that are loading. */
  readonly isPending?: boolean;
  /** Whether visible rows are being read again, so that some of them are older than others. */
  readonly isMixed?: boolean;
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

/**
 * The rows of a selection, at most 20,000. Rows that are not loaded are fetched. `held`: identities of selected rows by
 * row number; throws CONFLICT if another record is there by now.
 */
export async function readSelection(
  source: RowSource,
  selection: readonly RowRange[],
  held: HeldRows = new Map(),
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { from, to } of selection) {
    const end = Math.min(to + 1, from + MAX_ROWS_AT_ONCE - rows.length, source.count);
    let index = from;
    for await (const row of rowsBetween(source, from, end)) {
      const known = held.get(index);
      index += 1;
      if (row === undefined) continue;
      if (known !== undefined && known !== identityOf(row)) {
        throw new AppError(
          'CONFLICT',
          'The list changed after these rows were selected: other records are in their places now. Nothing was done. Select the rows again.',
        );
      }
      rows.push(row);
    }
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
