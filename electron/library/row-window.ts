/** The rows of one window, out of whatever source the list has. */
import type { ListReads, StoredRow } from '../db/list-reads.ts';
import type { ListRow, RowPage, RowWindow } from '../shared/model.ts';
import type { Derivation } from './derive.ts';
import type { Source } from './freshness.ts';
import type { RowOrders } from './row-orders.ts';

export const MAX_WINDOW_ROWS = 200;

/** Throws INVALID_ARGUMENT for a broken expression in `narrow`. */
export async function readWindow(
  { reads, orders }: { reads: ListReads; orders: RowOrders },
  source: Source,
  derivation: Derivation | null,
  window: RowWindow,
): Promise<RowPage> {
  if (source.kind === 'none') return { rows: [], matchingRows: 0 };
  const { generation } = source;
  const { offset, sort } = window;
  const limit = Math.min(window.limit, MAX_WINDOW_ROWS);
  const narrow = window.narrow === null || window.narrow.trim() === '' ? null : window.narrow;
  if (narrow === null && sort === null && source.kind === 'own') {
    const rows = reads.rowsFrom(generation.id, offset, limit).map((row) => toRow(row, row.position));
    // Rows that are not here yet have a place in the grid, so that one can scroll to them.
    const allRows = Math.max(generation.totalRows ?? 0, generation.endPosition);
    return { rows, matchingRows: generation.isComplete ? generation.rowCount : allRows };
  }
  const derived = source.kind === 'derived' ? { derivation, positions: source.positions } : null;
  const order =
    narrow === null && sort === null
      ? (derived?.positions ?? [])
      : await orders.of(generation, { derivation: derived?.derivation ?? null, narrow, sort });
  const rows = reads
    .rowsAt(generation.id, order.slice(offset, offset + limit))
    .map((row) => toRow(row, derived === null ? row.position : rankOf(derived.positions, row.position)));
  return { rows, matchingRows: order.length };
}

function toRow({ record }: StoredRow, position: number): ListRow {
  const value: unknown = JSON.parse(record);
  return { position, record: typeof value === 'object' && value !== null ? { ...value } : { value } };
}

/** Where a position of the base list stands among those that were selected; `positions` grow. */
function rankOf(positions: readonly number[], position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
