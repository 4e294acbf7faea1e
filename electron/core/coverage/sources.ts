/** What is stored of an application and a dataset, as the comparison reads it. Pure. */
import type { ListQuery } from '../../shared/model.ts';

export interface SourceList {
  query: ListQuery;
  rowCount: number;
  totalRows: number | null;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface CoverageSources<List extends SourceList = SourceList> {
  /** Lists with rows, the largest of an operation first. */
  lists: readonly List[];
  /** JSON text of each row, with its place. */
  rowsOf(list: List): Iterable<{ position: number; json: string }>;
  /** Spans that items of this dataset were made of, and those of a basket, as far as they are here. */
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

/** Rows that the service has of a list; null while not known. */
export function totalOf(list: SourceList | undefined): number | null {
  if (list === undefined) return null;
  return list.isComplete ? list.rowCount : list.totalRows;
}
