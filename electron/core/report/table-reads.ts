/** Reads the columns of a report's tables. Pure. */
import { counted } from '../../shared/count-text.ts';
import { shareText } from '../../shared/figure-words.ts';
import type {
  ReportCell,
  ReportChart,
  ReportColumn,
  ReportFigure,
  ReportTable,
} from '../../shared/report-model.ts';
import { MASKED } from '../masking/redact.ts';

/** Everything computed from the tables of a report. */
export interface Derived {
  figures: ReportFigure[];
  charts: ReportChart[];
  /** The tables with derived columns; absent if no column is derived. */
  tables?: ReportTable[];
}

export const tableOf = (tables: readonly ReportTable[], name: string): ReportTable | undefined =>
  tables.find((table) => table.name === name);

/**
 * The cells of a column. Null if it was not chosen or has a masked cell, because figures of the remaining cells would
 * be wrong.
 */
export function columnOf(table: ReportTable | undefined, name: string): readonly ReportCell[] | null {
  const column = table?.columns.find((each) => each.name === name);
  return column === undefined || isMasked(column) ? null : column.values;
}

export const isMasked = ({ values }: ReportColumn): boolean => values.includes(MASKED);

/** The number in a cell; null for any other cell. */
export const numberOf = (cell: ReportCell | undefined): number | null =>
  typeof cell === 'number' ? cell : null;

/** The number in a cell; 0 for any other cell. */
export const countOf = (cell: ReportCell | undefined): number => numberOf(cell) ?? 0;

export const textOf = (cell: ReportCell | undefined): string =>
  cell === null || cell === undefined ? '' : String(cell);

/** Number of rows for each text, the most frequent text first. Rows without a text are left out. */
export function tally(cells: readonly ReportCell[]): [text: string, rows: number][] {
  const found = new Map<string, number>();
  for (const cell of cells)
    if (textOf(cell) !== '') found.set(textOf(cell), (found.get(textOf(cell)) ?? 0) + 1);
  return [...found].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1));
}

/** A figure such as `accepted: 40 spans`, with its share of `all` rows (at least one) and the interval of the share. */
export function shareFigure(label: string, rows: number, of: number, noun: string): ReportFigure {
  return {
    ...{ label, value: counted(rows, noun) },
    detail: `${shareText(rows, of)} of ${counted(of, noun)}, 95 % sure.`,
  };
}

/** The distinct texts of a column as bars, the most frequent first. */
export function tallyChart(title: string, counts: readonly [string, number][], most = 20): ReportChart[] {
  if (counts.length === 0) return [];
  const bars = counts.slice(0, most).map(([label, rows]) => ({ label, values: [rows] }));
  return [{ form: 'bars', title, names: ['Rows'], bars }];
}

export function derivedColumn(
  name: string,
  title: string,
  type: ReportColumn['type'],
  values: readonly ReportCell[],
): ReportColumn {
  return { name, title, type, isDerived: true, values };
}
