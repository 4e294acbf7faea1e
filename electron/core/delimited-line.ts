/** Delimited text. Pure. */

/** One line of delimited text with its line end; cells that need quotes get them, quotes inside are doubled. */
export function delimitedLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\n`;
}

function quoted(cell: string, delimiter: string): string {
  const needs = cell.includes(delimiter) || /["\r\n]/.test(cell) || /^\s|\s$/.test(cell);
  return needs ? `"${cell.replaceAll('"', '""')}"` : cell;
}
