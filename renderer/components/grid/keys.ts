/** The effect of a key in a grid: moves the cursor of the model, or returns an action for the grid. */
import { asksForActs, isKey } from '../../lib/part-keys.ts';
import { type GridModel, HEADER_ROW } from './grid-model.svelte.ts';
import type { RowRange } from './ranges.ts';

type GridAction =
  | 'moved'
  | 'open'
  | 'open-beside'
  | 'preview'
  | 'copy'
  | 'find'
  | 'menu'
  | 'row-menu'
  | 'acts'
  | 'pick'
  | 'filter'
  | 'done';

/** Actions that need a selected row. If there is none, their keys only select the row of the cursor. */
export const ROW_ACTIONS: ReadonlySet<GridAction> = new Set(['open', 'open-beside', 'preview', 'pick']);

const RESIZE_STEP = 16;

export function gridKey(
  event: KeyboardEvent,
  model: GridModel,
  count: number,
  page: number,
): GridAction | null {
  if (model.row === HEADER_ROW) {
    const action = headKey(event, model);
    if (action !== null) return action;
  }
  if (isKey(event, 'grid.select-all')) {
    model.selectAll(count);
    return 'done';
  }
  if (picks(event, model)) return 'pick';
  const found = ACTIONS.find(([id]) => isKey(event, id));
  // In a list that was just opened, the user has not chosen the first row, so the keys are not for it.
  if (asksForActs(event)) return model.isTouched ? 'acts' : null;
  if (found !== undefined) return found[1];
  if (event.key === 'ContextMenu') return 'row-menu';
  if (event.altKey) return null;
  return move(event, model, count, page);
}

const ACTIONS = [
  ['grid.copy', 'copy'],
  ['grid.narrow', 'find'],
  ['grid.filter', 'filter'],
  ['grid.open-beside', 'open-beside'],
  ['grid.open', 'open'],
  ['grid.preview', 'preview'],
  ['grid.row-menu', 'row-menu'],
  ['grid.column-menu', 'menu'],
] as const;

/** The pick key works anywhere in the row, Space only on the checkbox. */
function picks(event: KeyboardEvent, model: GridModel): boolean {
  if (model.row === HEADER_ROW) return false;
  const isOnBox = model.arranged[model.columnIndex]?.column.kind === 'pick';
  return (hasBoxes(model) && isKey(event, 'grid.pick')) || (isOnBox && event.key === ' ');
}

/** Whether rows can be picked. */
export const hasBoxes = (model: GridModel): boolean =>
  model.arranged.some(({ column }) => column.kind === 'pick');

/** Whether the grid handles the keys of an element: a clicked cell has the focus, but leaves the keys to the grid. */
export function isPartOfGrid(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('[role=gridcell], [role=columnheader], [role=checkbox]')
  );
}

/** Moves the cursor to the clicked cell. On a checkbox it ticks the row, or with Shift all rows up to it. */
export function gridClick(
  event: MouseEvent,
  model: GridModel,
  row: number,
  columnIndex: number,
  onpick?: (ranges: readonly RowRange[]) => void,
): void {
  if (event.ctrlKey || event.metaKey) model.toggle(row, columnIndex);
  else model.moveTo(row, columnIndex, event.shiftKey);
  if (model.arranged[columnIndex]?.column.kind !== 'pick') return;
  onpick?.(event.shiftKey ? model.selection : [{ from: row, to: row }]);
}

function headKey(event: KeyboardEvent, model: GridModel): GridAction | null {
  const current = model.arranged[model.columnIndex];
  if (current === undefined) return null;
  const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : null;
  if (by !== null && event.altKey) {
    model.moveColumnBy(current.column.id, by);
    return 'moved';
  }
  if (by !== null && event.shiftKey) {
    model.resize(current.column.id, current.width + by * RESIZE_STEP);
    return 'moved';
  }
  if (event.key === 'Enter' || event.key === ' ') {
    model.cycleSort(current.column);
    return 'done';
  }
  const asks = isKey(event, 'grid.column-menu') || isKey(event, 'grid.row-menu');
  if (asks || event.key === 'ContextMenu') return 'menu';
  return null;
}

function move(event: KeyboardEvent, model: GridModel, count: number, page: number): GridAction | null {
  const jumps = event.ctrlKey || event.metaKey;
  const lastRow = count - 1;
  const lastColumn = model.arranged.length - 1;
  let { row, columnIndex } = model;
  switch (event.key) {
    case 'ArrowDown':
      // The row that took the place of a removed one is the next one.
      row = jumps ? lastRow : Math.min(lastRow, row + (model.isEmptied && row !== HEADER_ROW ? 0 : 1));
      break;
    case 'ArrowUp':
      row = jumps ? 0 : Math.max(event.shiftKey ? 0 : HEADER_ROW, row - 1);
      break;
    case 'PageDown':
      if (jumps) return null;
      row = Math.min(lastRow, Math.max(0, row) + page);
      break;
    case 'PageUp':
      if (jumps) return null;
      row = Math.max(0, row - page);
      break;
    case 'ArrowLeft':
      columnIndex = jumps ? 0 : Math.max(0, columnIndex - 1);
      break;
    case 'ArrowRight':
      columnIndex = jumps ? lastColumn : Math.min(lastColumn, columnIndex + 1);
      break;
    case 'Home':
      columnIndex = 0;
      if (jumps) row = 0;
      break;
    case 'End':
      columnIndex = lastColumn;
      if (jumps) row = lastRow;
      break;
    default:
      return null;
  }
  model.moveTo(Math.max(HEADER_ROW, row), columnIndex, event.shiftKey);
  return 'moved';
}
