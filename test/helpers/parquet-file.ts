/** Parquet files for tests. */
import { DuckDBInstance } from '@duckdb/node-api';

/** Writes the result of `query`. `options`: those of `COPY`. */
export async function writeParquet(path: string, query: string, options = 'COMPRESSION zstd'): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet, ${options})`);
  connection.closeSync();
  instance.closeSync();
}
