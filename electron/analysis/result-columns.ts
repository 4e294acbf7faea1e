/** The columns of an engine result, with their SQL names and types. */
import type { DuckDBResult } from '@duckdb/node-api';
import type { SqlColumn } from '../shared/sql-model.ts';

export function columnsOf(result: Pick<DuckDBResult, 'deduplicatedColumnNames' | 'columnType'>): SqlColumn[] {
  return result.deduplicatedColumnNames().map((name, index) => ({
    name,
    type: result.columnType(index).alias ?? result.columnType(index).toString(),
  }));
}
