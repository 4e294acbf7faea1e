/** What an answer may hold. It is looked at while it arrives, so that what is beyond is not even read to its end. */
import { numberText } from '../shared/count-text.ts';

/** What to do about an answer beyond the bounds. */
export const SMALLER_PAGE = 'Ask for fewer rows at a time: a smaller page, or a narrower filter.';

/** Below it an answer is read on the main thread: that takes a few milliseconds at the worst. */
export const SMALL_ANSWER_BYTES = 131_072;
/** Members of objects and items of arrays, all together: as objects they take some 100 bytes each. */
const MAX_VALUES = 500_000;
/** Of one object: with more of them it becomes a table that takes long to grow. */
const MAX_FIELDS = 100_000;
/** What is deeper can be neither stored nor sorted by, nor shown as a tree. */
export const MAX_LEVELS = 500;
/** One text, or one name of a field. */
const MAX_TEXT_BYTES = 16_777_216;
/** Of one record, about: its text is stored and handed on in one step, which holds the main thread meanwhile. */
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

/** Looks through the bytes of JSON text, piece by piece. What is not JSON is let through: parsing says so. */
export class AnswerScan {
  #levels = 0;
  /** Fields of the object that is open on each level; of a list none are counted. */
  readonly #fields = new Float64Array(MAX_LEVELS + 1);
  #values = 0;
  #textBytes = 0;
  #isInText = false;
  /** Backslashes right before what comes next, while in a text. */
  #backslashes = 0;
  #digits = 0;

  /** Why it is too much, or null. */
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

  /** The place of the next quote, or the last place; most of a large answer is passed over in this way. */
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
