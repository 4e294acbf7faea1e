/** JSON in and out without losing digits of whole numbers beyond 2^53. */

/** A number whose digits are kept as text; `JSON.stringify` writes them as they came. */
export interface RawNumber {
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

const LONG_DIGITS = /[0-9]{16}/;
const WHOLE = /^-?[0-9]+$/;

/** Parses JSON text. Whole numbers that a double cannot hold become RawNumber. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
    return WHOLE.test(source) ? json.rawJSON(source) : value;
  });
}

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/** JSON text of a value from `parseExact`. */
export function writeExact(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
