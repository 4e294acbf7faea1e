/** Writes rows of a query to an Arrow IPC file, with the engine's full precision. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as duckdb from '@duckdb/node-api';
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  Float32,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Uint64,
  Utf8,
} from 'apache-arrow';
import { writeExact } from '../shared/exact-json.ts';
import type { ExportColumn } from '../shared/export-model.ts';
import { toExactJson } from './row-json.ts';

type Values = readonly duckdb.DuckDBValue[];

/** Encoder for the values of one column. */
interface ArrowColumn {
  type: DataType;
  /** Packs the values into bytes. Nulls take space too. */
  pack: (values: Values) => { data: ArrayBufferView; valueOffsets?: Int32Array };
}

/** Approximate number of rows in a record batch. */
const BATCH_ROWS = 20_000;

/** Maximum number of bytes that wait for the disk. */
const MAX_WAITING_BYTES = 16_000_000;

class CountingWriter extends RecordBatchFileWriter {
  get bytes(): number {
    return this._position;
  }
}

/** Returns the number of rows written. Rejects as soon as the file cannot be written. */
export async function writeArrowFile(
  target: string,
  result: duckdb.DuckDBResult,
  columns: readonly ExportColumn[],
  onProgress: (rows: number) => void,
): Promise<number> {
  const packed = columns.map((_, index) => arrowColumn(result.columnType(index)));
  const fields = packed.map(({ type }, index) => new Field(columns[index]?.name ?? '', type, true));
  const schema = new Schema(fields);
  const writer = new CountingWriter();
  const file = createWriteStream(target, { flush: true });
  let taken = 0;
  let onTaken: () => void = () => undefined;
  const written = pipeline(
    Readable.from(writer),
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const bytes of source) {
        yield bytes;
        taken += bytes.byteLength;
        onTaken();
      }
    },
    file,
  );
  // The error is thrown below, possibly later.
  written.catch(() => undefined);
  /** Resolves when few bytes wait for the disk. */
  const drained = async () => {
    while (file.errored !== null || writer.bytes - taken > MAX_WAITING_BYTES) {
      const some = new Promise<void>((resolve) => {
        onTaken = resolve;
      });
      await Promise.race([written, some]);
    }
  };
  let rows = 0;
  let waiting: duckdb.DuckDBValue[][] = columns.map(() => []);
  const flush = () => {
    const length = waiting[0]?.length ?? 0;
    const children = packed.map((column, index) => dataOf(column, waiting[index] ?? []));
    writer.write(
      new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children })),
    );
    rows += length;
    waiting = columns.map(() => []);
    onProgress(rows);
  };
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    for (const [index, values] of chunk.getColumns().entries()) waiting[index]?.push(...values);
    if ((waiting[0]?.length ?? 0) >= BATCH_ROWS) flush();
    // Yields, so that written batches can be flushed.
    await new Promise((resolve) => setImmediate(resolve));
    await drained();
  }
  flush();
  writer.close();
  await written;
  return rows;
}

function dataOf({ type, pack }: ArrowColumn, values: Values): Data {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8));
  let nullCount = 0;
  for (const [index, value] of values.entries()) {
    if (value === null) nullCount += 1;
    else nullBitmap[index >> 3] = (nullBitmap[index >> 3] ?? 0) | (1 << (index & 7));
  }
  const buffers = { type, length: values.length, nullCount, nullBitmap, ...pack(values) };
  // The cast is safe, because each type has its own buffers and `pack` belongs to the type.
  return makeData(buffers as never);
}

function arrowColumn(type: duckdb.DuckDBType): ArrowColumn {
  if (type instanceof duckdb.DuckDBBooleanType) return { type: new Bool(), pack: packBooleans };
  if (INTEGERS.some((integer) => type instanceof integer))
    return { type: new Int64(), pack: (values) => packLongs(values, (value) => BigInt(String(value))) };
  if (type instanceof duckdb.DuckDBHugeIntType || type instanceof duckdb.DuckDBUHugeIntType)
    return { type: new Decimal(0, MAX_DIGITS, 128), pack: packDecimals };
  if (type instanceof duckdb.DuckDBUBigIntType) return { type: new Uint64(), pack: packUnsigned };
  if (type instanceof duckdb.DuckDBFloatType)
    return { type: new Float32(), pack: (values) => ({ data: Float32Array.from(values, Number) }) };
  if (type instanceof duckdb.DuckDBDoubleType)
    return { type: new Float64(), pack: (values) => ({ data: Float64Array.from(values, Number) }) };
  if (type instanceof duckdb.DuckDBDecimalType)
    return { type: new Decimal(type.scale, type.width, 128), pack: packDecimals };
  if (type instanceof duckdb.DuckDBTimestampTZType)
    return { type: new TimestampMicrosecond('UTC'), pack: (values) => packLongs(values, microsOf) };
  if (type instanceof duckdb.DuckDBTimestampType)
    return { type: new TimestampMicrosecond(), pack: (values) => packLongs(values, microsOf) };
  if (type instanceof duckdb.DuckDBDateType) return { type: new DateDay(), pack: packDates };
  return { type: new Utf8(), pack: (values) => packTexts(values, textOf(type)) };
}

/** Types whose values fit into signed 64-bit integers. */
const INTEGERS = [
  duckdb.DuckDBBigIntType,
  duckdb.DuckDBIntegerType,
  duckdb.DuckDBSmallIntType,
  duckdb.DuckDBTinyIntType,
  duckdb.DuckDBUIntegerType,
  duckdb.DuckDBUSmallIntType,
  duckdb.DuckDBUTinyIntType,
];

type TextOf = (value: duckdb.DuckDBValue) => string;

/** Writes lists, objects and maps as JSON, and other values as the engine writes them. */
function textOf(type: duckdb.DuckDBType): TextOf {
  return (value) => {
    const json = toExactJson(value, type, toExactJson);
    return typeof json === 'object' ? writeExact(json) : String(value);
  };
}

const packBooleans = (values: Values) => {
  const data = new Uint8Array(Math.ceil(values.length / 8));
  for (const [index, value] of values.entries())
    if (value === true) data[index >> 3] = (data[index >> 3] ?? 0) | (1 << (index & 7));
  return { data };
};

const packLongs = (values: Values, of: (value: duckdb.DuckDBValue) => bigint) => ({
  data: BigInt64Array.from(values, (value) => (value === null ? 0n : of(value))),
});

const microsOf = (value: duckdb.DuckDBValue): bigint =>
  value instanceof duckdb.DuckDBTimestampTZValue || value instanceof duckdb.DuckDBTimestampValue
    ? value.micros
    : 0n;

const packDates = (values: Values) => ({
  data: Int32Array.from(values, (value) => (value instanceof duckdb.DuckDBDateValue ? value.days : 0)),
});

/** Maximum number of digits of a 128-bit decimal. */
const MAX_DIGITS = 38;
const LIMIT = 10n ** BigInt(MAX_DIGITS);

/** Packs each decimal into 128 bits, the lower half first. */
const packDecimals = (values: Values) => {
  const halves = new BigInt64Array(values.length * 2);
  for (const [index, value] of values.entries()) {
    const digits = value instanceof duckdb.DuckDBDecimalValue ? value.value : value;
    if (typeof digits !== 'bigint') continue;
    if (digits >= LIMIT || digits <= -LIMIT)
      throw new Error(`Expected integers of at most ${MAX_DIGITS} digits in an Arrow file, got ${digits}.`);
    halves[2 * index] = BigInt.asIntN(64, digits);
    halves[2 * index + 1] = digits >> 64n;
  }
  return { data: new Uint32Array(halves.buffer) };
};

const packUnsigned = (values: Values) => ({
  data: BigUint64Array.from(values, (value) => (value === null ? 0n : BigInt(String(value)))),
});

const packTexts = (values: Values, of: TextOf) => {
  const texts = values.map((value) => (value === null ? EMPTY : Buffer.from(of(value))));
  const valueOffsets = new Int32Array(values.length + 1);
  for (const [index, text] of texts.entries())
    valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + text.length;
  return { data: Buffer.concat(texts), valueOffsets };
};
const EMPTY = Buffer.alloc(0);
