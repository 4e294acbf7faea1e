/** Text, tooltip and copied value of a grid cell. Pure. */
import { delimitedCells } from '../../../electron/shared/delimited.ts';
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { formatFull, formatJsonLine, formatNumber, formatStamp, shortenMiddle } from '../../lib/format.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';

interface CellView {
  text: string;
  /** The full value, if it differs from the text and is cheap to compute. */
  title: string | undefined;
  isMissing: boolean;
}

const MISSING: CellView = { text: '–', title: undefined, isMissing: true };
const LONG = 40;

/** The display of a value in a cell of this kind. */
export function viewCell(column: Column, value: unknown): CellView {
  if (column.kind === 'pick') return { text: '', title: undefined, isMissing: false };
  if (value === undefined && column.absentText !== undefined)
    return { text: column.absentText, title: column.absentTitle, isMissing: true };
  if (value === undefined || value === null || value === '') return MISSING;
  if (column.write !== undefined) {
    const text = column.write(value);
    // Constants are in words; the tooltip has them as the service wrote them.
    const isConstant = column.kind === 'chip' && typeof value === 'string' && value !== text;
    return { text, title: isConstant ? value : undefined, isMissing: false };
  }
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
 * The full value for the tooltip: a time with date and zone, a raw number if its text differs, otherwise the tooltip of
 * `viewCell`.
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

/** The raw value as text, for the clipboard. */
export function copyValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Rows as a tab-separated table with a header line, for a spreadsheet or a notebook. */
export function toTsv(columns: readonly Column[], rows: readonly Row[]): string {
  const copied = columns.filter((column) => column.kind !== 'pick');
  const line = (cells: readonly string[]) => delimitedCells(cells, { delimiter: '\t' });
  const head = line(copied.map(({ title }) => title));
  const lines = rows.map((row) => line(copied.map((column) => copyValue(column.get(row)))));
  return [head, ...lines].join('\n');
}
