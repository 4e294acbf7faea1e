/** Changes of items that follow from pasting a block of cells into their grid. */

import { MAX_EDITS } from '../../../electron/shared/snapshot-model.ts';
import { rowsOf } from '../../components/grid/chosen-rows.ts';
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import { type RowSource, readSelection, rowsBetween } from '../../components/grid/row-source.ts';
import { type CellPath, cellPath, pastedText, pastedValue } from '../../lib/cell-edit.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import type { EditedItems } from './item-edits.svelte.ts';

interface Place {
  /** The block begins at the cursor of the grid. */
  grid: GridModel;
  source: RowSource;
  /** The columns from the cursor on. Columns that cannot be edited are included, and their cells are skipped. */
  columns: readonly Column[];
  valueIn: (row: Row, path: CellPath) => unknown;
  /** Whether an item cannot be changed. */
  isBlocked: (row: Row) => boolean;
}

/** The changes, and a text about the result. A single cell fills all highlighted rows. */
export async function pastedChanges(
  lines: readonly string[][],
  { grid, source, columns, valueIn, isBlocked }: Place,
): Promise<{ changes: Parameters<EditedItems['setFields']>[0]; text: string }> {
  const isFill = lines.length === 1 && lines[0]?.length === 1 && grid.selectedCount > 1;
  const end = Math.min(source.count, grid.row + Math.min(lines.length, MAX_EDITS));
  const rows: (Row | undefined)[] = [];
  if (isFill) rows.push(...(await rowsOf(grid, source, MAX_EDITS)));
  else {
    // Throws if another record is at the cursor by now.
    await readSelection(source, [{ from: grid.row, to: grid.row }], grid.held);
    for await (const row of rowsBetween(source, grid.row, end)) rows.push(row);
  }
  const count = { values: 0, texts: 0, skipped: 0, cut: 0 };
  // A line of the block belongs to the row at its position, even if other rows are not available.
  const changes = rows.flatMap((row, at) => {
    if (row === undefined || isBlocked(row)) {
      count.cut += 1;
      return [];
    }
    const cells = (isFill ? lines[0] : lines[at]) ?? [];
    const fields = cells.slice(0, columns.length).flatMap((given, index) => {
      const column = columns[index];
      const path = column === undefined ? null : cellPath(column.id);
      if (column === undefined || path === null || path.key === null) {
        count.skipped += 1;
        return [];
      }
      const found = pastedValue(given, valueIn(row, path), column.kind);
      if (found === null) return [];
      count.values += 1;
      count.texts += Number(found.becameText);
      return [{ ...path, value: found.value }];
    });
    return fields.length === 0 ? [] : [{ row, fields }];
  });
  const widest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const text = pastedText({
    ...{ ...count, items: changes.length, rowsLeft: isFill ? 0 : lines.length - rows.length },
    columnsLeft: Math.max(0, widest - columns.length),
  });
  return { changes, text };
}
