/** What a cell shows, says on hover, and gives to the clipboard. Pure. */
import { delimitedCells } from '../../../electron/shared/delimited.ts';
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { formatFull, formatJsonLine, formatNumber, formatStamp, shortenMiddle } from '../../lib/format.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';

interface CellView {
  text: string;
  /** The whole, where the text is not it and it costs nothing to say. */
  title: string | undefined;
  isMissing: boolean;
}

const MISSING: CellView = { text: '–', title: undefined, isMissing: true };
const LONG = 40;

/** How a cell of this kind shows a value. */
export function viewCell(column: Column, value: unknown): CellView {
  if (column.kind === 'pick') return { text: '', title: undefined, isMissing: false };
  if (value === undefined && column.absentText !== undefined)
    return { text: column.absentText, title: undefined, isMissing: true };
  if (value === undefined || value === null || value === '') return MISSING;
  if (column.write !== undefined) return { text: column.write(value), title: undefined, isMissing: false };
  switch (column.kind) {
    case 'number':
      if (typeof value !== 'number' && !isRawNumber(value)) return plainCell(value);
      return { text: formatNumber(value), title: undefined, isMissing: false };
    case 'time': {
      const ms = parseTime(value);
      if (ms === null) return plainCell(value);
      return { text: formatStamp(ms), title: undefined, isMissing: false };
    }
    case 'id': {
      const text = String(value);
      const short = shortenMiddle(text);
      return { text: short, title: short === text ? undefined : text, isMissing: false };
    }
    case 'json':
    case 'text':
    case 'chip':
      return plainCell(value);
  }
}

/**
 * The whole of a value, for whoever looks at its cell: a time with its day and zone, a number as it came where it is
 * written otherwise, else what `viewCell` says.
 */
export function fullText(column: Column, value: unknown): string | undefined {
  if (
    column.write !== undefined &&
    column.kind === 'number' &&
    (typeof value === 'number' || isRawNumber(value))
  )
    return formatNumber(value);
  const ms = column.kind === 'time' ? parseTime(value) : null;
  return ms === null ? viewCell(column, value).title : formatFull(ms);
}

function plainCell(value: unknown): CellView {
  const text = formatJsonLine(value);
  return { text, title: text.length > LONG ? text : undefined, isMissing: false };
}

/** The value as it came, as text: what the clipboard gets. */
export function copyValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Rows as a tab-separated table with a heading line, for a spreadsheet or a notebook. */
export function toTsv(columns: readonly Column[], rows: readonly Row[]): string {
  const copied = columns.filter((column) => column.kind !== 'pick');
  const line = (cells: readonly string[]) => delimitedCells(cells, { delimiter: '\t' });
  const head = line(copied.map(({ title }) => title));
  const lines = rows.map((row) => line(copied.map((column) => copyValue(column.get(row)))));
  return [head, ...lines].join('\n');
}
