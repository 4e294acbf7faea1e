/**
 * Finds the cells of one row of delimited text. Quotes may hold delimiters, line ends and doubled quotes, or escaped
 * characters.
 */
import { CellBounds } from './cell-bounds.ts';
import { DOUBLED, ESCAPED } from './cell-text.ts';

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** Matches no byte; stands for a quote or escape that the dialect does not have. */
const NO_BYTE = -2;

/** Results for a row without an end. */
export const INCOMPLETE = -1;
export const OPEN_QUOTE = -2;
export const AFTER_QUOTE = -3;

interface Signs {
  delimiter: string;
  /** Null if the file has no quotes. */
  quote: string | null;
  escape?: string | null;
}

export class RowScanner {
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #escape: number;
  /** The cells of the last scanned row. */
  readonly bounds = new CellBounds();
  hasQuotes = false;
  /** Number of cells of that row with blanks before their quote. */
  padded = 0;
  /** Number of cells of that row with blanks and a quote at their beginning that are not quoted as a whole. */
  kept = 0;
  /** Offset of the last quote that opened a cell. */
  quoteAt = 0;
  #passesBlanks = true;

  constructor({ delimiter, quote, escape: escaping = null }: Signs) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quote = quote === null ? -1 : quote.charCodeAt(0);
    this.#escape = escaping === null ? -1 : escaping.charCodeAt(0);
  }

  /**
   * Finds the end of the row at `from` and its cells. Negative if there is no end. `passesBlanks`: true if blanks before
   * a quote are ignored; false if the row is well formed only when they are part of the text.
   */
  scan(bytes: Buffer, from: number, isLast: boolean, passesBlanks: boolean): number {
    this.#passesBlanks = passesBlanks;
    const bounds = this.bounds;
    const delimiter = this.#delimiter;
    const lastSign = Math.max(delimiter, CR);
    const length = bytes.length;
    bounds.length = 0;
    this.hasQuotes = false;
    this.padded = 0;
    this.kept = 0;
    if (this.#escape >= 0) return this.#scanEscaped(bytes, from, isLast);
    let at = from;
    for (;;) {
      const first = at < length ? (bytes[at] ?? NO_BYTE) : NO_BYTE;
      // The cell begins with a blank, so a quote may follow it.
      const padded = first === SPACE || first === TAB ? this.#scanPadded(bytes, at, isLast) : AFTER_QUOTE;
      if (padded !== AFTER_QUOTE) {
        if (padded < 0) return padded;
        at = padded;
      } else if (first === this.#quote) {
        at = this.#scanQuoted(bytes, at, isLast);
        if (at < 0) return at;
      } else {
        const start = at;
        for (; at < length; at += 1) {
          const each = bytes[at] ?? 0;
          // Compares first with the highest sign, because most bytes of most files are above it.
          if (each <= lastSign && (each === delimiter || each === LF || each === CR)) break;
        }
        bounds.push(start, at, 0);
      }
      if (at >= length) return isLast ? length : INCOMPLETE;
      const byte = bytes[at];
      at += 1;
      if (byte === delimiter) continue;
      if (byte === LF) return at;
      if (at < length) return bytes[at] === LF ? at + 1 : at;
      return isLast ? at : INCOMPLETE;
    }
  }

  /**
   * The end of a cell whose quote follows blanks; the result is like that for a cell without blanks. AFTER_QUOTE if the
   * cell is not quoted.
   */
  #scanPadded(bytes: Buffer, start: number, isLast: boolean): number {
    if (this.#quote < 0) return AFTER_QUOTE;
    const open = this.#passBlanks(bytes, start);
    if (open === start || bytes[open] !== this.#quote || open >= bytes.length) return AFTER_QUOTE;
    const end = this.#passesBlanks ? this.#scanQuotedAt(bytes, open, isLast) : AFTER_QUOTE;
    if (end === AFTER_QUOTE) this.kept += 1;
    else this.padded += 1;
    return end;
  }

  #scanQuotedAt(bytes: Buffer, open: number, isLast: boolean): number {
    return this.#escape < 0
      ? this.#scanQuoted(bytes, open, isLast)
      : this.#scanQuotedEscaped(bytes, open, isLast);
  }

  #passBlanks(bytes: Buffer, from: number): number {
    let at = from;
    while ((bytes[at] === SPACE || bytes[at] === TAB) && bytes[at] !== this.#delimiter) at += 1;
    return at;
  }

  /** Scans a row of a dialect in which an escape makes the next character part of the text. */
  #scanEscaped(bytes: Buffer, from: number, isLast: boolean): number {
    const length = bytes.length;
    let at = from;
    for (;;) {
      const isQuoted = bytes[at] === this.#quote && at < length;
      const end = isQuoted ? this.#scanQuotedEscaped(bytes, at, isLast) : this.#scanPadded(bytes, at, isLast);
      if (!isQuoted && end === AFTER_QUOTE) at = this.#scanPlainEscaped(bytes, at);
      else if (end < 0) return end;
      else at = end;
      if (at >= length) return isLast ? length : INCOMPLETE;
      const byte = bytes[at];
      at += 1;
      if (byte === this.#delimiter) continue;
      if (byte === LF) return at;
      if (at < length) return bytes[at] === LF ? at + 1 : at;
      return isLast ? at : INCOMPLETE;
    }
  }

  /** The end of a cell without quotes. */
  #scanPlainEscaped(bytes: Buffer, start: number): number {
    let marks = 0;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === this.#delimiter || byte === LF || byte === CR) break;
      if (byte !== this.#escape) continue;
      marks = ESCAPED;
      at += bytes[at + 1] === CR && bytes[at + 2] === LF ? 2 : 1;
    }
    const end = Math.min(at, bytes.length);
    // An escaped line end belongs to the cell, so the row may span several lines.
    if (marks !== 0) this.hasQuotes = true;
    this.bounds.push(start, end, marks);
    return end;
  }

  #scanQuotedEscaped(bytes: Buffer, open: number, isLast: boolean): number {
    const quote = this.#quote;
    this.hasQuotes = true;
    this.quoteAt = open;
    let marks = 0;
    let at = open + 1;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === this.#escape) {
        marks |= ESCAPED;
        at += 1;
      } else if (byte === quote) {
        if (at + 1 >= bytes.length && !isLast) return INCOMPLETE;
        if (bytes[at + 1] !== quote) break;
        marks |= DOUBLED;
        at += 1;
      }
    }
    if (at >= bytes.length) return OPEN_QUOTE;
    return this.#closeQuoted(bytes, open, at, marks, isLast);
  }

  /** Returns the offset of the delimiter or line end after a quoted cell, or the end of the bytes. */
  #scanQuoted(bytes: Buffer, open: number, isLast: boolean): number {
    const quote = this.#quote;
    this.hasQuotes = true;
    this.quoteAt = open;
    let hasDoubled = 0;
    let close = bytes.indexOf(quote, open + 1);
    for (; ; close = bytes.indexOf(quote, close + 2)) {
      if (close < 0) return OPEN_QUOTE;
      if (close + 1 >= bytes.length) {
        if (!isLast) return INCOMPLETE;
        break;
      }
      if (bytes[close + 1] !== quote) break;
      hasDoubled = DOUBLED;
    }
    return this.#closeQuoted(bytes, open, close, hasDoubled, isLast);
  }

  /** The end of a cell with quotes at `open` and `close`. Negative if other text follows. */
  #closeQuoted(bytes: Buffer, open: number, close: number, marks: number, isLast: boolean): number {
    const at = this.#passBlanks(bytes, close + 1);
    if (at >= bytes.length && !isLast) return INCOMPLETE;
    const byte = bytes[at];
    if (at < bytes.length && byte !== this.#delimiter && byte !== LF && byte !== CR) return AFTER_QUOTE;
    this.bounds.push(open + 1, close, marks);
    return Math.min(at, bytes.length);
  }
}
