/**
 * Values of rows to the JSON of an event, byte by byte. Numbers and plain texts are copied as they stand, values that
 * were converted before are remembered, and whatever is left goes the way of `RowValidator`, which says what all of
 * them come to.
 */
import type { RuleCount } from '../../shared/value-ledger.ts';
import type { Decode, RowPlace } from '../readers/row-source.ts';
import type { Events } from './events.ts';
import { type Field, shown } from './field-values.ts';
import { count, type FileKeys } from './file-keys.ts';
import type { ReadingPlan } from './reading-plan.ts';
import { type Fault, idText, type RowValidator } from './validate.ts';
import { isBad } from './values.ts';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const SPACE = 0x20;
export const LAST_PRINTED = 0x7e;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COMMA = 0x2c;
export const CLOSE = 0x7d;

/** What a value came to. */
export const VALUE = 1;
export const NONE = 0;
const FAULT = -1;
/** The row does not have it. */
export const ABSENT = -2;

export const NULL = Buffer.from('null');
/** Longer values do not come again and again. */
const MOST_REMEMBERED_BYTES = 24;
const SLOTS = 64;
/** Decimals of up to so many digits are finite. */
const MOST_DIGITS = 300;
/** Whole numbers of so many digits are exact, and so are their quotients by a power of ten that is. */
export const EXACT_DIGITS = 15;
const TENS = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);

type Way = 'whole' | 'decimal' | 'text' | 'none';

interface Remembered {
  value: Uint8Array;
  json: Uint8Array;
  isNull: boolean;
  /** Rules by which it does not leave as it stands. */
  counts: readonly RuleCount[];
}

/** Bytes that are written again and again, four at once. */
interface Words {
  words: Uint32Array;
  /** In bytes. */
  length: number;
}
const WORD_BYTES = 4;

export interface EncodedColumn {
  field: Field;
  /** What is written in front of its value: as the first of an event, and behind another. */
  first: Words;
  further: Words;
  way: Way;
  isId: boolean;
  /** First bytes of the words that mean no value, and the bytes of the longest. */
  nullStarts: ReadonlySet<number>;
  longestNull: number;
  /** Of the model's range; infinite where it has none. */
  min: number;
  max: number;
  /** Numbers with a point still say how the column writes its decimals. */
  isWatched: boolean;
  remembered: (Remembered | undefined)[];
}

export interface EncoderOptions {
  events: Events;
  validator: RowValidator;
  plan: ReadingPlan;
  decode: Decode;
}

/** What finding the values in the bytes of a row is left to. */
export abstract class RowEncoder {
  protected readonly events: Events;
  protected readonly decode: Decode;
  protected readonly columns: readonly EncodedColumn[];
  readonly #unsent: FileKeys['unsent'];
  readonly #validator: RowValidator;
  /** How every event begins. */
  readonly #head: Uint8Array;
  /** Values that stand for none are left out of the event. */
  readonly #leavesOutNulls: boolean;
  /** Where the next byte of JSON goes. */
  protected at = 0;
  protected ownId: string | null = null;
  /** Of the row that is written. */
  protected line = 0;
  #faults: Fault[] = [];
  #isRepaired = false;
  #isUnusual = false;
  /** The cell that is read was edited: whatever stands there goes the way of the validator. */
  protected isEdited = false;
  #place: RowPlace = { row: 0, line: 0, nextLine: 0, byteStart: 0, byteEnd: 0 };
  /** Value of the number that was scanned last; NaN where it has too many digits. */
  protected number = 0;
  /** It was written with a point. */
  protected hasPoint = false;
  /** Its digits before and behind the point. */
  protected wholeDigits = 0;
  protected decimals = 0;

  protected constructor({ events, validator, plan, decode }: EncoderOptions, leavesOutNulls: boolean) {
    this.events = events;
    this.decode = decode;
    this.#validator = validator;
    this.#leavesOutNulls = leavesOutNulls;
    this.#head = Buffer.from(`{${validator.constants.join(',')}`);
    this.#unsent = validator.keys.unsent;
    this.columns = validator.fields.map((field) => {
      const nullWords = nullWordsOf(field, plan);
      const way = wayOf(field, nullWords);
      // A word that is no number cannot pass for one.
      const looked = way === 'text' ? nullWords : [];
      return {
        field,
        first: wordsOf(field.key),
        further: wordsOf(`,${field.key}`),
        way,
        isId: validator.isId(field),
        nullStarts: new Set(looked.map((word) => Buffer.from(word)[0] ?? 0)),
        longestNull: Math.max(0, ...looked.map((word) => Buffer.byteLength(word))),
        min: field.facts?.min ?? Number.NEGATIVE_INFINITY,
        max: field.facts?.max ?? Number.POSITIVE_INFINITY,
        isWatched: field.plan.reading?.decimal === undefined || way === 'decimal',
        remembered: [],
      };
    });
  }

  /** Has the row a value in this column, which is not sent? */
  protected abstract isGiven(source: { name: string; index: number }, at: number): boolean;

  /** Writes the JSON of the column at this index; answers what its value came to. */
  protected abstract value(column: EncodedColumn, index: number, bytes: Buffer): number;

  /** The event of a row whose values `value` finds, or its place among the bad rows. */
  protected encode(bytes: Buffer, place: RowPlace): void {
    const { events } = this;
    const validator = this.#validator;
    validator.beginRow();
    for (let at = 0; at < this.#unsent.length; at += 1) {
      const each = this.#unsent[at];
      if (each !== undefined && this.isGiven(each, at)) count(each, place.line);
    }
    this.at = events.startOf(events.count);
    this.copy(this.#head, NONE);
    this.ownId = null;
    this.#isRepaired = false;
    this.#isUnusual = false;
    this.#place = place;
    const edited = validator.editedRows?.get(place.byteStart);
    this.line = place.line;
    if (this.#faults.length > 0) this.#faults = [];
    const hasConstants = validator.constants.length > 0;
    let values = 0;
    let hasTime = false;
    for (let index = 0; index < this.columns.length; index += 1) {
      const column = this.columns[index];
      if (column === undefined) continue;
      const before = this.at;
      this.isEdited = edited?.has(column.field.source) === true;
      this.#writeKey(column, values > 0 || hasConstants);
      const found = this.value(column, index, bytes);
      if (found < NONE || (found === NONE && this.#leavesOutNulls)) {
        this.at = before;
        continue;
      }
      values += 1;
      if (found === VALUE && column.field.isTime) hasTime = true;
    }
    if (events.isWritten) {
      events.reserve(this.at, 1);
      events.bytes[this.at] = CLOSE;
    }
    const bad = validator.judge(place, { faults: this.#faults, ownId: this.ownId, hasTime, values });
    if (bad === null) {
      events.add(place, this.at + 1, this.ownId);
      events.countAs(this.#isRepaired, this.#isUnusual);
    } else events.bad.push(bad);
  }

  #writeKey({ first, further }: EncodedColumn, isFurther: boolean): void {
    const { events } = this;
    if (!events.isWritten) {
      this.at += isFurther ? further.length : first.length;
      return;
    }
    const { words, length } = isFurther ? further : first;
    // The last word may pass the end: what comes next is written over it.
    events.reserve(this.at, length + WORD_BYTES);
    const { view } = events;
    for (let index = 0; index < words.length; index += 1)
      view.setUint32(this.at + index * WORD_BYTES, words[index] ?? 0, true);
    this.at += length;
  }

  protected copy<T>(json: Uint8Array, found: T): T {
    const { events } = this;
    const at = this.at;
    this.at = at + json.length;
    if (!events.isWritten) return found;
    events.reserve(at, json.length);
    const out = events.bytes;
    for (let index = 0; index < json.length; index += 1) out[at + index] = json[index] ?? 0;
    return found;
  }

  protected copyBytes(bytes: Buffer, start: number, end: number): void {
    const at = this.at;
    this.at = at + end - start;
    if (!this.events.isWritten) return;
    this.events.reserve(at, end - start);
    const out = this.events.bytes;
    const shift = at - start;
    for (let index = start; index < end; index += 1) out[index + shift] = bytes[index] ?? 0;
  }

  protected mayBeNull(
    { longestNull, nullStarts }: EncodedColumn,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    return end - start <= longestNull && nullStarts.has(bytes[start] ?? 0);
  }

  /** Can these bytes be sent as a number as they stand? One out of the model's range goes the other way, to be counted. */
  protected isPlainNumber(
    { way, min, max }: EncodedColumn,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    if (end - start > MOST_DIGITS || !this.#scanNumber(way === 'whole', bytes, start, end)) return false;
    const hasRange = min !== Number.NEGATIVE_INFINITY || max !== Number.POSITIVE_INFINITY;
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

  /** Writes what the same bytes came to before; null where they are new. */
  protected known({ remembered }: EncodedColumn, bytes: Buffer, start: number, end: number): number | null {
    const known = remembered[slotOf(bytes, start, end)];
    if (known === undefined || !isSame(known.value, bytes, start, end)) return null;
    // Converted once more, it is one of the examples.
    if (known.counts.length > 0) {
      for (const each of known.counts) if (!each.hasExamples) return null;
      for (const each of known.counts) this.#validator.countAgain(each);
    }
    return this.copy(known.json, known.isNull ? NONE : VALUE);
  }

  /**
   * Writes what the validator makes of a value. `source`: the bytes that it was read from, to be remembered; null where
   * they say it only with what stands around them.
   */
  protected convert(
    { field, isId, remembered }: EncodedColumn,
    raw: unknown,
    isCell: boolean,
    source: { bytes: Buffer; start: number; end: number } | null,
  ): number {
    const { events } = this;
    const { json, isRepaired, isUnusual, isCounted, counts } = this.#validator.convert(
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
    if (source !== null && !isCounted && !isId && source.end - source.start <= MOST_REMEMBERED_BYTES) {
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

/** Words that mean no value in a column, given for it or for the file. */
function nullWordsOf({ plan: { reading } }: Field, { dialect }: ReadingPlan): string[] {
  return [...dialect.nullWords, ...(reading?.nulls ?? [])].filter((word) => word !== '');
}

/** How values of a column may be copied without being converted. */
function wayOf(
  { type, categories, replacements, plan: { reading } }: Field,
  nullWords: readonly string[],
): Way {
  const isNumber = type === 'int' || type === 'float' || type === 'decimal';
  // What does not pass for a number is never copied: most values that are replaced.
  const replaced = [...(replacements?.values ?? [])];
  if (replaced.some((text) => !isNumber || Number.isFinite(Number(text)))) return 'none';
  // A word such as -999 would pass for a number.
  if (isNumber && nullWords.some((word) => Number.isFinite(Number(word)))) return 'none';
  if (categories !== null) return 'none';
  // A point stands between thousands there.
  if (type === 'int' || (isNumber && reading?.decimal === 'comma')) return 'whole';
  if (type === 'float' || type === 'decimal') return 'decimal';
  return type === 'str' || type === 'category' ? 'text' : 'none';
}

function wordsOf(text: string): Words {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES);
  bytes.copy(padded);
  const words = Uint32Array.from({ length: padded.length / WORD_BYTES }, (_, at) =>
    padded.readUInt32LE(at * WORD_BYTES),
  );
  return { words, length: bytes.length };
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
