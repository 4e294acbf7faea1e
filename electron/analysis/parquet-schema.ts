/** Columns of a Parquet file whose values the engine reads in another form than the file holds them. */
import type * as duckdb from '@duckdb/node-api';
import { counted } from '../shared/count-text.ts';
import { quoteText } from './sql-text.ts';

/** Beyond it the engine makes another number of a decimal. */
const MAX_DIGITS = 38;

/**
 * Columns with times that are read to the microsecond, although the file can hold nanoseconds. Throws an Error for
 * decimals that the engine would read as other numbers.
 */
export async function coarseColumns(connection: duckdb.DuckDBConnection, source: string): Promise<string[]> {
  const found = await connection.runAndReadAll(
    `SELECT name, num_children, type, precision, logical_type FROM parquet_schema(${quoteText(source)})`,
  );
  const coarse = new Set<string>();
  /** The objects and lists around an element, each with the number of elements that it still has. */
  const around: { name: string; left: number }[] = [];
  for (const [name, children, type, precision, logical] of found.getRowsJS()) {
    const parent = around.at(-1);
    if (parent !== undefined) parent.left -= 1;
    // The first one is the table itself.
    const column = around[1]?.name ?? String(name);
    const digits = Number(precision ?? 0);
    if (digits > MAX_DIGITS)
      throw new Error(
        `its column “${column}” has decimals of ${counted(digits, 'digit')}, and at most ${MAX_DIGITS} can be read. Write it as text or with fewer digits.`,
      );
    if (type === 'INT96' || /^TimeType\(.*NANOS=(?!<null>)/.test(String(logical))) coarse.add(column);
    if (Number(children ?? 0) > 0) around.push({ name: String(name), left: Number(children) });
    while (around.at(-1)?.left === 0) around.pop();
  }
  return [...coarse];
}
