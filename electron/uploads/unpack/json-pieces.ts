/**
 * Splits consecutive JSON values, over any number of lines, into one text each. The groups of an OpenTelemetry export
 * (`resourceSpans`) are returned one by one, so that an export of any size is never held in memory completely. Pure:
 * takes bytes in chunks of any size, returns texts.
 */
import { isUtf8 } from 'node:buffer';
import { AppError } from '../../shared/errors.ts';

interface JsonPiece {
  /** `value`: a separate value; `group`: an element of `resourceSpans`; `rest`: an incomplete value. */
  kind: 'value' | 'group' | 'rest';
  /** The JSON text without line ends. */
  text: string;
}

/** A longer piece is refused, because it must be held in memory completely. */
export const MAX_PIECE_BYTES = 64_000_000;
const MAX_KEY_BYTES = 40;
export const EXPORT_KEYS: ReadonlySet<string> = new Set(['resourceSpans', 'resource_spans']);
export const CUT_OFF = JSON.stringify('The file ends before its last bracket is closed: it was cut off.');

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [code('"'), code('\\'), code(','), code(':')];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [code('['), code(']'), code('{'), code('}')];
const LF = 0x0a;
/**
 * Bytes that may separate values: brackets of lists, commas, and the record separator of JSON text sequences (RFC
 * 7464).
 */
const BETWEEN: ReadonlySet<number> = new Set([COMMA, OPEN_LIST, CLOSE_LIST, 0x1e]);
/** True for a byte that can precede a nested object. After any other byte, the outer value must have been cut off. */
export const precedesObject = (byte: number): boolean =>
  byte === COMMA || byte === OPEN_LIST || byte === COLON;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === LF || byte === 0x0d;

/**
 * Finds the next quote or other special byte within a string. Most of a file consists of strings, so they are skipped
 * quickly.
 */
function textEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === BACKSLASH || byte === LF) return at;
  }
  return bytes.length;
}

export class JsonPieces {
  readonly #name: string;
  /**
   * The parser's position: between values, in a value, between groups of an export, in a group, or after the groups.
   */
  #place: 'top' | 'value' | 'word' | 'groups' | 'group' | 'behind' = 'top';
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Bytes of the last string at the first level of the open value, which may be the name of a field. */
  #key: number[] = [];
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Returns the pieces that are complete with these bytes. Throws FILE_MALFORMED for a piece that is too long. */
  push(bytes: Buffer): JsonPiece[] {
    const pieces: JsonPiece[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#isInText && !this.#isEscaped && this.#depth !== 1) {
        at = textEnd(bytes, at);
        if (at === bytes.length) break;
      }
      const byte = bytes[at] ?? 0;
      const isCut = this.#isBroken(byte) ? 'broken' : this.#step(byte);
      if (!isBlank(byte)) this.#last = byte;
      if (isCut === null) continue;
      if (isCut === 'broken') {
        const isHeld = this.#isHolding();
        pieces.push({ kind: 'rest', text: isHeld ? this.#take(bytes.subarray(from, at)) : CUT_OFF });
        this.#place = 'top';
        this.#isInText = false;
        this.#isEscaped = false;
        at -= 1;
        continue;
      }
      if (isCut === 'begin') from = at;
      if (isCut === 'drop') this.#forget();
      if (isCut === 'end' || isCut === 'end-before') {
        const to = isCut === 'end' ? at + 1 : at;
        pieces.push({ kind: this.#kind, text: this.#take(bytes.subarray(from, to)) });
        this.#place = this.#next;
        // Reads the byte after a word again, because it may start something else.
        if (isCut === 'end-before') at -= 1;
      }
    }
    if (this.#isHolding()) this.#hold(Buffer.from(bytes.subarray(from)));
    return pieces;
  }

  /** The rest is returned as a piece, so that the loss is visible. */
  end(): JsonPiece[] {
    if (this.#isHolding()) return [{ kind: 'rest', text: this.#take(Buffer.alloc(0)) }];
    return this.#place === 'top' ? [] : [{ kind: 'rest', text: CUT_OFF }];
  }

  #kind: JsonPiece['kind'] = 'value';
  /** The position of the parser after the open piece. */
  #next: 'top' | 'groups' = 'top';

  /** The last byte that is not a blank. */
  #last = 0;

  /**
   * True if the open value was cut off: a line ends within a string, or an object begins without a separator before it.
   */
  #isBroken(byte: number): boolean {
    if (this.#place === 'top' || this.#place === 'word') return false;
    if (this.#isInText) return byte === LF;
    return byte === OPEN && !precedesObject(this.#last);
  }

  #isHolding(): boolean {
    return this.#place === 'value' || this.#place === 'word' || this.#place === 'group';
  }

  #step(byte: number): 'begin' | 'end' | 'end-before' | 'drop' | null {
    switch (this.#place) {
      case 'top':
        if (isBlank(byte) || BETWEEN.has(byte)) return null;
        return this.#begin(byte, byte === OPEN ? 'value' : 'word', 'top');
      case 'groups':
        if (isBlank(byte) || byte === COMMA) return null;
        if (byte !== CLOSE_LIST) return this.#begin(byte, byte === OPEN ? 'group' : 'word', 'groups');
        this.#place = 'behind';
        this.#depth = 1;
        return null;
      case 'word': {
        const isOver = this.#next === 'top' ? byte === LF : byte === COMMA || byte === CLOSE_LIST;
        return isOver ? 'end-before' : null;
      }
      case 'behind':
        this.#count(byte);
        if (this.#depth === 0) this.#place = 'top';
        return null;
      default:
        this.#count(byte);
        if (this.#depth === 0) return 'end';
        if (!this.#isExport(byte)) return null;
        this.#place = 'groups';
        return 'drop';
    }
  }

  #begin(byte: number, place: 'value' | 'group' | 'word', next: 'top' | 'groups'): 'begin' {
    this.#place = place;
    this.#kind = place === 'word' ? 'rest' : place;
    this.#next = next;
    this.#depth = 0;
    this.#isInText = false;
    this.#isEscaped = false;
    if (place !== 'word') this.#count(byte);
    return 'begin';
  }

  #count(byte: number): void {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
      else if (this.#depth === 1 && this.#key.length <= MAX_KEY_BYTES) this.#key.push(byte);
      return;
    }
    if (byte === QUOTE) {
      this.#isInText = true;
      if (this.#depth === 1) this.#key = [];
    } else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1;
  }

  /** True if `{"resourceSpans": [` has just been read. */
  #isExport(byte: number): boolean {
    const isList = this.#place === 'value' && byte === OPEN_LIST && this.#depth === 2 && !this.#isInText;
    return isList && EXPORT_KEYS.has(Buffer.from(this.#key).toString('latin1'));
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > MAX_PIECE_BYTES)
      throw tooLongPiece(
        this.#place === 'group' ? 'The spans of one resource' : 'One JSON object',
        this.#name,
      );
  }

  #take(last: Buffer): string {
    const bytes = Buffer.concat([...this.#held, last]);
    this.#forget();
    return pieceText(bytes, this.#name);
  }

  #forget(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** The error for a piece that is longer than `MAX_PIECE_BYTES`. */
export function tooLongPiece(what: string, name: string): AppError {
  const size = MAX_PIECE_BYTES / 1_000_000;
  return new AppError(
    'FILE_MALFORMED',
    `${what} of ${name} has more than ${size} MB. Expected less; write the file in smaller parts, or check its brackets and quotes.`,
    { file: name },
  );
}

/** The text of a JSON value on one line. Throws FILE_MALFORMED for bytes that are not UTF-8. */
export function pieceText(bytes: Buffer, name: string): string {
  if (!isUtf8(bytes))
    throw new AppError(
      'FILE_MALFORMED',
      `${name} has bytes that are not UTF-8. Expected UTF-8, in which JSON is written; convert the file first.`,
      { file: name },
    );
  // Replaces line ends. Inside a string they are not valid JSON, and between values they have no meaning.
  return bytes
    .toString('utf8')
    .trim()
    .replaceAll(/[\r\n]+[ \t]*/g, '');
}
