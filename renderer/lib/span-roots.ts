/** The filter of stored spans that shows one row for each trace: its root, which has no parent. Pure. */
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';

/** A span without a parent states so by no value, null or an empty text. */
const ROOTS = { kind: 'emptiness', field: 'parent_span_id', is: 'missing' } as const;

export const isRootFilter = (filter: ColumnFilter): boolean =>
  filter.kind === ROOTS.kind && filter.field === ROOTS.field && filter.is === ROOTS.is;

/**
 * The filters with only roots, or with all spans; the same array if nothing changes. A column has one filter: that of
 * roots replaces another one of the parent, and only that of roots is removed.
 */
export function withRoots(filters: readonly ColumnFilter[], isOn: boolean): readonly ColumnFilter[] {
  if (filters.some(isRootFilter) === isOn) return filters;
  return isOn
    ? [...filters.filter(({ field }) => field !== ROOTS.field), ROOTS]
    : filters.filter((filter) => !isRootFilter(filter));
}
