/** The rows that an act on a grid takes: one rule for copies, exports, buttons, menus and keys. */
import { type ActObject, actObject } from '../../lib/act-object.ts';
import type { Row } from '../../lib/grid/columns.ts';
import type { GridModel } from './grid-model.svelte.ts';
import { type RowSource, readSelection } from './row-source.ts';

/** The object of an act on the rows of this grid. Reactive. `max`: rows that the act takes at most. */
export function objectOf(grid: GridModel, { count }: Pick<RowSource, 'count'>, max?: number): ActObject {
  const selected = Math.min(grid.selectedCount, count);
  return actObject({ ticked: grid.ticked?.count ?? 0, selected }, max);
}

/** The rows that it takes, fetched where they are not here; those that are not to be had are left out. Throws AppError. */
export async function rowsOf(grid: GridModel, source: RowSource, max?: number): Promise<readonly Row[]> {
  const { ticked } = grid;
  const rows =
    ticked !== null && ticked.count > 0 ? await ticked.read() : await readSelection(source, grid.selection);
  return rows.slice(0, max);
}
