/** Columns of a Parquet file whose values the engine reads in another form than the file holds them. */
import type * as duckdb from '@duckdb/node-api';
import { DataType, RecordBatchReader, TimeUnit } from 'apache-arrow';
import { counted } from '../shared/count-text.ts';
import { periodUnit } from '../shared/period-unit.ts';
import * as z from '../shared/zod.ts';
import type { FooterMark, SchemaMark } from './parquet-footer.ts';
import { MARKED_TYPES, type SqlType } from './parquet-json.ts';
import { quoteFile } from './sql-text.ts';

/** Beyond it the engine makes another number of a decimal. */
const MAX_DIGITS = 38;

interface Element {
  name: string;
  children: Element[];
  mark: SchemaMark | null;
}

interface ParquetSchema {
  /** Columns with times that are read to the microsecond, although the file can hold nanoseconds. */
  coarse: string[];
  /** Units of columns of numbers that are durations, or periods of pandas. */
  units: ReadonlyMap<string, string>;
  /** The table, with its columns as the file names them. */
  root: Element;
}

/** `marks`: by the place of an element. Throws an Error for decimals that the engine would read as other numbers. */
export async function parquetSchema(
  connection: duckdb.DuckDBConnection,
  source: string,
  marks: ReadonlyMap<number, FooterMark>,
): Promise<ParquetSchema> {
  const found = await connection.runAndReadAll(
    `SELECT name, num_children, type, precision FROM parquet_schema(${quoteFile(source)})`,
  );
  const coarse = new Set<string>();
  const root: Element = { name: '', children: [], mark: null };
  /** The objects and lists around an element, each with the number of elements that it still has. */
  const around: { element: Element; left: number }[] = [{ element: root, left: 1 }];
  for (const [index, [given, children, type, precision]] of found.getRowsJS().entries()) {
    const mark = type === 'INT96' ? 'int96' : (marks.get(index) ?? null);
    const element: Element = { name: String(given ?? ''), children: [], mark };
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
    if (mark === 'int96') coarse.add(column);
    if (Number(children ?? 0) > 0) around.push({ element, left: Number(children) });
    while (around.at(-1)?.left === 0) around.pop();
  }
  return {
    coarse: [...coarse],
    units: await unitsOf(connection, source),
    root: root.children[0] ?? root,
  };
}

/**
 * Parquet has no durations and periods: pyarrow, polars and pandas write numbers, and describe them in the metadata of
 * the file.
 */
async function unitsOf(
  connection: duckdb.DuckDBConnection,
  source: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await connection.runAndReadAll(
    `SELECT decode(key), decode(value) FROM parquet_kv_metadata(${quoteFile(source)}) WHERE decode(key) IN ('ARROW:schema', 'pandas')`,
  );
  const texts = new Map(found.getRowsJS().map(([key, value]) => [String(key), String(value)]));
  return new Map([...ofPandas(texts.get('pandas')), ...ofArrow(texts.get('ARROW:schema'))]);
}

const PANDAS_UNITS: Readonly<Record<string, string>> = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
};
const pandas = z.object({
  columns: z.array(z.object({ field_name: z.string().nullish(), numpy_type: z.string().nullish() })),
});

function ofPandas(text: string | undefined): [string, string][] {
  const found = text === undefined ? null : pandas.safeParse(parsed(text));
  return (found?.data?.columns ?? []).flatMap(
    ({ field_name: name, numpy_type: type }): [string, string][] => {
      const frequency = /^period\[(.+)\]$/.exec(type ?? '')?.[1];
      const ofDuration = PANDAS_UNITS[/^timedelta64\[(\w+)\]$/.exec(type ?? '')?.[1] ?? ''];
      const unit = frequency === undefined ? ofDuration : periodUnit(frequency);
      return unit === undefined || name === null || name === undefined ? [] : [[name, unit]];
    },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Metadata that cannot be read describe nothing.
    return null;
  }
}

const ARROW_UNITS: Readonly<Record<TimeUnit, string>> = {
  [TimeUnit.SECOND]: 'seconds',
  [TimeUnit.MILLISECOND]: 'milliseconds',
  [TimeUnit.MICROSECOND]: 'microseconds',
  [TimeUnit.NANOSECOND]: 'nanoseconds',
};

function ofArrow(text: string | undefined): [string, string][] {
  if (text === undefined) return [];
  try {
    const { fields } = RecordBatchReader.from(Buffer.from(text, 'base64')).open().schema;
    return fields.flatMap(({ name, type }): [string, string][] =>
      DataType.isDuration(type) ? [[name, ARROW_UNITS[type.unit]]] : [],
    );
  } catch {
    // A schema with types that the library does not know; the columns are read by the types of Parquet.
    return [];
  }
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

/** Gives the columns the types that the file names in its newer way. */
export function markedColumns(
  columns: readonly { name: string; type: SqlType }[],
  { children }: Element,
): { name: string; type: SqlType }[] {
  if (children.length !== columns.length) return [...columns];
  return columns.map(({ name, type }, at) => ({ name, type: markedType(type, children[at]) }));
}

function markedType(type: SqlType, element: Element | undefined): SqlType {
  if (element === undefined) return type;
  switch (type.kind) {
    case 'plain':
      return element.mark === null ? type : { kind: 'plain', name: MARKED_TYPES[element.mark] };
    case 'struct':
      return { kind: 'struct', fields: markedColumns(type.fields, element) };
    case 'list':
      return { kind: 'list', item: markedType(type.item, itemOf(type.item, element)) };
    case 'map': {
      const [key, value] = element.children[0]?.children ?? [];
      return { kind: 'map', key: markedType(type.key, key), value: markedType(type.value, value) };
    }
  }
}

/** The items of a list: in the usual form two elements below it, in older ones the list itself or the element below it. */
function itemOf(item: SqlType, list: Element): Element | undefined {
  const [below] = list.children;
  if (below === undefined) return list;
  const isItem =
    item.kind === 'struct'
      ? item.fields.length === below.children.length &&
        item.fields.every(({ name }, at) => below.children[at]?.name === name)
      : below.children.length === 0;
  return isItem ? below : below.children[0];
}
