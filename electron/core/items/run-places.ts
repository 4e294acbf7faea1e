/** Brings the items of several runs into one order, with the index of each item in each run. Pure. */
import { elementAt } from '../element-at.ts';
import type { NumberColumn, RunColumns, ScoreColumn } from './run-columns.ts';

/** The items of all runs, those of the baseline first, and the index of each item in each run. */
export function placesOf(
  runs: readonly RunColumns[],
  baseline: number,
): { itemIds: string[]; places: Int32Array[] } {
  const ofBaseline = elementAt(runs, baseline).itemIds;
  const itemIds = [...ofBaseline];
  const known = new Map<string, number>();
  const fillKnown = () => {
    if (known.size === 0) for (const [item, itemId] of itemIds.entries()) known.set(itemId, item);
  };
  const items = runs.map((run, at) => {
    if (at === baseline || run.itemIds === ofBaseline) return null;
    return Int32Array.from(run.itemIds, (itemId, place) => {
      // Runs of one dataset often have its items in the same order, so the same index is tried first.
      if (itemIds[place] === itemId && known.size === 0) return place;
      fillKnown();
      const item = known.get(itemId) ?? itemIds.push(itemId) - 1;
      known.set(itemId, item);
      return item;
    });
  });
  const places = items.map((found, at) => {
    const own = new Int32Array(itemIds.length).fill(-1);
    if (found === null)
      for (let place = 0; place < elementAt(runs, at).itemIds.length; place += 1) own[place] = place;
    else for (const [place, item] of found.entries()) own[item] = place;
    return own;
  });
  return { itemIds, places };
}

/** True if the run has every item, at the same index. */
export const isInOrder = (places: Int32Array): boolean => places.every((place, item) => place === item);

/** A column in the common order of the items. */
export interface Ordered {
  /** NaN for an item without a value. */
  values: Float64Array;
  /** Null if the column has no labels. */
  labels: Int32Array | null;
  labelNames: readonly string[];
}

export const labelOf = ({ labels, labelNames }: Ordered, item: number): string | null =>
  labels === null ? null : (labelNames[elementAt(labels, item)] ?? null);

/** `isSame`: the column is already in the common order. */
export function inOrder(
  column: NumberColumn | ScoreColumn | null,
  places: Int32Array,
  isSame: boolean,
): Ordered {
  const labelNames = column !== null && 'labels' in column ? column.labelNames : [];
  const labels = column !== null && 'labels' in column && labelNames.length > 0 ? column.labels : null;
  if (column !== null && isSame) return { values: column.values, labels, labelNames };
  const values = new Float64Array(places.length).fill(Number.NaN);
  const ownLabels = labels === null ? null : new Int32Array(places.length).fill(-1);
  for (let item = 0; item < places.length && column !== null; item += 1) {
    const place = elementAt(places, item);
    if (place < 0) continue;
    values[item] = elementAt(column.values, place);
    if (ownLabels !== null && labels !== null) ownLabels[item] = elementAt(labels, place);
  }
  return { values, labels: ownLabels, labelNames };
}

export function valueAt(column: NumberColumn | null, place: number): number | null {
  if (column === null || place < 0) return null;
  const value = elementAt(column.values, place);
  return Number.isNaN(value) ? null : value;
}

export function labelAt(column: NumberColumn | ScoreColumn | null, place: number): string | null {
  if (column === null || place < 0 || !('labels' in column) || column.labelNames.length === 0) return null;
  return column.labelNames[elementAt(column.labels, place)] ?? null;
}
