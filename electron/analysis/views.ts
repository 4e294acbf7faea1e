/** The stored lists as SQL names them. Pure. */
import type { Generation } from '../db/library-rows.ts';
import type { ListQuery } from '../shared/model.ts';
import type { SqlView } from '../shared/sql-model.ts';

interface StoredListing {
  query: ListQuery;
  shown: Generation;
}

/**
 * One view for each list, in the order given. It is named after what it lists: `catalog`, `datasets_items`, `spans`;
 * of several lists of the same, those that were opened later have a number: `spans_2`.
 */
export function viewsOf(lists: readonly StoredListing[]): (SqlView & { generation: Generation })[] {
  const taken = new Map<string, number>();
  return lists.map(({ query, shown }) => {
    const what = query.operation.replace(/\.(?:list|query)$/, '').replaceAll(/[^a-z0-9]+/gi, '_');
    const number = (taken.get(what) ?? 0) + 1;
    taken.set(what, number);
    return {
      name: number === 1 ? what : `${what}_${number}`,
      query,
      storedRows: shown.rowCount,
      isComplete: shown.isComplete,
      oldestMs: shown.oldestMs,
      generation: shown,
    };
  });
}
