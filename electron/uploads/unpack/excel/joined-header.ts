/** Headers of several rows, in which merged cells hold the names of groups of columns. Pure. */
import type { Area, SheetRow } from './sheet-reader.ts';

const MAX_ROWS = 5;

export interface JoinedHeader {
  /** Its first row, and its last filled one, in which the names stand. */
  from: number;
  to: number;
  /** By 0-based column. */
  names: string[];
}

/**
 * The header that begins in the first row with cells in several columns, if cells are merged both over columns and down
 * to its last row, and all of its cells are texts; null if there is none. `rows`: the first filled rows of the sheet.
 */
export function joinedHeader(rows: readonly SheetRow[], areas: readonly Area[]): JoinedHeader | null {
  const first = rows.find(({ cells }) => cells.filter((cell) => cell !== '').length > 1);
  if (first === undefined) return null;
  const starting = areas.filter(({ from }) => from.row === first.number);
  const bottom = Math.max(...starting.filter(isDown).map((area) => area.to.row));
  if (!(bottom > first.number && bottom < first.number + MAX_ROWS)) return null;
  const head = rows.filter(({ number }) => number >= first.number && number <= bottom);
  // The last rows have no cells of their own if all names above are merged down to them.
  const to = head.at(-1)?.number ?? first.number;
  const hasTable = rows.some(({ number }) => number > bottom);
  const isGrouped = areas.some((area) => isAcross(area) && area.from.row >= first.number && area.to.row < to);
  if (!hasTable || !isGrouped || head.some(({ cells }) => cells.some(isNumber))) return null;
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

const isDown = ({ from, to }: Area): boolean => to.row > from.row;
const isAcross = ({ from, to }: Area): boolean => to.column > from.column;
const isNumber = (text: string): boolean => text !== '' && Number.isFinite(Number(text));
