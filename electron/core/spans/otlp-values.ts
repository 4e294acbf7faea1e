/**
 * Reads the values of OpenTelemetry's JSON: typed attribute values, ids, times, kinds and states. Accepts names in
 * camel case and with underscores, and ids in hexadecimal and base64. Pure.
 */
import { BASE64_LETTERS } from '../../shared/base64.ts';
import { exactNumber, isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { SpanChanges } from '../../shared/span-file.ts';
import { isoTime } from '../../shared/zone-time.ts';
import { isObject } from '../items/flattened.ts';

type Fields = Record<string, unknown>;

/** Maximum nesting of a value. Deeper parts stay unchanged. */
const MAX_LEVELS = 100;
const NOT_FINITE = /^[+-]?(?:nan|inf(?:inity)?)$/i;

/** The value of the first of these fields that has one. */
export const fieldOf = (fields: Fields, ...names: readonly string[]): unknown => {
  const name = names.find((each) => fields[each] !== undefined && fields[each] !== null);
  return name === undefined ? undefined : fields[name];
};

/** `source`: path of the attribute. */
type Reader = (value: unknown, into: SpanChanges, source: string, level: number) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  stringValue: (value) => value,
  boolValue: (value) => (value === 'true' ? true : value === 'false' ? false : value),
  intValue: (value) => (typeof value === 'string' ? (exactNumber(value) ?? value) : value),
  doubleValue: (value, into, source) => {
    if (typeof value !== 'string') return value;
    if (!NOT_FINITE.test(value.trim())) return exactNumber(value) ?? value;
    into.add('not-finite', source, value, null);
    return null;
  },
  bytesValue: (value) => value,
  arrayValue: (value, into, source, level) =>
    listIn(value).map((each) => anyValue(each, into, source, level + 1)),
  kvlistValue: (value, into, source, level) =>
    keyValues(listIn(value), into, `${source}.`, level + 1) ?? value,
};
const READERS_BY_NAME = new Map(
  Object.entries(READERS).flatMap(([name, read]) => [
    [name, read] as const,
    [name.replace('Value', '_value'), read] as const,
  ]),
);

/** Reads `{values: […]}`. An empty list may be written as `{}`. */
const listIn = (value: unknown): readonly unknown[] => {
  const list = isObject(value) ? value['values'] : value;
  return Array.isArray(list) ? list : [];
};

/** Reads `{"intValue": "1"}` as 1. A plain value stays unchanged. An object without a type is not a value. */
export function anyValue(value: unknown, into: SpanChanges, source: string, level = 0): unknown {
  if (!isObject(value) || level > MAX_LEVELS) return value;
  const names = Object.keys(value);
  const [name] = names;
  if (name === undefined) return null;
  const read = names.length === 1 ? READERS_BY_NAME.get(name) : undefined;
  return read === undefined ? value : read(value[name], into, source, level);
}

/**
 * Reads `[{"key": "a", "value": {"stringValue": "b"}}]` as an object; null if the list has another form. `prefix`:
 * prefix of the paths of its attributes.
 */
export function keyValues(
  list: readonly unknown[],
  into: SpanChanges,
  prefix = '',
  level = 0,
): Fields | null {
  const pairs = new Map<string, unknown>();
  for (const each of list) {
    if (!isObject(each) || typeof each['key'] !== 'string') return null;
    // The protocol forbids repeated keys. For writers that repeat one, the last value is the valid one.
    const { key } = each;
    const source = `${prefix}${key}`;
    const value = anyValue(each['value'], into, source, level);
    // Counted even if both values are equal, because the key is repeated.
    if (pairs.has(key)) into.changes.push({ rule: 'last-of-key', source, ...pair(pairs.get(key), value) });
    pairs.set(key, value);
  }
  return Object.fromEntries(pairs);
}

/** A value as text, to show as an example. */
export const shownValue = (value: unknown): string => (typeof value === 'string' ? value : writeExact(value));
const pair = (before: unknown, after: unknown) => ({
  before: shownValue(before),
  after: after === null ? null : shownValue(after),
});

/** Attributes as a list of keys and values, or as an object; null if they are neither. */
export function attributesFrom(value: unknown, into: SpanChanges, prefix: string): Fields | null {
  if (Array.isArray(value)) return keyValues(value, into, prefix);
  return isObject(value) ? value : null;
}

/** Number of hexadecimal digits of an id. */
export const ID_DIGITS = { trace_id: 32, span_id: 16 } as const;
const HEX = /^[0-9a-f]+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * An id as lower-case hexadecimal, read from hexadecimal in any case, with 0x, as a UUID, and if `isStrict` also from
 * base64. Null if the text is not such an id.
 */
export function hexId(text: string, digits: number, isStrict: boolean): string | null {
  const bare = text.trim().replace(/^0x/i, '');
  if (HEX.test(bare) && bare.length === digits) return bare.toLowerCase();
  if (!isStrict || !BASE64.test(bare)) return null;
  const bytes = digits / 2;
  const isOfLength = bare.replace(/=+$/, '').length === Math.ceil((bytes * 4) / 3);
  return isOfLength ? hexOfBase64(bare, bytes) : null;
}

function hexOfBase64(text: string, bytes: number): string {
  let bits = 0;
  let held = 0;
  let hex = '';
  for (const letter of text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')) {
    held = ((held << 6) | BASE64_LETTERS.indexOf(letter)) & 0xff_ff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    hex += ((held >> bits) & 0xff).toString(16).padStart(2, '0');
  }
  return hex.slice(0, bytes * 2);
}

/** True for an id of zeros, which stands for none: OpenTelemetry and Datadog give it to a span without a parent. */
export const isZeroId = (id: unknown): boolean =>
  (typeof id === 'string' || typeof id === 'number') && /^\s*0+\s*$/.test(String(id));

const NANOS_OF_MS = 1_000_000n;
const LATEST_MS = 8_640_000_000_000_000n;

/**
 * A pair of seconds and nanoseconds, with which OpenTelemetry for JavaScript stores times and durations; null for other
 * values.
 */
export function pairNanos(value: unknown): bigint | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [seconds, nanos]: unknown[] = value;
  if (typeof seconds !== 'number' || typeof nanos !== 'number') return null;
  const isPair = [seconds, nanos].every((part) => Number.isSafeInteger(part) && part >= 0) && nanos < 1e9;
  return isPair ? BigInt(seconds) * 1_000_000_000n + BigInt(nanos) : null;
}

/** Nanoseconds as an integer; null if the value is not one. */
export function nanosOf(value: unknown): bigint | null {
  if (Array.isArray(value)) return pairNanos(value);
  const text = typeof value === 'number' || isRawNumber(value) ? writeExact(value) : value;
  if (typeof text !== 'string' || text.trim() === '') return null;
  if (/^\s*\d+\s*$/.test(text)) return BigInt(text.trim());
  const number = Number(text);
  return Number.isFinite(number) && number >= 0 ? BigInt(Math.round(number)) : null;
}

/** A time with all its digits. Null for 0, which means no time, and for years out of range. */
export function nanosText(nanos: bigint | null): string | null {
  if (nanos === null || nanos <= 0n) return null;
  const ms = nanos / NANOS_OF_MS;
  if (ms > LATEST_MS) return null;
  const rest = String(nanos % NANOS_OF_MS).padStart(6, '0');
  const more = rest === '000000' ? '' : rest.endsWith('000') ? rest.slice(0, 3) : rest;
  return new Date(Number(ms)).toISOString().replace('Z', `${more}Z`);
}

/** Milliseconds between two times, with fractions. */
export function msBetween(start: bigint, end: bigint): number {
  return Number(end - start) / 1e6;
}

/** The reason why a span has no duration, although its start and its end are known. */
export const ENDS_BEFORE_START = 'the span ends before it starts';

/** Nanoseconds of an ISO 8601 time; null for other values. */
export function nanosOfText(value: unknown): bigint | null {
  const ms = typeof value === 'string' ? isoTime(value) : null;
  return ms === null || typeof value !== 'string' ? null : BigInt(ms) * NANOS_OF_MS + nanosBelowMs(value);
}

/** Nanoseconds of an ISO 8601 time beyond its milliseconds. */
function nanosBelowMs(text: string): bigint {
  const [, fraction = ''] = /:\d{2}[.,](\d+)/.exec(text) ?? [];
  return BigInt(fraction.padEnd(9, '0').slice(3, 9));
}

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;
const STATES = ['UNSET', 'OK', 'ERROR'] as const;

/** Maps 3, `SPAN_KIND_CLIENT` and `SpanKind.CLIENT` to `CLIENT`. Other values stay unchanged. */
export const spanKind = (value: unknown): unknown => wordOf(value, KINDS, /^span_?kind[._]/i);
/** Maps 2, `STATUS_CODE_ERROR` and `StatusCode.ERROR` to `ERROR`. */
export const statusCode = (value: unknown): unknown => wordOf(value, STATES, /^status_?code[._]/i);

function wordOf(value: unknown, words: readonly string[], before: RegExp): unknown {
  if (typeof value === 'number') return words[value] ?? value;
  if (typeof value !== 'string') return value;
  if (/^\d$/.test(value)) return words[Number(value)] ?? value;
  const word = value.replace(before, '').toUpperCase();
  return words.includes(word) ? word : value;
}
