/**
 * Reads values from the names of folders in which Hive, Spark and pandas partition a table: `year=2026/part-0.parquet`.
 * The files there lack these columns. Pure.
 */
import type { flatColumns } from './parquet-json.ts';
import { quoteText } from './sql-text.ts';

export interface FolderValue {
  name: string;
  /** Null for the folder with rows that have no value. */
  value: string | null;
}

const FOLDER = /^([^=]+)=(.*)$/s;
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/**
 * The values of the nearest folders above a file. Folders above a gap are ignored, because they belong to another table
 * or to none.
 */
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

/** Decodes characters that a folder name cannot contain, such as %3A. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The percent sign is part of the value itself.
    return text;
  }
}

/** A column with the same text in every row. Its type is inferred when the rows are read. */
export const folderColumn = ({ name, value }: FolderValue): ReturnType<typeof flatColumns>[number] => ({
  path: name,
  value: value === null ? 'CAST(NULL AS VARCHAR)' : quoteText(value),
  type: { kind: 'plain', name: 'VARCHAR' },
});
