/** The stored data of an application and a dataset that the comparison needs. Pure. */
import type { ListQuery } from '../../shared/model.ts';

export interface SourceList {
  query: ListQuery;
  rowCount: number;
  totalRows: number | null;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface CoverageSources<List extends SourceList = SourceList> {
  /** Lists that have rows; for each operation, the largest comes first. */
  lists: readonly List[];
  /** JSON text of each row, with its position. */
  rowsOf(list: List): Iterable<{ position: number; json: string }>;
  /** Stored spans: those that items of the dataset were made from, and those of a basket. */
  spansOfItems(datasetId: string): Iterable<string>;
  spansOfBuild(buildId: string): Iterable<string>;
}

/** Lists of an operation, the largest first. */
export function listsOf<List extends SourceList>(
  { lists }: Pick<CoverageSources<List>, 'lists'>,
  operation: string,
  fits: (query: ListQuery) => boolean,
): List[] {
  return lists.filter(({ query }) => query.operation === operation && fits(query));
}

export function oldestOf(lists: readonly SourceList[]): number | null {
  const times = lists.flatMap(({ oldestMs }) => oldestMs ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** The service's row count of a list; null if unknown. */
export function totalOf(list: SourceList | undefined): number | null {
  if (list === undefined) return null;
  return list.isComplete ? list.rowCount : list.totalRows;
}
