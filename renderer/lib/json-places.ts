/**
 * JSON typed by the user: the value and the position of each part, or the position of the first error. Pure. Accepts
 * exactly what JSON.parse accepts.
 */
import { exactNumber } from '../../electron/shared/exact-json.ts';

type JsonPath = readonly (string | number)[];

export interface JsonSpan {
  /** Offsets into the text; `end` is exclusive. */
  start: number;
  end: number;
}

interface ReadJson {
  value: unknown;
  /** Position of the part at this path, or of its nearest ancestor if it does not exist. */
  placeOf: (path: JsonPath) => JsonSpan;
}

/** The first error in a text and its position. */
export class JsonMistake extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly [string, unknown][] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const MAX_DEPTH = 500;

class Reader {
  readonly spans = new Map<string, JsonSpan>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const value = this.#value([]);
    this.#space();
    if (this.#at < this.#text.length) this.#fail('Expected nothing after the closing bracket.');
    return value;
  }

  #fail(message: string): never {
    throw new JsonMistake(message, this.#at);
  }

  #space(): void {
    while (/[ \t\n\r]/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #peek(): string {
    this.#space();
    return this.#text.charAt(this.#at);
  }

  #value(path: JsonPath): unknown {
    const first = this.#peek();
    if (path.length > MAX_DEPTH) this.#fail('Nested too deep.');
    const start = this.#at;
    const value = this.#unplaced(first, path);
    this.spans.set(JSON.stringify(path), { start, end: this.#at });
    return value;
  }

  #unplaced(first: string, path: JsonPath): unknown {
    if (first === '{') return this.#object(path);
    if (first === '[') return this.#array(path);
    if (first === '"') return this.#string();
    if (first === '') this.#fail('Expected a value, but the text ends here.');
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text)?.[0];
    if (number === undefined) this.#fail('Expected a value: text in double quotes, a number, {…} or […].');
    this.#at += number.length;
    return exactNumber(number);
  }

  #object(path: JsonPath): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    if (this.#peek() === '}') {
      this.#at += 1;
      return {};
    }
    for (;;) {
      if (this.#peek() !== '"') this.#fail('Expected a key in double quotes.');
      const key = this.#string();
      if (this.#peek() !== ':') this.#fail(`Expected a colon after "${key}".`);
      this.#at += 1;
      entries.push([key, this.#value([...path, key])]);
      if (this.#ends('}', 'Expected a comma, or } to close the object.')) return Object.fromEntries(entries);
    }
  }

  #array(path: JsonPath): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    if (this.#peek() === ']') {
      this.#at += 1;
      return items;
    }
    for (;;) {
      items.push(this.#value([...path, items.length]));
      if (this.#ends(']', 'Expected a comma, or ] to close the list.')) return items;
    }
  }

  #ends(bracket: string, message: string): boolean {
    const next = this.#peek();
    if (next !== bracket && next !== ',') this.#fail(message);
    this.#at += 1;
    return next === bracket;
  }

  #string(): string {
    const start = this.#at;
    for (this.#at += 1; ; this.#at += 1) {
      const letter = this.#text.charAt(this.#at);
      if (letter === '"') break;
      if (letter === '' || letter < ' ') this.#fail('Closing quotes are missing on this line.');
      if (letter === '\\') this.#at += 1;
    }
    this.#at += 1;
    try {
      return String(JSON.parse(this.#text.slice(start, this.#at)));
    } catch {
      throw new JsonMistake('Invalid escape: no such letter after a backslash.', start);
    }
  }
}

/** Parses a text. Throws JsonMistake. */
export function readJson(text: string): ReadJson {
  const reader = new Reader(text);
  const value = reader.read();
  return {
    value,
    placeOf: (path) => {
      for (let length = path.length; length >= 0; length -= 1) {
        const span = reader.spans.get(JSON.stringify(path.slice(0, length)));
        if (span !== undefined) return span;
      }
      return { start: 0, end: text.length };
    },
  };
}

/** Line and column of an offset, counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}
