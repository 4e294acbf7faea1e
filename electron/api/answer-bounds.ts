/** Limits for an answer. They are checked while it arrives, so that an answer beyond them is not read to its end. */
import { numberText } from '../shared/count-text.ts';

/** Advice for an answer beyond the limits. */
export const SMALLER_PAGE = 'Ask for fewer rows at a time: a smaller page, or a narrower filter.';

/** Maximum size of an answer that is read on the main thread, which takes a few milliseconds at most. */
export const SMALL_ANSWER_BYTES = 131_072;
/** Maximum number of object members and array items. Each takes about 100 bytes of memory. */
const MAX_VALUES = 500_000;
/** Maximum number of fields of one object. With more, it becomes a hash table that is slow to grow. */
const MAX_FIELDS = 100_000;
/** Maximum nesting. Deeper values can neither be stored, nor sorted by, nor shown as a tree. */
export const MAX_LEVELS = 500;
/** Maximum size of one text or one field name. */
const MAX_TEXT_BYTES = 16_777_216;
/**
 * Approximate maximum size of one record. Its text is stored and passed on in one step, which blocks the main thread.
 */
export const MAX_RECORD_CHARS = 8_388_608;

const MAX_DIGITS = 1_000;

const ZERO = 0x30;
const NINE = 0x39;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Scans the bytes of JSON text in pieces. Invalid JSON is accepted here; the parser reports it. */
export class AnswerScan {
  #levels = 0;
  /** Number of fields of the open object at each level; not counted for lists. */
  readonly #fields = new Float64Array(MAX_LEVELS + 1);
  #values = 0;
  #textBytes = 0;
  #isInText = false;
  /** Number of backslashes right before the next character, within a text. */
  #backslashes = 0;
  #digits = 0;

  /** The reason why the answer is too large, or null. */
  add(bytes: Uint8Array): string | null {
    for (let index = 0; index < bytes.length; index++) {
      if (this.#isInText) {
        index = this.#skipText(bytes, index);
        if (this.#textBytes > MAX_TEXT_BYTES) return `a text of more than ${MAX_TEXT_BYTES / 1_048_576} MB`;
        continue;
      }
      const byte = bytes[index];
      if (byte !== undefined && byte >= ZERO && byte <= NINE) {
        if (++this.#digits > MAX_DIGITS) return `a number of more than ${MAX_DIGITS} digits`;
        continue;
      } else if (byte === QUOTE) {
        this.#isInText = true;
        this.#textBytes = 0;
        this.#backslashes = 0;
      } else if (byte === COMMA) {
        if (++this.#values > MAX_VALUES) return `more than ${numberText(MAX_VALUES)} values`;
        const fields = (this.#fields[this.#levels] ?? 0) + 1;
        this.#fields[this.#levels] = fields;
        if (fields > MAX_FIELDS) return `an object of more than ${numberText(MAX_FIELDS)} fields`;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#values++;
        if (++this.#levels > MAX_LEVELS) return `more than ${MAX_LEVELS} levels`;
        this.#fields[this.#levels] = byte === OPEN_LIST ? Number.NEGATIVE_INFINITY : 0;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (this.#levels > 0) this.#levels--;
      }
      this.#digits = 0;
    }
    return null;
  }

  /** Index of the next quote, or the last index. It allows skipping most of a large answer. */
  #skipText(bytes: Uint8Array, from: number): number {
    const quote = bytes.indexOf(QUOTE, from);
    const end = quote < 0 ? bytes.length : quote;
    let begin = end;
    while (begin > from && bytes[begin - 1] === BACKSLASH) begin--;
    this.#backslashes = end - begin + (begin === from ? this.#backslashes : 0);
    this.#textBytes += end - from;
    if (quote < 0) return bytes.length - 1;
    this.#textBytes += 1;
    this.#isInText = this.#backslashes % 2 === 1;
    this.#backslashes = 0;
    return quote;
  }
}
