/** The filter of stored spans that shows one row for each trace: its root, which has no parent. Pure. */
import type { ColumnFilter, Emptiness } from '../../electron/shared/analysis-model.ts';
import type { JsonObject } from './records.ts';

const PARENT = 'parent_span_id';

/** How these spans state that there is no parent; `null` if none of them is a root. */
function emptinessOf(rows: readonly JsonObject[]): Emptiness {
  for (const row of rows) {
    const parent = row[PARENT];
    if (parent === undefined) return 'absent';
    if (parent === null) return 'null';
    if (parent === '') return 'empty';
  }
  return 'null';
}

export const isRootFilter = ({ kind, field }: ColumnFilter): boolean =>
  kind === 'emptiness' && field === PARENT;

/** The filters with only roots, or with all spans. `rows`: some loaded spans. */
export function withRoots(
  filters: readonly ColumnFilter[],
  rows: readonly JsonObject[],
  isOn: boolean,
): ColumnFilter[] {
  const others = filters.filter((filter) => filter.field !== PARENT);
  return isOn ? [...others, { kind: 'emptiness', field: PARENT, is: emptinessOf(rows) }] : others;
}
