/**
 * Encodes lines that are flat JSON objects as the JSON of an event, byte by byte. Lines with a list, a nested object,
 * an unknown key or invalid JSON are left to `RowValidator`, which converts the whole line.
 */
import { parseAsWritten, parseExact } from '../../shared/exact-json.ts';
import type { LineSink, RowPlace, SourceRow } from '../readers/row-source.ts';
import {
  BACKSLASH,
  copyBytes,
  LAST_PRINTED,
  MINUS,
  NINE,
  POINT,
  QUOTE,
  SPACE,
  WORD_BYTES,
  writeWords,
  ZERO,
} from './plain-bytes.ts';
import {
  ABSENT,
  CLOSE,
  COMMA,
  type EncodedColumn,
  type EncoderOptions,
  EXACT_DIGITS,
  NONE,
  NULL,
  RowEncoder,
  VALUE,
} from './row-encoder.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const PLUS = 0x2b;
const COLON = 0x3a;
const OPEN = 0x7b;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
/** Maximum number of zeros after the point. With more, JavaScript writes a number with an exponent. */
const MAX_ZEROS = 5;
const NULL_TEXT = Buffer.from('null');
/** JSON's words `true`, `false` and `null`, by their first byte. */
const WORD_OF: (Buffer | undefined)[] = [];
for (const word of [Buffer.from('true'), Buffer.from('false'), NULL_TEXT]) WORD_OF[word[0] ?? 0] = word;

/** Kinds of values. WHOLE and DECIMAL: numbers in JavaScript's own notation, without and with a point. */
const TEXT = 1;
const ESCAPED = 2;
const NUMBER = 3;
const WHOLE = 4;
const DECIMAL = 5;
const WORD = 6;
const NULL_WORD = 7;

/** 1 for bytes that JSON allows in a string and that neither end it nor begin an escape. */
const IS_IN_TEXT = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** A key of the plan, with the position of its value in the last scanned line. */
interface Slot {
  key: Uint8Array;
  start: number;
  end: number;
  kind: number;
  /** Number of the line in which the key was last seen. */
  seenIn: number;
}

export class LineEncoder extends RowEncoder implements LineSink {
  readonly #slots: Slot[];
  /** Slots by key; each byte of the key is one character. */
  readonly #byKey: ReadonlyMap<string, Slot>;
  /** Slot of each column that is sent. */
  readonly #ofColumn: (Slot | undefined)[];
  /** Slot of each column that is not sent. */
  readonly #ofUnsent: (Slot | undefined)[];
  /** Keys in the order of the previous line. */
  readonly #order: Slot[] = [];
  #lines = 0;
  /** Kind of the last scanned value. */
  #kind = 0;

  constructor(options: EncoderOptions) {
    super(options, false);
    const names = [...options.validator.known];
    this.#slots = names.map((name) => ({
      ...{ key: Buffer.from(name), start: 0, end: 0, kind: 0, seenIn: -1 },
    }));
    this.#byKey = new Map(
      names.flatMap((name, at) => {
        const slot = this.#slots[at];
        // A key that needs escapes has no slot, so its lines are left to the validator.
        return slot === undefined || JSON.stringify(name) !== `"${name}"`
          ? []
          : [[Buffer.from(name).toString('latin1'), slot] as const];
      }),
    );
    this.#ofUnsent = options.validator.keys.unsent.map(({ name }) => this.#slots[names.indexOf(name)]);
    this.#ofColumn = this.columns.map(({ field }) => this.#slots[names.indexOf(field.source)]);
  }

  takeLine(bytes: Buffer, from: number, to: number, place: RowPlace): boolean {
    if (!this.#scan(bytes, from, to)) return false;
    this.encode(bytes, place);
    return true;
  }

  takeRow(row: SourceRow): void {
    const checked = this.validator.check(row);
    if ('bad' in checked) this.events.bad.push(checked.bad);
    else {
      this.events.addText(row, checked.json, checked.ownId);
      this.events.countAs(checked.isRepaired, checked.isUnusual);
    }
  }

  /** Written as one loop, because it runs for every value of the file. */
  protected override plainValues(from: number, bytes: Buffer): number {
    const { events, columns } = this;
    let { bytes: out, view } = events;
    let { at, hasKeys, values } = this;
    let index = from;
    for (; index < columns.length; index += 1) {
      const column = columns[index];
      if (column === undefined) break;
      const slot = this.#ofColumn[index];
      if (slot === undefined || slot.seenIn !== this.#lines) continue;
      const { start, end, kind } = slot;
      const { encoding } = column;
      if (kind === TEXT) {
        if (encoding !== 'text' || !this.#isTrimmed(column, bytes, start, end)) break;
      } else if (kind === WHOLE || kind === DECIMAL) {
        const isCopied = encoding === 'decimal' || (encoding === 'whole' && kind === WHOLE);
        if (!isCopied || column.hasRange) break;
      } else if (kind !== NULL_WORD) break;
      const key = hasKeys ? column.further : column.first;
      const room = key.length + end - start + WORD_BYTES;
      if (at + room > out.length) {
        events.reserve(at, room);
        ({ bytes: out, view } = events);
      }
      at = copyBytes(bytes, start, end, out, writeWords(key, view, at));
      hasKeys = true;
      values += 1;
      if (kind === NULL_WORD) continue;
      if (column.isId) this.ownId = this.#idOf(bytes, slot);
      if (column.field.isTime) this.hasTime = true;
    }
    this.at = at;
    this.hasKeys = hasKeys;
    this.values = values;
    return index;
  }

  #idOf(bytes: Buffer, { start, end, kind }: Slot): string {
    return kind === TEXT ? this.decode(bytes, start + 1, end - 1) : bytes.toString('latin1', start, end);
  }

  protected override value(column: EncodedColumn, index: number, bytes: Buffer): number {
    const slot = this.#ofColumn[index];
    if (this.isEdited) {
      const isGiven = slot !== undefined && slot.seenIn === this.#lines;
      return this.convert(column, isGiven ? this.#valueOf(column, bytes, slot) : undefined, false, null);
    }
    if (slot === undefined || slot.seenIn !== this.#lines) return ABSENT;
    const { start, end, kind } = slot;
    if (kind === NULL_WORD) return this.copy(NULL, NONE);
    if (kind === TEXT && column.encoding === 'text' && this.#isTrimmed(column, bytes, start, end))
      return this.#copy(column, bytes, slot);
    const isPlain = kind === WHOLE || kind === DECIMAL;
    if (isPlain && this.#isInColumn(column, bytes, start, end)) return this.#copy(column, bytes, slot);
    return (
      this.known(column, bytes, start, end) ??
      this.convert(column, this.#valueOf(column, bytes, slot), false, { bytes, start, end })
    );
  }

  protected override isGiven(_column: unknown, at: number): boolean {
    const slot = this.#ofUnsent[at];
    return slot !== undefined && slot.seenIn === this.#lines && slot.kind !== NULL_WORD;
  }

  #valueOf({ field }: EncodedColumn, bytes: Buffer, { start, end, kind }: Slot): unknown {
    if (kind === TEXT) return this.decode(bytes, start + 1, end - 1);
    const json = this.decode(bytes, start, end);
    return field.type === 'str' ? parseAsWritten(json) : parseExact(json);
  }

  /** A text that begins and ends with printable ASCII needs no trimming. */
  #isTrimmed(column: EncodedColumn, bytes: Buffer, start: number, end: number): boolean {
    const first = bytes[start + 1] ?? 0;
    const last = bytes[end - 2] ?? 0;
    const isPlain = first > SPACE && first <= LAST_PRINTED && last > SPACE && last <= LAST_PRINTED;
    return end - start >= 3 && isPlain && !this.mayBeNull(column, bytes, start + 1, end - 1);
  }

  /** True if the column takes the number unchanged. */
  #isInColumn(column: EncodedColumn, bytes: Buffer, start: number, end: number): boolean {
    const { encoding } = column;
    return (encoding === 'whole' || encoding === 'decimal') && this.isPlainNumber(column, bytes, start, end);
  }

  #copy(column: EncodedColumn, bytes: Buffer, slot: Slot): number {
    this.copyBytes(bytes, slot.start, slot.end);
    if (column.isId) this.ownId = this.#idOf(bytes, slot);
    return VALUE;
  }

  /** Finds the values of a line. Returns false if it is not a flat object that can be encoded here. */
  #scan(bytes: Buffer, from: number, to: number): boolean {
    this.#lines += 1;
    let at = passBlanks(bytes, from, to);
    if (at >= to || bytes[at] !== OPEN) return false;
    at = passBlanks(bytes, at + 1, to);
    for (let position = 0; ; position += 1) {
      if (at >= to || bytes[at] !== QUOTE) return false;
      const slot = this.#slotAt(bytes, at + 1, to, position);
      // A repeated key is reported when the whole line is parsed.
      if (slot === null || slot.seenIn === this.#lines) return false;
      at = passBlanks(bytes, at + slot.key.length + 2, to);
      if (at >= to || bytes[at] !== COLON) return false;
      at = passBlanks(bytes, at + 1, to);
      const end = this.#valueEnd(bytes, at, to);
      if (end < 0) return false;
      slot.start = at;
      slot.end = end;
      slot.kind = this.#kind;
      slot.seenIn = this.#lines;
      at = passBlanks(bytes, end, to);
      if (at >= to) return false;
      const byte = bytes[at];
      if (byte !== COMMA) return byte === CLOSE && isBlank(bytes, at + 1, to);
      at = passBlanks(bytes, at + 1, to);
    }
  }

  /** The slot of the key that begins here. */
  #slotAt(bytes: Buffer, start: number, to: number, position: number): Slot | null {
    const expected = this.#order[position];
    if (expected !== undefined && isKey(expected.key, bytes, start, to)) return expected;
    const end = bytes.indexOf(QUOTE, start);
    if (end < 0 || end >= to) return null;
    const found = this.#byKey.get(bytes.toString('latin1', start, end));
    if (found === undefined) return null;
    this.#order[position] = found;
    return found;
  }

  /** The end of the value that begins here; sets its kind. Returns -1 if the value is nested or invalid. */
  #valueEnd(bytes: Buffer, start: number, to: number): number {
    const byte = bytes[start] ?? 0;
    if (byte === QUOTE) return this.#textEnd(bytes, start, to);
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const end = numberEnd(bytes, start, to);
      if (end >= 0) this.#kind = numberKind(bytes, start, end);
      return end;
    }
    const word = WORD_OF[byte];
    if (word === undefined || start + word.length > to) return -1;
    for (let index = 0; index < word.length; index += 1) if (bytes[start + index] !== word[index]) return -1;
    this.#kind = word === NULL_TEXT ? NULL_WORD : WORD;
    return start + word.length;
  }

  #textEnd(bytes: Buffer, start: number, to: number): number {
    this.#kind = TEXT;
    for (let at = start + 1; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (IS_IN_TEXT[byte] === 1) continue;
      if (byte === QUOTE) {
        // A parser checks strings with escapes, because escapes are frequent and rarely wrong.
        return this.#kind === TEXT || isJson(this.decode(bytes, start, at + 1)) ? at + 1 : -1;
      }
      if (byte === BACKSLASH) {
        this.#kind = ESCAPED;
        at += 1;
      } else return -1;
    }
    return -1;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function passBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const byte = bytes[at] ?? 0;
    if (byte > SPACE) return at;
    if (byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF) return at;
    at += 1;
  }
  return at;
}

const isBlank = (bytes: Buffer, from: number, to: number): boolean => passBlanks(bytes, from, to) === to;

function isKey(key: Uint8Array, bytes: Buffer, start: number, to: number): boolean {
  if (start + key.length >= to || bytes[start + key.length] !== QUOTE) return false;
  for (let index = 0; index < key.length; index += 1) if (bytes[start + index] !== key[index]) return false;
  return true;
}

function passDigits(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return at;
    at += 1;
  }
  return at;
}

/** The end of a JSON number (RFC 8259, section 6); -1 if it is not one. */
function numberEnd(bytes: Buffer, start: number, to: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let at = passDigits(bytes, first, to);
  if (at === first || (bytes[first] === ZERO && at > first + 1)) return -1;
  if (at < to && bytes[at] === POINT) {
    const end = passDigits(bytes, at + 1, to);
    if (end === at + 1) return -1;
    at = end;
  }
  if (at < to && (bytes[at] === SMALL_E || bytes[at] === LARGE_E)) {
    const sign = bytes[at + 1];
    const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
    const end = passDigits(bytes, digits, to);
    if (end === digits) return -1;
    at = end;
  }
  return at;
}

/**
 * Kind of a JSON number. WHOLE and DECIMAL require that JavaScript would write it the same way, so it must have few
 * digits and no trailing zeros.
 */
function numberKind(bytes: Buffer, start: number, end: number): number {
  if (end - start > EXACT_DIGITS) return NUMBER;
  const first = bytes[start] === MINUS ? start + 1 : start;
  const wholeEnd = passDigits(bytes, first, end);
  const isZero = bytes[first] === ZERO;
  // JavaScript writes -0 as 0.
  if (wholeEnd === end) return isZero && first > start ? NUMBER : WHOLE;
  if (bytes[wholeEnd] !== POINT || bytes[end - 1] === ZERO) return NUMBER;
  if (passDigits(bytes, wholeEnd + 1, end) < end) return NUMBER;
  if (!isZero) return DECIMAL;
  let at = wholeEnd + 1;
  while (bytes[at] === ZERO) at += 1;
  return at - wholeEnd - 1 > MAX_ZEROS ? NUMBER : DECIMAL;
}
