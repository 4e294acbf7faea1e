/**
 * Parses JSON with deviations of other programs: NaN and Infinity as values (Python's `json.dumps`), and repeated keys
 * in an object. Both are reported. Pure.
 */
import { cutText } from './cut-text.ts';
import { isRawNumber, parseExact } from './exact-json.ts';

/** A value that JSON cannot represent, one of several values for a key, or a typed value of a database. */
export interface JsonOddity {
  kind: 'not-finite' | 'last-of-key' | 'typed-json';
  /** Dotted path of the key; empty if the whole text is the value. */
  key: string;
  /** First key of the path: a column, if the text is a row. */
  column: string;
  /** Text of the value that is dropped or replaced. */
  before: string;
  /** Text of the value that is used; null for no value. */
  after: string | null;
}

interface LenientJson {
  value: unknown;
  oddities: readonly JsonOddity[];
}

const NONE: readonly JsonOddity[] = [];
/** Marks a replaced word during parsing: a noncharacter that does not occur in texts. */
const SIGN = '\ufdd0';
const SIGNED = new RegExp(`"${SIGN}(NaN|-?Infinity|-0)"`, 'g');
const MAX_VALUE_CHARS = 80;

/**
 * Like `parse`, but NaN, Infinity and -Infinity become JavaScript numbers, which cannot be written as JSON again.
 * Throws SyntaxError for any other invalid JSON.
 */
export function parseLenient(text: string, parse: (json: string) => unknown = parseExact): LenientJson {
  try {
    return { value: parse(text), oddities: NONE };
  } catch (problem) {
    const found = withoutNotFinite(text);
    if (found === null) throw problem;
    return { value: withNumbers(parse(found.text)), oddities: found.oddities };
  }
}

/** JSON as Python writes it: with NaN, Infinity and the sign of zero. Only for display. */
export function writeLenient(value: unknown): string {
  const json = JSON.stringify(value, (_key, part: unknown) => {
    if (Object.is(part, -0)) return `${SIGN}-0`;
    return typeof part === 'number' && !Number.isFinite(part) ? `${SIGN}${part}` : part;
  }) as string | undefined;
  return (json ?? 'null').replaceAll(SIGNED, '$1');
}

/**
 * Keys repeated in one object of `text`. `value` is its parsed form, with which most texts are quickly found to have
 * none.
 */
export function doubledKeys(text: string, value: unknown): readonly JsonOddity[] {
  return membersIn(text) === membersOf(value) ? NONE : findDoubled(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LARGE_N = 0x4e;
const LARGE_I = 0x49;

/** Index after the closing quote of the string that begins at `open`. */
function stringEnd(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = 0;
    while (text.charCodeAt(close - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return close + 1;
  }
  return text.length;
}

function passBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

function membersIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = stringEnd(text, at);
    if (text.charCodeAt(passBlanks(text, end)) === COLON) count += 1;
    at = text.indexOf('"', end);
  }
  return count;
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const part of value) count += membersOf(part);
    return count;
  }
  for (const part of Object.values(value)) count += 1 + membersOf(part);
  return count;
}

/** Walks through the members of JSON text and tracks the current key. */
class Walk {
  readonly #text: string;
  /** The latest key of each enclosing object; null for a list. */
  readonly #keys: (string | null)[] = [];
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get place(): Pick<JsonOddity, 'key' | 'column'> {
    const key = this.#keys.filter((each) => each !== null && each !== '').join('.');
    return { key, column: this.#keys[0] ?? '' };
  }

  get depth(): number {
    return this.#keys.length;
  }

  /** Advances over the token at `at`; returns it if it was a key. */
  step(): string | null {
    const text = this.#text;
    const code = text.charCodeAt(this.at);
    if (code !== QUOTE) {
      if (code === OPEN) this.#keys.push('');
      else if (code === OPEN_LIST) this.#keys.push(null);
      else if (code === CLOSE || code === CLOSE_LIST) this.#keys.pop();
      this.at += 1;
      return null;
    }
    const end = stringEnd(text, this.at);
    const colon = passBlanks(text, end);
    const isKey = text.charCodeAt(colon) === COLON;
    const key = isKey ? String(JSON.parse(text.slice(this.at, end))) : null;
    if (isKey) this.#keys[this.#keys.length - 1] = key;
    this.at = isKey ? colon + 1 : end;
    return key;
  }
}

function withNumbers(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(SIGN) ? Number(value.slice(SIGN.length)) : value;
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map(withNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withNumbers(part)]));
}

function withoutNotFinite(text: string): { text: string; oddities: JsonOddity[] } | null {
  if (!text.includes('NaN') && !text.includes('Infinity')) return null;
  const oddities: JsonOddity[] = [];
  const walk = new Walk(text);
  let written = '';
  let from = 0;
  while (walk.at < text.length) {
    const code = text.charCodeAt(walk.at);
    const word =
      code === LARGE_N || code === LARGE_I
        ? ['NaN', 'Infinity'].find((each) => text.startsWith(each, walk.at))
        : undefined;
    if (word === undefined) {
      walk.step();
      continue;
    }
    const start = text.charCodeAt(walk.at - 1) === MINUS ? walk.at - 1 : walk.at;
    const before = text.slice(start, walk.at + word.length);
    written += text.slice(from, start) + JSON.stringify(SIGN + before);
    walk.at += word.length;
    from = walk.at;
    oddities.push({ kind: 'not-finite', ...walk.place, before, after: null });
  }
  return oddities.length === 0 ? null : { text: written + text.slice(from), oddities };
}

function findDoubled(text: string): JsonOddity[] {
  const walk = new Walk(text);
  /** The keys of each enclosing object, with the text of their values. */
  const around: Map<string, string>[] = [];
  const found: JsonOddity[] = [];
  while (walk.at < text.length) {
    const depth = walk.depth;
    const key = walk.step();
    if (walk.depth > depth) around.push(new Map());
    else if (walk.depth < depth) around.pop();
    if (key === null) continue;
    const value = valueText(text, passBlanks(text, walk.at));
    const before = around.at(-1)?.get(key);
    if (before !== undefined) found.push({ kind: 'last-of-key', ...walk.place, before, after: value });
    around.at(-1)?.set(key, value);
  }
  return found;
}

/** The beginning of the value at an index, as text. */
function valueText(text: string, from: number): string {
  const code = text.charCodeAt(from);
  if (code === QUOTE)
    return cutText(String(JSON.parse(text.slice(from, stringEnd(text, from)))), MAX_VALUE_CHARS);
  let depth = 0;
  let at = from;
  for (; at < Math.min(text.length, from + MAX_VALUE_CHARS); at += 1) {
    const each = text.charCodeAt(at);
    if (depth === 0 && (each === COMMA || each === CLOSE || each === CLOSE_LIST)) break;
    if (each === OPEN || each === OPEN_LIST) depth += 1;
    else if (each === CLOSE || each === CLOSE_LIST) depth -= 1;
  }
  return text.slice(from, at).trim();
}
