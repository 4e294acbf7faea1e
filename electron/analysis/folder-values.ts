/**
 * Values that the names of folders hold, as Hive, Spark and pandas partition a table: `year=2026/part-0.parquet`. The
 * files in them lack these columns. Pure.
 */
import type { flatColumns } from './parquet-json.ts';
import { quoteText } from './sql-text.ts';

export interface FolderValue {
  name: string;
  /** Null for the folder of rows without a value. */
  value: string | null;
}

const FOLDER = /^([^=]+)=(.*)$/s;
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** The values of the nearest folders around a file, without a gap: those above belong to another table, or to none. */
export function folderValues(path: string): FolderValue[] {
  const found: FolderValue[] = [];
  for (const folder of path.split(/[\\/]/).slice(0, -1).toReversed()) {
    const [, name, value] = FOLDER.exec(folder) ?? [];
    if (name === undefined || value === undefined) break;
    if (!found.some((inner) => inner.name.toLowerCase() === unescaped(name).toLowerCase()))
      found.unshift({ name: unescaped(name), value: value === NO_VALUE ? null : unescaped(value) });
  }
  return found;
}

/** Signs that a folder cannot have in its name are written as %3A. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign of the value itself.
    return text;
  }
}

/** The same text in every row: only the reader of the rows knows its type. */
export const folderColumn = ({ name, value }: FolderValue): ReturnType<typeof flatColumns>[number] => ({
  path: name,
  value: value === null ? 'CAST(NULL AS VARCHAR)' : quoteText(value),
  type: { kind: 'plain', name: 'VARCHAR' },
});
