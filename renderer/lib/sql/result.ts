/** Prepares an SQL result for a grid and a chart. Pure. */
import { isRawNumber, parseExact, type RawNumber, signedZeros } from '../../../electron/shared/exact-json.ts';
import type { SqlColumn } from '../../../electron/shared/sql-model.ts';
import { formatJsonLine, formatNumber } from '../format.ts';
import type { Column, Row } from '../grid/columns.ts';

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL\(.*\))$/;
const DIGITS = /^-?\d+(?:\.\d+)?$/;

export const isNumber = ({ type }: SqlColumn): boolean => NUMBER.test(type);
/** Whether numbers can have decimals, so that their column must fit the 17 digits of a double. */
const hasDecimals = ({ type }: SqlColumn): boolean => /^(?:DOUBLE|FLOAT|DECIMAL)/.test(type);
const isNested = ({ type }: SqlColumn): boolean => /^(?:JSON|STRUCT|MAP|UNION)|\]$/.test(type);

/** A row by column name. Numbers beyond the precision of JavaScript keep all their digits. */
export function rowOf(columns: readonly SqlColumn[], values: readonly unknown[]): Row {
  return Object.fromEntries(
    columns.map((column, at) => {
      const value = values[at];
      const isDigits = typeof value === 'string' && isNumber(column) && DIGITS.test(value);
      return [column.name, signedZeros(isDigits ? parseExact(value) : value)];
    }),
  );
}

/** `hidden`: names of columns whose values privacy mode hides. */
export function gridColumns(columns: readonly SqlColumn[], hidden: ReadonlySet<string>): Column[] {
  return columns.map((column) => {
    const { name, type } = column;
    const kind = isNumber(column) ? 'number' : isNested(column) ? 'json' : 'text';
    const width =
      kind === 'number' ? (hasDecimals(column) ? 176 : 112) : type.startsWith('TIMESTAMP') ? 208 : 168;
    return {
      id: name,
      title: name,
      kind,
      width: Math.max(width, Math.min(240, name.length * 8 + 48)),
      isMono: type.startsWith('TIMESTAMP') || type === 'UUID',
      isPrivate: hidden.has(name),
      get: (row) => row[name],
    };
  });
}

interface ChartBar {
  label: string;
  value: number;
  /** The value with all its digits. */
  exact: number | RawNumber;
  /** Size relative to the largest absolute value, from 0 to 1. */
  share: number;
}

/**
 * Default columns of a chart: the first column with texts or times, and the first column with numbers after
 * it.
 */
export function chartColumns(columns: readonly SqlColumn[]): { label: string; value: string } | null {
  const value = columns.find((column, at) => isNumber(column) && (at > 0 || columns.length === 1));
  if (value === undefined) return null;
  const label = columns.find((column) => column !== value && !isNumber(column)) ?? columns[0] ?? value;
  return { label: label.name, value: value.name };
}

export function chartBars(rows: readonly Row[], label: string, value: string): ChartBar[] {
  const bars = rows.flatMap((row) => {
    const own = row[value];
    const number = isRawNumber(own) ? Number(own.digits) : own;
    if (typeof number !== 'number' || !Number.isFinite(number)) return [];
    const exact = isRawNumber(own) ? own : number;
    const text = row[label] ?? null;
    const isNestedText = typeof text === 'object' && text !== null && !isRawNumber(text);
    return [{ label: isNestedText ? formatJsonLine(text) : String(text), value: number, exact }];
  });
  const most = Math.max(0, ...bars.map((bar) => Math.abs(bar.value)));
  return bars.map((bar) => ({ ...bar, share: most === 0 ? 0 : Math.abs(bar.value) / most }));
}

/** The number at the end of a bar: whole numbers with all digits, others rounded to six. */
export function barFigure({ value, exact }: Pick<ChartBar, 'value' | 'exact'>): string {
  const isWhole = isRawNumber(exact) ? exact.isWhole : Number.isInteger(exact);
  return formatNumber(isWhole ? exact : Number(value.toPrecision(6)));
}
