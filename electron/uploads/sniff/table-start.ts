/** Finds where the table begins in delimited text: after blank lines, comments, `sep=`, or a title. Pure. */
import { counted } from '../../shared/count-text.ts';
import { afterLineEnd, excerptOf } from '../readers/row-source.ts';
import { areLinesOfNames } from '../readers/second-header.ts';
import { isDatum } from './series-header.ts';

export interface TrialRow {
  line: number;
  /** Null if the line could not be read as a row. */
  cells: string[] | null;
  /** True if a byte order mark stands before the row, as at the beginning of each of several joined files. */
  isMarked?: boolean;
}

export interface TableStart {
  /** Index among the rows. */
  index: number;
  /** Number of cells that most rows have from this row on. */
  columns: number;
  /** Share of the rows from this row on that have this number of cells. */
  fit: number;
}

/** Maximum number of rows above a table. */
const MAX_ROWS_ABOVE = 100;
/** Minimum fit of a table, from its start on, whose number of columns is not the most frequent one. */
const MIN_FIT = 0.9;
const MAX_CANDIDATES = 5;

const filled = ({ cells }: TrialRow): number => cells?.filter((cell) => cell.trim() !== '').length ?? 0;

/**
 * Score of how well rows form a table. The fit counts most, then the number of columns; rows above the table lower the
 * score.
 */
export function scoreOf({ index, columns, fit }: TableStart): number {
  return columns < 2 ? 0 : fit + Math.min(columns, 100) / 1_000 - Math.min(index, 10) / 50;
}

/**
 * The start of the table among rows. Rows above it have fewer cells, or hardly any with a value. `isHeader`: whether
 * these rows begin with names. `isFixed`: the first row begins the table, whatever it looks like.
 */
export function tableStart(
  rows: readonly TrialRow[],
  isHeader: (rows: readonly TrialRow[]) => boolean,
  isFixed = false,
): TableStart {
  const counts = new Map<number, number>();
  for (const { cells } of rows)
    if (cells !== null) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [usual, ...others] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  if (usual === undefined) return { index: 0, columns: 0, fit: 0 };
  const at = (columns: number) => startOf(rows, columns, isFixed ? () => 0 : firstRow(isHeader));
  const better = others
    .filter(([columns, times]) => columns > 1 && times > 1)
    .slice(0, MAX_CANDIDATES)
    .map(([columns]) => at(columns))
    .filter(({ index, fit }) => fit >= MIN_FIT && rows.length - index > 1);
  return [at(usual[0]), ...better].reduce((best, each) => (scoreOf(each) > scoreOf(best) ? each : best));
}

function startOf(
  rows: readonly TrialRow[],
  columns: number,
  first: (rows: readonly TrialRow[], columns: number) => number,
): TableStart {
  const index = first(rows, columns);
  const table = rows.slice(index);
  const fitting = table.filter(({ cells }) => cells?.length === columns).length;
  return { index, columns, fit: table.length === 0 ? 0 : fitting / table.length };
}

/** Index of the first row of a table with this number of columns. */
function firstRow(isHeader: (rows: readonly TrialRow[]) => boolean) {
  return (rows: readonly TrialRow[], columns: number): number => {
    const width = filledWidth(rows, columns);
    if (width < 2)
      return Math.max(
        0,
        rows.findIndex((row) => filled(row) > 0),
      );
    const above = rows.slice(0, MAX_ROWS_ABOVE);
    const pair = above.findIndex(({ cells }, at) =>
      areLinesOfNames(cells, rows[at + 1]?.cells, rows[at + 2]?.cells),
    );
    if (pair !== -1 && rows.slice(0, pair).every((row) => filled(row) < 2)) return pair;
    const block = belowBlock(above, width);
    if (block > 0 && isHeader(rows.slice(block))) return block;
    const names = belowFacts(above, rows, columns);
    if (names > 0) return names;
    const isFull = (row: TrialRow) =>
      (row.cells?.length ?? 0) >= width - 1 &&
      filled(row) >= Math.max(2, width / 2) &&
      row.cells?.[0]?.startsWith('#') !== true;
    const full = above.findIndex(isFull);
    if (full <= 0) return 0;
    // With two columns, a title and a one-word header cannot be distinguished.
    const least = width === 2 ? 1 : 2;
    const isRow = (row: TrialRow) =>
      row.cells === null || filled(row) >= (row.cells.length === columns ? 1 : least);
    const first = above.findIndex(isRow);
    return first < full && !isHeader(rows.slice(full)) ? first : full;
  };
}

/**
 * Index of the first row with a value in every column, if all rows above have fewer values and are separated from it by
 * a blank line, as a title with some facts is; otherwise 0.
 */
function belowBlock(rows: readonly TrialRow[], width: number): number {
  const full = rows.findIndex((row) => filled(row) >= width);
  const [before, header] = [rows[full - 1], rows[full]];
  if (before === undefined || header === undefined) return 0;
  // Blank lines do not appear among the rows, so line numbers show them. A cell with line ends would look like one.
  const isOneLine = before.cells?.every((cell) => !/[\r\n]/.test(cell)) === true;
  const isBlankBefore = filled(before) === 0 || (isOneLine && header.line > before.line + 1);
  return isBlankBefore ? full : 0;
}

/**
 * Index of a row of names as wide as the table if all rows above have fewer values, as lines with facts about it, and its
 * columns have the types of numbers or times only from there on; otherwise 0.
 */
function belowFacts(above: readonly TrialRow[], rows: readonly TrialRow[], columns: number): number {
  const at = above.findIndex((row) => row.cells?.length === columns && filled(row) === columns);
  const names = above[at]?.cells ?? [];
  const areNames = new Set(names).size === columns && !names.some(isDatum);
  if (at < 1 || !areNames) return 0;
  const below = typedColumns(rows.slice(at + 1), columns);
  const first = rows.findIndex((row) => filled(row) > 1);
  return below > 0 && typedColumns(rows.slice(first + 1), columns) === 0 ? at : 0;
}

/** The number of columns with numbers, times or JSON alone. */
function typedColumns(rows: readonly TrialRow[], columns: number): number {
  const whole = rows.flatMap(({ cells }) => (cells?.length === columns ? [cells] : []));
  return Array.from({ length: columns }, (_, at) => whole.flatMap((cells) => cells[at]?.trim() || [])).filter(
    (cells) => cells.length > 0 && cells.every(isDatum),
  ).length;
}

/**
 * Number of columns of the rows with this number of cells, not counting trailing columns that are empty in all of them.
 */
function filledWidth(rows: readonly TrialRow[], columns: number): number {
  let width = 0;
  for (const { cells } of rows) {
    if (cells?.length !== columns) continue;
    for (let at = columns - 1; at >= width; at -= 1) if (cells[at]?.trim() !== '') width = at + 1;
  }
  return width;
}

interface LineAbove {
  line: number;
  kind: 'blank' | 'sep' | 'comment';
  /** Offset where the line begins. */
  from: number;
}

export interface Above {
  lines: LineAbove[];
  /** The delimiter that `sep=` names; null if there is none. */
  delimiter: string | null;
  /** Offset where the next line begins. */
  to: number;
}

const SEP = /^"?sep=(.|\\t)"?\s*$/i;

/** The lines at the start of delimited text that are not rows with any delimiter. */
export function linesAbove(bytes: Buffer): Above {
  const lines: LineAbove[] = [];
  let delimiter: string | null = null;
  let from = 0;
  for (let line = 1; from < bytes.length; line += 1) {
    const end = afterLineEnd(bytes, from, true);
    const to = end < 0 ? bytes.length : end;
    const text = bytes.toString('latin1', from, Math.min(to, from + 1_000));
    const separator: string | undefined = delimiter === null ? SEP.exec(text)?.[1] : undefined;
    if (separator !== undefined) delimiter = separator === '\\t' ? '\t' : separator;
    const kind =
      text.trim() === ''
        ? 'blank'
        : separator !== undefined
          ? 'sep'
          : text.startsWith('#')
            ? 'comment'
            : null;
    if (kind === null) return { lines, delimiter, to: from };
    lines.push({ line, kind, from });
    from = to;
  }
  // The file has only such lines, so they are its content.
  return { lines: [], delimiter: null, to: 0 };
}

/** Describes the lines above the header: `2 blank lines, 1 comment, “Card payments”`. */
export function aboveText(lines: readonly LineAbove[], rows: readonly TrialRow[], total: number): string {
  const titles = rows.flatMap((row) => {
    if (row.cells === null) return [`a line that cannot be read (${row.line})`];
    const cells = row.cells.filter((cell) => cell.trim() !== '');
    return cells.length === 0 ? [] : [`“${excerptOf(cells.join(' '), 60)}”`];
  });
  const comments = lines.filter(({ kind }) => kind === 'comment').length;
  const seps = lines.filter(({ kind }) => kind === 'sep').length;
  const blank = total - comments - seps - titles.length;
  return [
    ...(blank > 0 ? [`${counted(blank, 'blank line')}`] : []),
    ...(seps > 0 ? ['the line that names the delimiter'] : []),
    ...(comments > 0 ? [counted(comments, 'comment')] : []),
    ...titles.slice(0, 3),
    ...(titles.length > 3 ? [counted(titles.length - 3, 'more line')] : []),
  ].join(', ');
}
