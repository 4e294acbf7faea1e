/** Input and output types of the readers. Readers are pure: they take bytes in chunks of any size and return rows. */
import { cutText } from '../../shared/cut-text.ts';
import type { Wrapper } from '../../shared/dialect.ts';
import { AppError } from '../../shared/errors.ts';
import type { JsonOddity } from '../../shared/lenient-json.ts';
import type { CellBounds } from './cell-bounds.ts';
import type { ReadingFacts } from './reading-facts.ts';

/** A position to start reading at: the beginning of a row. */
export interface RowPosition {
  /** Offset in the file. */
  byteOffset: number;
  /** 1-based. */
  line: number;
  /** Number of the next data row, 1-based, header not counted. */
  row: number;
}

export interface SourceRow {
  row: number;
  line: number;
  /** Line on which the row after this one begins. */
  nextLine: number;
  byteStart: number;
  byteEnd: number;
  /** Cells of a delimited file; null for JSON and for a bad row. */
  cells: string[] | null;
  /** Object of a JSON file; null for a delimited one and for a bad row. */
  record: Record<string, unknown> | null;
  /**
   * The record with the digits of its numbers as written, for columns of type text. Absent if it is not from JSON text.
   */
  asWritten?: () => Record<string, unknown> | null;
  /** The reason why the row is bad; null if it is well formed. */
  problem: string | null;
  /** The beginning of the text of a bad row. */
  excerpt: string | null;
  /** Values that JSON cannot represent, and repeated keys. Absent if there are none. */
  oddities?: readonly JsonOddity[];
  /** Whether the record has the values of the object with this key. Absent in files without such objects. */
  wrapper?: { key: Wrapper; isTaken: boolean };
}

/**
 * A field of a record; undefined if the record has none of this name, even if every object inherits one. Values of
 * files are never functions, so only a function or the prototype needs the slower check for an own property.
 */
export function ownField(record: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = record[name];
  const canBeInherited = typeof value === 'function' || value === Object.prototype;
  return canBeInherited && !Object.hasOwn(record, name) ? undefined : value;
}

/** The position of a row in its file. */
export type RowPlace = Pick<SourceRow, 'row' | 'line' | 'nextLine' | 'byteStart' | 'byteEnd'>;

/** Takes many rows of delimited text at once, as a run. */
export interface RowRuns {
  /** Passes the bytes of the next rows. Returns false if they cannot be taken as runs. */
  load(bytes: Buffer): boolean;
  /**
   * Takes as many single-line rows as it can, the first at offset `from` and at `place`. Returns the offset of the
   * first row that is left to the reader, and the number of rows taken. The result is valid until the next call.
   */
  takeRun(from: number, place: Readonly<RowPlace>): { end: number; rows: number };
}

/** Facts about delimited text that its rows do not contain. */
export interface RunReading {
  delimiter: string;
  /** Empty if there are no quotes. */
  quote: string;
  cells: number;
  maxRowBytes: number;
  /** Header line; equal lines are skipped. Null if no lines are skipped. */
  header: Buffer | null;
  /**
   * Table with 1 for each byte that can occur in a cell without a value. Rows of such cells only are left to the
   * reader.
   */
  blanks: Uint8Array;
}

/** Receives rows of delimited text as cell bounds in the buffer, to avoid objects and strings for every row. */
export interface CellSink {
  /** Null if the sink takes rows one by one only. */
  runs?(reading: RunReading): RowRuns | null;
  /** Receives one well-formed row. The arguments are valid only during the call. */
  take(bytes: Buffer, bounds: CellBounds, place: Readonly<RowPlace>): void;
}

/** Receives JSON lines as byte ranges, in file order. */
export interface LineSink {
  /**
   * Returns false to leave the line to the reader. This happens for every line with a nested object, because only the
   * reader converts typed values. `place` is valid during the call only.
   */
  takeLine(bytes: Buffer, from: number, to: number, place: Readonly<RowPlace>): boolean;
  /** Receives a well-formed row that `takeLine` left to the reader. */
  takeRow(row: SourceRow): void;
}

export interface RowReader {
  /** Returns the rows that these bytes complete. */
  push(bytes: Buffer): SourceRow[];
  /** Returns the rows that the end of the file completes. */
  end(): SourceRow[];
}

export interface ReaderOptions {
  start: RowPosition;
  /** Records irregularities of well-formed rows. */
  facts?: ReadingFacts | undefined;
  decode: Decode;
  /** Returns the length in the file of `bytes[from, to)`, which may have been re-encoded. */
  measure: Measure;
  /**
   * True if typed values nested in JSON rows are converted. Decided once per file, so that all its rows have one shape.
   */
  isDeep?: boolean | undefined;
  /** Key of the object with the values of each JSON row. */
  wrapper?: Wrapper | null | undefined;
  /** A row longer than this is bad. Memory use is a small multiple of it. */
  maxRowBytes: number;
}

export type Measure = (bytes: Buffer, from: number, to: number) => number;
export interface Decode {
  (bytes: Buffer, from: number, to: number): string;
  /**
   * True if every byte sequence is valid in this encoding. `isCut`: whether the last character may be incomplete,
   * because further bytes follow.
   */
  isValid(bytes: Buffer, isCut?: boolean): boolean;
  encoding: string;
}

export const MAX_ROW_BYTES = 4_000_000;
const EXCERPT_CHARACTERS = 200;

export const excerptOf = (text: string, most = EXCERPT_CHARACTERS): string => cutText(text, most);

export function encodingProblem(encoding: string): string {
  return `Expected text in ${encoding}; some bytes are not. Choose the encoding the file was written in.`;
}

export function lineTooLong(maxBytes: number): string {
  return `The line is longer than ${Math.round(maxBytes / 1_000_000)} MB. Expected one row per line; check the line ends, or that the file is the one you meant.`;
}

export function lineTooLongError(file: string, line: number, maxBytes: number): AppError {
  return new AppError('FILE_LINE_TOO_LONG', `Line ${line}: ${lineTooLong(maxBytes)}`, { file, line });
}

const LF = 0x0a;
const CR = 0x0d;

/** Offset just after the first line end (LF, CR LF or CR) at or after `from`, or -1. */
export function afterLineEnd(bytes: Buffer, from: number, isLast: boolean): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF) return at + 1;
    if (byte === CR) {
      if (at + 1 < bytes.length) return bytes[at + 1] === LF ? at + 2 : at + 1;
      return isLast ? at + 1 : -1;
    }
  }
  return -1;
}

/** Number of line ends in a range: LF, CR LF and CR count one each. */
export function countLineEnds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count += 1;
  }
  return count;
}
