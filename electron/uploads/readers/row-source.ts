/** What every reader yields, and what it is told. Readers are pure: bytes in, rows out, cut anywhere. */
import { AppError } from '../../shared/errors.ts';
import type { JsonOddity } from '../../shared/lenient-json.ts';
import type { NumberList } from './number-list.ts';
import type { ReadingFacts } from './reading-facts.ts';

/** Where reading starts: the beginning of a row. */
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
  /** Why it is no row; null where it is one. */
  problem: string | null;
  /** Beginning of the text of a bad row. */
  excerpt: string | null;
  /** What JSON has no value for, or several values for; absent where there is nothing of the kind. */
  oddities?: readonly JsonOddity[];
}

/** Where a row stands in its file. */
export type RowPlace = Pick<SourceRow, 'row' | 'line' | 'nextLine' | 'byteStart' | 'byteEnd'>;

/** Takes rows of delimited text cell by cell where they lie, so that no objects and texts are made for every row. */
export interface CellSink {
  /**
   * One row that is well formed. `bounds`: start, end, and the marks that `cellText` takes, of each cell. All three hold
   * during the call only.
   */
  take(bytes: Buffer, bounds: NumberList, place: Readonly<RowPlace>): void;
}

/** Takes JSON lines where they lie, in the order of the file. */
export interface LineSink {
  /** False where the line is left to the reader. `place` holds during the call only. */
  takeLine(bytes: Buffer, from: number, to: number, place: Readonly<RowPlace>): boolean;
  /** A row that was left to the reader, and is one. */
  takeRow(row: SourceRow): void;
}

export interface RowReader {
  /** Rows that became complete with these bytes. */
  push(bytes: Buffer): SourceRow[];
  /** Rows that the end of the file completes. */
  end(): SourceRow[];
}

export interface ReaderOptions {
  start: RowPosition;
  /** Takes up what is odd about rows that are well formed. */
  facts?: ReadingFacts | undefined;
  decode: Decode;
  /** Offsets in the file for bytes that may have been re-encoded: length in the file of `bytes[from, to)`. */
  measure: Measure;
  /** A row that needs more bytes than this is bad; memory stays within a few times this. */
  maxRowBytes: number;
}

export type Measure = (bytes: Buffer, from: number, to: number) => number;
export interface Decode {
  (bytes: Buffer, from: number, to: number): string;
  /** Is every byte sequence of this encoding in order? */
  isValid(bytes: Buffer): boolean;
  encoding: string;
}

export const MAX_ROW_BYTES = 4_000_000;
const EXCERPT_CHARACTERS = 200;

export function excerptOf(text: string): string {
  return text.length <= EXCERPT_CHARACTERS ? text : `${text.slice(0, EXCERPT_CHARACTERS - 1)}…`;
}

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

/** Offset just after the line end that follows `from` (LF, CR LF or CR), or -1. */
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

/** Line ends in a range: LF, CR LF and CR count one each. */
export function countLineEnds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count += 1;
  }
  return count;
}
