/** The filter for stored spans that shows one row per trace: the root span, which has no parent. Pure. */
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';

/** A root span has no parent id: the value is missing, null or an empty text. */
const ROOTS = { kind: 'emptiness', field: 'parent_span_id', is: 'missing' } as const;

export const isRootFilter = (filter: ColumnFilter): boolean =>
  filter.kind === ROOTS.kind && filter.field === ROOTS.field && filter.is === ROOTS.is;

/**
 * The filters changed to show only roots, or all spans; the same array if nothing changes. A column has at most one
 * filter: the one for roots replaces another filter of the parent id, and only the one for roots is removed.
 */
export function withRoots(filters: readonly ColumnFilter[], isOn: boolean): readonly ColumnFilter[] {
  if (filters.some(isRootFilter) === isOn) return filters;
  return isOn
    ? [...filters.filter(({ field }) => field !== ROOTS.field), ROOTS]
    : filters.filter((filter) => !isRootFilter(filter));
}
