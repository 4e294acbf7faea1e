/** Finds a row of units, or a second line of names, below the header. Pure. */
import { excerptOf } from '../readers/row-source.ts';
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { isDatum } from './series-header.ts';

interface Row {
  line: number;
  cells: readonly string[] | null;
}

/** Minimum number of columns with a text above numbers or times alone, and of rows below it. */
const MIN_COLUMNS = 2;
const MIN_ROWS = 2;

const isText = (cell: string): boolean => !isDatum(cell) && !NULL_WORDS.includes(cell);
const isMissing = (cell: string): boolean => cell === '' || NULL_WORDS.includes(cell);

/**
 * A note about the first row of a table if it has no number or time, and different texts above numbers or times alone;
 * an empty list otherwise.
 */
export function unitsNotes(all: readonly Row[]): string[] {
  const [first, ...rest] = all.filter(({ cells }) => cells !== null);
  const cells = (first?.cells ?? []).map((cell) => cell.trim());
  if (first === undefined || cells.some((cell) => cell !== '' && !isText(cell))) return [];
  const above = cells.filter((cell, at) => {
    const below = rest.map((row) => row.cells?.[at]?.trim() ?? '').filter((each) => !isMissing(each));
    return cell !== '' && below.length >= MIN_ROWS && below.every(isDatum);
  });
  if (new Set(above).size < MIN_COLUMNS) return [];
  return [
    `The first row (line ${first.line}), “${excerptOf(cells.filter((cell) => cell !== '').join(','))}”, may be units or a second line of names: it has texts above numbers and times alone. It is sent like the other rows, which makes texts of these columns: remove it from the file if it is no data.`,
  ];
}
