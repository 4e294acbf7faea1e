/** Converts the engine's JSON to plain text, for files that other programs read. Runs in the analysis process. */
import * as duckdb from '@duckdb/node-api';
import { quoteName } from './sql-text.ts';

/** The same query with JSON as text: other programs read the engine's JSON type as bytes. */
export async function withoutJson(connection: duckdb.DuckDBConnection, select: string): Promise<string> {
  const described = await connection.runAndReadAll(`SELECT * FROM (${select}) LIMIT 0`);
  const names = described.columnNames();
  const isJson = names.map((_, index) => holdsJson(described.columnType(index)));
  if (!isJson.includes(true)) return select;
  const columns = names.map((name, index) =>
    isJson[index] === true
      ? `CAST(${quoteName(name)} AS ${described.columnType(index).toString()}) AS ${quoteName(name)}`
      : quoteName(name),
  );
  return `SELECT ${columns.join(', ')} FROM (${select})`;
}

function holdsJson(type: duckdb.DuckDBType): boolean {
  if (type instanceof duckdb.DuckDBListType || type instanceof duckdb.DuckDBArrayType)
    return holdsJson(type.valueType);
  if (type instanceof duckdb.DuckDBStructType) return type.entryTypes.some(holdsJson);
  if (type instanceof duckdb.DuckDBMapType) return holdsJson(type.keyType) || holdsJson(type.valueType);
  return type.alias === 'JSON';
}
