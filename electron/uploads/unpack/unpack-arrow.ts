/** Converts the rows of Arrow IPC files and streams (also Feather) to JSON lines with exact digits. */
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
import { parseExact, writeExact } from '../../shared/exact-json.ts';
import { periodUnit } from '../../shared/period-unit.ts';
import { afterOf, type ValueRule } from '../../shared/value-ledger.ts';
import * as z from '../../shared/zod.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { intervalText, wideInteger, widenIntegers } from './arrow-words.ts';
import { CopyCounts } from './copy-counts.ts';
import type { CopyChange } from './copy-facts.ts';
import type { CopyWriter } from './copy-writer.ts';
import {
  clockText,
  decimalJson,
  float32Json,
  floatJson,
  isBeyondDates,
  type TimeUnit,
  timeText,
} from './json-cell.ts';
import { lz4Frame } from './lz4-frame.ts';

/** The JSON text of the value at an index. */
type Cell = (index: number) => string;

const UNIT: Record<ArrowUnit, TimeUnit> = {
  [ArrowUnit.SECOND]: 'second',
  [ArrowUnit.MILLISECOND]: 'millisecond',
  [ArrowUnit.MICROSECOND]: 'microsecond',
  [ArrowUnit.NANOSECOND]: 'nanosecond',
};

compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => zstdDecompressSync(bytes) });
compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: lz4Frame });

/** Writes one JSON object per line. Returns the number of rows and the changes of values. Throws FILE_MALFORMED. */
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
    await checkEnd(handle);
    const reader = await RecordBatchReader.from(withoutLoops(handle, heartbeat));
    await reader.open();
    widenIntegers(reader.schema.fields);
    for await (const batch of reader) {
      const columns = batch.schema.fields.flatMap((field, index) => {
        const data = batch.data.children[index];
        if (data === undefined) return [];
        checkRows(field, data, batch.numRows);
        return flatColumns(field, data);
      });
      refuseNamesTwice(columns, name);
      const changed = columns.flatMap(({ name, changes }) => (changes === null ? [] : [{ name, changes }]));
      for (let row = 0; row < batch.numRows; row += 1) {
        for (const { name, changes } of changed)
          changes(row, (rule, before, after) => {
            const change = counts.add(rule, name);
            if (change !== null) counts.example(change, rows + row + 1, before(), after());
          });
        await writer.text(`{${columns.map(({ key, cell }) => `${key}:${cell(row)}`).join(',')}}\n`);
      }
      rows += batch.numRows;
    }
  } catch (problem) {
    // Passes on system errors. Other errors, such as an offset outside the file, mean that the file is damaged.
    if (problem instanceof AppError || (problem instanceof Error && 'syscall' in problem)) throw problem;
    const reason = (problem instanceof Error ? problem.message : String(problem)).replace(/\.$/, '');
    // The library does not know a type. Another Arrow export of the same table would have the same type.
    const next = /^Unrecognized /.test(reason)
      ? 'It has a column of a type that cannot be read yet: save the table as Parquet, then choose that file.'
      : 'It is cut off or damaged: copy or export it again, then choose it again.';
    throw new AppError(
      'FILE_MALFORMED',
      `${name} cannot be read as an Arrow file after ${rows} rows: ${reason}. ${next}`,
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

const BYTES: ReadonlySet<Type> = new Set([
  Type.Binary,
  Type.LargeBinary,
  Type.BinaryView,
  Type.FixedSizeBinary,
]);

/** The rule that changes values of this type; null if JSON represents them unchanged. */
function ruleOf(type: DataType): ValueRule | null {
  if (DataType.isTime(type)) return 'time-of-day';
  if (DataType.isDuration(type)) return 'duration-number';
  if (DataType.isFloat(type)) return 'not-finite';
  if (BYTES.has(type.typeId)) return 'base64';
  return DataType.isInterval(type) || DataType.isTimestamp(type) || DataType.isDate(type)
    ? 'typed-text'
    : null;
}

/** Whether the date or time at this index is written as a number, because a JavaScript date cannot hold it. */
function isBeyond(data: Data, index: number): boolean {
  const { type } = data;
  if (DataType.isTimestamp(type)) return isBeyondDates(bigAt(data, index), UNIT[type.unit]);
  return DataType.isDate(type) && isBeyondDates(...dateSince(data, index));
}

type TakeChange = (rule: ValueRule, before: () => string, after: () => string | null) => void;
/** Reports the rule and the text for the value at an index. Values inside lists and maps are reported separately. */
type Changes = (index: number, take: TakeChange) => void;

/** Returns null if JSON represents all values of this type unchanged. */
function changesOf(data: Data): Changes | null {
  const { type } = data;
  const rule = ruleOf(type);
  if (rule !== null) return changesOfRule(data, rule);
  if (DataType.isDictionary(type)) {
    const chunks = (data.dictionary?.data ?? []).map((chunk) => changesOf(chunk));
    if (chunks.every((each) => each === null)) return null;
    const find = dictionaryPlace(data);
    return validOnly(data, (index, take) => {
      const place = find(index);
      if (place !== null) chunks[place.chunk]?.(place.index, take);
    });
  }
  const inner = data.children.map((child) => changesOf(child));
  if (inner.every((each) => each === null)) return null;
  if (DataType.isStruct(type))
    return validOnly(data, (index, take) => {
      for (const each of inner) each?.(index, take);
    });
  const bounds = DataType.isFixedSizeList(type)
    ? (index: number): [number, number] => [index * type.listSize, (index + 1) * type.listSize]
    : (index: number) => boundsOf(data, index);
  return validOnly(data, (index, take) => {
    const [from, until] = bounds(index);
    for (let at = from; at < until; at += 1) for (const each of inner) each?.(at, take);
  });
}

const validOnly =
  (data: Data, changes: Changes): Changes =>
  (index, take) => {
    if (data.getValid(index)) changes(index, take);
  };

function changesOfRule(data: Data, rule: ValueRule): Changes {
  const vector = makeVector(data);
  const cell = cellOf(data);
  return validOnly(data, (index, take) => {
    if (rule === 'typed-text') {
      const text = () => afterOf(cell(index)) ?? '';
      if (DataType.isInterval(data.type) || isBeyond(data, index)) take(rule, text, text);
      return;
    }
    const value: unknown = vector.get(index);
    if (rule === 'not-finite' && Number.isFinite(value)) return;
    const before = () => {
      if (DataType.isDuration(data.type))
        return `${value} ${UNIT[data.type.unit]}${/^-?1$/.test(String(value)) ? '' : 's'}`;
      return value instanceof Uint8Array ? counted(value.length, 'byte') : String(value);
    };
    take(rule, before, () => afterOf(cell(index)));
  });
}

/** A damaged file may claim any number of rows, so each row is required to have at least one bit in the column. */
function checkRows(field: Field, data: Data, rows: number): void {
  if (DataType.isNull(field.type) || data.byteLength * 8 >= rows) return;
  throw new Error(`it states ${rows} rows, but “${field.name}” holds fewer`);
}

const MAGIC = 'ARROW1';

/** Throws an Error for a file, other than a stream, that does not end as it begins: the list of its parts is missing. */
async function checkEnd(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const markAt = async (position: number): Promise<string> => {
    const bytes = Buffer.alloc(MAGIC.length);
    await handle.read(bytes, 0, bytes.length, position);
    return bytes.toString('latin1');
  };
  if (
    (await markAt(0)) === MAGIC &&
    (size < 2 * MAGIC.length || (await markAt(size - MAGIC.length)) !== MAGIC)
  )
    throw new Error('its end is missing');
}

/** Refuses two columns with the same name, because one of them would be lost. */
function refuseNamesTwice(columns: readonly Pick<Column, 'name'>[], file: string): void {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name))
      throw new AppError(
        'FILE_MALFORMED',
        `${file} cannot be read as an Arrow file: two of its columns would have the name “${name}”. Rename one of them, export it again, then choose it again.`,
        { file },
      );
    names.add(name);
  }
}

/** Maximum number of times that a position is read again. A valid file needs fewer. */
const MAX_RETURNS = 8;

/** Wraps the file handle so that a damaged file whose parts refer to each other is refused instead of read forever. */
function withoutLoops(handle: FileHandle, heartbeat: Heartbeat): FileHandle {
  const reads = new Map<number, number>();
  return new Proxy(handle, {
    get: (target, key) => {
      const own: unknown = Reflect.get(target, key);
      if (key !== 'read') return typeof own === 'function' ? own.bind(target) : own;
      return (buffer: Uint8Array, offset: number, length: number, position: number) => {
        const times = (reads.get(position) ?? 0) + 1;
        if (times > MAX_RETURNS) throw new Error('its parts lead back to each other');
        reads.set(position, times);
        heartbeat.readUntil(position + length);
        return target.read(buffer, offset, length, position);
      };
    },
  });
}

interface Column {
  /** The column name as JSON text. */
  key: string;
  cell: Cell;
  name: string;
  /** Null if all values of the column stay unchanged. */
  changes: Changes | null;
}

/** The fields of a struct become columns named by their path. */
function flatColumns(
  field: Field,
  data: Data,
  prefix = '',
  isNull: (index: number) => boolean = () => false,
): Column[] {
  const name = `${prefix}${field.name}`;
  if (!DataType.isStruct(field.type)) {
    const own = extensionCell(field, data);
    const cell = own ?? cellOf(data);
    const inside = own === null ? (changesOfPeriods(field, data) ?? changesOf(data)) : null;
    const changes: Changes | null =
      inside === null
        ? null
        : (index, take) => {
            if (!isNull(index)) inside(index, take);
          };
    return [
      {
        ...{ key: JSON.stringify(name), name, changes },
        cell: (index) => (isNull(index) ? 'null' : cell(index)),
      },
    ];
  }
  const isAbsent = (index: number) => isNull(index) || !data.getValid(index);
  return field.type.children.flatMap((child: Field, index: number) => {
    const inner = data.children[index];
    return inner === undefined ? [] : flatColumns(child, inner, `${name}.`, isAbsent);
  });
}

/** Changes of pandas periods, which are stored as numbers since 1970; null for all other types. */
function changesOfPeriods({ metadata }: Field, data: Data): Changes | null {
  if (metadata.get('ARROW:extension:name') !== 'pandas.period') return null;
  const { data: found } = pandasPeriod.safeParse(parsedJson(metadata.get('ARROW:extension:metadata') ?? ''));
  const cell = cellOf(data);
  return validOnly(data, (index, take) => {
    const number = cell(index);
    take(
      'period-number',
      () => `${number} ${periodUnit(found?.freq ?? 'unknown')}`,
      () => number,
    );
  });
}

const pandasPeriod = z.object({ freq: z.string() });

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Metadata that cannot be parsed are ignored.
    return null;
  }
}

/** Writer for extension types that Arrow defines by name: UUIDs, JSON and 8-bit booleans. Null for all other types. */
function extensionCell({ metadata }: Field, data: Data): Cell | null {
  const name = metadata.get('ARROW:extension:name');
  const isUuid = name === 'arrow.uuid' && DataType.isFixedSizeBinary(data.type);
  if (name === 'arrow.bool8' && DataType.isInt(data.type))
    return (index) => (data.getValid(index) ? String(data.values[index] !== 0) : 'null');
  if (!isUuid && name !== 'arrow.json') return null;
  const vector = makeVector(data);
  return (index) => {
    const value: unknown = vector.get(index);
    if (isUuid && value instanceof Uint8Array) return JSON.stringify(uuidText(value));
    return typeof value === 'string' ? (jsonOf(value) ?? JSON.stringify(value)) : 'null';
  };
}

const uuidText = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The JSON text on one line; null if it is not valid JSON. */
function jsonOf(text: string): string | null {
  try {
    return writeExact(parseExact(text));
  } catch {
    return null;
  }
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
    return textCell((index) => clockText(bigAt(data, index), UNIT[type.unit]));
  }
  if (DataType.isDuration(type)) return (index) => String(bigAt(data, index));
  if (DataType.isInterval(type)) return textCell((index) => intervalText(data, type.unit, index));
  if (DataType.isDecimal(type)) {
    const words = type.bitWidth / 32;
    return (index) => decimalJson(wideInteger(data.values, index * words, words), type.scale);
  }
  if (DataType.isFloat(type)) {
    const vector = makeVector(data);
    const write = type.precision === 2 ? floatJson : float32Json;
    return (index) => write(Number(vector.get(index)));
  }
  if (DataType.isInt(type)) {
    const words = type.bitWidth / 32;
    if (type.bitWidth <= 64) return (index) => String(data.values[index]);
    return (index) => String(wideInteger(data.values, index * words, words, type.isSigned));
  }
  if (DataType.isList(type) || type.typeId === Type.LargeList) return listCell(data);
  if (DataType.isFixedSizeList(type)) {
    const inner = innerCell(data);
    return (index) => listText(inner, index * type.listSize, (index + 1) * type.listSize);
  }
  if (DataType.isStruct(type)) return structCell(data, type.children);
  if (DataType.isMap(type)) return mapCell(data);
  return otherCell(data);
}

/** Texts, booleans, bytes. */
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

/** A date in seconds or milliseconds since 1970. */
function dateSince(data: Data, index: number): [since: bigint, unit: TimeUnit] {
  const { type } = data;
  const isDay = DataType.isDate(type) && type.unit === DateUnit.DAY;
  return isDay ? [bigAt(data, index) * 86_400n, 'second'] : [bigAt(data, index), 'millisecond'];
}

function dateText(data: Data, index: number): string {
  const text = timeText(...dateSince(data, index), false);
  return text.endsWith('T00:00:00') ? text.slice(0, -'T00:00:00'.length) : text;
}

/** Finds the chunk of a dictionary that holds the value at an index; null if there is none. */
function dictionaryPlace(data: Data): (index: number) => { chunk: number; index: number } | null {
  const chunks: { until: number; from: number }[] = [];
  let from = 0;
  for (const { length } of data.dictionary?.data ?? []) {
    chunks.push({ from, until: from + length });
    from += length;
  }
  return (index) => {
    const place = Number(data.values[index]);
    const chunk = chunks.findIndex(({ until }) => place < until);
    return chunk < 0 ? null : { chunk, index: place - (chunks[chunk]?.from ?? 0) };
  };
}

function dictionaryCell(data: Data): Cell {
  const cells = (data.dictionary?.data ?? []).map((chunk) => cellOf(chunk));
  const find = dictionaryPlace(data);
  return (index) => {
    const place = find(index);
    return (place === null ? undefined : cells[place.chunk]?.(place.index)) ?? 'null';
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

/** Start and end of a list's items among all items. */
function boundsOf({ valueOffsets, children }: Data, index: number): [from: number, until: number] {
  const [from, until] = [Number(valueOffsets[index]), Number(valueOffsets[index + 1])];
  if (from >= 0 && until <= (children[0]?.length ?? 0)) return [from, until];
  throw new Error('a list in it goes beyond its items');
}

/** Writes an object if the keys are texts, as they nearly always are. Keys of other types are converted to texts. */
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
