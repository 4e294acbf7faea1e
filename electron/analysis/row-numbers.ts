/** Reads columns of small integers from the engine into arrays. Runs in the analysis process. */
import type { DuckDBConnection, DuckDBVector } from '@duckdb/node-api';

type Numbers = Int8Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Reads TINYINT or INTEGER columns without nulls, in row order. */
export async function readNumbers<N extends Numbers>(
  connection: DuckDBConnection,
  sql: string,
  types: readonly (new (rows: number) => N)[],
): Promise<N[]> {
  const result = await connection.run(sql);
  const columns = types.map((Column) => new Column(result.rowCount));
  let at = 0;
  for (let chunk = 0; chunk < result.chunkCount; chunk += 1) {
    const rows = result.getChunk(chunk);
    for (const [index, numbers] of columns.entries()) copy(rows.getColumnVector(index), numbers, at);
    at += rows.rowCount;
  }
  return columns;
}

/** Uses the vector's private array, which is five times as fast as reading value by value. */
function copy(vector: DuckDBVector, target: Numbers, at: number): void {
  const items: unknown = Reflect.get(vector, 'items');
  if (items instanceof Int8Array || items instanceof Int32Array) target.set(items, at);
  else for (let row = 0; row < vector.itemCount; row += 1) target[at + row] = Number(vector.getItem(row));
}
