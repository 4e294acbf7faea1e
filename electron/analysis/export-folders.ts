/** Folders of an export that is divided by the values of a column. Runs in the analysis process. */
import type * as duckdb from '@duckdb/node-api';
import { cutText } from '../shared/cut-text.ts';
import type { ExportColumn } from '../shared/export-model.ts';
import { patternOf, quoteName, quoteText } from './sql-text.ts';

/** An export problem that a person can fix. */
export class ExportRefused extends Error {}

/** Maximum number of folders. With more, nearly every row would have its own file. */
const MAX_FOLDERS = 1_000;

/** The column for the folders: each value has a folder, and a time belongs to the folder of its day in UTC. */
export async function partitionOf(
  connection: duckdb.DuckDBConnection,
  select: string,
  columns: readonly ExportColumn[],
  partitionBy: string,
): Promise<{ name: string; value: string }> {
  const column = columns.find(({ name }) => name === partitionBy);
  if (column === undefined)
    throw new ExportRefused(`Expected a column of the export to make folders from, got ${partitionBy}.`);
  const isTime = /^(TIMESTAMP|DATE)/.test(column.type);
  const quoted = quoteName(column.name);
  const value = isTime ? `strftime(${quoted}, '%Y-%m-%d')` : quoted;
  const counted = await connection.runAndReadAll(`SELECT count(DISTINCT ${value}) FROM (${select})`);
  const folders = Number(counted.getRowsJson()[0]?.[0] ?? 0);
  if (folders > MAX_FOLDERS)
    throw new ExportRefused(
      `Expected a column with at most ${MAX_FOLDERS} different values to make folders from; ${partitionBy} has ${folders}.`,
    );
  return { name: isTime ? `${column.name}_day` : column.name, value };
}

/** Maximum number of values in a message about shared folders, and of characters of each. */
const MAX_SHARING = 4;
const MAX_SHARED_NAME = 80;
/** The name of the folder for rows without a value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/**
 * Refuses files that lost rows because different values have the same folder: on disks that ignore case or dots and
 * spaces at the end of names, and the text that stands for a missing value.
 */
export async function checkFolders(
  connection: duckdb.DuckDBConnection,
  {
    select,
    value,
    partitionBy,
    target,
    rows,
  }: { select: string; value: string; partitionBy: string; target: string; rows: number },
): Promise<void> {
  if (rows === 0) return;
  const files = quoteText(`${patternOf(target)}/**/*.parquet`);
  const counted = await connection.runAndReadAll(
    `SELECT count(*) FROM read_parquet(${files}, hive_partitioning = false)`,
  );
  if (Number(counted.getRowsJson()[0]?.[0] ?? 0) === rows) return;
  const sharing = await connection.runAndReadAll(
    `SELECT coalesce(v, 'no value') FROM (SELECT DISTINCT CAST(${value} AS VARCHAR) AS v FROM (${select}))
     QUALIFY count(*) OVER (PARTITION BY rtrim(lower(nfc_normalize(coalesce(v, '${NO_VALUE}'))), '. ')) > 1
     LIMIT ${MAX_SHARING}`,
  );
  const values = sharing.getRowsJson().map(([each]) => cutText(String(each), MAX_SHARED_NAME));
  const some = values.length === 0 ? '' : ` (${values.join(', ')})`;
  throw new ExportRefused(
    `Different values of ${partitionBy}${some} would share a folder on this disk, so rows would be lost. Choose another column, or no folders.`,
  );
}
