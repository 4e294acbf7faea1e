/**
 * Parses and writes JSON without losing digits: of integers beyond 2^53, of decimals with more digits than a double
 * has, of numbers out of the range of doubles.
 */
import { takeTexts, withTexts } from './short-texts.ts';

interface SourceTextAccess {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

// The compiler's language library lacks the source text access of JSON.
const json = JSON as unknown as SourceTextAccess;

/**
 * A number whose digits are kept as text: `JSON.stringify` and `String` write them unchanged. A structured clone of it
 * is no longer a number: between processes and threads it must be sent as JSON text.
 */
export class RawNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  /** False for any number with a point or an exponent. */
  get isWhole(): boolean {
    return WHOLE.test(this.digits);
  }

  toJSON(): unknown {
    return json.rawJSON(this.digits);
  }

  toString(): string {
    return this.digits;
  }

  /** The nearest double, for code that compares. */
  valueOf(): number {
    return Number(this.digits);
  }
}

/** Numbers with fewer digits (counting the point) and shorter exponents are never changed by JSON.parse. */
const MIN_LOST_DIGITS = 16;
const MIN_LOST_EXPONENT_DIGITS = 3;
const [QUOTE, BACKSLASH, POINT, PLUS, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2e, 0x2b, 0x2d, 0x30, 0x39];
const [BIG_E, SMALL_E] = [0x45, 0x65];
const isDigit = (code: number) => code >= ZERO && code <= NINE;
/** Digits with which programs write doubles, besides the fewest that identify them. */
const PRINTED_DIGITS = [16, 17];
const WHOLE = /^-?[0-9]+$/;
const ANY_DIGIT = /[1-9]/;

/** Like `parseExact`, but every number keeps the form in which it is written, such as 1.10 and 1e5. */
export function parseAsWritten(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value)
      ? new RawNumber(source)
      : value,
  );
}

/** Parses JSON text. Numbers that a double cannot represent become RawNumber. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  const known = parseTexts(text);
  if (known !== undefined) return known;
  if (!mayLose(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return isLost(value, source) ? new RawNumber(source) : value;
  });
}

/** The value of JSON that is mostly one list of short texts; undefined for anything else, and for invalid JSON. */
function parseTexts(text: string): unknown {
  const texts = takeTexts(text);
  if (texts === null || mayLose(texts.around)) return undefined;
  try {
    return withTexts(texts);
  } catch {
    return undefined;
  }
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** Like `parseExact`, for text that should be an object; an empty object for anything else. */
export function parseExactObject(text: string): { [name: string]: Json } {
  const value = parseExact(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return {};
  return { ...(value as { [name: string]: Json }) };
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Reads a typed number; null if the text is not a number. */
export function exactNumber(typed: string): number | RawNumber | null {
  const text = typed.trim();
  if (JSON_NUMBER.test(text)) {
    const value = parseExact(text);
    return typeof value === 'number' || isRawNumber(value) ? value : null;
  }
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? null : number;
}

/** Whether JavaScript would write a different number. A text as JavaScript writes it never changes. */
function isLost(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  if (value === 0) return ANY_DIGIT.test(source.split(/[eE]/, 1)[0] ?? '');
  if (WHOLE.test(source)) return !Number.isSafeInteger(value) && String(value) !== source;
  const digits = digitsOf(source);
  if (digits.length < MIN_LOST_DIGITS || digits === digitsOf(String(value))) return false;
  // Some programs write doubles with 16 or 17 digits: 0.10000000000000001 is 0.1.
  return !PRINTED_DIGITS.some((count) => digits === digitsOf(value.toPrecision(count)));
}

/** The digits of a number without sign, point, exponent, and zeros at either end. */
function digitsOf(number: string): string {
  const digits = (number.split(/[eE]/, 1)[0] ?? '').replaceAll(/[-.]/g, '');
  return withoutLastZeros(digits.replace(/^0+/, ''));
}

/** The digits without the zeros at their end, in linear time. */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(0, end);
}

/** The value with each RawNumber replaced by a double, for code that calculates; the same value if there is none. */
export function withPlainNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isRawNumber(value)) return value.valueOf();
  let isSame = true;
  const change = (part: unknown): unknown => {
    const next = withPlainNumbers(part);
    isSame &&= next === part;
    return next;
  };
  if (Array.isArray(value)) {
    // Long lists, such as lists of ids, are copied only if a part changes.
    let parts: unknown[] | null = null;
    for (let at = 0; at < value.length; at += 1) {
      const part: unknown = value[at];
      if (typeof part !== 'object') continue;
      const next = change(part);
      if (next === part) continue;
      parts ??= [...(value as unknown[])];
      parts[at] = next;
    }
    return parts ?? value;
  }
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [name, change(field)]);
  return isSame ? value : Object.fromEntries(fields);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return value instanceof RawNumber;
}

/** The nearest double of a number; null for any other value, and for a number out of the range of doubles. */
export function doubleOf(value: unknown): number | null {
  if (isRawNumber(value)) return Number.isFinite(value.valueOf()) ? value.valueOf() : null;
  return typeof value === 'number' ? value : null;
}

/**
 * Whether JSON text may contain numbers that JSON.parse would change: one with many digits or a three-digit exponent,
 * outside of texts. Each text is skipped as a whole, since most JSON consists of texts.
 */
export function mayLose(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at + 1);
    else if (isDigit(code)) {
      const end = endOfDigits(text, at, true);
      if (end - at >= MIN_LOST_DIGITS) return true;
      const power = startOfPower(text, end);
      at = power === null ? end : endOfDigits(text, power, false);
      if (power !== null && at - power >= MIN_LOST_EXPONENT_DIGITS) return true;
    } else at += 1;
  }
  return false;
}

/** Index after the quote that ends the JSON text whose first character is at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (before >= start && text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

function endOfDigits(text: string, start: number, hasPoints: boolean): number {
  let at = start;
  while (isDigit(text.charCodeAt(at)) || (hasPoints && text.charCodeAt(at) === POINT)) at += 1;
  return at;
}

/** Index of the first digit of an exponent whose letter is at `at`; null if there is none. */
function startOfPower(text: string, at: number): number | null {
  const letter = text.charCodeAt(at);
  if (letter !== SMALL_E && letter !== BIG_E) return null;
  const sign = text.charCodeAt(at + 1);
  return sign === PLUS || sign === MINUS ? at + 2 : at + 1;
}

/** Whether a value contains a RawNumber. `text`: the JSON of the value, which usually suffices for the answer. */
export function holdsRawNumber(value: unknown, text: string): boolean {
  return mayLose(text) && isRawInside(value);
}

function isRawInside(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isRawNumber(value) || Object.values(value).some(isRawInside);
}

/** JSON text of a value from `parseExact`. */
export function writeExact(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** JSON text that also keeps the sign of zeros, for values of files. */
export function writeSigned(value: unknown): string {
  const text = writeExact(value);
  if (!MAY_HAVE_ZERO.test(text) || !holdsMinusZero(value)) return text;
  return JSON.stringify(value, (_key, part: unknown) => (Object.is(part, -0) ? json.rawJSON('-0') : part));
}

/** The value with each minus zero as a RawNumber, because JavaScript writes it as 0; the same value if there is none. */
export function signedZeros(value: unknown): unknown {
  if (Object.is(value, -0)) return new RawNumber('-0');
  if (!holdsMinusZero(value)) return value;
  if (Array.isArray(value)) return value.map(signedZeros);
  return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, signedZeros(part)]));
}

/** Matches a zero as a whole value. Texts may contain the same characters, so a match must be checked. */
const MAY_HAVE_ZERO = /(?:^|[:,[])0(?:[,}\]]|$)/;

function holdsMinusZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0);
  return !isRawNumber(value) && Object.values(value).some(holdsMinusZero);
}

/** JSON text that is equal for values that differ only in key order, which has no meaning in JSON. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isPlain(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
