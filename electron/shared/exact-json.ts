/**
 * JSON in and out without losing digits: of whole numbers beyond 2^53, of decimals with more digits than a double has,
 * of numbers that no double can hold at all.
 */

/** A number whose digits are kept as text; `JSON.stringify` writes them as they came. */
interface RawNumber {
  readonly rawJSON: string;
}

interface SourceTextAccess {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

// The language library of the compiler does not know the source text access of JSON yet.
const json = JSON as unknown as SourceTextAccess;

/** Many digits, or an exponent of three. */
const MAY_LOSE = /[0-9][0-9.]{15}|[0-9][eE][+-]?[0-9]{3}/;
/** So many are written for a double, whatever its value is. */
const DIGITS_OF_A_DOUBLE = 17;
const WHOLE = /^-?[0-9]+$/;
const ANY_DIGIT = /[1-9]/;

/** Parses JSON text. Numbers that a double cannot hold become RawNumber. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return isLost(value, source) ? json.rawJSON(source) : value;
  });
}

function isLost(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  if (value === 0) return ANY_DIGIT.test(source.split(/[eE]/, 1)[0] ?? '');
  if (WHOLE.test(source)) return !Number.isSafeInteger(value);
  const digits = digitsOf(source);
  return digits.length > DIGITS_OF_A_DOUBLE && digits !== digitsOf(String(value));
}

/** Without sign, point, exponent, and zeros at either end. */
function digitsOf(number: string): string {
  const digits = (number.split(/[eE]/, 1)[0] ?? '').replaceAll(/[-.]/g, '');
  return digits.replace(/^0+/, '').replace(/0+$/, '');
}

/**
 * The value with numbers of JavaScript in place of each RawNumber, for code that calculates; the value itself where
 * there is none.
 */
export function withPlainNumbers(value: unknown): unknown {
  return withoutRaw(value, ({ rawJSON }) => Number(rawJSON));
}

/** The same with the digits as text, for what is shown. */
export function withDigits(value: unknown): unknown {
  return withoutRaw(value, ({ rawJSON }) => rawJSON);
}

function withoutRaw(value: unknown, replace: (number: RawNumber) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isRawNumber(value)) return replace(value);
  let isSame = true;
  const change = (part: unknown): unknown => {
    const next = withoutRaw(part, replace);
    isSame &&= next === part;
    return next;
  };
  if (Array.isArray(value)) {
    const parts = value.map(change);
    return isSame ? value : parts;
  }
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [name, change(field)]);
  return isSame ? value : Object.fromEntries(fields);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/** JSON text of a value from `parseExact`. */
export function writeExact(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
