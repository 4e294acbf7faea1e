/**
 * Stores the keys by which rows are sorted, in typed arrays. Ten million rows of numbers take a fifth of a gigabyte.
 * Pure except for the pauses.
 */
import { AppError } from '../shared/errors.ts';
import { isRawNumber } from '../shared/exact-json.ts';
import { fold } from '../shared/fold.ts';
import { type Compare, sortByKeys } from './merge-sort.ts';
import { PositionList } from './position-list.ts';
import type { Slices } from './slices.ts';

/** Numeric texts are sorted as numbers, because catalog values are texts. */
const NUMERIC = /^-?(\d{1,15})(\.\d{1,15})?(e[+-]?\d{1,2})?$/i;
/** A quick test, because most texts do not even begin like a number. */
function looksNumeric(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first === 45 || (first >= 48 && first <= 57)) && NUMERIC.test(text);
}

/** Maximum number of characters of a value that are compared. */
const KEY_CHARS = 1_000;
const headOf = (text: string): string => (text.length > KEY_CHARS ? text.slice(0, KEY_CHARS) : text);

/** Rows whose values are of one kind. `orderOf` sorts their indices in `positions`. */
interface SortGroup {
  readonly positions: PositionList;
  orderOf(initial: Uint32Array, isDescending: boolean, slices: Slices): Promise<Uint32Array>;
}

class NumberGroup implements SortGroup {
  readonly positions = new PositionList();
  #numbers = new Float64Array(1_024);

  add(position: number, value: number): void {
    const { size } = this.positions;
    if (size === this.#numbers.length) {
      const wider = new Float64Array(size * 2);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    this.#numbers[size] = value;
    this.positions.add(position);
  }

  orderOf(initial: Uint32Array, isDescending: boolean, slices: Slices): Promise<Uint32Array> {
    const sign = isDescending ? -1 : 1;
    const keys = new Float64Array(initial.length);
    for (const [place, index] of initial.entries()) keys[place] = sign * (this.#numbers[index] ?? 0);
    return sortByKeys(keys, initial, () => 0, slices);
  }
}

/** Memory limit for texts. Ten million rows with texts of usual length need less. */
const MAX_TEXT_MB = 400;
/** Size of a piece of the stored texts. No text is longer than a piece. */
const PIECE_BYTES = 4_194_304;
/** Number of bytes before each text that hold its length. */
const LENGTH_BYTES = 2;
/**
 * Maximum number of texts that are stored once and shared by all their occurrences. A column of few different values
 * does not have more.
 */
const MAX_SHARED = 10_000;
/** Number of bytes of a text in a key. A number with more bytes would not be exact. */
const KEY_BYTES = 6;

/** Sorts texts by their UTF-16 code units. Each unit is stored in one to three bytes that keep this order. */
class TextGroup implements SortGroup {
  readonly positions = new PositionList();
  readonly #starts = new PositionList();
  readonly #pieces: Uint8Array[] = [];
  #end = 0;
  readonly #shared = new Map<string, number>();

  /** Throws ANSWER_TOO_LARGE. */
  add(position: number, text: string): void {
    this.positions.add(position);
    const known = this.#shared.get(text);
    const start = known ?? this.#write(text);
    if (known === undefined && this.#shared.size < MAX_SHARED) this.#shared.set(text, start);
    this.#starts.add(start);
  }

  async orderOf(initial: Uint32Array, isDescending: boolean, slices: Slices): Promise<Uint32Array> {
    const sign = isDescending ? -1 : 1;
    const starts = this.#starts.values();
    const alike = this.#commonBytes(starts);
    await slices.pause();
    const keys = new Float64Array(initial.length);
    for (const [place, index] of initial.entries())
      keys[place] = sign * this.#keyAt(starts[index] ?? 0, alike);
    const ties: Compare = (a, b) => sign * this.#compare(starts[a] ?? 0, starts[b] ?? 0, alike);
    return sortByKeys(keys, initial, ties, slices);
  }

  #write(text: string): number {
    let piece = this.#pieces.at(-1);
    if (piece === undefined || (this.#end % PIECE_BYTES) + LENGTH_BYTES + 3 * text.length > PIECE_BYTES) {
      if ((this.#pieces.length + 1) * PIECE_BYTES > MAX_TEXT_MB * 1_048_576) throw tooLarge();
      piece = new Uint8Array(PIECE_BYTES);
      this.#end = this.#pieces.length * PIECE_BYTES;
      this.#pieces.push(piece);
    }
    const start = this.#end % PIECE_BYTES;
    const end = writeUnits(piece, start + LENGTH_BYTES, text);
    const length = end - start - LENGTH_BYTES;
    piece[start] = length >> 8;
    piece[start + 1] = length & 255;
    const written = this.#end;
    this.#end += end - start;
    return written;
  }

  #textAt(start: number): { bytes: Uint8Array; from: number; length: number } {
    const bytes = this.#pieces[Math.floor(start / PIECE_BYTES)] ?? new Uint8Array(LENGTH_BYTES);
    const from = start % PIECE_BYTES;
    const length = ((bytes[from] ?? 0) << 8) | (bytes[from + 1] ?? 0);
    return { bytes, from: from + LENGTH_BYTES, length };
  }

  /** Number of bytes at the beginning that all texts have in common. */
  #commonBytes(starts: Int32Array): number {
    const first = this.#textAt(starts[0] ?? 0);
    let alike = first.length;
    for (const start of starts) {
      const { bytes, from, length } = this.#textAt(start);
      alike = Math.min(alike, length);
      let same = 0;
      while (same < alike && bytes[from + same] === first.bytes[first.from + same]) same += 1;
      alike = same;
      if (alike === 0) return 0;
    }
    return alike;
  }

  #keyAt(start: number, after: number): number {
    const { bytes, from, length } = this.#textAt(start);
    let key = 0;
    for (let at = after; at < after + KEY_BYTES; at += 1)
      key = key * 256 + (at < length ? (bytes[from + at] ?? 0) : 0);
    return key;
  }

  #compare(a: number, b: number, after: number): number {
    if (a === b) return 0;
    const [one, other] = [this.#textAt(a), this.#textAt(b)];
    const end = Math.min(one.length, other.length);
    for (let at = after; at < end; at += 1) {
      const difference = (one.bytes[one.from + at] ?? 0) - (other.bytes[other.from + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return one.length - other.length;
  }
}

/** Returns the offset after the last written byte. */
function writeUnits(bytes: Uint8Array, from: number, text: string): number {
  let end = from;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes[end++] = unit;
    else if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6);
      bytes[end++] = 0x80 | (unit & 63);
    } else {
      bytes[end++] = 0xe0 | (unit >> 12);
      bytes[end++] = 0x80 | ((unit >> 6) & 63);
      bytes[end++] = 0x80 | (unit & 63);
    }
  }
  return end;
}

const tooLarge = (): AppError =>
  new AppError(
    'ANSWER_TOO_LARGE',
    `The texts that these rows are sorted by take more than ${MAX_TEXT_MB} MB of memory. Narrow the list first.`,
  );

class MissingGroup implements SortGroup {
  readonly positions = new PositionList();
  orderOf(initial: Uint32Array): Promise<Uint32Array> {
    return Promise.resolve(initial);
  }
}

/** Sorts numbers by size, then texts ignoring case, then other values by their JSON. Missing values come last. */
export class SortKeys {
  readonly #numbers = new NumberGroup();
  readonly #texts = new TextGroup();
  readonly #others = new TextGroup();
  readonly #missing = new MissingGroup();

  /** Throws ANSWER_TOO_LARGE. */
  add(position: number, value: unknown): void {
    if (typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value))
      this.#numbers.add(position, Number(value));
    else if (typeof value === 'string') {
      if (looksNumeric(value)) this.#numbers.add(position, Number(value));
      else this.#texts.add(position, fold(headOf(value)));
    } else if (value === null || value === undefined) this.#missing.positions.add(position);
    else this.#others.add(position, headOf(JSON.stringify(value)));
  }

  groups(isDescending: boolean): readonly SortGroup[] {
    const present = [this.#numbers, this.#texts, this.#others];
    return [...(isDescending ? present.toReversed() : present), this.#missing];
  }
}
