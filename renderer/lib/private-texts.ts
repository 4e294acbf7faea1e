/**
 * Texts that privacy mode hides everywhere. They are collected from answers of the main process, by kind of field.
 * Pure.
 */

import { kindOfKey, type PrivateKind } from './private-fields.ts';
import { visible } from './read/visible.ts';
import { isObject, type JsonObject } from './records.ts';

/** Minimum length of a hidden name; shorter ones would hide parts of words. */
const MIN_NAME = 3;
/**
 * Minimum length of a text that is hidden inside other texts. Shorter ones (`yes`, `accepted`) also are words of the
 * window, and their own fields are masked anyway.
 */
const MIN_TEXT = 12;
/** Longer texts are indexed by this many initial characters. */
const START = 8;
/** Minimum length of a truncated text to be recognized. */
const MIN_CUT = 16;
/** Maximum number of texts in a generation. The previous generation is kept as well. */
const MAX_TEXTS = 20_000;
const MAX_LENGTH = 4_000;
const MAX_DEPTH = 12;
const DOT = '•';
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const IS_WORD = /[\p{L}\p{N}_]/u;

/** Replaces characters with dots, but keeps the length and the spaces, so that lines wrap as before. */
export const dotted = (text: string): string => text.replace(/\S/gu, (sign) => DOT.repeat(sign.length));

/** Position of a value in an answer. */
interface Place {
  /** Kind of everything below this position. */
  kind: PrivateKind | null;
  /** Whether this is a record with a name, or contains such records. */
  isNamed: boolean;
  isStored: boolean;
}

interface Generation {
  all: Set<string>;
  short: Set<string>;
  byStart: Map<string, string[]>;
}
const empty = (): Generation => ({ all: new Set(), short: new Set(), byStart: new Map() });

/**
 * Operations and channels whose records have names to hide. Names of other records (spans, attributes, columns)
 * identify nobody.
 */
const NAMED = /^(?:applications|models|datasets|projects|organizations?|connections|server)\b/;
/** Keys of nested objects that have names to hide. */
const HOLDERS =
  /^(?:application|model|dataset|project|organization|connection|of|user|owner|author|(?:created|updated)_?by)$/i;
/** Keys between an answer and the records in it. */
const PATH_KEYS = new Set(['page', 'rows', 'record', 'records', 'state', 'data', 'connections', 'value']);
/**
 * Channels whose answers have data of the service. Others describe the window and its jobs in the application's own
 * words.
 */
const STORED = /^(?:library|datasets|builds|snapshots|scores|items|search|spans|keep)\b|^[a-z-]+\.[a-z-]+/;
/** Fields of errors, jobs and requests with the application's own words. */
const OURS = new Set(['title', 'url', 'reason', 'message']);
/** Kinds of search hits whose titles come from an application and not from people. */
const PUBLIC_HITS = new Set(['names', 'attributes', 'spans', 'values']);

export class PrivateTexts {
  #now = empty();
  #before = empty();
  /** Fields that the user added, in the user's notation. */
  added: readonly string[] = [];
  /** Words of the window itself. They stay readable even if a record has the same name as a view. */
  own: ReadonlySet<string> = new Set();

  /** Collects the private texts of an answer. `about`: its operation or channel. */
  collect(answer: unknown, about: string): void {
    this.#walk(answer, { kind: null, isNamed: NAMED.test(about), isStored: STORED.test(about) }, 0);
  }

  #walk(value: unknown, place: Place, depth: number): void {
    if (typeof value === 'string') {
      if (place.kind !== null) this.add(value, place.kind);
      return;
    }
    if (depth > MAX_DEPTH || value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      for (const each of value) this.#walk(each, place, depth + 1);
      return;
    }
    if (!isObject(value)) return;
    if ('titleRanges' in value) this.#takeHit(value);
    const isSpan = 'span_id' in value || 'spanId' in value;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'string') {
        const kind = place.kind ?? this.#kindOf(key, place, isSpan);
        if (kind !== null) this.add(inner, kind);
      } else if (typeof inner === 'object' && inner !== null) {
        const isHolder = HOLDERS.test(key);
        const isNamed = isHolder || (place.isNamed && PATH_KEYS.has(key));
        const kind = place.kind ?? (isHolder ? null : this.#kindOf(key, place, isSpan));
        this.#walk(inner, { ...place, kind, isNamed }, depth + 1);
      }
    }
  }

  #kindOf(key: string, { isNamed, isStored }: Place, isSpan: boolean): PrivateKind | null {
    if (key === 'name') return isNamed && !isSpan ? 'name' : null;
    // The name of a model in a span is public: models are made by others.
    if (OURS.has(key) || (isSpan && key === 'model')) return null;
    const kind = kindOfKey(key, this.added);
    return kind === 'text' && !isStored ? null : kind;
  }

  #takeHit({ kind, title, place, found }: JsonObject): void {
    if (typeof place === 'string') this.add(place);
    if (typeof title === 'string' && !PUBLIC_HITS.has(String(kind))) this.add(title);
    if (!isObject(found) || typeof found['field'] !== 'string' || typeof found['text'] !== 'string') return;
    const own = kindOfKey(found['field'], this.added);
    if (own !== null) this.add(found['text'], own);
  }

  add(given: string, kind: PrivateKind = 'name'): void {
    const least = kind === 'name' ? MIN_NAME : MIN_TEXT;
    for (const line of given.slice(0, MAX_LENGTH).split('\n')) {
      const text = line.trim();
      if (text.length < least || (kind === 'text' && !text.includes(' '))) continue;
      this.#put(text);
      // The text with hidden characters as symbols, as some views show it.
      const shown = visible(text);
      if (shown !== text) this.#put(shown);
      const host = /^https?:\/\/([^/?#]+)/.exec(text)?.[1];
      if (host !== undefined) this.#put(host);
    }
  }

  #put(text: string): void {
    if (this.#now.all.has(text) || this.own.has(text)) return;
    if (this.#now.all.size >= MAX_TEXTS) {
      this.#before = this.#now;
      this.#now = empty();
    }
    const { all, short, byStart } = this.#now;
    all.add(text);
    if (text.length < START) short.add(text);
    else {
      const start = text.slice(0, START);
      const others = byStart.get(start);
      if (others === undefined) byStart.set(start, [text]);
      else others.push(text);
    }
  }

  /** Replaces every private text in `text` with dots of the same length. */
  hide(text: string): string {
    const plain = text.includes('@') ? text.replace(EMAIL, dotted) : text;
    let shown = '';
    let from = 0;
    for (let at = 0; at < plain.length; at += 1) {
      if (at > 0 && isWord(plain, at) && isWord(plain, at - 1)) continue;
      const length = this.#lengthAt(plain, at);
      if (length === 0) continue;
      shown += plain.slice(from, at) + dotted(plain.slice(at, at + length));
      from = at + length;
      at = from - 1;
    }
    return from === 0 ? plain : shown + plain.slice(from);
  }

  /** Length of the private text at this position; 0 if there is none. */
  #lengthAt(text: string, at: number): number {
    let longest = 0;
    for (const { byStart, short, all } of [this.#now, this.#before]) {
      if (all.size === 0) continue;
      for (const each of byStart.get(text.slice(at, at + START)) ?? [])
        longest = Math.max(longest, sharedLength(text, at, each));
      if (short.size === 0) continue;
      for (let length = START - 1; length > longest && length >= MIN_NAME; length -= 1)
        if (endsThere(text, at + length) && short.has(text.slice(at, at + length))) longest = length;
    }
    return longest;
  }
}

/** Most characters are ASCII, which needs no Unicode lookup. */
function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 128) return IS_WORD.test(text.charAt(at));
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}
const endsThere = (text: string, end: number): boolean =>
  end >= text.length || !isWord(text, end) || !isWord(text, end - 1);

/** Length of `known` at this position, or of its beginning if the text is truncated. */
function sharedLength(text: string, at: number, known: string): number {
  if (text.startsWith(known, at)) return endsThere(text, at + known.length) ? known.length : 0;
  let length = START;
  while (length < known.length && text[at + length] === known[length]) length += 1;
  const isCut = at + length >= text.length || text[at + length] === '…';
  return isCut && length >= MIN_CUT ? length : 0;
}
