/**
 * Cells of delimited text to the JSON of an event, byte by byte. Numbers and plain texts are copied as they stand,
 * values that were converted before are remembered, and whatever is left goes the way of `RowValidator`, which says
 * what all of them come to.
 */
import type { NumberList } from '../readers/number-list.ts';
import type { CellSink, Decode, RowPlace } from '../readers/row-source.ts';
import type { Events } from './events.ts';
import { type Fault, type Field, idText, type ReadingPlan, type RowValidator } from './validate.ts';
import { isBad } from './values.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LAST_PRINTED = 0x7e;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COMMA = 0x2c;
const CLOSE = 0x7d;

/** What a cell came to. */
const VALUE = 1;
const NONE = 0;
const FAULT = -1;

const NULL = Buffer.from('null');
/** Longer values do not come again and again. */
const MOST_REMEMBERED_BYTES = 24;
const SLOTS = 64;
/** Decimals of up to so many digits are finite. */
const MOST_DIGITS = 300;
/** Whole numbers of so many digits are exact, and so are their quotients by a power of ten that is. */
const EXACT_DIGITS = 15;
const TENS = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);

type Way = 'whole' | 'decimal' | 'text' | 'none';

interface Remembered {
  cell: Uint8Array;
  json: Uint8Array;
  isNull: boolean;
}

interface Column {
  field: Field;
  at: number;
  key: Uint8Array;
  way: Way;
  isId: boolean;
  /** First bytes of the words that mean no value, and the length of the longest. */
  nullStarts: ReadonlySet<number>;
  longestNull: number;
  /** Of the model's range; infinite where it has none. */
  min: number;
  max: number;
  remembered: (Remembered | undefined)[];
}

interface EncoderOptions {
  events: Events;
  validator: RowValidator;
  plan: ReadingPlan;
  decode: Decode;
  quote: string;
}

export class CellEncoder implements CellSink {
  readonly #options: EncoderOptions;
  readonly #columns: Column[];
  /** How every event begins. */
  readonly #head: Uint8Array;
  /** Where the next byte of JSON goes. */
  #at = 0;
  #ownId: string | null = null;
  #faults: Fault[] = [];
  #isRepaired = false;
  #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };
  /** Value of the number that was copied last; NaN where it has too many digits. */
  #number = 0;

  constructor(options: EncoderOptions) {
    this.#options = options;
    const { validator, plan } = options;
    this.#head = Buffer.from(`{${validator.constants.join(',')}`);
    const nullWords = plan.dialect.nullWords.filter((word) => word !== '');
    this.#columns = validator.fields.map((field) => ({
      field,
      at: field.index * 3,
      key: Buffer.from(field.key),
      way: wayOf(field, nullWords),
      isId: validator.isId(field),
      nullStarts: new Set(nullWords.map((word) => Buffer.from(word)[0] ?? 0)),
      longestNull: Math.max(0, ...nullWords.map((word) => word.length)),
      min: field.facts?.min ?? Number.NEGATIVE_INFINITY,
      max: field.facts?.max ?? Number.POSITIVE_INFINITY,
      remembered: [],
    }));
  }

  take(bytes: Buffer, bounds: NumberList, place: RowPlace): void {
    const { events, validator } = this.#options;
    const from = events.startOf(events.count);
    this.#at = from;
    this.#copy(this.#head, NONE);
    this.#ownId = null;
    this.#isRepaired = false;
    this.#place = place;
    if (this.#faults.length > 0) this.#faults = [];
    const hasConstants = validator.constants.length > 0;
    let values = 0;
    let hasTime = false;
    for (const column of this.#columns) {
      const before = this.#at;
      this.#writeKey(column.key, values > 0 || hasConstants);
      const found = this.#cell(column, bytes, bounds);
      if (found === FAULT || (found === NONE && validator.leavesOutNulls)) {
        this.#at = before;
        continue;
      }
      values += 1;
      if (found === VALUE && column.field.isTime) hasTime = true;
    }
    events.reserve(this.#at, 1);
    events.bytes[this.#at] = CLOSE;
    const bad = validator.judge(place, { faults: this.#faults, ownId: this.#ownId, hasTime, values });
    if (bad === null) {
      events.add(place, this.#at + 1, this.#ownId);
      if (this.#isRepaired) events.repaired += 1;
    } else events.bad.push(bad);
  }

  #writeKey(key: Uint8Array, isFurther: boolean): void {
    const { events } = this.#options;
    events.reserve(this.#at, key.length + 1);
    const out = events.bytes;
    let at = this.#at;
    if (isFurther) {
      out[at] = COMMA;
      at += 1;
    }
    for (let index = 0; index < key.length; index += 1) out[at + index] = key[index] ?? 0;
    this.#at = at + key.length;
  }

  #cell(column: Column, bytes: Buffer, bounds: NumberList): number {
    const start = bounds.at(column.at);
    const end = bounds.at(column.at + 1);
    if (start === end) return this.#copy(NULL, NONE);
    const isDoubled = bounds.at(column.at + 2) === 1;
    if (!isDoubled) {
      const isMaybeNull = end - start <= column.longestNull && column.nullStarts.has(bytes[start] ?? 0);
      if (column.way !== 'none' && !isMaybeNull && this.#copyCell(column, bytes, start, end)) return VALUE;
      const known = column.remembered[slotOf(bytes, start, end)];
      if (known !== undefined && isSame(known.cell, bytes, start, end)) {
        return this.#copy(known.json, known.isNull ? NONE : VALUE);
      }
    }
    return this.#convert(column, bytes, { start, end, isDoubled });
  }

  #copy<T>(json: Uint8Array, found: T): T {
    const { events } = this.#options;
    events.reserve(this.#at, json.length);
    const out = events.bytes;
    const at = this.#at;
    for (let index = 0; index < json.length; index += 1) out[at + index] = json[index] ?? 0;
    this.#at = at + json.length;
    return found;
  }

  /** False where the cell is not to be copied as it stands; then nothing was written. */
  #copyCell(column: Column, bytes: Buffer, start: number, end: number): boolean {
    this.#options.events.reserve(this.#at, end - start + 2);
    const isCopied =
      column.way === 'text' ? this.#copyText(bytes, start, end) : this.#copyNumber(column, bytes, start, end);
    if (isCopied && column.isId) this.#ownId = bytes.toString('latin1', start, end);
    return isCopied;
  }

  /** Printed ASCII that JSON needs no escapes for, without blanks around it. */
  #copyText(bytes: Buffer, start: number, end: number): boolean {
    const out = this.#options.events.bytes;
    if (bytes[start] === SPACE || bytes[end - 1] === SPACE) return false;
    let at = this.#at;
    out[at] = QUOTE;
    at += 1;
    for (let index = start; index < end; index += 1) {
      const byte = bytes[index] ?? 0;
      if (byte < SPACE || byte > LAST_PRINTED || byte === QUOTE || byte === BACKSLASH) return false;
      out[at] = byte;
      at += 1;
    }
    out[at] = QUOTE;
    this.#at = at + 1;
    return true;
  }

  /** A number as JSON writes one, without an exponent; one out of the model's range goes the other way, to be counted. */
  #copyNumber(column: Column, bytes: Buffer, start: number, end: number): boolean {
    if (end - start > MOST_DIGITS || !this.#scanNumber(column.way === 'whole', bytes, start, end))
      return false;
    const { min, max } = column;
    const hasRange = min !== Number.NEGATIVE_INFINITY || max !== Number.POSITIVE_INFINITY;
    if (hasRange && !(this.#number >= min && this.#number <= max)) return false;
    const out = this.#options.events.bytes;
    const shift = this.#at - start;
    for (let index = start; index < end; index += 1) out[index + shift] = bytes[index] ?? 0;
    this.#at += end - start;
    return true;
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
    this.#number = isNegative ? -size : size;
    return true;
  }

  #convert(
    { field, isId, remembered }: Column,
    bytes: Buffer,
    { start, end, isDoubled }: { start: number; end: number; isDoubled: boolean },
  ): number {
    const { decode, quote, validator, events } = this.#options;
    const cell = decode(bytes, start, end);
    const text = isDoubled ? cell.replaceAll(quote + quote, quote) : cell;
    const { json, isRepaired, isCounted } = validator.convert(field, this.#place, text, true);
    if (isRepaired) this.#isRepaired = true;
    if (isBad(json)) {
      this.#faults.push({ column: field.source, value: text, reason: json.reason });
      return FAULT;
    }
    const isNull = json === 'null';
    if (isId && !isNull) this.#ownId = idText(json);
    events.reserve(this.#at, json.length * 3);
    const length = events.bytes.write(json, this.#at, 'utf8');
    if (!isDoubled && !isCounted && !isId && end - start <= MOST_REMEMBERED_BYTES) {
      const known = Buffer.from(events.bytes.subarray(this.#at, this.#at + length));
      remembered[slotOf(bytes, start, end)] = {
        cell: Buffer.from(bytes.subarray(start, end)),
        json: known,
        isNull,
      };
    }
    this.#at += length;
    return isNull ? NONE : VALUE;
  }
}

/** How cells of a column may be copied without being converted. */
function wayOf({ type, categories }: Field, nullWords: readonly string[]): Way {
  const isNumber = type === 'int' || type === 'float';
  // A word such as -999 would pass for a number.
  if (isNumber && nullWords.some((word) => Number.isFinite(Number(word)))) return 'none';
  if (categories !== null) return 'none';
  if (type === 'int') return 'whole';
  if (type === 'float') return 'decimal';
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
