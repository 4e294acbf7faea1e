/** A file opened for reading rows: its state on disk, its header, and where its data begins. */
import type { FileHandle } from 'node:fs/promises';
import { counted } from '../../shared/count-text.ts';
import type { Dialect } from '../../shared/dialect.ts';
import { AppError } from '../../shared/errors.ts';
import type { FileState } from '../file-state.ts';
import type { CellSigns } from './cell-text.ts';
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
import { headerOf, numberedColumns, type RepeatedName } from './header.ts';
import { JsonArrayReader } from './json-array-reader.ts';
import { JsonLinesReader } from './json-reader.ts';
import { openRaw, readAt } from './raw-file.ts';
import type { ReadingFacts } from './reading-facts.ts';
import {
  afterLineEnd,
  type CellSink,
  excerptOf,
  type LineSink,
  lineTooLongError,
  MAX_ROW_BYTES,
  type RowPosition,
  type RowReader,
  type SourceRow,
} from './row-source.ts';
import { areLinesOfNames, hasAnswers, joinedNames } from './second-header.ts';
import { isDocument } from './typed-json.ts';

export interface Source {
  handle: FileHandle;
  name: string;
  state: FileState;
  dialect: Dialect;
  /** Column names of a delimited file; null for JSON. */
  header: string[] | null;
  /** Number of trailing columns without a name in the file. A row need not have cells for them. */
  spare: number;
  /** Columns with the name of an earlier one, which got another name. */
  repeated: readonly RepeatedName[];
  /** Bytes of the header, as the reader gets them and without a line end; null if there is none. */
  headerBytes: Buffer | null;
  /** Note on lines directly below the header that are not data; null if there are none. */
  belowHeader: string | null;
  dataStart: RowPosition;
  /** True if the first rows of a JSON file are MongoDB documents. Typed values are then converted at any depth. */
  isDeep: boolean;
  close(): Promise<void>;
}

const LF = 0x0a;
const CR = 0x0d;
const CHUNK_BYTES = 256 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Throws INVALID_ARGUMENT if the parts of a dialect contradict each other. */
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
    const escaping = dialect.escape ?? null;
    if (escaping !== null && !canSeparate(encoding, escaping)) {
      const text = `“${escaping}” can be a part of other characters in ${encoding}, so it cannot escape any. Read the file without an escape.`;
      throw new AppError('INVALID_ARGUMENT', text);
    }
    if (dialect.delimiter === escaping)
      throw new AppError(
        'INVALID_ARGUMENT',
        'The delimiter and the escape are the same character. Choose two.',
      );
  }
  return { ...dialect, encoding };
}

/**
 * Opens a file and reads its header. Throws FILE_* errors: missing, unreadable, empty, a header without names,
 * a header line after the end, a first line that is too long.
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
    const none = { spare: 0, repeated: [], headerBytes: null, belowHeader: null, isDeep: false };
    const base = { handle, name, state, dialect, ...none, close };
    if (dialect.format !== 'csv') {
      const plain = { ...base, header: null, dataStart: start };
      // Rows are read without unwrapping, because an unwrapped row may get the name _id, which marks documents.
      const bare = { ...plain, dialect: { ...dialect, wrapper: null } };
      return { ...plain, isDeep: await beginsWithDocuments(bare, path, maxRowBytes) };
    }
    const headerStart = await startOfLine(base, path, start);
    const first = await firstRow({ ...base, header: null, dataStart: headerStart }, path, maxRowBytes);
    if (!dialect.hasHeader) return { ...base, header: numberedColumns(first).names, dataStart: headerStart };
    const below = { byteOffset: first.byteEnd, line: first.nextLine, row: 1 };
    const rule = await ruleBelow({ ...base, header: null, dataStart: below }, path, first);
    const { last = null, words = null, joined = first.cells } = rule ?? {};
    const { names, spare, repeated } = headerOf({ ...first, cells: joined }, name, dialect);
    const dataStart = last === null ? below : { byteOffset: last.byteEnd, line: last.nextLine, row: 1 };
    const found = { header: names, spare, repeated, headerBytes: await bytesOf(base, path, first) };
    return { ...base, ...found, belowHeader: words, dataStart };
  } catch (problem) {
    await close();
    throw problem;
  }
}

/** Whether one of the first rows is a document of MongoDB. */
async function beginsWithDocuments(source: Source, path: string, maxRowBytes: number): Promise<boolean> {
  const endByte = source.dataStart.byteOffset + maxRowBytes + HEAD_BYTES;
  const options = { start: source.dataStart, endByte, maxRowBytes, chunkBytes: HEAD_BYTES };
  let hasRows = false;
  try {
    for await (const { rows, readBytes } of readRows(source, path, options)) {
      if (rows.some(isDocument)) return true;
      hasRows ||= rows.length > 0;
      if (hasRows && readBytes >= source.dataStart.byteOffset + HEAD_BYTES) return false;
    }
  } catch (problem) {
    // A file that cannot be read is reported later, when its rows are read.
    if (!(problem instanceof AppError)) throw problem;
  }
  return false;
}

/** No two adjacent groups match the same character, so that matching takes linear time. */
const DASHES_ALONE = /^(?:[:+]?[-=]+(?:[:+]{1,2}[-=]+)*[:+]?)?$/;

/** The third line of a Qualtrics export. The second line holds the questions. */
const IMPORT_ID = /^\{"ImportId":/;

/** Lines directly below the header that are not data. */
interface BelowHeader {
  last: SourceRow;
  words: string;
  /** The names of the columns, if the lines are a part of them. */
  joined?: string[];
}

/**
 * The last row below the header that is not data: a line of dashes as in tables of sqlcmd, psql and Markdown, the
 * questions and ids of a Qualtrics export, or the answers of a SurveyMonkey export. Null if there is none.
 */
async function ruleBelow(source: Source, path: string, header: SourceRow): Promise<BelowHeader | null> {
  const { dataStart: start } = source;
  const options = { start, endByte: start.byteOffset + HEAD_BYTES, chunkBytes: 4_096 };
  const found: SourceRow[] = [];
  for await (const { rows } of readRows(source, path, options)) {
    found.push(...rows);
    const [first, second] = found;
    if (first === undefined) continue;
    const cells = first.cells ?? [];
    const isRule =
      cells.every((cell) => DASHES_ALONE.test(cell.trim())) && cells.some((cell) => /--|==/.test(cell));
    if (isRule)
      return { last: first, words: `Line ${first.line}, dashes alone below the header, is skipped.` };
    if (second === undefined) continue;
    const isImportId = second.cells?.every((cell) => IMPORT_ID.test(cell)) === true;
    const words = `Lines ${first.line} to ${second.nextLine - 1}, the questions and ids of Qualtrics below the header, are skipped.`;
    if (isImportId) return { last: second, words };
    return areLinesOfNames(header.cells, cells, second.cells) ? namesBelow(header, first) : null;
  }
  return null;
}

function namesBelow(header: SourceRow, last: SourceRow): BelowHeader {
  const joined = joinedNames(header.cells ?? [], last.cells ?? []);
  const example = joined.find((name, at) => name !== header.cells?.[at]?.trim());
  const way = example === undefined ? 'skipped' : `joined to it, as in “${excerptOf(example)}”`;
  const words = hasAnswers(last.cells ?? [])
    ? `Line ${last.line}, the answers below the questions in the header as SurveyMonkey writes them, is ${way}.`
    : `Line ${last.line} has the second part of the names of the columns and is ${way}.`;
  return { last, words, joined };
}

async function bytesOf(
  { handle, dialect }: Pick<Source, 'handle' | 'dialect'>,
  path: string,
  { byteStart, byteEnd }: SourceRow,
): Promise<Buffer> {
  const bytes = await readAt(handle, path, byteStart, byteEnd - byteStart);
  const stage = byteStage(dialect.encoding);
  const all = Buffer.concat([stage.push(bytes), stage.end()]);
  let end = all.length;
  while (all[end - 1] === LF || all[end - 1] === CR) end -= 1;
  return all.subarray(0, end);
}

/**
 * The position of the header line, however far down it is. Throws FILE_MALFORMED if it is after the end of the file.
 */
export async function startOfLine(
  {
    handle,
    name,
    dialect,
  }: Pick<Source, 'handle' | 'name'> & { dialect: Pick<Dialect, 'encoding' | 'headerLine'> },
  path: string,
  start: RowPosition,
): Promise<RowPosition> {
  const wanted = dialect.headerLine ?? 1;
  const measure = measureFor(dialect.encoding);
  const stage = byteStage(dialect.encoding);
  let position = start;
  let lineStart = start.byteOffset;
  let rest: Buffer = Buffer.alloc(0);
  for (let offset = start.byteOffset, isLast = false; position.line < wanted && !isLast; ) {
    const bytes = await readAt(handle, path, offset, HEAD_BYTES);
    isLast = bytes.length === 0;
    offset += bytes.length;
    const all = Buffer.concat([rest, isLast ? stage.end() : stage.push(bytes)]);
    let { byteOffset, line } = position;
    let from = 0;
    for (let end = 0; line < wanted; from = end) {
      end = afterLineEnd(all, from, isLast);
      if (end < 0) break;
      byteOffset += measure(all, from, end);
      line += 1;
      lineStart = byteOffset;
    }
    // A CR at the end of the chunk may belong to an LF in the next one.
    const to = line === wanted ? from : all.at(-1) === CR ? all.length - 1 : all.length;
    if (line < wanted) byteOffset += measure(all, from, to);
    rest = all.subarray(to);
    position = { byteOffset, line, row: 1 };
  }
  if (position.line < wanted) {
    const lines = position.line - (position.byteOffset === lineStart ? 1 : 0);
    throw new AppError(
      'FILE_MALFORMED',
      `Expected the header in line ${wanted}, but ${name} has only ${counted(lines, 'line')}.`,
      { file: name, line: lines },
    );
  }
  return position;
}

/** Sentences about the parts skipped before the rows. */
export function notesOf(source: Pick<Source, 'dialect' | 'header' | 'belowHeader'>): string[] {
  const { dialect, header } = source;
  const before = (dialect.headerLine ?? 1) - 1;
  if (header === null || before === 0) return ruleNotes(source);
  const what = dialect.hasHeader ? 'header' : 'first row';
  return [
    `The ${what} is in line ${before + 1}: ${counted(before, 'line')} before it skipped.`,
    ...ruleNotes(source),
  ];
}

export function ruleNotes({ belowHeader }: Pick<Source, 'belowHeader'>): string[] {
  return belowHeader === null ? [] : [belowHeader];
}

/** The characters that enclose, escape and separate cells. */
export function signsOf({ delimiter, quote, ...dialect }: Dialect): CellSigns {
  return { delimiter, quote: quote === 'none' ? '' : quote, escape: dialect.escape ?? null };
}

async function firstRow(source: Source, path: string, maxRowBytes: number): Promise<SourceRow> {
  const { dialect } = source;
  // A limit, so that a first line that is too long is found without reading all of it.
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
    // R's write.table puts one blank between cells.
    const isSpaced = dialect.delimiter !== ' ' && /^"[^"]*" "/.test(row.excerpt ?? '');
    const next = isSpaced ? ' If blanks separate the cells, choose the delimiter space.' : '';
    throw new AppError('FILE_MALFORMED', `Line ${row.line}: ${row.problem}${next}`, {
      file: source.name,
      line: row.line,
    });
  }
  throw new AppError('FILE_EMPTY', `${source.name} has no rows, only empty lines.`, { file: source.name });
}

interface ReadOptions {
  start: RowPosition;
  /** Offset to stop at; default: the end of the file. */
  endByte?: number;
  maxRowBytes?: number;
  chunkBytes?: number;
  /** Size of the first chunk; default: `chunkBytes`. */
  firstBytes?: number;
  /** Called with every byte of the file unchanged, in order. */
  onBytes?: (bytes: Buffer, offset: number) => void;
  /**
   * Set if the bytes are used after the call of `onBytes`. Returns a free buffer, if there is one. Default: one buffer
   * is reused for all chunks.
   */
  freeBuffer?: () => Buffer | undefined;
  /** Receives the well-formed rows of delimited text, before the other rows of the chunk are yielded. */
  sink?: CellSink;
  /** Receives the well-formed JSON lines in the same way. */
  lineSink?: LineSink;
  /** Records irregularities of the rows. */
  facts?: ReadingFacts | undefined;
  /** Number of unnamed trailing columns that are not read. Rows with a value there are counted. */
  unread?: number;
}

export function createReader(
  source: Source,
  options: {
    start: RowPosition;
    maxRowBytes: number;
    sink?: CellSink | undefined;
    lineSink?: LineSink | undefined;
    facts?: ReadingFacts | undefined;
    unread?: number | undefined;
  },
): RowReader {
  const { dialect, header, headerBytes, spare, isDeep } = source;
  const { sink, lineSink, unread = 0, ...given } = options;
  const common = {
    ...given,
    isDeep,
    wrapper: dialect.wrapper,
    decode: decoderFor(dialect.encoding),
    measure: measureFor(dialect.encoding),
  };
  if (dialect.format === 'jsonl') return new JsonLinesReader({ ...common, sink: lineSink });
  if (dialect.format === 'json') {
    return new JsonArrayReader({
      ...common,
      isInside: options.start.byteOffset > source.dataStart.byteOffset,
    });
  }
  const { delimiter } = dialect;
  const quote = dialect.quote === 'none' ? null : dialect.quote;
  const columns = header?.length ?? null;
  const signs = { delimiter, quote, escape: dialect.escape ?? null };
  return new CsvReader({ ...common, ...signs, columns, spare, unread, header: headerBytes, sink });
}

/** Yields rows from a position on, in the chunks in which they were read. Waits for its consumer. */
export async function* readRows(
  source: Source,
  path: string,
  options: ReadOptions,
): AsyncGenerator<{ rows: SourceRow[]; readBytes: number }> {
  const { start, chunkBytes = CHUNK_BYTES, maxRowBytes = MAX_ROW_BYTES } = options;
  const reader = createReader(source, {
    ...{ start, maxRowBytes },
    ...{ sink: options.sink, lineSink: options.lineSink, facts: options.facts, unread: options.unread },
  });
  const stage = byteStage(source.dialect.encoding);
  const endByte = options.endByte ?? Number.MAX_SAFE_INTEGER;
  // Allocating a buffer per chunk would cost as much as finding its rows.
  const { freeBuffer } = options;
  const buffer = freeBuffer === undefined ? Buffer.allocUnsafeSlow(chunkBytes) : undefined;
  let offset = start.byteOffset;
  while (offset < endByte) {
    const wanted = offset === start.byteOffset ? (options.firstBytes ?? chunkBytes) : chunkBytes;
    const length = Math.min(wanted, endByte - offset);
    const free = buffer ?? freeBuffer?.();
    const into = free !== undefined && free.length >= length ? free : undefined;
    const bytes = await readAt(source.handle, path, offset, length, into);
    if (bytes.length === 0) break;
    options.onBytes?.(bytes, offset);
    offset += bytes.length;
    yield { rows: reader.push(stage.push(bytes)), readBytes: offset };
  }
  const last = stage.end();
  const rows = last.length === 0 ? [] : reader.push(last);
  // A range of a JSON array ends between two elements, so the missing end of the array is not an error.
  if (source.dialect.format === 'json' && options.endByte !== undefined) yield { rows, readBytes: offset };
  else yield { rows: [...rows, ...reader.end()], readBytes: offset };
}

/** The size of a code unit: 2 for UTF-16, in which random positions must be even. */
export function unitBytes(dialect: Dialect): number {
  return isUtf16(dialect.encoding) ? 2 : 1;
}
