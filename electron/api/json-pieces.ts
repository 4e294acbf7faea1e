/** Splits a parsed value into pieces of JSON text that are each fast to parse, and rebuilds the value from them. */

/** One step of building a value. Paths are names and indices from the root. */
export type JsonPiece =
  /** Sets a complete value at its path, or an empty list or object that further pieces fill. */
  | { kind: 'set'; path: readonly (string | number)[]; text: string }
  /** Adds items to a list, or fields to an object. */
  | { kind: 'add'; path: readonly (string | number)[]; text: string }
  /** Appends characters to a text; not JSON. */
  | { kind: 'more'; path: readonly (string | number)[]; text: string };

/** Approximate number of text characters in a piece. Each value also has a fixed cost. */
const PIECE_CHARS = 65_536;
const CHARS_PER_VALUE = 16;
/**
 * Maximum length of a piece of a text. It is larger, because appended texts are not parsed. The garbage collector does
 * not move objects of this size.
 */
const TEXT_CHARS = 131_072;

/** Approximate length of a value as JSON text. Stops counting at `most`. */
export function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return CHARS_PER_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return CHARS_PER_VALUE;
  let weight = CHARS_PER_VALUE;
  if (Array.isArray(value)) {
    for (const part of value) {
      weight += weigh(part, most - weight);
      if (weight >= most) return weight;
    }
    return weight;
  }
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    weight += name.length;
    weight += weigh(Reflect.get(value, name), most - weight);
    if (weight >= most) return weight;
  }
  return weight;
}

type Path = readonly (string | number)[];

/** The pieces in the order of building. `write` serializes a part as JSON. */
export function* cutJson(
  value: unknown,
  write: (part: unknown) => string,
  path: Path = [],
): Generator<JsonPiece> {
  if (typeof value === 'string') {
    yield* cutText(value, write, path);
    return;
  }
  if (typeof value !== 'object' || value === null || weigh(value, PIECE_CHARS) < PIECE_CHARS) {
    yield { kind: 'set', path, text: write(value) };
    return;
  }
  yield { kind: 'set', path, text: Array.isArray(value) ? '[]' : '{}' };
  let group: [string, unknown][] = [];
  let weight = 0;
  const grouped = (): JsonPiece => {
    const part = Array.isArray(value) ? group.map(([, each]) => each) : fromEntries(group);
    group = [];
    weight = 0;
    return { kind: 'add', path, text: write(part) };
  };
  for (const name of Object.keys(value)) {
    const each: unknown = Reflect.get(value, name);
    const own = weigh(each, PIECE_CHARS) + (Array.isArray(value) ? 0 : name.length);
    if (group.length > 0 && weight + own >= PIECE_CHARS) yield grouped();
    if (own >= PIECE_CHARS && (typeof each === 'object' || typeof each === 'string')) {
      yield* cutJson(each, write, [...path, Array.isArray(value) ? Number(name) : name]);
      continue;
    }
    group.push([name, each]);
    weight += own;
  }
  if (group.length > 0) yield grouped();
}

function* cutText(text: string, write: (part: unknown) => string, path: Path): Generator<JsonPiece> {
  yield { kind: 'set', path, text: write(text.slice(0, PIECE_CHARS)) };
  for (let from = PIECE_CHARS; from < text.length; from += TEXT_CHARS)
    yield { kind: 'more', path, text: text.slice(from, from + TEXT_CHARS) };
}

/** Like `Object.fromEntries`, sets `__proto__` like any other field. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);

/** Builds a value from its pieces. */
export class JsonBuilder {
  readonly #parse: (text: string) => unknown;
  #root: unknown = null;

  constructor(parse: (text: string) => unknown) {
    this.#parse = parse;
  }

  add({ kind, path, text }: JsonPiece): void {
    if (kind === 'more') {
      this.#set(path, `${String(this.#at(path))}${text}`);
      return;
    }
    const part = this.#parse(text);
    if (kind === 'set') {
      this.#set(path, part);
      return;
    }
    const whole = this.#at(path);
    if (Array.isArray(whole) && Array.isArray(part)) for (const each of part) whole.push(each);
    else for (const [name, each] of Object.entries(part ?? {})) place(whole, name, each);
  }

  get value(): unknown {
    return this.#root;
  }

  #set(path: Path, value: unknown): void {
    const name = path.at(-1);
    if (name === undefined) this.#root = value;
    else place(this.#at(path.slice(0, -1)), name, value);
  }

  #at(path: Path): unknown {
    let found: unknown = this.#root;
    for (const name of path)
      found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : null;
    return found;
  }
}

function place(whole: unknown, name: string | number, value: unknown): void {
  if (typeof whole !== 'object' || whole === null) return;
  Object.defineProperty(whole, name, { value, writable: true, enumerable: true, configurable: true });
}
