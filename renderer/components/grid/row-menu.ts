/** Items of the menu of a grid row. Pure. */

import type { Component } from 'svelte';
import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import { cutText } from '../../../electron/shared/cut-text.ts';
import { type ActObject, objectText } from '../../lib/act-object.ts';
import { formatCount, formatNumber } from '../../lib/format.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import { filterOfValue, type TypedKind } from '../../lib/grid/typed-filter.ts';
import { textOfPart } from '../../lib/part-keys.ts';
import { copyValue, viewCell } from './cells.ts';
import { COPY_FORMATS } from './copy-formats.ts';

export interface RowAct {
  title: string;
  icon?: Component<{ size?: number | string }>;
  /** Shortcut for the same action. */
  key?: string;
  /** Title of a submenu for this item and others with the same title. */
  under?: string;
  run: () => unknown;
}

/** The cell on which a menu was opened. */
export interface CellPlace {
  row: Row;
  index: number;
  column: Column;
}

const MAX_SHOWN = 24;

/** The value of a cell for use in a menu: shortened and quoted. Empty if the cell has none. */
export function quoteCell({ row, column }: Pick<CellPlace, 'row' | 'column'>): string {
  const view = viewCell(column, column.get(row));
  if (view.isMissing || view.text === '') return '';
  return `“${cutText(view.text, MAX_SHOWN)}”`;
}

/** Maximum length of a value that is used as a filter text. */
const MAX_FILTER_TEXT = 200;

/** Filter text that finds rows with this value; null if the value cannot be filtered by text. */
export function filterTextOf({ row, column }: Pick<CellPlace, 'row' | 'column'>): string | null {
  const value = column.get(row);
  // A text that starts with a slash would be read as a regular expression.
  const canFilter =
    column.parts === undefined &&
    typeof value === 'string' &&
    value.trim() !== '' &&
    column.kind !== 'time' &&
    value.length <= MAX_FILTER_TEXT &&
    !value.startsWith('/');
  return canFilter ? value : null;
}

const rowWords = (count: number): string => (count > 1 ? formatCount(count, 'row') : 'row');

/** Menu items for the actions that also have keys. `count`: number of selected rows to pick. */
export function keyActs(
  count: number,
  does: { open: RowAct | null; preview: (() => unknown) | null; pick: (() => unknown) | null },
): RowAct[] {
  const { open, preview, pick } = does;
  return [
    ...(open === null ? [] : [{ ...open, key: textOfPart('grid.open') }]),
    ...(preview === null
      ? []
      : [{ title: 'Show in the inspector', key: textOfPart('grid.preview'), run: preview }]),
    ...(pick === null
      ? []
      : [{ title: `Select ${rowWords(count)}, or clear`, key: textOfPart('grid.pick'), run: pick }]),
  ];
}

/** Filters the loaded rows without a request: rows with the value of a cell, or without it. */
export function loadedActs(
  { row, column }: CellPlace,
  field: string,
  kind: TypedKind,
  apply: (filter: ColumnFilter) => unknown,
): RowAct[] {
  return [false, true].flatMap((excludes) => {
    const filter = filterOfValue(column.get(row), { field, kind, excludes });
    if (filter === null) return [];
    const what = filter.kind === 'emptiness' ? filter.is : quoteCell({ row, column });
    const title = `Loaded rows: ${column.title} is ${excludes ? 'not ' : ''}${what}`;
    return [{ title, run: () => apply(filter) }];
  });
}

/** Filters for lists without column filters: rows that contain the text of the cell in any column. */
export function filterActs(place: CellPlace, narrow: (text: string) => unknown): RowAct[] {
  const text = filterTextOf(place);
  return text === null ? [] : [{ title: `Filter rows by ${quoteCell(place)}`, run: () => narrow(text) }];
}

/** `5 rows copied`; `150 of 300 rows copied` if some were unavailable. */
export const copiedText = (copied: number, { count }: ActObject): string =>
  copied < count
    ? `${formatNumber(copied)} of ${formatCount(count, 'row')} copied`
    : `${formatCount(copied, 'row')} copied`;

/** Menu items for copying. `object`: the rows to copy. */
export function copyActs(
  place: CellPlace,
  object: ActObject,
  columns: readonly Column[],
  readRows: () => Promise<readonly Row[]>,
  copy: (text: string, what: string) => unknown,
): RowAct[] {
  const rows = object.kind === 'row' ? 'row' : objectText(object, 'row');
  const copyRows = async (write: (rows: readonly Row[]) => string) => {
    const read = await readRows();
    if (read.length > 0) await copy(write(read), copiedText(read.length, object));
  };
  const value = copyValue(place.column.get(place.row));
  return [
    ...(value === '' ? [] : [{ title: 'Copy cell', run: () => copy(value, 'Cell copied') }]),
    ...(place.column.kind === 'pick'
      ? []
      : [{ title: 'Copy path of the field', run: () => copy(place.column.id, 'Path copied') }]),
    ...COPY_FORMATS.map(({ title, key, write }) => ({
      title: `Copy ${rows} ${title}`,
      ...(key === undefined ? { under: `Copy ${rows} as` } : { key: textOfPart(key) }),
      run: () => copyRows((read) => write(columns, read)),
    })),
  ];
}
