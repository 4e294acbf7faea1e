/** Keeps the rows of one query in its locked engine, for scrolling, sorting, filtering and profiling. */

import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnFilter, ColumnKind, ColumnProfile } from '../shared/analysis-model.ts';
import type { SqlColumn, SqlResult, SqlRows, SqlWindow } from '../shared/sql-model.ts';
import { shortened } from './cells.ts';
import type { SidecarColumn } from './column-scan.ts';
import { ProfiledRows } from './profile.ts';
import { columnsOf } from './result-columns.ts';
import { toMessageJson } from './row-json.ts';
import { placeColumn, stateColumn, stateOf, valueColumn } from './sidecar-sql.ts';
import { quoteName } from './sql-text.ts';

/** Name of a view of the typed query. */
export const TYPED_VIEW = '"typed sql"';
/** A name that a query is unlikely to use for a column. */
const POSITION = '"position in the result"';
/** Maximum length of one value. It is enough for a cell, and more than a person reads in one. */
const MAX_CHARACTERS = 5_000;

export class KeptResult {
  readonly about: Pick<SqlResult, 'columns' | 'rows' | 'isCut'>;
  readonly #connection: DuckDBConnection;
  readonly #profiled: ProfiledRows;

  private constructor(
    connection: DuckDBConnection,
    about: Pick<SqlResult, 'columns' | 'rows' | 'isCut'>,
    columns: readonly SidecarColumn[],
  ) {
    this.#connection = connection;
    this.about = about;
    this.#profiled = new ProfiledRows(connection, columns, 'position');
  }

  /** Runs the view of the typed query. One extra row shows whether there are more. */
  static async of(connection: DuckDBConnection, mostRows: number): Promise<KeptResult> {
    await connection.run(
      `CREATE TEMP TABLE result AS SELECT CAST(row_number() OVER () - 1 AS BIGINT) AS ${POSITION}, *
       FROM (SELECT * FROM ${TYPED_VIEW} LIMIT ${mostRows + 1})`,
    );
    const counted = await connection.runAndReadAll('SELECT count(*) FROM result');
    const rows = Number(counted.getRowsJson()[0]?.[0] ?? 0);
    const isCut = rows > mostRows;
    if (isCut) await connection.run(`DELETE FROM result WHERE ${POSITION} >= ${mostRows}`);
    const described = await connection.runAndReadAll(`SELECT * EXCLUDE (${POSITION}) FROM result LIMIT 0`);
    const columns = columnsOf(described);
    const profiled = columns.map(({ name, type }) => ({ path: [name], kind: kindOf(type) }));
    await connection.run(`CREATE TEMP VIEW rows AS SELECT ${POSITION} AS position,
      ${columns.flatMap((column, index) => profiledAs(column, index)).join(', ')} FROM result`);
    return new KeptResult(connection, { columns, rows: Math.min(rows, mostRows), isCut }, profiled);
  }

  profiles(fields: readonly string[], filters: readonly ColumnFilter[]): Promise<ColumnProfile[]> {
    return this.#profiled.profiles(fields, filters);
  }

  async read({ offset, limit, sort, filters }: SqlWindow): Promise<SqlRows> {
    const passing =
      filters.length === 0
        ? ''
        : `WHERE ${POSITION} IN (SELECT position FROM rows WHERE ${this.#profiled.conditionOf(filters)})`;
    const isKnown = this.about.columns.some(({ name }) => name === sort?.field);
    const order =
      sort === null || !isKnown
        ? POSITION
        : `${quoteName(sort.field)} ${sort.isDescending ? 'DESC' : 'ASC'} NULLS LAST, ${POSITION}`;
    const result = await this.#connection.runAndReadAll(
      `SELECT * EXCLUDE (${POSITION}) FROM result ${passing} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`,
    );
    const rows = result
      .convertRows(toMessageJson)
      .map((row) => row.map((value) => shortened(value, MAX_CHARACTERS)));
    if (passing === '') return { rows, matchingRows: this.about.rows };
    const counted = await this.#connection.runAndReadAll(`SELECT count(*) FROM result ${passing}`);
    return { rows, matchingRows: Number(counted.getRowsJson()[0]?.[0] ?? 0) };
  }
}

const INTEGERS = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/;

function kindOf(type: string): ColumnKind {
  if (type === 'BOOLEAN') return 'boolean';
  if (INTEGERS.test(type)) return 'integer';
  if (type.startsWith('DECIMAL') && !type.endsWith(']')) return 'decimal';
  if (type === 'DOUBLE' || type === 'FLOAT') return 'number';
  if (type === 'DATE' || (type.startsWith('TIMESTAMP') && !type.endsWith(']'))) return 'time';
  return /^(?:VARCHAR|UUID|TIME|INTERVAL|ENUM\b)/.test(type) && !type.endsWith(']') ? 'text' : 'json';
}

/** The columns of `rows` that represent one column of the result; see sidecar-sql.ts. */
function profiledAs({ name, type }: SqlColumn, index: number): string[] {
  const kind = kindOf(type);
  const own = `result.${quoteName(name)}`;
  const value =
    kind === 'json'
      ? `CAST(to_json(${own}) AS VARCHAR)`
      : kind === 'time' || kind === 'text'
        ? `CAST(${own} AS VARCHAR)`
        : own;
  return [
    `${value} AS ${valueColumn(index)}`,
    `${stateOf(own)} AS ${stateColumn(index)}`,
    ...(kind === 'time' ? [`epoch_us(CAST(${own} AS TIMESTAMP)) / 1000.0 AS ${placeColumn(index)}`] : []),
  ];
}
