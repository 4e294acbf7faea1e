/** What the menu of a grid's row offers. Pure. */
import type { Component } from 'svelte';
import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
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
  /** The key that does the same. */
  key?: string;
  run: () => unknown;
}

/** The cell that a menu was opened on. */
export interface CellPlace {
  row: Row;
  index: number;
  column: Column;
}

const MOST_SHOWN = 24;

/** A cell's value in the words of a menu: short, and in quotes. Empty where the cell has none. */
export function quoteCell({ row, column }: Pick<CellPlace, 'row' | 'column'>): string {
  const view = viewCell(column, column.get(row));
  if (view.isMissing || view.text === '') return '';
  const letters = Array.from(view.text);
  return `“${letters.length > MOST_SHOWN ? `${letters.slice(0, MOST_SHOWN).join('')}…` : view.text}”`;
}

/** Characters of a value that a list is narrowed to. */
const MOST_NARROWED = 200;

/** What a list is narrowed to so that it shows rows with this value; null where that is not to be. */
export function narrowText({ row, column }: Pick<CellPlace, 'row' | 'column'>): string | null {
  const value = column.get(row);
  // What begins with a slash is read as an expression.
  const canNarrow =
    typeof value === 'string' &&
    value.trim() !== '' &&
    column.kind !== 'time' &&
    value.length <= MOST_NARROWED &&
    !value.startsWith('/');
  return canNarrow ? value : null;
}

const rowWords = (count: number): string => (count > 1 ? formatCount(count, 'row') : 'row');

/** What the keys of a grid do on its row. `count`: rows that are selected, which are picked. */
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
      : [{ title: `Pick ${rowWords(count)}, or clear`, key: textOfPart('grid.pick'), run: pick }]),
  ];
}

/** Filters of the rows that are loaded, without a request: those with the value of a cell, and those without it. */
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

/** The same for lists that have no filters of columns: rows that hold the text of a cell in any column. */
export function narrowActs(place: CellPlace, narrow: (text: string) => unknown): RowAct[] {
  const text = narrowText(place);
  return text === null ? [] : [{ title: `Filter rows by ${quoteCell(place)}`, run: () => narrow(text) }];
}

/** `5 rows copied`; `150 of 300 rows copied` where some could not be had. */
export const copiedText = (copied: number, { count }: ActObject): string =>
  copied < count
    ? `${formatNumber(copied)} of ${formatCount(count, 'row')} copied`
    : `${formatCount(copied, 'row')} copied`;

/** `object`: what the copies of rows are of. */
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
      ...(key === undefined ? {} : { key: textOfPart(key) }),
      run: () => copyRows((read) => write(columns, read)),
    })),
  ];
}
