/** Reads JSON arrays of objects, one or several after each other, holding only one element in memory at a time. */
import { AppError } from '../../shared/errors.ts';
import { isMark, MARK } from './byte-order-mark.ts';
import { ByteQueue } from './byte-queue.ts';
import { jsonRow, noteOddities } from './json-reader.ts';
import {
  countLineEnds,
  encodingProblem,
  excerptOf,
  type ReaderOptions,
  type RowReader,
  type SourceRow,
} from './row-source.ts';

const code = (character: string): number => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code('\\');
const COMMA = code(',');
const OPEN_ARRAY = code('[');
const CLOSE_ARRAY = code(']');
const OPENERS = new Set([OPEN_ARRAY, code('{')]);
const CLOSERS = new Set([CLOSE_ARRAY, code('}')]);
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

const INCOMPLETE = -1;

export class JsonArrayReader implements RowReader {
  readonly #options: ReaderOptions;
  readonly #bytes: ByteQueue;
  #offset: number;
  #line: number;
  #row: number;
  #phase: 'before' | 'inside' | 'after';

  /** A `start` after the beginning of the file is inside the array, between two elements. */
  constructor(options: ReaderOptions & { isInside: boolean }) {
    this.#options = options;
    this.#bytes = new ByteQueue(options.maxRowBytes);
    this.#offset = options.start.byteOffset;
    this.#line = options.start.line;
    this.#row = options.start.row;
    this.#phase = options.isInside ? 'inside' : 'before';
  }

  push(bytes: Buffer): SourceRow[] {
    return this.#bytes.add(bytes) ? this.#read(false) : [];
  }

  end(): SourceRow[] {
    const rows = this.#read(true);
    if (this.#phase !== 'after') rows.push(this.#cutOff(Buffer.alloc(0), 0));
    return rows;
  }

  #read(isLast: boolean): SourceRow[] {
    const bytes = this.#bytes.all();
    const rows: SourceRow[] = [];
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (SPACES.has(byte) || this.#isPunctuation(byte)) {
        // A CR at the end of the chunk may belong to an LF in the next one.
        if (byte === 0x0d && at + 1 === bytes.length && !isLast) break;
        this.#pass(bytes, at, at + 1);
        at += 1;
        continue;
      }
      if (this.#phase === 'after' && byte === MARK[0]) {
        if (bytes.length - at < MARK.length && !isLast) break;
        if (isMark(bytes, at)) {
          this.#options.facts?.add('order-mark', this.#line);
          this.#pass(bytes, at, at + MARK.length);
          at += MARK.length;
          continue;
        }
      }
      if (this.#phase !== 'inside') throw this.#malformed(byte);
      const end = elementEnd(bytes, at, isLast);
      if (end === INCOMPLETE) {
        if (!isLast && bytes.length - at <= this.#options.maxRowBytes) break;
        if (!isLast) throw this.#unclosed();
        rows.push(this.#cutOff(bytes, at));
        at = bytes.length;
        break;
      }
      this.#take(bytes, at, end, rows);
      at = end;
    }
    this.#bytes.keepFrom(at);
    return rows;
  }

  #isPunctuation(byte: number): boolean {
    if (this.#phase !== 'inside' && byte === OPEN_ARRAY) {
      // The file consists of joined files, or of pages written one after the other.
      if (this.#phase === 'after') this.#options.facts?.add('array-again', this.#line);
      this.#phase = 'inside';
      return true;
    }
    if (this.#phase === 'inside' && byte === CLOSE_ARRAY) {
      this.#phase = 'after';
      return true;
    }
    return this.#phase === 'inside' && byte === COMMA;
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    this.#line += countLineEnds(bytes, from, to);
    this.#offset += this.#options.measure(bytes, from, to);
  }

  #take(bytes: Buffer, from: number, to: number, rows: SourceRow[]): void {
    const { decode } = this.#options;
    const byteStart = this.#offset;
    const line = this.#line;
    this.#pass(bytes, from, to);
    const text = decode(bytes, from, to);
    const content = decode.isValid(bytes.subarray(from, to))
      ? jsonRow(text, this.#options)
      : { record: null, problem: encodingProblem(decode.encoding), excerpt: excerptOf(text) };
    const row: SourceRow = { ...this.#rowAt(byteStart, content), line };
    noteOddities(this.#options.facts, row);
    rows.push(row);
  }

  /** The file ends inside the array. The rest is reported as a bad row, so that the loss is visible. */
  #cutOff(bytes: Buffer, from: number): SourceRow {
    const byteStart = this.#offset;
    const line = this.#line;
    const excerpt = excerptOf(this.#options.decode(bytes, from, Math.min(bytes.length, from + 1_000)));
    this.#pass(bytes, from, bytes.length);
    this.#phase = 'after';
    const problem = 'The file ends before the array is closed: it was cut off. Get the whole file again.';
    return { ...this.#rowAt(byteStart, { record: null, problem, excerpt }), line };
  }

  #rowAt(
    byteStart: number,
    content: Pick<SourceRow, 'record' | 'problem' | 'excerpt' | 'oddities' | 'asWritten' | 'wrapper'>,
  ): SourceRow {
    const row = this.#row;
    this.#row += 1;
    const line = this.#line;
    return { row, line, nextLine: line, byteStart, byteEnd: this.#offset, cells: null, ...content };
  }

  #malformed(byte: number): AppError {
    const got = byte >= 0x20 && byte < 0x7f ? `“${String.fromCharCode(byte)}”` : 'other bytes';
    const expected =
      this.#phase === 'before' ? 'an array of objects that begins with “[”' : 'nothing after the array';
    return new AppError('FILE_MALFORMED', `Line ${this.#line}: expected ${expected}, got ${got}.`, {
      line: this.#line,
    });
  }

  #unclosed(): AppError {
    const size = Math.round(this.#options.maxRowBytes / 1_000_000);
    return new AppError(
      'FILE_MALFORMED',
      `The object that begins in line ${this.#line} is not closed within ${size} MB. Expected “}”; check the brackets and quotes from there on.`,
      { line: this.#line },
    );
  }
}

/** Offset after the element that begins at `from`, or INCOMPLETE. */
function elementEnd(bytes: Buffer, from: number, isLast: boolean): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      if (at === INCOMPLETE) return INCOMPLETE;
      continue;
    }
    if (depth === 0 && at > from && (byte === COMMA || byte === CLOSE_ARRAY)) return at;
    if (OPENERS.has(byte)) depth += 1;
    if (CLOSERS.has(byte)) {
      depth -= 1;
      if (depth <= 0) return at + 1;
    }
    at += 1;
  }
  return isLast && depth === 0 ? at : INCOMPLETE;
}

function stringEnd(bytes: Buffer, open: number): number {
  for (let at = open + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) return at + 1;
  }
  return INCOMPLETE;
}
