/** Finds tables in Markdown: a header, a line of dashes with a colon for the alignment, and rows of cells. Pure. */

/** A cell in the line below the header, such as `:-:`. */
const DASHES = /^:?-+:?$/;
/** A document must be held in memory completely. */
export const MAX_MARKDOWN_BYTES = 50_000_000;
export const MARKDOWN_NAME = /\.(?:md|markdown)$/i;

export interface MarkdownTable {
  /** 1-based line of its header. */
  line: number;
  names: string[];
  /** Each has a cell for each name at least, or none for a line between groups of rows. */
  rows: string[][];
  /** Number of rows that had fewer cells than the header. The missing ones are empty, as Markdown shows them. */
  filled: number;
}

/** The cells of a line, without the bars at its ends and the blanks around its cells. A backslash escapes a bar. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const text = line.trim();
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '\\' && text[at + 1] === '|') {
      cell += '|';
      at += 1;
    } else if (letter === '|') {
      cells.push(cell.trim());
      cell = '';
      if (at + 1 === text.length) return cells;
    } else cell += letter;
  }
  return [...cells, cell.trim()];
}

/** A line of dashes with a plus between columns, as in tables of Org mode. */
const PLUS_RULE = /^[ \t]*\|-+(?:\+-+)*\|[ \t]*$/;
const ruleCells = (line: string): string[] =>
  cellsOf(PLUS_RULE.test(line) ? line.replaceAll('+', '|') : line);
const isRule = (line = ''): boolean =>
  line.includes('|') && ruleCells(line).every((cell) => DASHES.test(cell));

/** Whether the table that begins in a line has one name for each column of the line of dashes below it. */
function isHeader(line: string, below: string | undefined): boolean {
  return line.includes('|') && isRule(below) && cellsOf(line).length === ruleCells(below ?? '').length;
}

/** True if a text begins with a table that has bars at both ends, or has a table and is named as Markdown. */
export function hasMarkdownTable(name: string, text: string): boolean {
  const lines = text.split(/\r?\n/);
  if (MARKDOWN_NAME.test(name)) return lines.some((line, at) => isHeader(line, lines[at + 1]));
  const first = lines.findIndex((line) => line.trim() !== '');
  const isFramed = (line = ''): boolean => /^[ \t]*\|.*\|[ \t]*$/.test(line);
  const [header = '', rule] = [lines[first], lines[first + 1]];
  return isFramed(header) && isFramed(rule) && isHeader(header, rule);
}

/** A table ends at a blank line, or at a line without a bar. */
export function markdownTables(text: string): MarkdownTable[] {
  const lines = text.split(/\r?\n/);
  const tables: MarkdownTable[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const header = lines[at] ?? '';
    if (!isHeader(header, lines[at + 1])) continue;
    const table: MarkdownTable = { line: at + 1, names: cellsOf(header), rows: [], filled: 0 };
    for (at += 2; lines[at]?.includes('|') === true; at += 1) {
      const line = lines[at] ?? '';
      if (PLUS_RULE.test(line) && table.names.length > 1 && line.includes('+')) {
        table.rows.push([]);
        continue;
      }
      const cells = cellsOf(line);
      const missing = Math.max(0, table.names.length - cells.length);
      if (missing > 0) table.filled += 1;
      table.rows.push([...cells, ...Array.from({ length: missing }, () => '')]);
    }
    tables.push(table);
  }
  return tables;
}
