/**
 * Rewrites the footer of a Parquet file (Thrift, compact protocol) if the engine would read wrong values: it knows only
 * the older names of types, and no nanoseconds in points in time and times of day. Pure.
 */

/** Types that the engine reads as another type after `clearFooter`. */
export type FooterMark = 'utc-nanoseconds' | 'clock-nanoseconds' | 'utc-clock-nanoseconds';
/** A type whose values the engine reads as another one. */
export type SchemaMark = FooterMark | 'int96' | 'int128' | 'uint128';

interface ClearFooter {
  footer: Buffer;
  /** By the index of the element in the schema. */
  marks: ReadonlyMap<number, FooterMark>;
}

/** Types of fields in the Thrift protocol. */
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const INTEGERS = [4, 5, 6];
const INT32 = 5;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const MAP = 11;
const STRUCT = 12;
/** Number of items from which a list stores its length after its header. */
const MANY = 15;
const MAX_DEPTH = 40;

interface Field {
  id: number;
  type: number;
  /** The bytes of the value. A boolean has none, because the type contains it. */
  bytes: Buffer;
}

/** Ids of fields of the schema and its elements in the format. */
const SCHEMA = 2;
const CONVERTED_TYPE = 6;
const SCALE = 7;
const PRECISION = 8;
const LOGICAL_TYPE = 10;
/** Members of the union of logical types. */
const DECIMAL = 5;
const TIME = 7;
const TIMESTAMP = 8;
const INTEGER = 10;
const NANOSECONDS = 3;
/** Older names for other logical types that have one: texts, maps, lists, enumerations, dates, JSON. */
const OLDER_NAMES: ReadonlyMap<number, number> = new Map([
  ...([
    [1, 0],
    [2, 1],
    [3, 3],
    [4, 4],
    [6, 6],
    [12, 19],
  ] as const),
]);
const OLDER_DECIMAL = 5;
/** Older names for 8-bit integers. The names for 16, 32 and 64 bits follow. */
const OLDER_UNSIGNED = 11;
const OLDER_SIGNED = 15;
const WIDTHS = [8, 16, 32, 64];

/** The rewritten footer; null if the engine reads the original correctly. Throws a RangeError for damaged bytes. */
export function clearFooter(footer: Buffer): ClearFooter | null {
  const { fields } = structAt(footer, 0);
  const schema = fields.find(({ id }) => id === SCHEMA);
  if (schema === undefined || schema.type !== LIST) return null;
  const marks = new Map<number, FooterMark>();
  let isChanged = false;
  const elements = itemsOf(schema.bytes).map((bytes, index) => {
    const element = structAt(bytes, 0).fields;
    const found = clearElement(element);
    if (found === null) return bytes;
    isChanged = true;
    if (found.mark !== null) marks.set(index, found.mark);
    return written(found.fields);
  });
  if (!isChanged) return null;
  const list = Buffer.concat([listHeader(elements.length), ...elements]);
  return { footer: written(replaced(fields, { id: SCHEMA, type: LIST, bytes: list })), marks };
}

function clearElement(fields: readonly Field[]): { fields: Field[]; mark: FooterMark | null } | null {
  const logical = fields.find(({ id }) => id === LOGICAL_TYPE);
  const kind = logical === undefined ? undefined : structAt(logical.bytes, 0).fields[0];
  if (logical === undefined || kind === undefined || kind.type !== STRUCT) return null;
  const parts = structAt(kind.bytes, 0).fields;
  if (kind.id === TIMESTAMP || kind.id === TIME) {
    const isUtc = parts.some(({ id, type }) => id === 1 && type === TRUE);
    const unit = parts.find(({ id }) => id === 2);
    if (unit === undefined || structAt(unit.bytes, 0).fields[0]?.id !== NANOSECONDS) return null;
    if (kind.id === TIME)
      return {
        // The column becomes plain integers, which count nanoseconds.
        fields: fields.filter(({ id }) => id !== LOGICAL_TYPE),
        mark: isUtc ? 'utc-clock-nanoseconds' : 'clock-nanoseconds',
      };
    if (!isUtc) return null;
    const local = replaced(parts, { id: 1, type: FALSE, bytes: Buffer.alloc(0) });
    const bytes = written([{ id: TIMESTAMP, type: STRUCT, bytes: written(local) }]);
    return { fields: replaced(fields, { ...logical, bytes }), mark: 'utc-nanoseconds' };
  }
  if (fields.some(({ id }) => id === CONVERTED_TYPE)) return null;
  const added = olderFields(kind.id, parts);
  return added.length === 0
    ? null
    : { fields: added.reduce((all, field) => replaced(all, field), [...fields]), mark: null };
}

/** Fields that express the same type by its older name. */
function olderFields(kind: number, parts: readonly Field[]): Field[] {
  const numberOf = (id: number) => {
    const part = parts.find((each) => each.id === id);
    return part === undefined ? null : part.type === BYTE ? part.bytes.readInt8() : signed(part.bytes);
  };
  if (kind === DECIMAL) {
    const [scale, precision] = [numberOf(1), numberOf(2)];
    if (scale === null || precision === null) return [];
    return [int32(CONVERTED_TYPE, OLDER_DECIMAL), ...[int32(SCALE, scale), int32(PRECISION, precision)]];
  }
  if (kind === INTEGER) {
    const width = WIDTHS.indexOf(numberOf(1) ?? 0);
    const isSigned = parts.some(({ id, type }) => id === 2 && type === TRUE);
    return width < 0 ? [] : [int32(CONVERTED_TYPE, (isSigned ? OLDER_SIGNED : OLDER_UNSIGNED) + width)];
  }
  const older = OLDER_NAMES.get(kind);
  return older === undefined ? [] : [int32(CONVERTED_TYPE, older)];
}

const int32 = (id: number, value: number): Field => ({ id, type: INT32, bytes: varint(value * 2) });

/** The fields with this one replaced or added, sorted by id. */
const replaced = (fields: readonly Field[], field: Field): Field[] =>
  [...fields.filter(({ id }) => id !== field.id), field].toSorted((a, b) => a.id - b.id);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

function readVarint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let at = start, factor = 1; ; at += 1, factor *= 0x80) {
    const byte = bytes.readUInt8(at);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

/** Decodes an integer whose encoding alternates between positive and negative values (zigzag). */
function signed(bytes: Buffer): number {
  const { value } = readVarint(bytes, 0);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function structAt(bytes: Buffer, start: number, depth = 0): { fields: Field[]; end: number } {
  const fields: Field[] = [];
  let at = start;
  let last = 0;
  for (;;) {
    const header = bytes.readUInt8(at);
    at += 1;
    if (header === 0) return { fields, end: at };
    const type = header & 0x0f;
    const step = header >> 4;
    if (step === 0) {
      const { end } = readVarint(bytes, at);
      last = signed(bytes.subarray(at, end));
      at = end;
    } else last += step;
    const end = type === TRUE || type === FALSE ? at : endOf(bytes, at, type, depth + 1);
    fields.push({ id: last, type, bytes: bytes.subarray(at, end) });
    at = end;
  }
}

function written(fields: readonly Field[]): Buffer {
  const parts: Buffer[] = [];
  let last = 0;
  for (const { id, type, bytes } of fields) {
    const step = id - last;
    const isShort = step > 0 && step < MANY + 1;
    parts.push(
      isShort ? Buffer.from([(step << 4) | type]) : Buffer.concat([Buffer.from([type]), varint(id * 2)]),
    );
    parts.push(bytes);
    last = id;
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

interface ListHeader {
  count: number;
  type: number;
  /** Offset of the first item. */
  at: number;
}

function readList(bytes: Buffer, start: number): ListHeader {
  const header = bytes.readUInt8(start);
  const type = header & 0x0f;
  const count = header >> 4;
  if (count < MANY) return { count, type, at: start + 1 };
  const long = readVarint(bytes, start + 1);
  return { count: long.value, type, at: long.end };
}

const listHeader = (count: number): Buffer =>
  count < MANY
    ? Buffer.from([(count << 4) | STRUCT])
    : Buffer.concat([Buffer.from([(MANY << 4) | STRUCT]), varint(count)]);

/** The structs of a list. */
function itemsOf(bytes: Buffer): Buffer[] {
  const { count, type, at: first } = readList(bytes, 0);
  if (type !== STRUCT) throw new RangeError('Expected a list of structs.');
  const items: Buffer[] = [];
  let at = first;
  for (let index = 0; index < count; index += 1) {
    const { end } = structAt(bytes, at);
    items.push(bytes.subarray(at, end));
    at = end;
  }
  return items;
}

/**
 * Throws a RangeError if the bytes from `at` on are too few for this many items, each of which takes at least one byte.
 */
function throwIfBeyond(bytes: Buffer, at: number, count: number): void {
  if (count > bytes.length - at) throw new RangeError('Expected fewer items than bytes.');
}

/** Offset after a value. */
function endOf(bytes: Buffer, start: number, type: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new RangeError('Expected fewer structs in one another.');
  if (type === BYTE || type === TRUE || type === FALSE) return start + 1;
  if (INTEGERS.includes(type)) return readVarint(bytes, start).end;
  if (type === DOUBLE) return start + 8;
  if (type === BINARY) {
    const { value, end } = readVarint(bytes, start);
    return end + value;
  }
  if (type === STRUCT) return structAt(bytes, start, depth).end;
  if (type === LIST || type === SET) {
    const list = readList(bytes, start);
    throwIfBeyond(bytes, list.at, list.count);
    let at = list.at;
    for (let index = 0; index < list.count; index += 1) at = endOf(bytes, at, list.type, depth + 1);
    return at;
  }
  if (type !== MAP) throw new RangeError('Expected a type of the compact protocol.');
  const { value: count, end } = readVarint(bytes, start);
  if (count === 0) return end;
  throwIfBeyond(bytes, end, count);
  const types = bytes.readUInt8(end);
  let at = end + 1;
  for (let index = 0; index < count; index += 1) {
    at = endOf(bytes, at, types >> 4, depth + 1);
    at = endOf(bytes, at, types & 0x0f, depth + 1);
  }
  return at;
}
