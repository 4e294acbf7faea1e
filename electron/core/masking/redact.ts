/** Masks fields of records before they leave the computer, also inside JSON that a record holds as a text. Pure. */
import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
import { isFormulaOfMasked, isValueBesideName, maskedPlaces, namesMasked, rowsOfCells } from './spoken-of.ts';

export const MASKED = '[redacted]';
/** Minimum length of a value that is recognized elsewhere. Shorter values occur in too many places. */
const MIN_TOLD = 4;
const MIN_TOLD_NUMBER = 6;
const WORDS_OF_JSON = new Set(['true', 'false', 'null']);
/** Maximum nesting of JSON that is parsed. */
const MAX_DEPTH = 500;
const MAX_PATHS = 50_000;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export interface Redactor {
  /** Records the masked texts of a record, so that they are also masked elsewhere. */
  learn(record: unknown): void;
  /**
   * The masked record; the same object if nothing is masked. A text that looks like JSON with a masked field but is not
   * valid JSON, e.g. because it is shortened, is masked as a whole.
   */
  mask<T>(record: T): T;
  /** Whether everything under this name is masked, such as the values of an attribute. */
  isMaskedPath(path: string): boolean;
  /** Whether the text contains a value that is masked elsewhere. */
  isTold(text: string): boolean;
}

/**
 * `patterns`: a path matches a pattern if it ends like it. `*` stands for one name, or at the end for everything below.
 * `hidden`: ids that must not appear in any field.
 */
export function createRedactor(patterns: readonly string[], hidden: ReadonlySet<string>): Redactor {
  const known = new Map<string, boolean>();
  const matchers = patterns.map(matcherOf);
  const nameMatchers = patterns.map(nameMatchersOf);
  const told = new Set<number>();
  const isMaskedPath = (path: string): boolean => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const isMatch = matchers.some((matcher) => matcher.test(path));
    if (known.size < MAX_PATHS) known.set(path, isMatch);
    return isMatch;
  };
  const isTold = (text: string) => told.size > 0 && text.length >= MIN_TOLD && told.has(hashOf(text));
  const learn = (value: unknown, path: string, isMasked: boolean): void => {
    if (value === null || value === undefined) return;
    if (typeof value === 'object' && !isRawNumber(value)) {
      const isBelow = isMasked || (path !== '' && isMaskedPath(path));
      if (Array.isArray(value)) {
        const isListBelow = isBelow || isMaskedPath(joined(path, '0'));
        for (const each of value) learn(each, path, isListBelow);
      } else {
        const isOfMasked = namesMasked(value, isMaskedPath);
        const places = maskedPlaces(value, isMaskedPath);
        for (const [name, part] of Object.entries(value)) {
          const below = joined(path, name);
          learn(part, below, isBelow || (isOfMasked && isValueBesideName(value, name)));
          const rows = places.size === 0 ? null : rowsOfCells(name, part);
          for (const row of rows ?? [])
            if (Array.isArray(row)) for (const at of places) learn(row[at], below, true);
        }
      }
      return;
    }
    const text = String(value);
    const isOwn = isMasked || isMaskedPath(path);
    if (isOwn && isTelling(value, text)) told.add(hashOf(text));
    const opened = typeof value === 'string' && patterns.length > 0 ? jsonOf(value) : null;
    if (opened !== null) learn(opened.value, path, isOwn);
  };
  const maskText = (text: string): string => {
    if (isTold(text) || hidden.has(text)) return MASKED;
    if (hidden.size === 0) return text;
    return text.replaceAll(UUID, (found) =>
      hidden.has(found) || hidden.has(found.toLowerCase()) ? MASKED : found,
    );
  };
  /**
   * Whether a text at `path` that contains these names may hold a masked value. The nesting of the names is unknown, so
   * all names of a pattern have to occur, the last one within the text.
   */
  const mayMaskNames = (path: string, names: readonly string[]): boolean => {
    const inside = names.flatMap((name) => name.split('.'));
    const all = [...path.split('.'), ...inside];
    return nameMatchers.some(
      (each) =>
        each.all.every((matcher) => all.some((name) => matcher.test(name))) &&
        inside.some((name) => each.last.test(name)),
    );
  };
  /** Shortened JSON may have a value after a name, as in `{"key": "email", "value": "an`. */
  const namesMaskedIn = (text: string): boolean => {
    for (const [, name] of text.matchAll(/"(?=([^"\\]*)")/g))
      if (name !== undefined && name !== '' && isMaskedPath(name)) return true;
    return false;
  };
  const maskWithin = (text: string, path: string): string => {
    if (patterns.length === 0 || text === MASKED) return text;
    const opened = jsonOf(text);
    if (opened !== null) {
      const next = mask(opened.value, path, false);
      if (next !== opened.value) return writeExact(next);
      if (!mayMaskNames(path, namesIn(text))) return text;
      // If keys are repeated, parsing hides all but the last value, so the text is written anew from the parsed value.
      const written = writeExact(next);
      return quotesIn(written) === quotesIn(text) ? text : written;
    }
    // Text that looks like JSON but is invalid is masked as a whole if the elements of a list here would be.
    const isLikeJson = /^\s*[[{]/.test(text);
    if (isLikeJson && isMaskedPath(joined(path, '0'))) return MASKED;
    if (!mayMaskNames(path, namesIn(text)) && !(isLikeJson && namesMaskedIn(text))) return text;
    const lines = text.split('\n');
    const isJsonLines =
      lines.length > 1 && lines.every((line) => line.trim() === '' || jsonOf(line) !== null);
    return isJsonLines ? lines.map((line) => maskWithin(line, path)).join('\n') : MASKED;
  };
  const mask = (value: unknown, path: string, isMasked: boolean): unknown => {
    if (value === null || value === undefined) return value;
    const isBelow = isMasked || (path !== '' && isMaskedPath(path));
    if (typeof value === 'string') return isBelow ? MASKED : maskWithin(maskText(value), path);
    if (typeof value !== 'object' || isRawNumber(value)) {
      return isBelow || isTold(String(value)) ? MASKED : value;
    }
    if (Array.isArray(value)) {
      // A pattern for everything below a list also matches its elements.
      const isListBelow = isBelow || isMaskedPath(joined(path, '0'));
      const next = value.map((each) => mask(each, path, isListBelow));
      return next.every((each, at) => each === value[at]) ? value : next;
    }
    let isChanged = false;
    const isOfMasked = !isBelow && patterns.length > 0 && namesMasked(value, isMaskedPath);
    const places = maskedPlaces(value, isMaskedPath);
    const pairs = Object.entries(value).map(([name, part]) => {
      const isWhole =
        isBelow ||
        (isOfMasked && isValueBesideName(value, name)) ||
        isFormulaOfMasked(name, part, isMaskedPath);
      const rows = isWhole || places.size === 0 ? null : rowsOfCells(name, part);
      const below = joined(path, name);
      const next = rows === null ? mask(part, below, isWhole) : maskCells(rows, below, places);
      const nextName = maskText(name);
      isChanged ||= next !== part || nextName !== name;
      return [nextName, next] as const;
    });
    return isChanged ? Object.fromEntries(pairs) : value;
  };
  const maskCells = (rows: readonly unknown[], path: string, places: ReadonlySet<number>): unknown[] =>
    rows.map((row) =>
      Array.isArray(row) ? row.map((cell, at) => mask(cell, path, places.has(at))) : mask(row, path, false),
    );
  return {
    learn: (record) => learn(record, '', false),
    // The cast is safe, because the result has the same form; only values are replaced by texts.
    mask: <T>(record: T) => mask(record, '', false) as T,
    isMaskedPath,
    isTold,
  };
}

/** Quoted texts before a colon, also in nested JSON and in Python's notation. */
function namesIn(text: string): string[] {
  // A lookahead does not consume the name, because in a shortened text a quote may have another role than it seems.
  const quoted = [...text.matchAll(/"(?=([^"]*)"\s*:)|'(?=([^']*)'\s*:)/g)].map(
    ([, double, single]) => double ?? String(single),
  );
  return [...new Set(quoted)].map((each) => {
    const name = each.endsWith('\\') ? each.replaceAll('\\', '') : each;
    const decoded = jsonOf(`"${name}"`);
    return decoded === null ? name : String(decoded.value);
  });
}

/** False for values that occur in too many places to be recognized. */
function isTelling(value: unknown, text: string): boolean {
  if (typeof value === 'string') return text.length >= MIN_TOLD && !WORDS_OF_JSON.has(text);
  return typeof value !== 'boolean' && text.length >= MIN_TOLD_NUMBER;
}

const quotesIn = (text: string): number => text.split('"').length;

/** Number of lists and objects around the innermost value of a JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    if (mark === '[' || mark === '{') depth += 1;
    else if (mark === ']' || mark === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/**
 * The parsed value of a text that is a JSON object, list or string; null for any other text, for invalid JSON, and for
 * JSON that is nested too deeply.
 */
export function jsonOf(text: string): { value: unknown } | null {
  if (!/^\s*[[{"]/.test(text) || (text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH)) return null;
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Attribute names contain dots, so paths are compared as text. */
function matcherOf(pattern: string): RegExp {
  const text = pattern
    .trim()
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    // At the end of a pattern, `*` matches everything below, because keys of attributes contain dots themselves.
    .replace(/\*$/, '.+')
    .replaceAll('*', '[^.]+');
  return new RegExp(`(?:^|\\.)${text}$`, 'i');
}

/** Matchers for the single names of a pattern, without a final `*`. */
function nameMatchersOf(pattern: string): { all: RegExp[]; last: RegExp } {
  const names = pattern.trim().replace(/\.\*$/, '').split('.');
  return { all: names.map(matcherOf), last: matcherOf(names.slice(-1).join('')) };
}

/** A 53-bit hash. On a collision both texts are masked, which reveals nothing. */
function hashOf(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}
