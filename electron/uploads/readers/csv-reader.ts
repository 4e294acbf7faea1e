/**
 * Reads delimited text cell by cell over bytes. Quotes may hold delimiters, line ends and doubled quotes. A malformed
 * row never swallows the rows after it: its first line is reported as bad, and reading continues with the next line.
 */

import { isAscii } from 'node:buffer';
import { counted } from '../../shared/count-text.ts';
import { blankBytes, isBlankCell } from './blank-row.ts';
import { isMark, MARK } from './byte-order-mark.ts';
import { ByteQueue } from './byte-queue.ts';
import { cellText } from './cell-text.ts';
import { isUtf16 } from './encoding.ts';
import type { ReadingFacts } from './reading-facts.ts';
import { AFTER_QUOTE, INCOMPLETE, OPEN_QUOTE, RowScanner } from './row-scanner.ts';
import {
  afterLineEnd,
  type CellSink,
  countLineEnds,
  encodingProblem,
  excerptOf,
  lineTooLong,
  type ReaderOptions,
  type RowPlace,
  type RowReader,
  type RowRuns,
  type SourceRow,
} from './row-source.ts';

interface CsvOptions extends ReaderOptions {
  delimiter: string;
  /** Null if the file has no quotes. */
  quote: string | null;
  /** The character that makes the next character part of the text; null if quotes are escaped only by doubling. */
  escape?: string | null;
  /** Number of cells each row must have; null while the header is read. */
  columns: number | null;
  /** Number of trailing cells that may be missing: columns without a name. */
  spare?: number;
  /** Number of trailing cells that may be missing and that no column reads. Rows with a value there are counted. */
  unread?: number;
  /** Bytes of the header without its line end. Equal lines, as in files that were joined, are skipped. */
  header?: Buffer | null;
  /** Receives the well-formed rows; only the others are returned as rows. */
  sink?: CellSink | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

const LINE_WITH_MARK = Buffer.from([LF, ...MARK]);

/** Maximum number of rows that are read one by one before a run of rows is tried again. */
const MAX_WAIT = 64;

/** Advice for reading each line as one column, without a delimiter. */
export const ONE_COLUMN = String.raw`choose a delimiter that they do not have (--delimiter "\x01")`;

export class CsvReader implements RowReader {
  readonly #options: CsvOptions;
  readonly #scanner: RowScanner;
  readonly #spare: number;
  /** True if the cells of well-formed rows are inspected for irregularities. */
  readonly #looksAtCells: boolean;
  /** True if rows may begin with a byte order mark, i.e. if the bytes are UTF-8. */
  readonly #mayHaveMarks: boolean;
  readonly #bytes: ByteQueue;
  #offset: number;
  #line: number;
  #row: number;
  /** True inside a line that is too long, which is dropped up to its end. */
  #skipping: { byteStart: number; excerpt: string } | null = null;
  /** 1 for each byte that a cell without a value may contain. */
  readonly #blanks: Uint8Array;
  /** Takes many plain rows at once; null if the sink takes rows one by one only. */
  readonly #runs: RowRuns | null;
  /** Position of the row that is passed to the sink. The object is reused for each row. */
  readonly #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#bytes = new ByteQueue(options.maxRowBytes);
    this.#scanner = new RowScanner(options);
    this.#spare = options.spare ?? 0;
    this.#looksAtCells = this.#spare > 0 || (options.quote === "'" && options.facts !== undefined);
    const { encoding } = options.decode;
    this.#mayHaveMarks = encoding === 'utf-8' || isUtf16(encoding);
    this.#offset = options.start.byteOffset;
    this.#line = options.start.line;
    this.#row = options.start.row;
    this.#blanks = blankBytes(options.decode.encoding);
    this.#runs = this.#runsOf(options);
  }

  /**
   * Null if rows must be inspected beyond cutting them into cells, or if byte offsets differ from those in the file.
   */
  #runsOf({
    sink,
    columns,
    delimiter,
    quote,
    maxRowBytes,
    header = null,
    decode,
    escape: escaping = null,
  }: CsvOptions): RowRuns | null {
    if (columns === null || this.#looksAtCells || escaping !== null || isUtf16(decode.encoding)) return null;
    const again = columns === 1 ? null : header;
    return (
      sink?.runs?.({
        ...{ delimiter, quote: quote ?? '', cells: columns, maxRowBytes, header: again },
        blanks: this.#blanks,
      }) ?? null
    );
  }

  push(bytes: Buffer): SourceRow[] {
    return this.#bytes.add(bytes) ? this.#read(false) : [];
  }

  end(): SourceRow[] {
    return this.#read(true);
  }

  #read(isLast: boolean): SourceRow[] {
    const bytes = this.#bytes.all();
    const rows: SourceRow[] = [];
    const from = this.#skipping === null ? 0 : this.#skip(bytes, isLast, rows);
    this.#bytes.keepFrom(this.#skipping === null ? this.#readRows(bytes, from, isLast, rows) : from);
    return rows;
  }

  /** Reads complete rows. Returns the offset where the incomplete one begins. */
  #readRows(bytes: Buffer, from: number, isLast: boolean, rows: SourceRow[]): number {
    const isPlain = isAscii(bytes);
    const text = isPlain && this.#options.sink === undefined ? bytes.toString('latin1') : null;
    // No complete row contains a character that is cut off at the end of the bytes.
    const isValid = isPlain || this.#options.decode.isValid(bytes, !isLast);
    const isJoined = this.#mayHaveMarks && (isMark(bytes, from) || bytes.includes(LINE_WITH_MARK, from));
    const runs = isValid && !isJoined && this.#runs?.load(bytes) === true ? this.#runs : null;
    // Number of rows that are read one by one before the next run is tried. Doubled while runs take no rows.
    let wait = 0;
    let nextWait = 0;
    let at = from;
    while (at < bytes.length && this.#skipping === null) {
      at = this.#passBlankLines(bytes, at);
      if (isJoined && isMark(bytes, at)) at = this.#passMark(bytes, at);
      if (at >= bytes.length) return at;
      if (wait > 0) wait -= 1;
      else if (runs !== null) {
        const runEnd = this.#takeRun(runs, at);
        wait = runEnd > at ? 0 : nextWait;
        nextWait = runEnd > at ? 0 : Math.min(nextWait * 2 + 1, MAX_WAIT);
        if (runEnd > at) {
          at = runEnd;
          continue;
        }
      }
      const end = this.#scanRow(bytes, at, isLast);
      if (end >= 0) {
        this.#take(bytes, at, end, { text, isValid }, rows);
        at = end;
        continue;
      }
      const isTooLong = bytes.length - at > this.#options.maxRowBytes;
      if (end === INCOMPLETE && !isTooLong) return at;
      if (end === OPEN_QUOTE && !isTooLong && !isLast) return at;
      // The message about a malformed row quotes its line, so the line must be complete.
      if (!isTooLong && !isLast && afterLineEnd(bytes, at, isLast) < 0) return at;
      at = this.#giveUp(bytes, at, end, isLast, rows);
    }
    return at;
  }

  #takeRun(runs: RowRuns, at: number): number {
    const { end, rows } = runs.takeRun(at, this.#placeOf(this.#line + 1, this.#offset));
    this.#row += rows;
    this.#line += rows;
    this.#offset += end - at;
    return end;
  }

  /**
   * Skips blank lines in a loop. There may be millions of them, e.g. after an unclosed quote, and they are only
   * counted.
   */
  #passBlankLines(bytes: Buffer, from: number): number {
    let at = from;
    while (bytes[at] === LF) at += 1;
    if (at === from) return at;
    this.#line += at - from;
    this.#offset += this.#options.measure(bytes, from, at);
    return at;
  }

  /** Skips a byte order mark at the beginning of a row, because each of several joined files may have one. */
  #passMark(bytes: Buffer, from: number): number {
    const to = from + MARK.length;
    this.#offset += this.#options.measure(bytes, from, to);
    this.#options.facts?.add('order-mark', this.#line);
    return to;
  }

  /** Scans a row. If it is malformed, scans it again with blanks before quotes taken as text. */
  #scanRow(bytes: Buffer, from: number, isLast: boolean): number {
    const scanner = this.#scanner;
    const end = scanner.scan(bytes, from, isLast, true);
    if (scanner.padded === 0 || (end >= 0 && this.#hasAllCells())) return end;
    const mayClose = end === INCOMPLETE || (end === OPEN_QUOTE && !isLast);
    if (mayClose && bytes.length - from <= this.#options.maxRowBytes) return end;
    return scanner.scan(bytes, from, isLast, false);
  }

  /** True if the last scanned row has the required number of cells. */
  #hasAllCells(): boolean {
    const { columns } = this.#options;
    const found = this.#scanner.bounds.cells;
    return columns === null || (found <= columns && found >= columns - this.#spare);
  }

  #take(
    bytes: Buffer,
    from: number,
    to: number,
    how: { text: string | null; isValid: boolean },
    rows: SourceRow[],
  ): void {
    const bounds = this.#scanner.bounds;
    const isBlank = bounds.length === 3 && !this.#scanner.hasQuotes && bounds.isEmpty(0);
    const nextLine = this.#line + (this.#scanner.hasQuotes ? Math.max(countLineEnds(bytes, from, to), 1) : 1);
    const byteEnd = this.#offset + this.#options.measure(bytes, from, to);
    if (!isBlank && !this.#isHeaderAgain(bytes, from, to) && !this.#isWithoutValue(bytes)) {
      const problem = this.#problemOf(bytes, from, to, how.isValid);
      const { sink } = this.#options;
      const hasPadded = this.#scanner.padded + this.#scanner.kept > 0;
      if (problem === null && (hasPadded || this.#looksAtCells)) this.#completeRow(bytes);
      if (problem === null && sink !== undefined) this.#give(sink, bytes, nextLine, byteEnd);
      else {
        const cells = problem === null ? this.#cells(bytes, how.text) : null;
        const excerpt = problem === null ? null : this.#excerpt(bytes, from, to);
        // Copies without spread, because this runs for every row of the file.
        rows.push({
          row: this.#row,
          line: this.#line,
          byteStart: this.#offset,
          record: null,
          nextLine,
          byteEnd,
          cells,
          problem,
          excerpt,
        });
        this.#row += 1;
      }
    }
    this.#line = nextLine;
    this.#offset = byteEnd;
  }

  #isHeaderAgain(bytes: Buffer, start: number, to: number): boolean {
    const { header = null, columns, facts } = this.#options;
    // With a single column, its name may also occur as a value.
    if (header === null || columns === 1 || to - start < header.length) return false;
    const end = start + header.length;
    if (end > to || (end < to && bytes[end] !== LF && bytes[end] !== CR)) return false;
    if (bytes.compare(header, 0, header.length, start, end) !== 0) return false;
    facts?.add('header-again', this.#line);
    return true;
  }

  /** Skips a row that has several cells and no value, as spreadsheets write a blank row. */
  #isWithoutValue(bytes: Buffer): boolean {
    const { columns, facts } = this.#options;
    const { bounds } = this.#scanner;
    if (columns === null || columns < 2) return false;
    let hasOnlySpaces = true;
    for (let cell = 0; cell < bounds.cells; cell += 1)
      for (let at = bounds.startOf(cell); at < bounds.endOf(cell); at += 1) {
        const byte = bytes[at] ?? 0;
        if (this.#blanks[byte] !== 1) return false;
        if (byte > SPACE) hasOnlySpaces = false;
      }
    if (!hasOnlySpaces && !this.#cells(bytes, null).every(isBlankCell)) return false;
    facts?.add('empty-row', this.#line);
    return true;
  }

  #give(sink: CellSink, bytes: Buffer, nextLine: number, byteEnd: number): void {
    sink.take(bytes, this.#scanner.bounds, this.#placeOf(nextLine, byteEnd));
    this.#row += 1;
  }

  /** The position of the current row, valid until the next call. */
  #placeOf(nextLine: number, byteEnd: number): RowPlace {
    const place = this.#place;
    place.row = this.#row;
    place.line = this.#line;
    place.nextLine = nextLine;
    place.byteStart = this.#offset;
    place.byteEnd = byteEnd;
    return place;
  }

  #problemOf(bytes: Buffer, from: number, to: number, isValid: boolean): string | null {
    const { columns, decode, maxRowBytes } = this.#options;
    if (to - from > maxRowBytes) return lineTooLong(maxRowBytes);
    if (!isValid && !decode.isValid(bytes.subarray(from, to))) return encodingProblem(decode.encoding);
    if (this.#hasAllCells()) return null;
    const found = this.#scanner.bounds.cells;
    const expected = counted((columns ?? 0) - this.#spare, 'cell');
    if (columns === 1)
      return `Expected ${expected}, got ${found}. Put texts with the delimiter in quotes, or read each line as one text: ${ONE_COLUMN}.`;
    const note = found === 1 ? ' If the line is a note around the table, leave it out.' : '';
    return `Expected ${expected}, got ${found}. Check for a missing or an unquoted delimiter.${note}`;
  }

  /** Adds missing cells of unnamed columns, and counts irregularities of a well-formed row. */
  #completeRow(bytes: Buffer): void {
    const { columns, facts, quote } = this.#options;
    if (this.#scanner.padded > 0) facts?.add('blank-before-quote', this.#line, this.#scanner.padded);
    if (this.#scanner.kept > 0) facts?.add('quote-kept', this.#line, this.#scanner.kept);
    if (this.#spare > 0 && columns !== null) this.#completeCells(columns, facts);
    if (quote === "'" && facts !== undefined) {
      const bounds = this.#scanner.bounds;
      for (let cell = 0; cell < bounds.cells; cell += 1) {
        const start = bounds.startOf(cell);
        if (!bounds.isEmpty(cell) && bytes[start] === DOUBLE_QUOTE && bytes[start - 1] !== SINGLE_QUOTE)
          facts.add('other-quote', this.#line);
      }
    }
  }

  #completeCells(columns: number, facts: ReadingFacts | undefined): void {
    const bounds = this.#scanner.bounds;
    const { unread = 0 } = this.#options;
    for (let cell = columns - this.#spare; cell < columns; cell += 1) {
      if (cell >= bounds.cells) {
        const end = bounds.endOf(bounds.cells - 1);
        bounds.push(end, end, 0);
      } else if (cell >= columns - unread && !bounds.isEmpty(cell)) facts?.add('nameless', this.#line);
    }
  }

  #cells(bytes: Buffer, text: string | null): string[] {
    const bounds = this.#scanner.bounds;
    const { delimiter, escape: escaping = null } = this.#options;
    const signs = { delimiter, quote: this.#options.quote ?? '', escape: escaping };
    const cells: string[] = new Array(bounds.cells);
    for (let index = 0; index < cells.length; index += 1) {
      const start = bounds.startOf(index);
      const end = bounds.endOf(index);
      const cell = text === null ? this.#options.decode(bytes, start, end) : text.slice(start, end);
      cells[index] = cellText(cell, bounds.marksOf(index), signs);
    }
    return cells;
  }

  #emit(
    rows: SourceRow[],
    row: Pick<SourceRow, 'nextLine' | 'byteEnd' | 'cells' | 'problem' | 'excerpt'> & { byteStart?: number },
  ): void {
    rows.push({ row: this.#row, line: this.#line, byteStart: this.#offset, record: null, ...row });
    this.#row += 1;
  }

  #excerpt(bytes: Buffer, from: number, to: number): string {
    // Reads a few more bytes than the characters need, so that an incomplete character at the end can be dropped.
    return excerptOf(this.#options.decode(bytes, from, Math.min(to, from + 1_000)).replace(/[\r\n]+$/, ''));
  }

  /** The row cannot be read. Its first line is reported as bad, and reading continues on the next line. */
  #giveUp(bytes: Buffer, from: number, reason: number, isLast: boolean, rows: SourceRow[]): number {
    const lineEnd = afterLineEnd(bytes, from, isLast);
    if (lineEnd < 0 && !isLast) {
      this.#skipping = { byteStart: this.#offset, excerpt: this.#excerpt(bytes, from, bytes.length) };
      return this.#drop(bytes, from);
    }
    const to = lineEnd < 0 ? bytes.length : lineEnd;
    const byteEnd = this.#offset + this.#options.measure(bytes, from, to);
    const isTooLong = to - from > this.#options.maxRowBytes || reason === INCOMPLETE;
    const problem = isTooLong
      ? lineTooLong(this.#options.maxRowBytes)
      : this.#quoteProblem(bytes, from, reason);
    this.#emit(rows, {
      nextLine: this.#line + 1,
      byteEnd,
      cells: null,
      problem,
      excerpt: this.#excerpt(bytes, from, to),
    });
    this.#line += 1;
    this.#offset = byteEnd;
    return to;
  }

  #quoteProblem(bytes: Buffer, from: number, reason: number): string {
    const line = this.#line + countLineEnds(bytes, from, this.#scanner.quoteAt);
    const { quote, escape: escaping = null } = this.#options;
    const inText = `${escaping ?? quote ?? ''}${quote ?? ''}`;
    if (reason === AFTER_QUOTE) {
      return `Expected a delimiter after the closing quote of the cell that begins in line ${line}, got other text. A quote inside a quoted cell must be ${escaping === null ? 'doubled' : 'escaped'} (${inText}).`;
    }
    return `The quote opened in line ${line} is not closed. Close it, ${escaping === null ? 'double' : 'escape'} it (${inText}) if it belongs to the text, or read the file without quotes.`;
  }

  /** All bytes belong to a line that is too long. A CR at the end stays, because an LF may follow it. */
  #drop(bytes: Buffer, from: number): number {
    const to = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
    this.#offset += this.#options.measure(bytes, from, to);
    return to;
  }

  /** Looks for the end of a line that is too long. Returns the offset up to which everything is read. */
  #skip(bytes: Buffer, isLast: boolean, rows: SourceRow[]): number {
    const skipping = this.#skipping;
    if (skipping === null) return 0;
    const end = afterLineEnd(bytes, 0, isLast);
    if (end < 0 && !isLast) return this.#drop(bytes, 0);
    const to = end < 0 ? bytes.length : end;
    this.#offset += this.#options.measure(bytes, 0, to);
    const problem = lineTooLong(this.#options.maxRowBytes);
    this.#emit(rows, { ...skipping, nextLine: this.#line + 1, byteEnd: this.#offset, cells: null, problem });
    this.#line += 1;
    this.#skipping = null;
    return to;
  }
}
