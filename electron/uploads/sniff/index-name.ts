/** Finds the line in which pandas writes the name of an index, below the names of the columns. Pure. */
import { AppError } from '../../shared/errors.ts';
import { excerptOf } from '../readers/row-source.ts';
import { isDatum } from './series-header.ts';
import type { TrialRow } from './table-start.ts';

/** Maximum number of lines of names above it. */
const MAX_LEVELS = 5;
/** With two columns, a row with a value in the first one only is not unusual. */
const MIN_COLUMNS = 3;

const filledAt = ({ cells }: TrialRow): number[] =>
  (cells ?? []).flatMap((cell, at) => (cell.trim() === '' ? [] : [at]));

function isNameAlone(row: TrialRow): boolean {
  const [first, ...others] = filledAt(row);
  return first === 0 && others.length === 0 && !isDatum(row.cells?.[0] ?? '');
}

/** Index of the row with the name of the index; 0 if there is none, or if several rows have the form of such a name. */
function indexNameAt(rows: readonly TrialRow[]): number {
  const at = rows.findIndex(isNameAlone);
  const below = rows[at + 1];
  const isAlone = rows.every((row, index) => index === at || !isNameAlone(row));
  if (at < 1 || at > MAX_LEVELS || !isAlone || below === undefined || filledAt(below).length < 2) return 0;
  return (rows[at]?.cells?.length ?? 0) >= MIN_COLUMNS ? at : 0;
}

/** True if two adjacent columns have the same name, as in a header with groups of columns. */
function hasGroups({ cells }: TrialRow): boolean {
  const names = (cells ?? []).slice(1).map((name) => name.trim());
  return names.some((name, at) => at > 0 && name !== '' && name === names[at - 1]);
}

/** True if every column but the first has texts in the rows above, and only numbers or times in the rows below. */
function areTypedBelow(above: readonly TrialRow[], below: readonly TrialRow[]): boolean {
  const valuesOf = (rows: readonly TrialRow[]): string[] =>
    rows.flatMap(({ cells }) => (cells ?? []).slice(1).filter((cell) => cell.trim() !== ''));
  return !valuesOf(above).some(isDatum) && valuesOf(below).every(isDatum);
}

/**
 * A note about an index name below a header of one line; an empty list if there is none. Throws FILE_MALFORMED below a
 * header of several lines, whose names would be sent as values.
 */
export function indexNameNotes(rows: readonly TrialRow[]): string[] {
  const at = indexNameAt(rows);
  if (at === 0) refuseSecondNames(rows);
  const [first, row] = [rows[0], rows[at]];
  if (at === 0 || first === undefined || row === undefined) return [];
  const name = `“${excerptOf(row.cells?.[0]?.trim() ?? '')}”`;
  if (at === 1)
    return [
      `Line ${row.line} has a value in its first column alone (${name}), as pandas writes the name of an index. It is sent like the other rows: write the table with reset_index() if it is not a row of data.`,
    ];
  const above = rows.slice(0, at);
  const areNames = above.every(({ cells }) => (cells?.[0] ?? '').trim() === '');
  const areGroups = hasGroups(first) || (above.some(hasGroups) && areTypedBelow(above, rows.slice(at + 1)));
  if (!areNames && !areGroups) return [];
  throw levelsError(first, row);
}

/** Throws FILE_MALFORMED if names that stand more than once in the first row have further names in the second. */
function refuseSecondNames([first, second, ...below]: readonly TrialRow[]): void {
  const names = (first?.cells ?? []).map((name) => name.trim()).filter((name) => name !== '');
  if (first === undefined || second === undefined || new Set(names).size === names.length) return;
  const isFilled = filledAt(second).length > 1 && below.length > 0;
  if (isFilled && areTypedBelow([second], below)) throw levelsError(first, second);
}

function levelsError(first: TrialRow, last: TrialRow): AppError {
  return new AppError(
    'FILE_MALFORMED',
    `Expected the names of the columns in one line, got them in lines ${first.line} to ${last.line}, as pandas writes columns of several levels. Join them first (df.columns = df.columns.map('.'.join), then reset_index()), or set the line of the header.`,
    { line: first.line },
  );
}
