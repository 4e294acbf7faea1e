/** Finds columns of a Parquet file whose values the engine reads in another form than the file has. */
import type * as duckdb from '@duckdb/node-api';
import { DataType, type Field, RecordBatchReader, TimeUnit, Type } from 'apache-arrow';
import { counted } from '../shared/count-text.ts';
import { periodUnit } from '../shared/period-unit.ts';
import * as z from '../shared/zod.ts';
import type { FooterMark, SchemaMark } from './parquet-footer.ts';
import { MARKED_TYPES, type SqlType } from './parquet-json.ts';
import { quoteFile } from './sql-text.ts';

/** Maximum number of decimal digits. With more, the engine would read another number. */
const MAX_DIGITS = 38;

interface Element {
  name: string;
  children: Element[];
  mark: SchemaMark | null;
  /** Number of bytes of each value; null if it varies or the type is not one of bytes. */
  width: number | null;
}

interface ParquetSchema {
  /** Columns with times that are read to the microsecond, although the file can hold nanoseconds. */
  coarse: string[];
  /** Units of number columns that hold durations or pandas periods. */
  units: ReadonlyMap<string, string>;
  /** The root element, with columns named as in the file. */
  root: Element;
}

/**
 * `marks`: marks by the index of an element. Throws an Error for decimals that the engine would read as other numbers.
 */
export async function parquetSchema(
  connection: duckdb.DuckDBConnection,
  source: string,
  marks: ReadonlyMap<number, FooterMark>,
): Promise<ParquetSchema> {
  const found = await connection.runAndReadAll(
    `SELECT name, num_children, type, precision, type_length FROM parquet_schema(${quoteFile(source)})`,
  );
  const coarse = new Set<string>();
  const root: Element = { name: '', children: [], mark: null, width: null };
  /** The objects and lists around an element, each with the number of elements still to come. */
  const around: { element: Element; left: number }[] = [{ element: root, left: 1 }];
  for (const [index, [given, children, type, precision, length]] of found.getRowsJS().entries()) {
    const mark = type === 'INT96' ? 'int96' : (marks.get(index) ?? null);
    const width = type === 'FIXED_LEN_BYTE_ARRAY' ? Number(length) : null;
    const element: Element = { name: String(given ?? ''), children: [], mark, width };
    const parent = around.at(-1);
    if (parent === undefined) break;
    parent.left -= 1;
    parent.element.children.push(element);
    // The first element is the table itself; its children are the columns.
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
  const table = root.children[0] ?? root;
  const { pandas: ofFrame, arrow } = await describedIn(connection, source);
  markWideIntegers(table, arrow);
  return {
    coarse: [...coarse],
    units: new Map([...ofPandas(ofFrame), ...ofArrow(arrow)]),
    root: table,
  };
}

/**
 * Parquet has no types for durations, periods and integers of 128 bits. pyarrow, polars and pandas write numbers or
 * bytes, and describe them in the file's metadata.
 */
async function describedIn(
  connection: duckdb.DuckDBConnection,
  source: string,
): Promise<{ pandas: string | undefined; arrow: readonly Field[] }> {
  const found = await connection.runAndReadAll(
    `SELECT decode(key), decode(value) FROM parquet_kv_metadata(${quoteFile(source)}) WHERE decode(key) IN ('ARROW:schema', 'pandas')`,
  );
  const texts = new Map(found.getRowsJS().map(([key, value]) => [String(key), String(value)]));
  return { pandas: texts.get('pandas'), arrow: arrowFields(texts.get('ARROW:schema')) };
}

const WIDE_BYTES = 16;
/** Marks columns whose values are integers of 128 bits, lowest byte first, as polars writes them. */
function markWideIntegers({ children }: Element, fields: readonly Field[]): void {
  for (const { name, type } of fields) {
    const element = children.find((each) => each.name === name);
    if (element !== undefined) markWideInteger(element, type);
  }
}

function markWideInteger(element: Element, type: DataType): void {
  const bits: number = DataType.isInt(type) ? type.bitWidth : 0;
  if (DataType.isInt(type) && bits === 8 * WIDE_BYTES && element.width === WIDE_BYTES)
    element.mark = type.isSigned ? 'int128' : 'uint128';
  else if (DataType.isStruct(type)) markWideIntegers(element, type.children);
  else if (DataType.isList(type) || type.typeId === Type.LargeList || DataType.isFixedSizeList(type)) {
    const item = element.children[0]?.children[0];
    const itemType = type.children[0]?.type;
    if (item !== undefined && itemType !== undefined) markWideInteger(item, itemType);
  }
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
    // Metadata that cannot be parsed are ignored.
    return null;
  }
}

const ARROW_UNITS: Readonly<Record<TimeUnit, string>> = {
  [TimeUnit.SECOND]: 'seconds',
  [TimeUnit.MILLISECOND]: 'milliseconds',
  [TimeUnit.MICROSECOND]: 'microseconds',
  [TimeUnit.NANOSECOND]: 'nanoseconds',
};

const ofArrow = (fields: readonly Field[]): [string, string][] =>
  fields.flatMap(({ name, type }): [string, string][] =>
    DataType.isDuration(type) ? [[name, ARROW_UNITS[type.unit]]] : [],
  );

function arrowFields(text: string | undefined): readonly Field[] {
  if (text === undefined) return [];
  try {
    return RecordBatchReader.from(Buffer.from(text, 'base64')).open().schema.fields;
  } catch {
    // The schema has types that the library does not know. The columns are then read by their Parquet types.
    return [];
  }
}

/** Columns and fields of objects that the engine renames, because two names are equal or differ only in case. */
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

/** Gives the columns the types that the file states with newer names. */
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

/**
 * The element for the items of a list. Usually it is two elements below the list; in older forms it is the list itself
 * or the element below it.
 */
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
