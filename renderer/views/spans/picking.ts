/** From rows of a list of spans to the basket, and to the traces and sessions they belong to. */

import type { BuildRow, DatasetBuild } from '../../../electron/shared/dataset-model.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type { PickedRows } from '../../../electron/shared/pick-source.ts';
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import { countRows, type RowRange } from '../../components/grid/ranges.ts';
import { rowsBetween, rowsToCopy } from '../../components/grid/row-source.ts';
import { type ActObject, actObject } from '../../lib/act-object.ts';
import { client } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import type { Row } from '../../lib/grid/columns.ts';
import { isObject, textField } from '../../lib/records.ts';
import type { Basket } from '../../state/basket.svelte.ts';
import { readBuildRows } from '../../state/build-actions.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { toast } from '../../state/toast.ts';

/** So many rows are picked from here at once; more are picked by main, as a task with its progress. */
const MOST_HERE = 20_000;

/** Ticks rows; `toggle` clears them where all of a few are ticked. Says what could not be picked. Throws AppError. */
export async function pickRows(
  list: ListModel,
  basket: Basket,
  ranges: readonly RowRange[],
  how: 'toggle' | 'pick' = 'toggle',
): Promise<void> {
  const { query } = list;
  if (query === null) return;
  if (countRows(ranges) > MOST_HERE) {
    await basket.pickAll({ kind: 'stored', rows: chosenRows(list, ranges) });
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

/** What a narrowed and filtered list shows. Throws AppError. */
export function pickShown(list: ListModel, basket: Basket): Promise<void> {
  return pickRows(list, basket, [{ from: 0, to: list.count - 1 }], 'pick');
}

/** Rows as the list shows them: those in some ranges, or all. Throws AppError. */
export function chosenRows(list: ListModel, ranges: readonly RowRange[] | null): PickedRows {
  const { query, narrow, filters, sort, freshness } = list;
  if (query === null) throw new AppError('INTERNAL', 'Rows were picked of a list that is not open.');
  return {
    query,
    narrow: narrow.trim() === '' ? null : narrow.trim(),
    filters: [...filters],
    sort,
    ranges: ranges?.map(({ from, to }) => ({ from, to })) ?? null,
    seen:
      ranges === null || freshness === null
        ? null
        : { storedRows: freshness.storedRows, newestMs: freshness.newestMs },
  };
}

function tellNotPicked(count: number, description: string): void {
  toast(`${formatCount(count, 'span')} not picked`, { description });
}

/** What an act on the list is about: the picked spans, else the selected rows. Reactive. */
export function spansActedOn(basket: Basket, grid: GridModel): ActObject {
  return actObject({ ticked: basket.count, selected: grid.selectedCount });
}

const MAX_ROWS_A_READ = 200;

/** Trace and position of every picked span. Throws AppError. */
async function pickedRows(build: DatasetBuild): Promise<BuildRow[]> {
  const found: BuildRow[] = [];
  for (;;) {
    const question = { mapping: null, show: 'all', offset: found.length, limit: MAX_ROWS_A_READ } as const;
    const { rows } = await readBuildRows(build, question);
    if (rows.length === 0) return found;
    found.push(...rows);
  }
}

/** Places of all picked spans in their basket. Throws AppError. */
export async function pickedPositions(build: DatasetBuild): Promise<number[]> {
  return (await pickedRows(build)).map(({ position }) => position);
}

/** The rows that an act is about: those of the list, or the records of picked spans. Throws AppError. */
async function rowsActedOn(
  list: ListModel,
  grid: GridModel,
  basket: Basket,
  kind: 'traces' | 'sessions',
): Promise<readonly object[]> {
  const { build } = basket;
  if (spansActedOn(basket, grid).kind !== 'ticked' || build === null) return rowsToCopy(list, grid.selection);
  const rows = await pickedRows(build);
  if (kind === 'traces') return rows;
  const { connectionId, buildId } = build;
  const records: object[] = [];
  // The session of a span is in its record alone.
  for (const { position } of rows) {
    const { record } = await client.act('builds:read', 'span', { connectionId, buildId, position });
    if (record !== null) records.push(record);
  }
  return records;
}

/** Traces or sessions of the spans that an act is about, each once. Throws AppError. */
export async function idsActedOn(
  list: ListModel,
  grid: GridModel,
  basket: Basket,
  kind: 'traces' | 'sessions',
): Promise<string[]> {
  const rows = (await rowsActedOn(list, grid, basket, kind)).filter(isObject);
  const field = kind === 'traces' ? 'trace_id' : 'session_id';
  return [...new Set(rows.map((row) => textField(row, field)).filter((id) => id !== ''))];
}
