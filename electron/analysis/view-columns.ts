/** Columns of a sidecar by field name, with engine types, for SQL and for Parquet. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimeCounts } from '../shared/mirror-model.ts';
import { columnName, type SidecarColumn } from './column-scan.ts';
import { valueColumn } from './sidecar-sql.ts';
import { ADDED, quoteName } from './sql-text.ts';

export type TimeType = 'TIMESTAMPTZ' | 'TIMESTAMP' | 'DATE' | 'VARCHAR';

const ZONE = String.raw`(Z|[+-]\d{2}:?\d{2})$`;
const DATE_ONLY = String.raw`^\d{4}-\d{2}-\d{2}$`;

/** A column of a sidecar and its index. */
export interface NumberedColumn {
  column: SidecarColumn;
  index: number;
}

export const numbered = (columns: readonly SidecarColumn[]): NumberedColumn[] =>
  columns.map((column, index) => ({ column, index }));

/**
 * For each column of times, the type that fits all its values: a point in time, a time without a zone, or a date. Text
 * if the values have several forms, are finer than microseconds, or are no calendar times.
 */
export async function timeTypes(
  connection: DuckDBConnection,
  columns: readonly NumberedColumn[],
  rows: string,
): Promise<Map<number, TimeType>> {
  const types = new Map<number, TimeType>();
  for (const { column, index } of columns) {
    if (column.kind !== 'time') continue;
    types.set(index, timeTypeOf(await timeCounts(connection, valueColumn(index), rows)));
  }
  return types;
}

/** Counts the forms of times among the texts of an expression. */
export async function timeCounts(
  connection: DuckDBConnection,
  value: string,
  rows: string,
): Promise<TimeCounts> {
  const result = await connection.runAndReadAll(`SELECT count(*),
    count(*) FILTER (WHERE regexp_matches(v, '${DATE_ONLY}')),
    count(*) FILTER (WHERE NOT regexp_matches(v, '${DATE_ONLY}') AND regexp_matches(v, '${ZONE}')),
    count(*) FILTER (WHERE TRY_CAST(v AS TIMESTAMPTZ) IS NULL OR regexp_matches(v, '\\.\\d{6}\\d*[1-9]'))
    FROM (SELECT ${value} AS v FROM ${rows} WHERE ${value} <> '')`);
  const [all = 0, dates = 0, zoned = 0, unfit = 0] = (result.getRowsJson()[0] ?? []).map(Number);
  return [all, dates, zoned, unfit];
}

export function timeTypeOf([all, dates, zoned, unfit]: TimeCounts): TimeType {
  if (unfit > 0) return 'VARCHAR';
  if (zoned === all) return 'TIMESTAMPTZ';
  if (dates === all) return 'DATE';
  return zoned === 0 && dates === 0 ? 'TIMESTAMP' : 'VARCHAR';
}

/**
 * Select expressions named by the dotted path of the field. If names differ only in case, a number is appended to later
 * ones.
 */
export function viewColumns(
  columns: readonly NumberedColumn[],
  times: ReadonlyMap<number, TimeType>,
): string[] {
  const taken = new Set<string>();
  return columns.map(({ column, index }) => {
    const name = freeName(columnName(column.path).replace(ADDED, ''), taken);
    return `${typedValue(column, index, times.get(index))} AS ${quoteName(name)}`;
  });
}

/** The engine treats column names that differ only in case as equal. */
function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${wanted}_${number}`;
  taken.add(name.toLowerCase());
  return name;
}

function typedValue({ kind }: SidecarColumn, index: number, time: TimeType | undefined): string {
  const value = valueColumn(index);
  if (kind === 'json') return `CAST(${value} AS JSON)`;
  if (time === undefined || time === 'VARCHAR') return value;
  return `CAST(nullif(${value}, '') AS ${time})`;
}
