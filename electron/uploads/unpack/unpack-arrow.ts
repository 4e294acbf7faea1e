/** Rows of Arrow IPC files and streams (Feather too) as JSON lines, every value digit for digit. */
import { type FileHandle, open } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import {
  TimeUnit as ArrowUnit,
  CompressionType,
  compressionRegistry,
  type Data,
  DataType,
  DateUnit,
  type Field,
  makeVector,
  RecordBatchReader,
  Type,
} from 'apache-arrow';
import { counted } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';
import { afterOf, type ValueRule } from '../../shared/value-ledger.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { CopyCounts } from './copy-counts.ts';
import type { CopyChange } from './copy-facts.ts';
import type { CopyWriter } from './copy-writer.ts';
import { decimalJson, float32Json, floatJson, type TimeUnit, timeText } from './json-cell.ts';
import { lz4Frame } from './lz4-frame.ts';

/** The JSON text of the value at a place. */
type Cell = (index: number) => string;

const UNIT: Record<ArrowUnit, TimeUnit> = {
  [ArrowUnit.SECOND]: 'second',
  [ArrowUnit.MILLISECOND]: 'millisecond',
  [ArrowUnit.MICROSECOND]: 'microsecond',
  [ArrowUnit.NANOSECOND]: 'nanosecond',
};

compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => zstdDecompressSync(bytes) });
compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: lz4Frame });

/** Writes one JSON object a line; returns the rows, and what became of values. Throws FILE_MALFORMED. */
export async function unpackArrow(
  path: string,
  name: string,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<{ rows: number; changes: CopyChange[] }> {
  const handle = await open(path, 'r');
  const release = heartbeat.hold(handle);
  let rows = 0;
  const counts = new CopyCounts();
  try {
    const reader = await RecordBatchReader.from(withoutLoops(handle, heartbeat));
    await reader.open();
    for await (const batch of reader) {
      const columns = batch.schema.fields.flatMap((field, index) => {
        const data = batch.data.children[index];
        if (data === undefined) return [];
        checkRows(field, data, batch.numRows);
        return flatColumns(field, data);
      });
      const changed = columns.filter(({ rule }) => rule !== null);
      for (let row = 0; row < batch.numRows; row += 1) {
        for (const column of changed) countChange(counts, column, row, rows + row + 1);
        await writer.text(`{${columns.map(({ key, cell }) => `${key}:${cell(row)}`).join(',')}}\n`);
      }
      rows += batch.numRows;
    }
  } catch (problem) {
    // Those of the system stay what they are; a place outside of the file is the file's fault.
    if (problem instanceof AppError || (problem instanceof Error && 'syscall' in problem)) throw problem;
    const why = problem instanceof Error ? problem.message : String(problem);
    throw new AppError(
      'FILE_MALFORMED',
      `${name} cannot be read as an Arrow file after ${rows} rows: ${why}. Export it again, then choose it again.`,
      { file: name },
      problem,
    );
  } finally {
    release();
    await handle.close();
  }
  const changes = counts.list(
    (column) => ({ source: String(column) }),
    (line) => line,
  );
  return { rows, changes };
}

/** One value of a column whose type JSON has no form for. */
function countChange(counts: CopyCounts, column: Column, row: number, line: number): void {
  const { name, rule, cell, raw } = column;
  if (rule === null) return;
  const before = raw(row);
  if (before === null || (rule === 'not-finite' && before !== 'NaN')) return;
  const change = counts.add(rule, name);
  if (change !== null) counts.example(change, line, before, afterOf(cell(row)));
}

/** The rule of values of this type; null where they stand in JSON as they are. */
function ruleOf(type: DataType): ValueRule | null {
  if (DataType.isTime(type)) return 'time-of-day';
  if (DataType.isDuration(type)) return 'duration-number';
  if (DataType.isFloat(type)) return 'not-finite';
  if (DataType.isBinary(type) || DataType.isFixedSizeBinary(type) || type.typeId === Type.LargeBinary)
    return 'base64';
  return DataType.isInterval(type) ? 'typed-text' : null;
}

/** A value before it is written, for an example; null where there is none. */
function rawOf(data: Data): (index: number) => string | null {
  const vector = makeVector(data);
  return (index) => {
    if (!data.getValid(index)) return null;
    const value: unknown = vector.get(index);
    return value instanceof Uint8Array ? counted(value.length, 'byte') : String(value);
  };
}

/** A batch of a damaged file may claim any number of rows: each takes a bit of its column at least. */
function checkRows(field: Field, data: Data, rows: number): void {
  if (DataType.isNull(field.type) || data.byteLength * 8 >= rows) return;
  throw new Error(`it states ${rows} rows, but “${field.name}” holds fewer`);
}

/** As often as the reader comes back to one place of a sound file, and more. */
const MOST_RETURNS = 8;

/** The same file; a damaged one whose parts lead back to each other is refused instead of being read for ever. */
function withoutLoops(handle: FileHandle, heartbeat: Heartbeat): FileHandle {
  const reads = new Map<number, number>();
  return new Proxy(handle, {
    get: (target, key) => {
      const own: unknown = Reflect.get(target, key);
      if (key !== 'read') return typeof own === 'function' ? own.bind(target) : own;
      return (buffer: Uint8Array, offset: number, length: number, position: number) => {
        const times = (reads.get(position) ?? 0) + 1;
        if (times > MOST_RETURNS) throw new Error('its parts lead back to each other');
        reads.set(position, times);
        heartbeat.readUntil(position + length);
        return target.read(buffer, offset, length, position);
      };
    },
  });
}

interface Column {
  /** The name as JSON. */
  key: string;
  cell: Cell;
  name: string;
  rule: ValueRule | null;
  raw: (index: number) => string | null;
}

/** Columns of a struct stand beside the others, under their path. */
function flatColumns(
  field: Field,
  data: Data,
  prefix = '',
  isNull: (index: number) => boolean = () => false,
): Column[] {
  const name = `${prefix}${field.name}`;
  if (!DataType.isStruct(field.type)) {
    const cell = cellOf(data);
    const rule = ruleOf(field.type);
    const raw = rule === null ? () => null : rawOf(data);
    return [
      {
        ...{ key: JSON.stringify(name), name, rule },
        cell: (index) => (isNull(index) ? 'null' : cell(index)),
        raw: (index) => (isNull(index) ? null : raw(index)),
      },
    ];
  }
  const isAbsent = (index: number) => isNull(index) || !data.getValid(index);
  return field.type.children.flatMap((child: Field, index: number) => {
    const inner = data.children[index];
    return inner === undefined ? [] : flatColumns(child, inner, `${name}.`, isAbsent);
  });
}

function cellOf(data: Data): Cell {
  const value = presentCell(data);
  return (index) => (data.getValid(index) ? value(index) : 'null');
}

function presentCell(data: Data): Cell {
  const { type } = data;
  if (DataType.isNull(type)) return () => 'null';
  if (DataType.isDictionary(type)) return dictionaryCell(data);
  if (DataType.isTimestamp(type)) {
    const { unit, timezone } = type;
    return textCell((index) => timeText(bigAt(data, index), UNIT[unit], hasZone(timezone)));
  }
  if (DataType.isDate(type)) return textCell((index) => dateText(data, index));
  if (DataType.isTime(type)) {
    return textCell((index) =>
      timeText(bigAt(data, index), UNIT[type.unit], false).slice('1970-01-01T'.length),
    );
  }
  if (DataType.isDuration(type)) return (index) => String(bigAt(data, index));
  if (DataType.isDecimal(type)) {
    const words = type.bitWidth / 32;
    return (index) => decimalJson(wideInteger(data.values, index * words, words), type.scale);
  }
  if (DataType.isFloat(type)) {
    const vector = makeVector(data);
    const write = type.precision === 2 ? floatJson : float32Json;
    return (index) => write(Number(vector.get(index)));
  }
  if (DataType.isInt(type)) return (index) => String(data.values[index]);
  if (DataType.isList(type) || type.typeId === Type.LargeList) return listCell(data);
  if (DataType.isFixedSizeList(type)) {
    const inner = innerCell(data);
    return (index) => listText(inner, index * type.listSize, (index + 1) * type.listSize);
  }
  if (DataType.isStruct(type)) return structCell(data, type.children);
  if (DataType.isMap(type)) return mapCell(data);
  return otherCell(data);
}

/** Texts, true and false, bytes. */
function otherCell(data: Data): Cell {
  const vector = makeVector(data);
  return (index) => {
    const value: unknown = vector.get(index);
    if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
    if (typeof value === 'boolean') return String(value);
    if (typeof value === 'bigint') return String(value);
    return JSON.stringify(typeof value === 'string' ? value : String(value));
  };
}

const textCell =
  (text: (index: number) => string): Cell =>
  (index) =>
    JSON.stringify(text(index));

const hasZone = (timezone: string | null | undefined): boolean =>
  timezone !== null && timezone !== undefined && timezone !== '';

function bigAt(data: Data, index: number): bigint {
  const value: unknown = data.values[index];
  return typeof value === 'bigint' ? value : BigInt(Number(value));
}

function dateText(data: Data, index: number): string {
  const { type } = data;
  const isDay = DataType.isDate(type) && type.unit === DateUnit.DAY;
  const text = isDay
    ? timeText(bigAt(data, index) * 86_400n, 'second', false)
    : timeText(bigAt(data, index), 'millisecond', false);
  return text.endsWith('T00:00:00') ? text.slice(0, -'T00:00:00'.length) : text;
}

/** A signed integer of several 32-bit words, the lowest first. */
function wideInteger(words: ArrayLike<number>, at: number, count: number): bigint {
  let value = 0n;
  for (let word = count - 1; word >= 0; word -= 1) {
    value = (value << 32n) | BigInt((words[at + word] ?? 0) >>> 0);
  }
  return BigInt.asIntN(count * 32, value);
}

function dictionaryCell(data: Data): Cell {
  const chunks: { until: number; from: number; cell: Cell }[] = [];
  let from = 0;
  for (const chunk of data.dictionary?.data ?? []) {
    chunks.push({ from, until: from + chunk.length, cell: cellOf(chunk) });
    from += chunk.length;
  }
  return (index) => {
    const place = Number(data.values[index]);
    const chunk = chunks.find(({ until }) => place < until);
    return chunk === undefined ? 'null' : chunk.cell(place - chunk.from);
  };
}

function innerCell(data: Data): Cell {
  const inner = data.children[0];
  return inner === undefined ? () => 'null' : cellOf(inner);
}

function listText(cell: Cell, from: number, until: number): string {
  const parts: string[] = [];
  for (let index = from; index < until; index += 1) parts.push(cell(index));
  return `[${parts.join(',')}]`;
}

function listCell(data: Data): Cell {
  const inner = innerCell(data);
  return (index) => listText(inner, ...boundsOf(data, index));
}

function structCell(data: Data, fields: readonly Field[]): Cell {
  const parts = fields.flatMap((field, index) => {
    const child = data.children[index];
    return child === undefined ? [] : [{ key: JSON.stringify(field.name), cell: cellOf(child) }];
  });
  return (index) => `{${parts.map(({ key, cell }) => `${key}:${cell(index)}`).join(',')}}`;
}

/** Where the items of a list begin and end among all items. */
function boundsOf({ valueOffsets, children }: Data, index: number): [from: number, until: number] {
  const [from, until] = [Number(valueOffsets[index]), Number(valueOffsets[index + 1])];
  if (from >= 0 && until <= (children[0]?.length ?? 0)) return [from, until];
  throw new Error('a list in it goes beyond its items');
}

/** An object where the keys are texts, as they nearly always are; a key of another type is written as its text. */
function mapCell(data: Data): Cell {
  const entries = data.children[0];
  const [keys, values] = entries?.children ?? [];
  if (keys === undefined || values === undefined) return () => 'null';
  const [key, value] = [cellOf(keys), cellOf(values)];
  return (index) => {
    const parts: string[] = [];
    const [from, until] = boundsOf(data, index);
    for (let at = from; at < until; at += 1) {
      const name = key(at);
      parts.push(`${name.startsWith('"') ? name : JSON.stringify(name)}:${value(at)}`);
    }
    return `{${parts.join(',')}}`;
  };
}
