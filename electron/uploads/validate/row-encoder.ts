/**
 * Encodes values of rows as the JSON of an event, byte by byte. Numbers and plain texts are copied unchanged, and
 * results of earlier conversions are reused. Other values are converted by `RowValidator`, whose results the faster
 * ways must match.
 */
import type { RuleCount } from '../../shared/value-ledger.ts';
import type { Decode, RowPlace } from '../readers/row-source.ts';
import { isText, NULL_MARK } from './column-evidence.ts';
import type { Events } from './events.ts';
import { type Field, shown } from './field-values.ts';
import { count, type FileKeys } from './file-keys.ts';
import {
  copyBytes,
  MINUS,
  NINE,
  POINT,
  WORD_BYTES,
  type Words,
  wordsOf,
  writeWords,
  ZERO,
} from './plain-bytes.ts';
import type { ReadingPlan } from './reading-plan.ts';
import { type Fault, idText, type RowValidator } from './validate.ts';
import { isBad } from './values.ts';

export const COMMA = 0x2c;
export const CLOSE = 0x7d;

/** Result for a value: written, none, or faulty. */
export const VALUE = 1;
export const NONE = 0;
const FAULT = -1;
/** The row has no such column. */
export const ABSENT = -2;

export const NULL = Buffer.from('null');
/** Maximum length of a value whose result is remembered. Longer values rarely repeat. */
const MAX_REMEMBERED_BYTES = 24;
const SLOTS = 64;
/** Maximum number of digits with which a decimal is certainly finite. */
export const MAX_DIGITS = 300;
/** Maximum number of digits with which an integer, and its quotient by an exact power of ten, is exact as a double. */
export const EXACT_DIGITS = 15;
const TENS = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);

type Encoding = 'whole' | 'decimal' | 'text' | 'none';

interface Remembered {
  value: Uint8Array;
  json: Uint8Array;
  isNull: boolean;
  /** The rules that changed the value. */
  counts: readonly RuleCount[];
}

export interface EncodedColumn {
  field: Field;
  /** The JSON before the column's value: `first` if it is the event's first value, otherwise `further`. */
  first: Words;
  further: Words;
  encoding: Encoding;
  isId: boolean;
  /** True if numbers of this column must be parsed, because they are compared with a range. */
  hasRange: boolean;
  /**
   * `nullStarts`: 1 for bytes that a null word begins with. `longestNull`: length of the longest null word in bytes.
   */
  nullStarts: Uint8Array;
  longestNull: number;
  /** The model's range; infinite if it has none. */
  min: number;
  max: number;
  /** True as long as numbers with a point are needed to decide the column's decimal sign. */
  isWatched: boolean;
  remembered: (Remembered | undefined)[];
}

export interface EncoderOptions {
  events: Events;
  validator: RowValidator;
  plan: ReadingPlan;
  decode: Decode;
}

/** Base class; subclasses find the values in the bytes of a row. */
export abstract class RowEncoder {
  protected readonly events: Events;
  protected readonly decode: Decode;
  protected readonly columns: readonly EncodedColumn[];
  protected readonly unsent: FileKeys['unsent'];
  protected readonly validator: RowValidator;
  /** The beginning of every event. */
  protected readonly head: Uint8Array;
  /** True if values that mean "no value" are left out of the event. */
  protected readonly leavesOutNulls: boolean;
  /** Position of the next byte of JSON. */
  protected at = 0;
  protected ownId: string | null = null;
  /** True if the event already has a key, so that the next one needs a comma. */
  protected hasKeys = false;
  /** Number of values of the current event, without constants. */
  protected values = 0;
  /** True if the current event has the row's time. */
  protected hasTime = false;
  /** Line of the current row. */
  protected line = 0;
  #faults: Fault[] = [];
  #isRepaired = false;
  #isUnusual = false;
  /** True if the current cell was edited, so that the validator must convert it. */
  protected isEdited = false;
  #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };
  /** The number that was scanned last; NaN if it has too many digits. */
  protected number = 0;
  /** True if the scanned number has a point. */
  protected hasPoint = false;
  /** Number of digits of the scanned number before and after the point. */
  protected wholeDigits = 0;
  protected decimals = 0;

  protected constructor({ events, validator, plan, decode }: EncoderOptions, leavesOutNulls: boolean) {
    this.events = events;
    this.decode = decode;
    this.validator = validator;
    this.leavesOutNulls = leavesOutNulls;
    this.head = Buffer.from(`{${validator.constants.join(',')}`);
    this.unsent = validator.keys.unsent;
    this.columns = validator.fields.map((field) => {
      const nullWords = nullWordsOf(field, plan);
      const encoding = encodingOf(field, nullWords);
      // Null words are checked in text columns only, because in number columns none of them looks like a number.
      const looked = encoding === 'text' ? nullWords : [];
      const nullStarts = new Uint8Array(256);
      for (const word of looked) nullStarts[Buffer.from(word)[0] ?? 0] = 1;
      return {
        field,
        first: wordsOf(field.key),
        further: wordsOf(`,${field.key}`),
        encoding,
        isId: validator.isId(field),
        nullStarts,
        longestNull: Math.max(0, ...looked.map((word) => Buffer.byteLength(word))),
        hasRange: (field.facts?.min ?? null) !== null || (field.facts?.max ?? null) !== null,
        min: field.facts?.min ?? Number.NEGATIVE_INFINITY,
        max: field.facts?.max ?? Number.POSITIVE_INFINITY,
        isWatched: field.plan.reading?.decimal === undefined || encoding === 'decimal',
        remembered: [],
      };
    });
  }

  /** True if the row has a value in this column, which is not sent. */
  protected abstract isGiven(source: { name: string; index: number }, at: number): boolean;

  /**
   * Writes columns from this index on as long as their values can be copied unchanged. Returns the index of the first
   * column that is left to `value`.
   */
  protected abstract plainValues(from: number, bytes: Buffer): number;

  /** Writes the JSON of the column at this index; returns the kind of result. */
  protected abstract value(column: EncodedColumn, index: number, bytes: Buffer): number;

  /** Writes the event of a row, with the values that `value` finds, or adds the row to the bad rows. */
  protected encode(bytes: Buffer, place: RowPlace): void {
    const { events, columns, validator } = this;
    for (let at = 0; at < this.unsent.length; at += 1) {
      const each = this.unsent[at];
      if (each !== undefined && this.isGiven(each, at)) count(each, place.line);
    }
    this.at = events.next;
    this.copy(this.head, NONE);
    this.beginRow(place);
    const edited = validator.editedRows?.get(place.byteStart);
    this.hasKeys = validator.constants.length > 0;
    this.values = 0;
    for (let index = 0; index < columns.length; index += 1) {
      if (edited === undefined) index = this.plainValues(index, bytes);
      const column = columns[index];
      if (column === undefined) break;
      const before = this.at;
      this.isEdited = edited?.has(column.field.source) === true;
      this.#writeKey(column, this.hasKeys);
      const found = this.value(column, index, bytes);
      if (found < NONE || (found === NONE && this.leavesOutNulls)) {
        this.at = before;
        continue;
      }
      this.hasKeys = true;
      this.values += 1;
      if (found === VALUE && column.field.isTime) this.hasTime = true;
    }
    events.reserve(this.at, 1);
    events.bytes[this.at] = CLOSE;
    if (this.isEvent(place, this.values)) events.add(place, this.at + 1, this.ownId);
  }

  /** Begins a row and clears the findings of the previous one. */
  protected beginRow(place: RowPlace): void {
    this.validator.beginRow();
    this.ownId = null;
    this.hasTime = false;
    this.#isRepaired = false;
    this.#isUnusual = false;
    this.#place = place;
    this.line = place.line;
    if (this.#faults.length > 0) this.#faults = [];
  }

  /** Counts the row as an event, or adds it to the bad rows and returns false. */
  protected isEvent(place: RowPlace, values: number): boolean {
    const { events, validator, ownId, hasTime } = this;
    const isWhole = this.#faults.length === 0 && validator.isComplete(ownId, hasTime, values);
    const bad = isWhole ? null : validator.judge(place, { faults: this.#faults, ownId, hasTime, values });
    if (bad === null) events.countAs(this.#isRepaired, this.#isUnusual);
    else events.bad.push(bad);
    return bad === null;
  }

  #writeKey({ first, further }: EncodedColumn, isFurther: boolean): void {
    const { events, at } = this;
    const words = isFurther ? further : first;
    events.reserve(at, words.length + WORD_BYTES);
    this.at = writeWords(words, events.view, at);
  }

  protected copy<T>(json: Uint8Array, found: T): T {
    this.events.reserve(this.at, json.length);
    this.at = copyBytes(json, 0, json.length, this.events.bytes, this.at);
    return found;
  }

  protected copyBytes(bytes: Buffer, start: number, end: number): void {
    this.events.reserve(this.at, end - start);
    this.at = copyBytes(bytes, start, end, this.events.bytes, this.at);
  }

  protected mayBeNull(
    { longestNull, nullStarts }: EncodedColumn,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    return end - start <= longestNull && nullStarts[bytes[start] ?? 0] === 1;
  }

  /**
   * True if the bytes can be sent as a number unchanged. Numbers outside the model's range are left to the validator,
   * which counts them.
   */
  protected isPlainNumber(
    { encoding, hasRange, min, max }: EncodedColumn,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    if (end - start > MAX_DIGITS || !this.#scanNumber(encoding === 'whole', bytes, start, end)) return false;
    return !hasRange || (this.number >= min && this.number <= max);
  }

  #scanNumber(isWhole: boolean, bytes: Buffer, start: number, end: number): boolean {
    const isNegative = bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let value = 0;
    let pointAt = -1;
    for (let at = first; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte >= ZERO && byte <= NINE) value = value * 10 + (byte - ZERO);
      else if (byte === POINT && pointAt < 0 && !isWhole) pointAt = at;
      else return false;
    }
    const wholeEnd = pointAt < 0 ? end : pointAt;
    const hasDigits = wholeEnd > first && pointAt !== end - 1;
    const hasZeroInFront = bytes[first] === ZERO && wholeEnd - first > 1;
    if (!hasDigits || hasZeroInFront || (isWhole && isNegative && value === 0)) return false;
    const digits = end - first - (pointAt < 0 ? 0 : 1);
    const size =
      digits > EXACT_DIGITS ? Number.NaN : value / (TENS[pointAt < 0 ? 0 : end - pointAt - 1] ?? 1);
    this.number = isNegative ? -size : size;
    this.hasPoint = pointAt >= 0;
    this.wholeDigits = wholeEnd - first;
    this.decimals = end - wholeEnd - 1;
    return true;
  }

  /** Writes the result of earlier equal bytes; null if there is none. */
  protected known({ remembered }: EncodedColumn, bytes: Buffer, start: number, end: number): number | null {
    const known = remembered[slotOf(bytes, start, end)];
    if (known === undefined || !isSame(known.value, bytes, start, end)) return null;
    // The value is converted again, because it is still needed as an example.
    if (known.counts.length > 0) {
      for (const each of known.counts) if (!each.hasExamples) return null;
      for (const each of known.counts) this.validator.countAgain(each);
    }
    return this.copy(known.json, known.isNull ? NONE : VALUE);
  }

  /**
   * Writes the validator's result for a value. `source`: the bytes of the value, by which the result is remembered;
   * null if the result depends on more than these bytes.
   */
  protected convert(
    { field, isId, remembered }: EncodedColumn,
    raw: unknown,
    isCell: boolean,
    source: { bytes: Buffer; start: number; end: number } | null,
  ): number {
    const { events } = this;
    const { json, isRepaired, isUnusual, isCounted, counts } = this.validator.convert(
      field,
      this.#place,
      raw,
      isCell,
    );
    if (isRepaired) this.#isRepaired = true;
    if (isUnusual) this.#isUnusual = true;
    if (isBad(json)) {
      this.#faults.push({ column: field.source, value: shown(raw), reason: json.reason });
      return FAULT;
    }
    const isNull = json === 'null';
    if (isId && !isNull) this.ownId = idText(json);
    const length = events.writeText(json, this.at);
    if (source !== null && !isCounted && !isId && source.end - source.start <= MAX_REMEMBERED_BYTES) {
      const { bytes, start, end } = source;
      remembered[slotOf(bytes, start, end)] = {
        value: Buffer.from(bytes.subarray(start, end)),
        json: Buffer.from(json),
        isNull,
        counts,
      };
    }
    this.at += length;
    return isNull ? NONE : VALUE;
  }
}

/** Null words of a column: its own words and those of the file. */
function nullWordsOf({ type, plan: { reading } }: Field, { dialect }: ReadingPlan): string[] {
  const usual = isText(type) ? [NULL_MARK] : [];
  return [...dialect.nullWords, ...(reading?.nulls ?? usual)].filter((word) => word !== '');
}

/** Decides which values of a column may be copied without conversion. */
function encodingOf(
  { type, categories, replacements, plan: { reading } }: Field,
  nullWords: readonly string[],
): Encoding {
  const isNumber = type === 'int' || type === 'float' || type === 'decimal';
  // In number columns, texts that are not numbers are never copied, so replacing them is no obstacle. Any other
  // replacement prevents copying.
  const replaced = [...(replacements?.values ?? [])];
  if (replaced.some((text) => !isNumber || Number.isFinite(Number(text)))) return 'none';
  // A null word that is a number, such as -999, would be copied.
  if (isNumber && nullWords.some((word) => Number.isFinite(Number(word)))) return 'none';
  if (categories !== null) return 'none';
  // If the comma is the decimal sign, a point separates thousands and cannot be copied.
  if (type === 'int' || (isNumber && reading?.decimal === 'comma')) return 'whole';
  if (type === 'float' || type === 'decimal') return 'decimal';
  return type === 'str' || type === 'category' ? 'text' : 'none';
}

function slotOf(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] ?? 0;
  const middle = bytes[(start + end) >> 1] ?? 0;
  const last = bytes[end - 1] ?? 0;
  return (first * 7 + middle * 17 + last * 31 + (end - start) * 5) % SLOTS;
}

function isSame(known: Uint8Array, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let index = 0; index < known.length; index += 1)
    if (known[index] !== bytes[start + index]) return false;
  return true;
}
