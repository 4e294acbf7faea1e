/** Delimited text as it is written, to files and to the clipboard: the one writer of CSV and TSV. Pure. */

interface Delimited {
  delimiter?: string;
  /**
   * Cells as they are, for a file that is dropped in again: a spreadsheet may run those that look like formulas.
   * Without it they are made harmless, whoever wrote them: names, reasons and answers come from outside.
   */
  isExact?: boolean;
}

/** What spreadsheets pass over before they look for a formula: blanks, controls, what has no width, quotes. */
const BEFORE = '[\\s\\p{Cc}\\p{Cf}"\'`\u2018-\u201f]*';
/** Also in the wide forms that some take for the same. */
const FORMULA = new RegExp(`^${BEFORE}[=+\\-@\uff1d\uff0b\uff0d\uff20]`, 'u');
/** Also behind apostrophes: one that is written before it must be told from those of the text. */
const STARTS_WITH_CONTROL = /^'*[\t\r\n]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

const looksLikeFormula = (cell: string): boolean => FORMULA.test(cell) && !NUMBER.test(cell);

const isRisky = (cell: string): boolean => STARTS_WITH_CONTROL.test(cell) || looksLikeFormula(cell);

/** A text that a spreadsheet would run as a formula begins with an apostrophe; numbers stay numbers. */
export function withoutFormula(cell: string): string {
  return isRisky(cell) ? `'${cell}` : cell;
}

/** The text of a cell that `withoutFormula` wrote: the apostrophe before a formula is no part of it. */
export function withFormula(cell: string): string {
  return cell.startsWith("'") && isRisky(cell.slice(1)) ? cell.slice(1) : cell;
}

/** The cells of one line, without its end; cells that need quotes get them, quotes inside are doubled. */
export function delimitedCells(cells: readonly string[], options: Delimited = {}): string {
  const { delimiter = ',', isExact = false } = options;
  return cells.map((cell) => quoted(isExact ? cell : withoutFormula(cell), delimiter)).join(delimiter);
}

/** One line with its end. */
export function delimitedLine(cells: readonly string[], options: Delimited = {}): string {
  return `${delimitedCells(cells, options)}\n`;
}

function quoted(cell: string, delimiter: string): string {
  const needs = cell.includes(delimiter) || /["\r\n]/.test(cell) || /^\s|\s$/.test(cell);
  return needs ? `"${cell.replaceAll('"', '""')}"` : cell;
}
