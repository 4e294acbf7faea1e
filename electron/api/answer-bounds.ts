/** What an answer may hold. It is looked at while it arrives, so that what is beyond is not even read to its end. */

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
  #isEscaped = false;
  #digits = 0;

  /** Why it is too much, or null. */
  add(bytes: Uint8Array): string | null {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (this.#isInText) {
        if (byte === QUOTE && !this.#isEscaped) this.#isInText = false;
        this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
        if (++this.#textBytes > MAX_TEXT_BYTES) return `a text of more than ${MAX_TEXT_BYTES / 1_048_576} MB`;
      } else if (byte !== undefined && byte >= ZERO && byte <= NINE) {
        if (++this.#digits > MAX_DIGITS) return `a number of more than ${MAX_DIGITS} digits`;
        continue;
      } else if (byte === QUOTE) {
        this.#isInText = true;
        this.#textBytes = 0;
      } else if (byte === COMMA) {
        if (++this.#values > MAX_VALUES) return `more than ${MAX_VALUES.toLocaleString('en-US')} values`;
        const fields = (this.#fields[this.#levels] ?? 0) + 1;
        this.#fields[this.#levels] = fields;
        if (fields > MAX_FIELDS) return `an object of more than ${MAX_FIELDS.toLocaleString('en-US')} fields`;
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
}
