/** Rows of kept lists that the service no longer returns: their column, and a filter for them. Pure. */
import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import { GONE_FIELD, goneAtOf } from '../../../electron/shared/gone-field.ts';
import type { Freshness } from '../../../electron/shared/model.ts';
import { formatDay } from '../format.ts';
import type { Column } from './columns.ts';

const GONE_COLUMN: Column = {
  ...{ id: GONE_FIELD, title: 'Gone', kind: 'chip', width: 128 },
  get: (row) => {
    const at = goneAtOf(row);
    return at === null ? null : `Gone ${formatDay(at)}`;
  },
  tone: () => 'warn',
};

/**
 * Adds a column that marks gone rows, if there are any. It comes after the first column of content, so that it is
 * visible at every width, and replaces the column guessed from the field.
 */
export function withGoneColumn(columns: readonly Column[], freshness: Freshness | null): readonly Column[] {
  if (freshness?.goneRows === undefined) return columns;
  const others = columns.filter(({ id }) => id !== GONE_FIELD);
  const first = others.findIndex(({ kind }) => kind !== 'pick');
  return others.toSpliced(first + 1, 0, GONE_COLUMN);
}

const ONLY_GONE: ColumnFilter = {
  ...{ kind: 'range', field: GONE_FIELD, from: null, to: null, includesTo: true },
};

export const showsOnlyGone = (filters: readonly ColumnFilter[]): boolean =>
  filters.some(({ field }) => field === GONE_FIELD);

/** Adds the filter for gone rows, or removes it. */
export const toggleOnlyGone = (filters: readonly ColumnFilter[]): ColumnFilter[] =>
  showsOnlyGone(filters) ? filters.filter(({ field }) => field !== GONE_FIELD) : [...filters, ONLY_GONE];
