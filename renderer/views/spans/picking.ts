/** From rows of a list of spans to the basket, and to the traces and sessions they belong to. */

import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import { countRows, type RowRange } from '../../components/grid/ranges.ts';
import { rowsBetween, rowsToCopy } from '../../components/grid/row-source.ts';
import { formatCount } from '../../lib/format.ts';
import type { Row } from '../../lib/grid/columns.ts';
import { textField } from '../../lib/records.ts';
import type { Basket } from '../../state/basket.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { toast } from '../../state/toast.ts';

/** Rows picked by one key at most: more are what picking a whole query is for. */
const MOST_ROWS = 20_000;

/** Ticks rows; `toggle` clears them where all are ticked. Says what could not be picked. Throws AppError. */
export async function pickRows(
  list: ListModel,
  basket: Basket,
  ranges: readonly RowRange[],
  how: 'toggle' | 'pick' = 'toggle',
): Promise<void> {
  const { query } = list;
  if (query === null) return;
  if (countRows(ranges) > MOST_ROWS) {
    toast(`At most ${formatCount(MOST_ROWS, 'row')} can be picked at a time. “Pick all” has no limit.`);
    return;
  }
  const rows: { row: Row; position: number | undefined }[] = [];
  let absent = 0;
  for (const { from, to } of ranges) {
    for await (const row of rowsBetween(list, from, to + 1)) {
      if (row === undefined) absent += 1;
      else if (how === 'toggle' || !basket.isPicked(row))
        rows.push({ row, position: list.positions.get(row) });
    }
  }
  if (rows.length === 0 && absent === 0) {
    toast('All of these spans are picked already.');
    return;
  }
  const { missing } = await basket.toggle(query, rows);
  if (missing > 0) tellNotPicked(missing, 'The list has changed. Refresh it, then pick again.');
  if (absent > 0) tellNotPicked(absent, 'These rows are not loaded yet. Scroll to them, then pick again.');
}

function tellNotPicked(count: number, description: string): void {
  toast(`${formatCount(count, 'span')} not picked`, { description });
}

/** Traces or sessions of the selected rows, each once. */
export async function idsOfSelection(
  list: ListModel,
  grid: GridModel,
  kind: 'traces' | 'sessions',
): Promise<string[]> {
  const rows = await rowsToCopy(list, grid.selection);
  const field = kind === 'traces' ? 'trace_id' : 'session_id';
  return [...new Set(rows.map((row) => textField(row, field)).filter((id) => id !== ''))];
}
