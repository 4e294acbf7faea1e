/** Writes delimited text to files and to the clipboard: the only writer of CSV and TSV. Pure. */

interface Delimited {
  delimiter?: string;
  /**
   * Writes cells unescaped, for a file that Spandeck will read again: a spreadsheet may execute cells that look like
   * formulas. By default they are escaped, whatever their source, because names, reasons and answers come from outside.
   */
  isExact?: boolean;
}

/** Characters that spreadsheets skip before a formula: blanks, control characters, zero-width characters, quotes. */
const BEFORE = '[\\s\\p{Cc}\\p{Cf}"\'`\u2018-\u201f]*';
/** Characters that begin a formula. Full-width forms are included, which some programs treat as equal. */
const FORMULA = new RegExp(`^${BEFORE}[=+\\-@\uff1d\uff0b\uff0d\uff20]`, 'u');
/** Apostrophes at the start of a text get a further one, so that an added apostrophe can be distinguished. */
const STARTS_WITH_CONTROL = /^'*[\t\r\n]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

const looksLikeFormula = (cell: string): boolean => FORMULA.test(cell) && !NUMBER.test(cell);

const isRisky = (cell: string): boolean => STARTS_WITH_CONTROL.test(cell) || looksLikeFormula(cell);

/** Prefixes a text that a spreadsheet would execute as a formula with an apostrophe; numbers stay numbers. */
export function withoutFormula(cell: string): string {
  return isRisky(cell) ? `'${cell}` : cell;
}

/** The original text of a cell written by `withoutFormula`: removes the apostrophe before a formula. */
export function withFormula(cell: string): string {
  return cell.startsWith("'") && isRisky(cell.slice(1)) ? cell.slice(1) : cell;
}

/** Cells that need no quotes unless they contain the delimiter, and no apostrophe because of their first character. */
const PLAIN = /^[0-9A-Za-z](?:[^"\r\n]*[^"\s])?$/;

/** The cells of one line, without its line end; cells are quoted if needed, and quotes in them doubled. */
export function delimitedCells(cells: readonly string[], options: Delimited = {}): string {
  const { delimiter = ',', isExact = false } = options;
  // Written as a loop, because it runs for each of millions of cells.
  let line = '';
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? '';
    if (at > 0) line += delimiter;
    if (PLAIN.test(cell) && !cell.includes(delimiter)) line += cell;
    else line += quoted(isExact ? cell : withoutFormula(cell), delimiter);
  }
  return line;
}

/** One line of a file with its line end. A single empty cell is quoted, because readers skip blank lines. */
export function delimitedLine(cells: readonly string[], options: Delimited = {}): string {
  const line = delimitedCells(cells, options);
  return line === '' && cells.length === 1 ? '""\n' : `${line}\n`;
}

function quoted(cell: string, delimiter: string): string {
  const needs = cell.includes(delimiter) || /["\r\n]/.test(cell) || /^\s|\s$/.test(cell);
  return needs ? `"${cell.replaceAll('"', '""')}"` : cell;
}
