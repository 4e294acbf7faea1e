/** Columns of a Parquet file whose values the engine reads in another form than the file holds them. */
import type * as duckdb from '@duckdb/node-api';
import { counted } from '../shared/count-text.ts';
import type { SqlType } from './parquet-json.ts';
import { quoteText } from './sql-text.ts';

/** Beyond it the engine makes another number of a decimal. */
const MAX_DIGITS = 38;

interface Element {
  name: string;
  children: Element[];
}

interface ParquetSchema {
  /** Columns with times that are read to the microsecond, although the file can hold nanoseconds. */
  coarse: string[];
  /** The table, with its columns as the file names them. */
  root: Element;
}

/** Throws an Error for decimals that the engine would read as other numbers. */
export async function parquetSchema(
  connection: duckdb.DuckDBConnection,
  source: string,
): Promise<ParquetSchema> {
  const found = await connection.runAndReadAll(
    `SELECT name, num_children, type, precision, logical_type FROM parquet_schema(${quoteText(source)})`,
  );
  const coarse = new Set<string>();
  const root: Element = { name: '', children: [] };
  /** The objects and lists around an element, each with the number of elements that it still has. */
  const around: { element: Element; left: number }[] = [{ element: root, left: 1 }];
  for (const [given, children, type, precision, logical] of found.getRowsJS()) {
    const element: Element = { name: String(given ?? ''), children: [] };
    const parent = around.at(-1);
    if (parent === undefined) break;
    parent.left -= 1;
    parent.element.children.push(element);
    // The first element is the table, so that the next level has the columns.
    const column = around[2]?.element.name ?? element.name;
    const digits = Number(precision ?? 0);
    if (digits > MAX_DIGITS)
      throw new Error(
        `its column “${column}” has decimals of ${counted(digits, 'digit')}, and at most ${MAX_DIGITS} can be read. Write it as text or with fewer digits.`,
      );
    if (type === 'INT96' || /^TimeType\(.*NANOS=(?!<null>)/.test(String(logical))) coarse.add(column);
    if (Number(children ?? 0) > 0) around.push({ element, left: Number(children) });
    while (around.at(-1)?.left === 0) around.pop();
  }
  return { coarse: [...coarse], root: root.children[0] ?? root };
}

/** Columns, and fields of objects, that the engine gives another name: one of a pair that differs in case, or in nothing. */
export function renamedColumns(
  columns: readonly { name: string; type: SqlType }[],
  { children }: Element,
  before = '',
): { from: string; to: string }[] {
  if (children.length !== columns.length) return [];
  return columns.flatMap(({ name, type }, at) => {
    const element = children[at];
    if (element === undefined) return [];
    const own = element.name === name ? [] : [{ from: `${before}${element.name}`, to: `${before}${name}` }];
    const inner = type.kind === 'struct' ? renamedColumns(type.fields, element, `${before}${name}.`) : [];
    return [...own, ...inner];
  });
}
