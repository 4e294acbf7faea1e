/** Converts types of the engine that other programs do not support in Parquet files. Runs in the analysis process. */
import * as duckdb from '@duckdb/node-api';
import { quoteName } from './sql-text.ts';

/**
 * The same query with two changes. JSON becomes text, because other programs would read it as bytes. 128-bit integers
 * become decimals, because the engine would write them as doubles with fewer digits. A value with more than 38 digits
 * is refused.
 */
export async function asParquet(connection: duckdb.DuckDBConnection, select: string): Promise<string> {
  const described = await connection.runAndReadAll(`SELECT * FROM (${select}) LIMIT 0`);
  const names = described.columnNames();
  const types = names.map((_, index) => writtenAs(described.columnType(index)));
  if (types.every((type) => type === null)) return select;
  const columns = names.map((name, index) => {
    const type = types[index] ?? null;
    return type === null ? quoteName(name) : `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`;
  });
  return `SELECT ${columns.join(', ')} FROM (${select})`;
}

/** Number of columns above which their buffers are limited. The engine keeps one of up to 1 MB for each. */
const WIDE_COLUMNS = 200;
const MAX_DICTIONARY_BYTES = 65_536;

/** Options of COPY for a Parquet file with this number of columns. */
export const parquetFormat = (columns: number): string =>
  `FORMAT parquet, COMPRESSION zstd${
    columns > WIDE_COLUMNS ? `, STRING_DICTIONARY_PAGE_SIZE_LIMIT ${MAX_DICTIONARY_BYTES}` : ''
  }`;

const LARGE = 'DECIMAL(38,0)';

/** The type to write instead; null if the type can stay. */
function writtenAs(type: duckdb.DuckDBType): string | null {
  if (type instanceof duckdb.DuckDBHugeIntType || type instanceof duckdb.DuckDBUHugeIntType) return LARGE;
  if (type instanceof duckdb.DuckDBListType) return suffixed(type.valueType, '[]');
  if (type instanceof duckdb.DuckDBArrayType) return suffixed(type.valueType, `[${type.length}]`);
  if (type instanceof duckdb.DuckDBMapType) {
    const [key, value] = [writtenAs(type.keyType), writtenAs(type.valueType)];
    return key === null && value === null
      ? null
      : `MAP(${key ?? type.keyType.toString()}, ${value ?? type.valueType.toString()})`;
  }
  if (type instanceof duckdb.DuckDBStructType) {
    const inner = type.entryTypes.map(writtenAs);
    if (inner.every((each) => each === null)) return null;
    const fields = type.entryNames.map(
      (name, at) => `${quoteName(name)} ${inner[at] ?? type.entryTypes[at]?.toString() ?? ''}`,
    );
    return `STRUCT(${fields.join(', ')})`;
  }
  return type.alias === 'JSON' ? type.toString() : null;
}

function suffixed(type: duckdb.DuckDBType, suffix: string): string | null {
  const inner = writtenAs(type);
  return inner === null ? null : `${inner}${suffix}`;
}
