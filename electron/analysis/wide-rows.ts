/**
 * Databases for rows with many columns. The engine holds at least one block of each column in memory while it writes a
 * table, so with its usual blocks some hundred columns exceed its memory. Databases in memory have usual blocks only.
 */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from './sql-text.ts';

/** Maximum number of columns of a list for which the usual blocks are used. They make smaller files. */
const MAX_USUAL_COLUMNS = 100;
const USUAL_BLOCK_BYTES = 262_144;
const SMALL_BLOCK_BYTES = 16_384;
const WIDE_DATABASE = 'wide';

const isWide = (columns: number): boolean => columns > MAX_USUAL_COLUMNS;

/** Creates a database file for the rows of a list with this number of columns, and makes it the current one. */
export async function useFile(
  connection: DuckDBConnection,
  { file, database, columns }: { file: string; database: string; columns: number },
): Promise<void> {
  const blockBytes = isWide(columns) ? SMALL_BLOCK_BYTES : USUAL_BLOCK_BYTES;
  await connection.run(`ATTACH ${quoteText(file)} AS ${quoteName(database)} (BLOCK_SIZE ${blockBytes})`);
  await connection.run(`USE ${quoteName(database)}`);
}

/**
 * Makes a database in memory the current one, or a file in the engine's own folder if there are too many columns.
 * `database`: name of a new database; null to keep the current one if it is wide enough. A process without a spill
 * folder keeps all rows in memory.
 */
export async function useRoomFor(
  connection: DuckDBConnection,
  { columns, spillFolder, database }: { columns: number; spillFolder: string; database: string | null },
): Promise<void> {
  if (isWide(columns) && spillFolder !== '') {
    const name = database ?? WIDE_DATABASE;
    if (await isAttached(connection, name)) return;
    await useFile(connection, { file: join(spillFolder, `${name}.duckdb`), database: name, columns });
  } else if (database !== null) {
    await connection.run(`ATTACH ':memory:' AS ${quoteName(database)}`);
    await connection.run(`USE ${quoteName(database)}`);
  }
}

async function isAttached(connection: DuckDBConnection, name: string): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM duckdb_databases() WHERE database_name = ${quoteText(name)}`,
  );
  return found.currentRowCount > 0;
}
