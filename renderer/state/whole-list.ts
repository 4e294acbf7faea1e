/** All rows of a list that is read completely. */
import type { ListModel, Row } from './list-state.svelte.ts';

/** The rows in order; null if the list is not complete, is being read, or has rows that are not loaded. */
export function wholeRows(list: Pick<ListModel, 'count' | 'freshness' | 'row'>): Row[] | null {
  const { count, freshness } = list;
  if (freshness?.isComplete !== true || freshness.refresh.phase === 'loading') return null;
  const rows = Array.from({ length: count }, (_, index) => list.row(index)).filter(
    (row) => row !== undefined,
  );
  return rows.length === count ? rows : null;
}
