/** A file opened for reading rows: what it is on disk, its header, and where its data begins. */
import type { FileHandle } from 'node:fs/promises';
import type { Dialect } from '../../shared/dialect.ts';
import { AppError } from '../../shared/errors.ts';
import type { FileState } from '../file-state.ts';
import { CsvReader } from './csv-reader.ts';
import {
  bomLength,
  byteStage,
  canSeparate,
  decoderFor,
  isUtf16,
  knownEncoding,
  measureFor,
} from './encoding.ts';
import { JsonArrayReader } from './json-array-reader.ts';
import { JsonLinesReader } from './json-reader.ts';
import { openRaw, readAt } from './raw-file.ts';
import {
  type CellSink,
  type LineSink,
  lineTooLongError,
  MAX_ROW_BYTES,
  type RowPosition,
  type RowReader,
  type SourceRow,
} from './row-source.ts';

export interface Source {
  handle: FileHandle;
  name: string;
  state: FileState;
  dialect: Dialect;
  /** Names of the columns of a delimited file; null for JSON. */
  header: string[] | null;
  dataStart: RowPosition;
  close(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Throws INVALID_ARGUMENT where the parts of a dialect do not go together. */
export function checkDialect(dialect: Dialect): Dialect {
  const encoding = knownEncoding(dialect.encoding);
  if (dialect.format === 'csv') {
    if (!canSeparate(encoding, dialect.delimiter)) {
      const text = `“${dialect.delimiter}” cannot separate cells in ${encoding}. Expected a comma, semicolon, tab or bar.`;
      throw new AppError('INVALID_ARGUMENT', text);
    }
    if (dialect.delimiter === dialect.quote) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'The delimiter and the quote are the same character. Choose two.',
      );
    }
  }
  return { ...dialect, encoding };
}

/**
 * Opens a file and reads its header. Throws FILE_* errors: not there, unreadable, empty, a header without names,
 * with empty or with repeated ones, a first line that is too long.
 */
export async function openSource(
  path: string,
  wanted: Dialect,
  maxRowBytes = MAX_ROW_BYTES,
): Promise<Source> {
  const dialect = checkDialect(wanted);
  const { handle, name, state, close } = await openRaw(path);
  try {
    const head = await readAt(handle, path, 0, 4);
    const start: RowPosition = { byteOffset: bomLength(head, dialect.encoding), line: 1, row: 1 };
    const base = { handle, name, state, dialect, close };
    if (dialect.format !== 'csv') return { ...base, header: null, dataStart: start };
    const first = await firstRow({ ...base, header: null, dataStart: start }, path, maxRowBytes);
    if (!dialect.hasHeader) return { ...base, header: numberedColumns(first), dataStart: start };
    const dataStart = { byteOffset: first.byteEnd, line: first.nextLine, row: 1 };
    return { ...base, header: headerNames(first, name), dataStart };
  } catch (problem) {
    await close();
    throw problem;
  }
}

async function firstRow(source: Source, path: string, maxRowBytes: number): Promise<SourceRow> {
  // A first line that is too long is seen as such without reading all of it.
  const endByte = source.dataStart.byteOffset + maxRowBytes + HEAD_BYTES;
  for await (const { rows } of readRows(source, path, {
    start: source.dataStart,
    endByte,
    maxRowBytes,
    chunkBytes: HEAD_BYTES,
  })) {
    const row = rows[0];
    if (row === undefined) continue;
    if (row.problem === null) return row;
    const isLong = row.byteEnd - row.byteStart > maxRowBytes;
    if (isLong) throw lineTooLongError(source.name, row.line, maxRowBytes);
    throw new AppError('FILE_MALFORMED', `Line ${row.line}: ${row.problem}`, {
      file: source.name,
      line: row.line,
    });
  }
  throw new AppError('FILE_EMPTY', `${source.name} has no rows, only empty lines.`, { file: source.name });
}

function numberedColumns(first: SourceRow): string[] {
  return (first.cells ?? []).map((_cell, index) => `column_${index + 1}`);
}

function headerNames(first: SourceRow, file: string): string[] {
  const fail = (text: string): never => {
    const next = 'Correct the first line, or say that the file has no header.';
    throw new AppError('FILE_MALFORMED', `${text} ${next}`, { file, line: first.line });
  };
  if (first.line !== 1) return fail('Expected the names of the columns in line 1, got an empty line.');
  const names = (first.cells ?? []).map((cell) => cell.trim());
  if (names.every((name) => name === ''))
    return fail('Expected the names of the columns in line 1, got only empty ones.');
  // Tables written with an index carry a first column without a name.
  if (names[0] === '' && names.length > 1 && !names.includes('column_1')) names[0] = 'column_1';
  const seen = new Map<string, number>();
  names.forEach((name, index) => {
    if (name === '') fail(`Expected a name for every column, column ${index + 1} has none.`);
    const before = seen.get(name);
    if (before !== undefined)
      fail(`Expected every column name once, “${name}” stands for columns ${before} and ${index + 1}.`);
    seen.set(name, index + 1);
  });
  return names;
}

interface ReadOptions {
  start: RowPosition;
  /** Offset where to stop; the whole file without it. */
  endByte?: number;
  maxRowBytes?: number;
  chunkBytes?: number;
  /** Sees every byte as it lies in the file, in order. */
  onBytes?: (bytes: Buffer, offset: number) => void;
  /** Those bytes are still needed after the call; otherwise the next ones take their place. */
  keepsBytes?: boolean;
  /** Takes the well-formed rows of delimited text before the piece with the other rows comes. */
  sink?: CellSink;
  /** The same for JSON lines. */
  lineSink?: LineSink;
}

export function createReader(
  source: Source,
  options: {
    start: RowPosition;
    maxRowBytes: number;
    sink?: CellSink | undefined;
    lineSink?: LineSink | undefined;
  },
): RowReader {
  const { dialect, header } = source;
  const { sink, lineSink, ...given } = options;
  const common = { ...given, decode: decoderFor(dialect.encoding), measure: measureFor(dialect.encoding) };
  if (dialect.format === 'jsonl') return new JsonLinesReader({ ...common, sink: lineSink });
  if (dialect.format === 'json') {
    return new JsonArrayReader({
      ...common,
      isInside: options.start.byteOffset > source.dataStart.byteOffset,
    });
  }
  const quote = dialect.quote === 'none' ? null : dialect.quote;
  const columns = header?.length ?? null;
  return new CsvReader({ ...common, delimiter: dialect.delimiter, quote, columns, sink });
}

/** Rows from a position on, in the pieces in which they were read. Waits for its consumer. */
export async function* readRows(
  source: Source,
  path: string,
  options: ReadOptions,
): AsyncGenerator<{ rows: SourceRow[]; readBytes: number }> {
  const { start, chunkBytes = CHUNK_BYTES, maxRowBytes = MAX_ROW_BYTES } = options;
  const reader = createReader(source, {
    ...{ start, maxRowBytes },
    ...{ sink: options.sink, lineSink: options.lineSink },
  });
  const stage = byteStage(source.dialect.encoding);
  const endByte = options.endByte ?? Number.MAX_SAFE_INTEGER;
  // A buffer for each piece would cost as much as looking for the rows in it.
  const buffer = options.keepsBytes === true ? undefined : Buffer.allocUnsafeSlow(chunkBytes);
  let offset = start.byteOffset;
  while (offset < endByte) {
    const length = Math.min(chunkBytes, endByte - offset);
    const bytes = await readAt(source.handle, path, offset, length, buffer);
    if (bytes.length === 0) break;
    options.onBytes?.(bytes, offset);
    offset += bytes.length;
    yield { rows: reader.push(stage.push(bytes)), readBytes: offset };
  }
  const last = stage.end();
  const rows = last.length === 0 ? [] : reader.push(last);
  // A range ends between two elements of an array, not at the array's end.
  if (source.dialect.format === 'json' && options.endByte !== undefined) yield { rows, readBytes: offset };
  else yield { rows: [...rows, ...reader.end()], readBytes: offset };
}

/** True where the encoding needs two bytes for a line end: random places must begin at an even offset. */
export function unitBytes(dialect: Dialect): number {
  return isUtf16(dialect.encoding) ? 2 : 1;
}
