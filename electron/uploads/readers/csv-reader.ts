/**
 * Reads delimited text cell by cell over bytes. Quotes may hold delimiters, line ends and doubled quotes. A malformed
 * row never swallows the rows after it: its first line is reported as bad, and reading continues with the next line.
 */
import { isAscii } from 'node:buffer';
import { ByteQueue } from './byte-queue.ts';
import { CellBounds } from './cell-bounds.ts';
import { cellText, DOUBLED, ESCAPED } from './cell-text.ts';
import type { ReadingFacts } from './reading-facts.ts';
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
  type SourceRow,
} from './row-source.ts';

interface CsvOptions extends ReaderOptions {
  delimiter: string;
  /** Null if the file has no quotes. */
  quote: string | null;
  /** Makes the next character part of the text; null if only doubled quotes do. */
  escape?: string | null;
  /** Number of cells each row must have; null while the header is read. */
  columns: number | null;
  /** Number of trailing cells that may be missing: columns without a name. */
  spare?: number;
  /** Bytes of the header without its line end: lines equal to it, as in files that were joined, are passed over. */
  header?: Buffer | null;
  /** Receives the well-formed rows; only the others are returned as rows. */
  sink?: CellSink | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;

/** Not the sign of any dialect, not even of one without quotes. */
const NO_BYTE = -2;

const INCOMPLETE = -1;
const OPEN_QUOTE = -2;
const AFTER_QUOTE = -3;

export class CsvReader implements RowReader {
  readonly #options: CsvOptions;
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #escape: number;
  readonly #spare: number;
  /** True if the cells of a well-formed row are checked once more. */
  readonly #looksAtCells: boolean;
  readonly #bytes: ByteQueue;
  #offset: number;
  #line: number;
  #row: number;
  /** Set inside a line that is too long: everything up to its end is dropped. */
  #skipping: { byteStart: number; excerpt: string } | null = null;
  /** The cells of the last scanned row. */
  readonly #bounds = new CellBounds();
  #hasQuotes = false;
  /** Number of cells of that row with blanks before their quote. */
  #padded = 0;
  /** True if blanks before a quote are ignored; false if the row is well formed only when they are part of the text. */
  #passesBlanks = true;
  #quoteAt = 0;
  /** Place of the row passed to the sink, reused for each row. */
  readonly #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#bytes = new ByteQueue(options.maxRowBytes);
    this.#delimiter = options.delimiter.charCodeAt(0);
    this.#quote = options.quote === null ? -1 : options.quote.charCodeAt(0);
    this.#escape = (options.escape ?? null) === null ? -1 : (options.escape ?? '').charCodeAt(0);
    this.#spare = options.spare ?? 0;
    this.#looksAtCells = this.#spare > 0 || (options.quote === "'" && options.facts !== undefined);
    this.#offset = options.start.byteOffset;
    this.#line = options.start.line;
    this.#row = options.start.row;
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
    const isValid = isPlain || this.#options.decode.isValid(bytes);
    let at = from;
    while (at < bytes.length && this.#skipping === null) {
      at = this.#passBlankLines(bytes, at);
      if (at >= bytes.length) return at;
      const end = this.#scanRow(bytes, at, isLast);
      if (end >= 0) {
        this.#take(bytes, at, end, { text, isValid }, rows);
        at = end;
        continue;
      }
      const isTooLong = bytes.length - at > this.#options.maxRowBytes;
      if (end === INCOMPLETE && !isTooLong) return at;
      if (end === OPEN_QUOTE && !isTooLong && !isLast) return at;
      // The reason of a malformed row needs its whole line.
      if (!isTooLong && !isLast && afterLineEnd(bytes, at, isLast) < 0) return at;
      at = this.#giveUp(bytes, at, end, isLast, rows);
    }
    return at;
  }

  /**
   * Skips blank lines in a loop: millions of them, e.g. after an unclosed quote, are counted and not read one by one.
   */
  #passBlankLines(bytes: Buffer, from: number): number {
    let at = from;
    while (bytes[at] === LF) at += 1;
    if (at === from) return at;
    this.#line += at - from;
    this.#offset += this.#options.measure(bytes, from, at);
    return at;
  }

  /** Scans a row, and a second time with blanks before quotes as text if it is well formed only that way. */
  #scanRow(bytes: Buffer, from: number, isLast: boolean): number {
    const end = this.#scan(bytes, from, isLast);
    if (this.#padded === 0 || (end >= 0 && this.#hasAllCells())) return end;
    const mayClose = end === INCOMPLETE || (end === OPEN_QUOTE && !isLast);
    if (mayClose && bytes.length - from <= this.#options.maxRowBytes) return end;
    this.#passesBlanks = false;
    const plainEnd = this.#scan(bytes, from, isLast);
    this.#passesBlanks = true;
    return plainEnd;
  }

  /** True if the last scanned row has the required number of cells. */
  #hasAllCells(): boolean {
    const { columns } = this.#options;
    const found = this.#bounds.cells;
    return columns === null || (found <= columns && found >= columns - this.#spare);
  }

  /** Finds the end of the row at `from` and its cells. Negative if there is no end. */
  #scan(bytes: Buffer, from: number, isLast: boolean): number {
    const bounds = this.#bounds;
    const delimiter = this.#delimiter;
    const lastSign = Math.max(delimiter, CR);
    const length = bytes.length;
    bounds.length = 0;
    this.#hasQuotes = false;
    this.#padded = 0;
    if (this.#escape >= 0) return this.#scanEscaped(bytes, from, isLast);
    let at = from;
    for (;;) {
      const first = at < length ? (bytes[at] ?? NO_BYTE) : NO_BYTE;
      // The cell begins with a blank, so a quote may follow it.
      const padded = first === SPACE || first === TAB ? this.#scanPadded(bytes, at, isLast) : AFTER_QUOTE;
      if (padded !== AFTER_QUOTE) {
        if (padded < 0) return padded;
        at = padded;
      } else if (first === this.#quote) {
        at = this.#scanQuoted(bytes, at, isLast);
        if (at < 0) return at;
      } else {
        const start = at;
        for (; at < length; at += 1) {
          const each = bytes[at] ?? 0;
          // Most bytes of most files are higher than the signs.
          if (each <= lastSign && (each === delimiter || each === LF || each === CR)) break;
        }
        bounds.push(start, at, 0);
      }
      if (at >= length) return isLast ? length : INCOMPLETE;
      const byte = bytes[at];
      at += 1;
      if (byte === delimiter) continue;
      if (byte === LF) return at;
      if (at < length) return bytes[at] === LF ? at + 1 : at;
      return isLast ? at : INCOMPLETE;
    }
  }

  /** The end of a cell that is quoted after blanks, as for one without blanks. AFTER_QUOTE if it is not quoted. */
  #scanPadded(bytes: Buffer, start: number, isLast: boolean): number {
    if (!this.#passesBlanks || this.#quote < 0) return AFTER_QUOTE;
    const open = this.#passBlanks(bytes, start);
    if (open === start || bytes[open] !== this.#quote || open >= bytes.length) return AFTER_QUOTE;
    const end =
      this.#escape < 0 ? this.#scanQuoted(bytes, open, isLast) : this.#scanQuotedEscaped(bytes, open, isLast);
    if (end !== AFTER_QUOTE) this.#padded += 1;
    return end;
  }

  #passBlanks(bytes: Buffer, from: number): number {
    let at = from;
    while ((bytes[at] === SPACE || bytes[at] === TAB) && bytes[at] !== this.#delimiter) at += 1;
    return at;
  }

  /** The same for a dialect in which an escape makes the next character part of the text. */
  #scanEscaped(bytes: Buffer, from: number, isLast: boolean): number {
    const length = bytes.length;
    let at = from;
    for (;;) {
      const isQuoted = bytes[at] === this.#quote && at < length;
      const end = isQuoted ? this.#scanQuotedEscaped(bytes, at, isLast) : this.#scanPadded(bytes, at, isLast);
      if (!isQuoted && end === AFTER_QUOTE) at = this.#scanPlainEscaped(bytes, at);
      else if (end < 0) return end;
      else at = end;
      if (at >= length) return isLast ? length : INCOMPLETE;
      const byte = bytes[at];
      at += 1;
      if (byte === this.#delimiter) continue;
      if (byte === LF) return at;
      if (at < length) return bytes[at] === LF ? at + 1 : at;
      return isLast ? at : INCOMPLETE;
    }
  }

  /** The end of a cell without quotes. */
  #scanPlainEscaped(bytes: Buffer, start: number): number {
    let marks = 0;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === this.#delimiter || byte === LF || byte === CR) break;
      if (byte !== this.#escape) continue;
      marks = ESCAPED;
      at += bytes[at + 1] === CR && bytes[at + 2] === LF ? 2 : 1;
    }
    const end = Math.min(at, bytes.length);
    // An escaped line end belongs to the cell, so the row may span several lines.
    if (marks !== 0) this.#hasQuotes = true;
    this.#bounds.push(start, end, marks);
    return end;
  }

  #scanQuotedEscaped(bytes: Buffer, open: number, isLast: boolean): number {
    const quote = this.#quote;
    this.#hasQuotes = true;
    this.#quoteAt = open;
    let marks = 0;
    let at = open + 1;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === this.#escape) {
        marks |= ESCAPED;
        at += 1;
      } else if (byte === quote) {
        if (at + 1 >= bytes.length && !isLast) return INCOMPLETE;
        if (bytes[at + 1] !== quote) break;
        marks |= DOUBLED;
        at += 1;
      }
    }
    if (at >= bytes.length) return OPEN_QUOTE;
    return this.#closeQuoted(bytes, open, at, marks, isLast);
  }

  /** Returns the offset of the delimiter or line end after a quoted cell, or the end of the bytes. */
  #scanQuoted(bytes: Buffer, open: number, isLast: boolean): number {
    const quote = this.#quote;
    this.#hasQuotes = true;
    this.#quoteAt = open;
    let hasDoubled = 0;
    let close = bytes.indexOf(quote, open + 1);
    for (; ; close = bytes.indexOf(quote, close + 2)) {
      if (close < 0) return OPEN_QUOTE;
      if (close + 1 >= bytes.length) {
        if (!isLast) return INCOMPLETE;
        break;
      }
      if (bytes[close + 1] !== quote) break;
      hasDoubled = DOUBLED;
    }
    return this.#closeQuoted(bytes, open, close, hasDoubled, isLast);
  }

  /** The end of a cell with quotes at `open` and `close`. Negative if other text follows. */
  #closeQuoted(bytes: Buffer, open: number, close: number, marks: number, isLast: boolean): number {
    const at = this.#passBlanks(bytes, close + 1);
    if (at >= bytes.length && !isLast) return INCOMPLETE;
    const byte = bytes[at];
    if (at < bytes.length && byte !== this.#delimiter && byte !== LF && byte !== CR) return AFTER_QUOTE;
    this.#bounds.push(open + 1, close, marks);
    return Math.min(at, bytes.length);
  }

  #take(
    bytes: Buffer,
    from: number,
    to: number,
    how: { text: string | null; isValid: boolean },
    rows: SourceRow[],
  ): void {
    const bounds = this.#bounds;
    const isBlank = bounds.length === 3 && !this.#hasQuotes && bounds.isEmpty(0);
    const nextLine = this.#line + (this.#hasQuotes ? Math.max(countLineEnds(bytes, from, to), 1) : 1);
    const byteEnd = this.#offset + this.#options.measure(bytes, from, to);
    if (!isBlank && !this.#isHeaderAgain(bytes, from, to)) {
      const problem = this.#problemOf(bytes, from, to, how.isValid);
      const { sink } = this.#options;
      if (problem === null && (this.#padded > 0 || this.#looksAtCells)) this.#completeRow(bytes);
      if (problem === null && sink !== undefined) this.#give(sink, bytes, nextLine, byteEnd);
      else {
        const cells = problem === null ? this.#cells(bytes, how.text) : null;
        const excerpt = problem === null ? null : this.#excerpt(bytes, from, to);
        // Written out without spread, because this runs for every row of the file.
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
    // The name of a single column may well be a value in it.
    if (header === null || columns === 1 || to - start < header.length) return false;
    // Each of the joined files may have its own byte order mark.
    const from =
      bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf ? start + 3 : start;
    const end = from + header.length;
    if (end > to || (end < to && bytes[end] !== LF && bytes[end] !== CR)) return false;
    if (bytes.compare(header, 0, header.length, from, end) !== 0) return false;
    facts?.add('header-again', this.#line);
    return true;
  }

  #give(sink: CellSink, bytes: Buffer, nextLine: number, byteEnd: number): void {
    const place = this.#place;
    place.row = this.#row;
    place.line = this.#line;
    place.nextLine = nextLine;
    place.byteStart = this.#offset;
    place.byteEnd = byteEnd;
    sink.take(bytes, this.#bounds, place);
    this.#row += 1;
  }

  #problemOf(bytes: Buffer, from: number, to: number, isValid: boolean): string | null {
    const { columns, decode, maxRowBytes } = this.#options;
    if (to - from > maxRowBytes) return lineTooLong(maxRowBytes);
    if (!isValid && !decode.isValid(bytes.subarray(from, to))) return encodingProblem(decode.encoding);
    if (this.#hasAllCells()) return null;
    const found = this.#bounds.cells;
    return `Expected ${(columns ?? 0) - this.#spare} cells, got ${found}. Check for a missing or an unquoted delimiter.`;
  }

  /** Adds missing cells of unnamed columns, and counts irregularities of a well-formed row. */
  #completeRow(bytes: Buffer): void {
    const { columns, facts, quote } = this.#options;
    if (this.#padded > 0) facts?.add('blank-before-quote', this.#line, this.#padded);
    if (this.#spare > 0 && columns !== null) this.#completeCells(columns, facts);
    if (quote === "'" && facts !== undefined) {
      const bounds = this.#bounds;
      for (let cell = 0; cell < bounds.cells; cell += 1) {
        const start = bounds.startOf(cell);
        if (!bounds.isEmpty(cell) && bytes[start] === DOUBLE_QUOTE && bytes[start - 1] !== this.#quote)
          facts.add('other-quote', this.#line);
      }
    }
  }

  #completeCells(columns: number, facts: ReadingFacts | undefined): void {
    const bounds = this.#bounds;
    for (let cell = columns - this.#spare; cell < columns; cell += 1) {
      if (cell >= bounds.cells) {
        const end = bounds.endOf(bounds.cells - 1);
        bounds.push(end, end, 0);
      } else if (!bounds.isEmpty(cell)) facts?.add('nameless', this.#line);
    }
  }

  #cells(bytes: Buffer, text: string | null): string[] {
    const bounds = this.#bounds;
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
    // Takes a few more bytes than the characters needed, so that a character cut in two at the end is dropped.
    return excerptOf(this.#options.decode(bytes, from, Math.min(to, from + 1_000)).replace(/[\r\n]+$/, ''));
  }

  /** The row cannot be read: its first line is bad, and reading continues on the next line. */
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
    const line = this.#line + countLineEnds(bytes, from, this.#quoteAt);
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
