/** Adds rows of a span list to the basket, and finds the traces and sessions that rows belong to. */

import type { DatasetBuild } from '../../../electron/shared/dataset-model.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type { PickedRows } from '../../../electron/shared/pick-source.ts';
import { rowsOf } from '../../components/grid/chosen-rows.ts';
import type { GridModel, TickedRows } from '../../components/grid/grid-model.svelte.ts';
import { countRows, type RowRange } from '../../components/grid/ranges.ts';
import { rowsBetween } from '../../components/grid/row-source.ts';
import { MAX_ROWS_AT_ONCE } from '../../lib/act-object.ts';
import { client } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import type { Row } from '../../lib/grid/columns.ts';
import { textField } from '../../lib/records.ts';
import type { Basket } from '../../state/basket.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { toast } from '../../state/toast.ts';

/** Maximum number of rows that the window picks at once. For more, the main process runs a task with progress. */
const MAX_HERE = 20_000;

/**
 * Picks rows. `toggle`: unpicks them instead if they are few and all are picked. Reports rows that could not be picked.
 * Throws AppError.
 */
export async function pickRows(
  list: ListModel,
  basket: Basket,
  ranges: readonly RowRange[],
  how: 'toggle' | 'pick' = 'toggle',
): Promise<void> {
  const { query } = list;
  if (query === null) return;
  if (countRows(ranges) > MAX_HERE) {
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
    toast('All of these spans are selected already.');
    return;
  }
  const { missing } = await basket.toggle(query, rows);
  if (missing > 0) reportNotPicked(missing, 'The list has changed. Refresh it, then select again.');
  if (absent > 0)
    reportNotPicked(absent, 'These rows are not loaded yet. Scroll to them, then select again.');
}

/** Picks all rows that a filtered list shows. Throws AppError. */
export function pickShown(list: ListModel, basket: Basket): Promise<void> {
  return pickRows(list, basket, [{ from: 0, to: list.count - 1 }], 'pick');
}

/** Rows of the list as it is shown: those in some ranges, or all. Throws AppError. */
export function chosenRows(list: ListModel, ranges: readonly RowRange[] | null): PickedRows {
  const { query, narrow, filters, sort, freshness } = list;
  if (query === null) throw new AppError('INTERNAL', 'Rows were selected in a list that is not open.');
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

function reportNotPicked(count: number, description: string): void {
  toast(`${formatCount(count, 'span')} not selected`, { description });
}

/** Positions of all picked spans in their basket. Throws AppError. */
export async function pickedPositions({ connectionId, buildId }: DatasetBuild): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const position = (found.at(-1) ?? -1) + 1;
    const places = await client.act('builds:read', 'places', { connectionId, buildId, position });
    if (places.length === 0) return found;
    found.push(...places);
  }
}

/** The spans of the basket as ticked rows, whichever lists they come from. */
export function tickedOf(basket: () => Basket): TickedRows {
  return {
    get count() {
      return basket().count;
    },
    get table(): TickedRows['table'] {
      const { build } = basket();
      return build === null ? null : { form: 'picked', buildId: build.buildId };
    },
    read: () => pickedRecords(basket().build),
  };
}

type BuildPlace = Pick<DatasetBuild, 'connectionId' | 'buildId'> & { position: number };

/** Records of picked spans in the order of picking. Throws AppError. */
async function pickedRecords(build: DatasetBuild | null): Promise<Row[]> {
  const rows: Row[] = [];
  if (build === null) return rows;
  const { connectionId, buildId } = build;
  let position: number | null = 0;
  while (position !== null && rows.length < MAX_ROWS_AT_ONCE) {
    const query: BuildPlace = { connectionId, buildId, position };
    const { records, next } = await client.act('builds:read', 'records', query);
    rows.push(...records);
    position = next;
  }
  return rows.slice(0, MAX_ROWS_AT_ONCE);
}

/** Distinct traces or sessions of the spans that an action applies to. Throws AppError. */
export async function idsActedOn(
  list: ListModel,
  grid: GridModel,
  kind: 'traces' | 'sessions',
): Promise<string[]> {
  const rows = await rowsOf(grid, list);
  const field = kind === 'traces' ? 'trace_id' : 'session_id';
  return [...new Set(rows.map((row) => textField(row, field)).filter((id) => id !== ''))];
}
