/** The rows that an action on a grid applies to. Copies, exports, buttons, menus and keys all use this rule. */
import { AppError } from '../../../electron/shared/errors.ts';
import { type ActObject, actObject } from '../../lib/act-object.ts';
import type { Row } from '../../lib/grid/columns.ts';
import type { GridModel } from './grid-model.svelte.ts';
import { type RowSource, readSelection } from './row-source.ts';

/** The object of an action on the rows of this grid. Reactive. `max`: maximum number of rows of the action. */
export function objectOf(grid: GridModel, { count }: Pick<RowSource, 'count'>, max?: number): ActObject {
  const selected = Math.min(grid.selectedCount, count);
  return actObject({ ticked: grid.ticked?.count ?? 0, selected }, max);
}

/** The rows of the action. Rows that are not loaded are fetched; unavailable ones are omitted. Throws AppError. */
export async function rowsOf(grid: GridModel, source: RowSource, max?: number): Promise<readonly Row[]> {
  const { ticked } = grid;
  const rows =
    ticked !== null && ticked.count > 0
      ? await ticked.read()
      : await readSelection(source, grid.selection, grid.held);
  return rows.slice(0, max);
}

/** The same for a copy. If other records are in the places of the selection, it is removed, and nothing is copied. */
export async function rowsToCopy(grid: GridModel, source: RowSource): Promise<readonly Row[]> {
  try {
    return await rowsOf(grid, source);
  } catch (thrown) {
    if (!(thrown instanceof AppError && thrown.code === 'CONFLICT')) throw thrown;
    grid.lose();
    return [];
  }
}
