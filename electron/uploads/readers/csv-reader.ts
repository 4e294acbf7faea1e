/**
 * Delimited text, cell by cell over bytes. Quotes may hold delimiters, line ends and doubled quotes. What is not
 * well formed never swallows what follows: the first line of the row at fault is bad, reading goes on with the next.
 */
import { isAscii } from 'node:buffer';
import { ByteQueue } from './byte-queue.ts';
import { NumberList } from './number-list.ts';
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
  /** Null where the file has no quotes. */
  quote: string | null;
  /** Cells each row must have; null while the header is read. */
  columns: number | null;
  /** Takes the rows that are well formed; only the others come back as rows. */
  sink?: CellSink | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

const INCOMPLETE = -1;
const OPEN_QUOTE = -2;
const AFTER_QUOTE = -3;

export class CsvReader implements RowReader {
  readonly #options: CsvOptions;
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #bytes: ByteQueue;
  #offset: number;
  #line: number;
  #row: number;
  /** In a line that is too long: everything up to its end is dropped. */
  #skipping: { byteStart: number; excerpt: string } | null = null;
  /** Bounds of the cells of the row that was scanned last: start, end, has doubled quotes. */
  readonly #bounds = new NumberList();
  #hasQuotes = false;
  #quoteAt = 0;
  /** Of the row that the sink takes, filled anew for each. */
  readonly #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#bytes = new ByteQueue(options.maxRowBytes);
    this.#delimiter = options.delimiter.charCodeAt(0);
    this.#quote = options.quote === null ? -1 : options.quote.charCodeAt(0);
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

  /** Reads complete rows; returns where the incomplete one begins. */
  #readRows(bytes: Buffer, from: number, isLast: boolean, rows: SourceRow[]): number {
    const isPlain = isAscii(bytes);
    const text = isPlain && this.#options.sink === undefined ? bytes.toString('latin1') : null;
    const isValid = isPlain || this.#options.decode.isValid(bytes);
    let at = from;
    while (at < bytes.length && this.#skipping === null) {
      at = this.#passBlankLines(bytes, at);
      if (at >= bytes.length) return at;
      const end = this.#scan(bytes, at, isLast);
      if (end >= 0) {
        this.#take(bytes, at, end, { text, isValid }, rows);
        at = end;
        continue;
      }
      const isTooLong = bytes.length - at > this.#options.maxRowBytes;
      if (end === INCOMPLETE && !isTooLong) return at;
      if (end === OPEN_QUOTE && !isTooLong && !isLast) return at;
      at = this.#giveUp(bytes, at, end, isLast, rows);
    }
    return at;
  }

  /** Millions of them in a row, as after a quote that is never closed, are counted and not read one by one. */
  #passBlankLines(bytes: Buffer, from: number): number {
    let at = from;
    while (bytes[at] === LF) at += 1;
    if (at === from) return at;
    this.#line += at - from;
    this.#offset += this.#options.measure(bytes, from, at);
    return at;
  }

  /** Finds the end of the row at `from` and its cells; negative where there is none. */
  #scan(bytes: Buffer, from: number, isLast: boolean): number {
    const bounds = this.#bounds;
    const delimiter = this.#delimiter;
    const length = bytes.length;
    bounds.clear();
    this.#hasQuotes = false;
    let at = from;
    for (;;) {
      if (bytes[at] === this.#quote && at < length) {
        at = this.#scanQuoted(bytes, at, isLast);
        if (at < 0) return at;
      } else {
        const start = at;
        let byte = bytes[at];
        while (at < length && byte !== delimiter && byte !== LF && byte !== CR) {
          at += 1;
          byte = bytes[at];
        }
        bounds.push(start);
        bounds.push(at);
        bounds.push(0);
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

  /** Returns where the delimiter or line end after a quoted cell stands (or the end of the bytes). */
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
      hasDoubled = 1;
    }
    this.#bounds.push(open + 1);
    this.#bounds.push(close);
    this.#bounds.push(hasDoubled);
    let at = close + 1;
    while (bytes[at] === SPACE && this.#delimiter !== SPACE) at += 1;
    if (at >= bytes.length) return isLast ? bytes.length : INCOMPLETE;
    const byte = bytes[at];
    return byte === this.#delimiter || byte === LF || byte === CR ? at : AFTER_QUOTE;
  }

  #take(
    bytes: Buffer,
    from: number,
    to: number,
    how: { text: string | null; isValid: boolean },
    rows: SourceRow[],
  ): void {
    const bounds = this.#bounds;
    const isBlank = bounds.length === 3 && !this.#hasQuotes && bounds.at(0) === bounds.at(1);
    const nextLine = this.#line + (this.#hasQuotes ? Math.max(countLineEnds(bytes, from, to), 1) : 1);
    const byteEnd = this.#offset + this.#options.measure(bytes, from, to);
    if (!isBlank) {
      const problem = this.#problemOf(bytes, from, to, how.isValid);
      const { sink } = this.#options;
      if (problem === null && sink !== undefined) this.#give(sink, bytes, nextLine, byteEnd);
      else {
        const cells = problem === null ? this.#cells(bytes, how.text) : null;
        const excerpt = problem === null ? null : this.#excerpt(bytes, from, to);
        // Written out, not spread: this runs once for every row of the file.
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
    const found = this.#bounds.length / 3;
    if (columns === null || found === columns) return null;
    return `Expected ${columns} cells, got ${found}. Check for a missing or an unquoted delimiter.`;
  }

  #cells(bytes: Buffer, text: string | null): string[] {
    const bounds = this.#bounds;
    const quote = this.#options.quote ?? '';
    const cells: string[] = new Array(bounds.length / 3);
    for (let index = 0; index < bounds.length; index += 3) {
      const start = bounds.at(index);
      const end = bounds.at(index + 1);
      const cell = text === null ? this.#options.decode(bytes, start, end) : text.slice(start, end);
      cells[index / 3] = bounds.at(index + 2) === 1 ? cell.replaceAll(quote + quote, quote) : cell;
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
    // A few bytes more than characters wanted; a character cut in two at the end is cut away with the rest.
    return excerptOf(this.#options.decode(bytes, from, Math.min(to, from + 1_000)).replace(/[\r\n]+$/, ''));
  }

  /** The row cannot be read: its first line is bad, the next line is where reading goes on. */
  #giveUp(bytes: Buffer, from: number, why: number, isLast: boolean, rows: SourceRow[]): number {
    const lineEnd = afterLineEnd(bytes, from, isLast);
    if (lineEnd < 0 && !isLast) {
      this.#skipping = { byteStart: this.#offset, excerpt: this.#excerpt(bytes, from, bytes.length) };
      return this.#drop(bytes, from);
    }
    const to = lineEnd < 0 ? bytes.length : lineEnd;
    const byteEnd = this.#offset + this.#options.measure(bytes, from, to);
    const isTooLong = to - from > this.#options.maxRowBytes || why === INCOMPLETE;
    const problem = isTooLong ? lineTooLong(this.#options.maxRowBytes) : this.#quoteProblem(bytes, from, why);
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

  #quoteProblem(bytes: Buffer, from: number, why: number): string {
    const line = this.#line + countLineEnds(bytes, from, this.#quoteAt);
    const quote = this.#options.quote ?? '';
    if (why === AFTER_QUOTE) {
      return `Expected a delimiter after the closing quote of the cell that begins in line ${line}, got other text. A quote inside a quoted cell must be doubled (${quote}${quote}).`;
    }
    return `The quote opened in line ${line} is not closed. Close it, double it (${quote}${quote}) if it belongs to the text, or read the file without quotes.`;
  }

  /** Everything belongs to a line that is too long; a CR at the end stays, because an LF may follow it. */
  #drop(bytes: Buffer, from: number): number {
    const to = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
    this.#offset += this.#options.measure(bytes, from, to);
    return to;
  }

  /** Looks for the end of the line that is too long; returns how far everything is read. */
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
