/** Names the column of a Parquet file whose values stop its reading. */
import type * as duckdb from '@duckdb/node-api';
import { type flatColumns, type SqlType, selectList } from './parquet-json.ts';

/** Messages about a value or a page of one column, in which the engine does not name the column. */
const OF_A_COLUMN = /Conversion Error|out of range|valid UTF-?8|encoding/i;

interface ReadColumns {
  /** SQL of the table. */
  from: string;
  columns: ReturnType<typeof flatColumns>;
  textual: ReadonlySet<string>;
}

/** Runs `read`; an error about a value of one column then names it. */
export async function namingColumn<T>(
  connection: duckdb.DuckDBConnection,
  { from, columns, textual }: ReadColumns,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (problem) {
    if (!(problem instanceof Error) || !OF_A_COLUMN.test(problem.message)) throw problem;
    for (const column of columns) {
      const reason = await failureOf(
        connection,
        `SELECT max(hash(read)) FROM (SELECT ${selectList([column], textual)} FROM ${from}) AS part(read)`,
      );
      if (reason === null) continue;
      const what = holdsTimes(column.type) ? `${TIME_BEYOND} (${reason})` : reason;
      throw new Error(`its column “${column.path}”: ${what}`, { cause: problem });
    }
    throw problem;
  }
}

const TIME_BEYOND =
  'Expected times that a calendar has, got one beyond them, such as NaT of NumPy, the lowest number of its type';

async function failureOf(connection: duckdb.DuckDBConnection, sql: string): Promise<string | null> {
  try {
    await connection.runAndReadAll(sql);
    return null;
  } catch (problem) {
    return (problem instanceof Error ? problem.message : String(problem)).split('\n')[0] ?? '';
  }
}

function holdsTimes(type: SqlType): boolean {
  switch (type.kind) {
    case 'list':
      return holdsTimes(type.item);
    case 'struct':
      return type.fields.some((field) => holdsTimes(field.type));
    case 'map':
      return holdsTimes(type.key) || holdsTimes(type.value);
    case 'plain':
      return type.name.startsWith('TIMESTAMP');
  }
}
