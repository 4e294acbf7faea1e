/** Reads headers of several rows, in which merged cells hold the names of groups of columns. Pure. */
import type { Area, SheetRow } from './sheet-reader.ts';

const MAX_ROWS = 5;

export interface JoinedHeader {
  /** Numbers of the first row, and of the last row with a value, which holds the names of columns. */
  from: number;
  to: number;
  /** The joined names by 0-based column. */
  names: string[];
}

/**
 * The header of several rows that begins in the first row with several filled cells; null if there is none. It has
 * cells merged across columns. Its last row is known by cells merged down to it, or because the row below the merged
 * cells holds names. `rows`: the first filled rows of the sheet.
 */
export function joinedHeader(rows: readonly SheetRow[], areas: readonly Area[]): JoinedHeader | null {
  const ofPandas = pandasHeader(rows, areas);
  if (ofPandas !== null) return ofPandas;
  const first = rows.find(({ cells }) => cells.filter((cell) => cell !== '').length > 1);
  if (first === undefined) return null;
  const bottom = mergedDown(rows, first.number, areas) ?? namesBelow(rows, first, areas);
  if (bottom === null) return null;
  const head = rows.filter(({ number }) => number >= first.number && number <= bottom);
  // If all names are merged down to the last rows, these have no cells of their own.
  const to = head.at(-1)?.number ?? first.number;
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const names = Array.from({ length: width }, (_, column) => {
    const parts = head.map(({ number, cells }) => {
      const area = areas.find(
        ({ from, to: end }) => from.row === number && from.column <= column && column <= end.column,
      );
      return cells[area?.from.column ?? column] ?? '';
    });
    return parts.filter((part) => part !== '').join(' ');
  });
  return { from: first.number, to, names };
}

/**
 * The header that pandas writes above an index with a name: groups of columns, their names, and a row with the names of
 * the index alone. In this form the names of columns may be numbers or dates, as in a pivot table.
 */
function pandasHeader(rows: readonly SheetRow[], areas: readonly Area[]): JoinedHeader | null {
  const [groups, columns, index, ...body] = rows;
  if (groups === undefined || columns === undefined || index === undefined || body.length === 0) return null;
  if (columns.number !== groups.number + 1 || index.number !== groups.number + 2) return null;
  const filled = index.cells.flatMap((cell, at) => (cell === '' ? [] : [at]));
  const levels = filled.length;
  if (levels === 0 || filled.at(-1) !== levels - 1 || index.cells.some(isDatum)) return null;
  const across = areas.filter((area) => area.from.row === groups.number && isAcross(area) && !isDown(area));
  if (across.length === 0 || across.some(({ from }) => from.column < levels)) return null;
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const names = Array.from({ length: width }, (_, at) => {
    if (at < levels) return index.cells[at] ?? '';
    const area = across.find(({ from, to }) => from.column <= at && at <= to.column);
    return [groups.cells[area?.from.column ?? at] ?? '', columns.cells[at] ?? ''];
  });
  const areNamed = names.every((name) => typeof name === 'string' || name.every((part) => part !== ''));
  return areNamed
    ? { from: groups.number, to: index.number, names: names.map((name) => [name].flat().join(' ')) }
    : null;
}

/** The last row of a header of texts that has cells merged across columns and cells merged down to that row. */
function mergedDown(rows: readonly SheetRow[], first: number, areas: readonly Area[]): number | null {
  const starting = areas.filter(({ from }) => from.row === first);
  const bottom = Math.max(...starting.filter(isDown).map((area) => area.to.row));
  if (!(bottom > first && bottom < first + MAX_ROWS)) return null;
  const head = rows.filter(({ number }) => number >= first && number <= bottom);
  const to = head.at(-1)?.number ?? first;
  const hasTable = rows.some(({ number }) => number > bottom);
  const isGrouped = areas.some((area) => isAcross(area) && area.from.row >= first && area.to.row < to);
  return hasTable && isGrouped && !head.some(({ cells }) => cells.some(isNumber)) ? bottom : null;
}

/**
 * The row below cells that are merged across columns only, if it holds names: texts that differ within each group. Each
 * column outside the groups must have its name in one of the two rows, or the values below must show that the row is
 * not data.
 */
function namesBelow(rows: readonly SheetRow[], first: SheetRow, areas: readonly Area[]): number | null {
  const groups = areas.filter((area) => area.from.row === first.number && isAcross(area) && !isDown(area));
  const row = rows.find(({ number }) => number === first.number + 1);
  const body = rows.filter(({ number }) => number > first.number + 1);
  if (groups.length === 0 || row === undefined || body.length === 0) return null;
  const { cells } = row;
  const width = Math.max(...rows.map((each) => each.cells.length));
  const columns = Array.from({ length: width }, (_, column) => column);
  const isGrouped = (column: number): boolean =>
    groups.some(({ from, to }) => from.column <= column && column <= to.column);
  const hasValues = (column: number): boolean => body.some((each) => (each.cells[column] ?? '') !== '');
  const grouped = columns.filter((column) => isGrouped(column) && hasValues(column));
  const others = columns.filter((column) => !isGrouped(column));
  const isName = (column: number): boolean => {
    const text = cells[column] ?? '';
    return text !== '' && !isDatum(text) && !body.some((each) => each.cells[column] === text);
  };
  const areDifferent = groups.every(({ from, to }) => {
    const names = cells.slice(from.column, to.column + 1).filter((name) => name !== '');
    return new Set(names).size === names.length;
  });
  if (!grouped.every(isName) || !areDifferent) return null;
  const isNamedOnce = others.every(
    (column) => (first.cells[column] ?? '') === '' || (cells[column] ?? '') === '',
  );
  const isTyped = grouped.some((column) =>
    body.every((each) => (each.cells[column] ?? '') === '' || isDatum(each.cells[column] ?? '')),
  );
  const isOfTexts = others.every((column) => (cells[column] ?? '') === '' || isName(column));
  return isOfTexts && (isNamedOnce || isTyped) ? row.number : null;
}

const isDown = ({ from, to }: Area): boolean => to.row > from.row;
const isAcross = ({ from, to }: Area): boolean => to.column > from.column;
/** A number, a date or a time of day, in the form that the reader of the sheet writes. */
const isDatum = (text: string): boolean => isNumber(text) || /^\d{4}-\d\d-\d\d|^\d+:\d\d/.test(text);
const isNumber = (text: string): boolean => text !== '' && Number.isFinite(Number(text));
