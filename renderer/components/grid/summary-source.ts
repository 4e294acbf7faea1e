import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import type { ProfileWish } from '../../state/list-profile.svelte.ts';
import type { SummarySource } from './column-summaries.svelte.ts';
import type { ListedRows } from './listed-rows.ts';

/** The profiles and filters of a list for its summaries. Reactive if the list is. */
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

/** The profiles to request for these fields; null if none are needed. */
export function wishOf(
  { query = null, phase, freshness, narrow, filters = [] }: ListedRows,
  fields: readonly string[],
  isLoading: boolean,
): ProfileWish | null {
  if (fields.length === 0 || phase !== 'ready') return null;
  const text = narrow.trim();
  return {
    query,
    narrow: text === '' ? null : text,
    filters,
    fields,
    rows: `${freshness?.storedRows}/${freshness?.newestMs}/${freshness?.goneRows}`,
    isLoading,
  };
}
