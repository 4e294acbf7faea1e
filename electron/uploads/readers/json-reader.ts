/** Reads JSON objects, one per line. A line that is not an object is a bad row; the next line is still read. */

import { isAscii, isUtf8 } from 'node:buffer';
import { isObject } from '../../core/items/flattened.ts';
import type { Wrapper } from '../../shared/dialect.ts';
import { parseAsWritten } from '../../shared/exact-json.ts';
import { doubledKeys, type JsonOddity, parseLenient } from '../../shared/lenient-json.ts';
import { ByteQueue } from './byte-queue.ts';
import { isUtf16 } from './encoding.ts';
import type { ReadingFacts } from './reading-facts.ts';
import {
  encodingProblem,
  excerptOf,
  type LineSink,
  lineTooLong,
  type ReaderOptions,
  type RowPlace,
  type RowReader,
  type SourceRow,
} from './row-source.ts';
import { mayBeTyped, withoutTypes } from './typed-json.ts';
import { withoutWrapper } from './wrapped-record.ts';

const LF = 0x0a;

type RowContent = Pick<SourceRow, 'record' | 'problem' | 'excerpt' | 'oddities' | 'asWritten' | 'wrapper'>;

/** The problem reported for a row that is an array and so has no column names. */
export const ROW_IS_LIST =
  'Expected a JSON object, got an array. Write each row with the names of its columns, such as {"id": 1}.';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Parses a piece of JSON text as a row. `isDeep`: also converts typed values nested inside its values. `wrapper`: key of
 * the object that holds its values.
 */
export function jsonRow(
  given: string,
  { isDeep = false, wrapper = null }: Pick<ReaderOptions, 'isDeep' | 'wrapper'> = {},
): RowContent {
  // Files that were joined may have byte order marks between their rows.
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
  if (isTooDeep(text)) {
    return bad(
      text,
      `Expected at most ${MAX_LEVELS} levels of lists and objects, got more. Flatten the data.`,
    );
  }
  let value: unknown;
  let oddities: readonly JsonOddity[];
  try {
    ({ value, oddities } = parseLenient(text));
  } catch (problem) {
    return bad(text, `Expected a JSON object, got text that is not JSON (${syntaxReason(problem)}).`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    if (Array.isArray(value)) return bad(text, ROW_IS_LIST);
    const got = value === null ? 'null' : `a ${typeof value}`;
    return bad(text, `Expected a JSON object, got ${got}.`);
  }
  const typed = mayBeTyped(text) ? withoutTypes({ ...value }, isDeep) : null;
  const all = [...oddities, ...doubledKeys(text, value), ...(typed?.oddities ?? [])];
  const record = typed?.record ?? { ...value };
  const unwrapped = wrapper === null ? null : withoutWrapper(record, wrapper);
  return {
    record: unwrapped ?? record,
    problem: null,
    excerpt: null,
    asWritten: once(() => parsedAsWritten(text, wrapper)),
    ...(all.length === 0 ? {} : { oddities: all }),
    ...(wrapper === null ? {} : { wrapper: { key: wrapper, isTaken: unwrapped !== null } }),
  };
}

/** The reason of a syntax error, without the text around it. Its line would be one of the row, not one of the file. */
function syntaxReason(problem: unknown): string {
  if (!(problem instanceof Error)) return '';
  return problem.message
    .replace(/,? ?"[\s\S]*/, '')
    .replace(
      /(?: in JSON)? at position (\d+)[\s\S]*/,
      (_found, before: string) => ` at character ${Number(before) + 1} of the row`,
    );
}

function parsedAsWritten(text: string, wrapper: Wrapper | null): Record<string, unknown> | null {
  const { value } = parseLenient(text, parseAsWritten);
  if (!isObject(value)) return null;
  return wrapper === null ? value : (withoutWrapper(value, wrapper) ?? value);
}

function once<T>(compute: () => T): () => T {
  let known: { value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Values nested more deeply could be parsed, but neither checked nor serialized again. */
const MAX_LEVELS = 500;

function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_LEVELS) return false;
  let levels = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isInText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isInText = false;
    } else if (letter === '"') isInText = true;
    else if (letter === '[' || letter === '{') {
      levels += 1;
      if (levels > MAX_LEVELS) return true;
    } else if (letter === ']' || letter === '}') levels -= 1;
  }
  return false;
}

/** Records the irregularities of a row. */
export function noteOddities(
  facts: ReadingFacts | undefined,
  { oddities = [], wrapper, line }: SourceRow,
): void {
  for (const { kind, key } of oddities) facts?.add(kind, line, 1, key);
  if (wrapper !== undefined) facts?.add(wrapper.isTaken ? 'wrapped' : 'not-wrapped', line, 1, wrapper.key);
}

function bad(text: string, problem: string): RowContent {
  return { record: null, problem, excerpt: excerptOf(text.trim()) };
}

/** Programs of Windows write Ctrl-Z behind the last line of files that they join. */
const END_OF_FILE = '\x1a';

interface LinesOptions extends ReaderOptions {
  /** Receives the well-formed rows; only the others are returned as rows. */
  sink?: LineSink | undefined;
}

export class JsonLinesReader implements RowReader {
  readonly #options: LinesOptions;
  readonly #isUtf8: boolean;
  readonly #bytes: ByteQueue;
  #offset: number;
  #line: number;
  #row: number;
  #skipping: { byteStart: number; excerpt: string } | null = null;
  /** Position of the line that is passed to the sink, reused to avoid one object per line. */
  readonly #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };

  constructor(options: LinesOptions) {
    this.#options = options;
    const { encoding } = options.decode;
    this.#isUtf8 = encoding === 'utf-8' || isUtf16(encoding);
    this.#bytes = new ByteQueue(options.maxRowBytes);
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
    const sink = this.#canTake(bytes, isLast) ? this.#options.sink : undefined;
    let at = 0;
    while (at < bytes.length || (isLast && this.#skipping !== null)) {
      const lineEnd = bytes.indexOf(LF, at);
      if (lineEnd < 0 && !isLast) break;
      const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
      this.#take(bytes, at, end, sink, rows);
      at = end;
    }
    if (bytes.length - at > this.#options.maxRowBytes || (this.#skipping !== null && !isLast)) {
      this.#skipping ??= { byteStart: this.#offset, excerpt: this.#excerpt(bytes, at, bytes.length) };
      this.#offset += this.#options.measure(bytes, at, bytes.length);
      at = bytes.length;
    }
    this.#bytes.keepFrom(at);
    return rows;
  }

  /** True if the sink may read these bytes directly, i.e. if they are the UTF-8 in which JSON is sent. */
  #canTake(bytes: Buffer, isLast: boolean): boolean {
    const lines = isLast ? bytes : bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
    const { sink, wrapper = null } = this.#options;
    // The sink would take the keys of a row without the object as columns.
    return sink !== undefined && wrapper === null && (isAscii(lines) || (this.#isUtf8 && isUtf8(lines)));
  }

  #take(bytes: Buffer, from: number, to: number, sink: LineSink | undefined, rows: SourceRow[]): void {
    const byteStart = this.#offset;
    this.#offset += this.#options.measure(bytes, from, to);
    const line = this.#line;
    this.#line += 1;
    if (this.#skipping !== null || to - from > this.#options.maxRowBytes) {
      const { byteStart: start, excerpt } = this.#skipping ?? {
        byteStart,
        excerpt: this.#excerpt(bytes, from, to),
      };
      const problem = lineTooLong(this.#options.maxRowBytes);
      const place = { row: this.#nextRow(), line, nextLine: line + 1, byteStart: start };
      rows.push({ ...place, byteEnd: this.#offset, cells: null, record: null, problem, excerpt });
      this.#skipping = null;
      return;
    }
    if (sink !== undefined) {
      const place = this.#place;
      place.row = this.#row;
      place.line = line;
      place.nextLine = line + 1;
      place.byteStart = byteStart;
      place.byteEnd = this.#offset;
      if (sink.takeLine(bytes, from, to, place)) {
        this.#row += 1;
        return;
      }
    }
    const { decode } = this.#options;
    const text = decode(bytes, from, to);
    if (text.trim() === '' || text.trim() === END_OF_FILE) return;
    const isValid = decode.isValid(bytes.subarray(from, to));
    const content = isValid ? jsonRow(text, this.#options) : bad(text, encodingProblem(decode.encoding));
    const place = { line, nextLine: line + 1, byteStart, byteEnd: this.#offset, cells: null };
    const row: SourceRow = { ...place, row: this.#nextRow(), ...content };
    noteOddities(this.#options.facts, row);
    if (this.#options.sink !== undefined && row.problem === null) this.#options.sink.takeRow(row);
    else rows.push(row);
  }

  #nextRow(): number {
    this.#row += 1;
    return this.#row - 1;
  }

  #excerpt(bytes: Buffer, from: number, to: number): string {
    return excerptOf(this.#options.decode(bytes, from, Math.min(to, from + 1_000)));
  }
}
