/** The columns of an answer of the engine, as SQL names and types them. */
import type { DuckDBResult } from '@duckdb/node-api';
import type { SqlColumn } from '../shared/sql-model.ts';

export function columnsOf(result: Pick<DuckDBResult, 'deduplicatedColumnNames' | 'columnType'>): SqlColumn[] {
  return result.deduplicatedColumnNames().map((name, index) => ({
    name,
    type: result.columnType(index).alias ?? result.columnType(index).toString(),
  }));
}
