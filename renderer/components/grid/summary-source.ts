import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import type { SummarySource } from './column-summaries.svelte.ts';
import type { ListedRows } from './listed-rows.ts';

/** The profiles and filters of a list for its summaries; reactive as the list is. */
export const summarySource = (
  of: ListedRows,
  setFilters: (filters: readonly ColumnFilter[]) => void,
  see: (fields: readonly string[]) => void,
): SummarySource => ({
  get columns() {
    return of.profiles?.columns ?? new Map();
  },
  get filters() {
    return of.filters ?? [];
  },
  get isSample() {
    return of.profiles?.about?.isSample ?? false;
  },
  setFilters,
  see,
});
