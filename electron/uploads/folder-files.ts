/** Tells files of rows in a folder or an archive from those that programs write beside them. Pure. */
import { AppError } from '../shared/errors.ts';

/**
 * Files without rows beside the parts of a table: markers of Spark, Hive and Databricks, checksums of Hadoop, footers of
 * Parquet.
 */
const MARKER = /(?:^|\/)(?:_SUCCESS|_(?:committed|started)_\d+|_(?:common_)?metadata|[^/]*\.crc)$/;

/** True for a file that never holds rows. `path`: with / between its folders. */
export const isMarkerFile = (path: string): boolean => MARKER.test(path);

/** Paths inside tables whose files also hold rows that were removed or replaced. */
const TABLES: readonly (readonly [path: RegExp, format: string])[] = [
  [/(?:^|\/)_delta_log\//, 'Delta Lake'],
  [/(?:^|\/)\.hoodie\//, 'Hudi'],
  [/(?:^|\/)metadata\/[^/]*\.metadata\.json$/, 'Iceberg'],
];

/**
 * Throws INVALID_ARGUMENT for a path that shows that the folder or archive called `name` is a table of several versions.
 * Its files, read one by one, would give removed rows too. `path`: with / between its folders.
 */
export function refuseVersionedTable(name: string, path: string): void {
  const [, format] = TABLES.find(([found]) => found.test(path)) ?? [];
  if (format === undefined) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected files of rows, got a table of ${format}: ${name}. Its files also hold rows that were removed or replaced. Export the rows that count first, such as with df.write.parquet in Spark.`,
  );
}
