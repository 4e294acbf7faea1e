/**
 * Copies the bytes of values that JSON writes unchanged, and checks them in the same pass. Each function returns the
 * position after the bytes it wrote, or -1 if the value is of another kind; the written bytes are then meaningless.
 * Pure.
 */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const SPACE = 0x20;
export const LAST_PRINTED = 0x7e;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;

/** 1 for printable ASCII characters that JSON does not escape. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte <= LAST_PRINTED && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/**
 * Bytes that are written repeatedly, eight at a time. Stored as doubles, because valid UTF-8 never forms a NaN, which
 * could change when copied.
 */
export interface Words {
  words: Float64Array;
  /** In bytes. */
  length: number;
}
export const WORD_BYTES = 8;

export function wordsOf(text: string): Words {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES);
  bytes.copy(padded);
  const words = Float64Array.from({ length: padded.length / WORD_BYTES }, (_, at) =>
    padded.readDoubleLE(at * WORD_BYTES),
  );
  return { words, length: bytes.length };
}

/** Writes the words. The last one may extend past the end by less than eight bytes, which the next write overwrites. */
export function writeWords({ words, length }: Words, out: DataView, at: number): number {
  for (let index = 0; index < words.length; index += 1)
    out.setFloat64(at + index * WORD_BYTES, words[index] ?? 0, true);
  return at + length;
}

/** Copies a text of printable ASCII that JSON does not escape, without surrounding blanks, and adds quotes. */
export function copyText(bytes: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  if (bytes[start] === SPACE || bytes[end - 1] === SPACE) return -1;
  out[at] = QUOTE;
  const shift = at + 1 - start;
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] ?? 0;
    if (IS_PLAIN[byte] !== 1) return -1;
    out[index + shift] = byte;
  }
  out[end + shift] = QUOTE;
  return end + shift + 1;
}

/** Copies a JSON number without an exponent. `isWhole`: it has no point and is not -0. */
export function copyNumber(
  isWhole: boolean,
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  const shift = at - start;
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (first > start) out[at] = MINUS;
  const wholeEnd = copyDigits(bytes, first, end, out, shift);
  const hasZeroInFront = bytes[first] === ZERO && wholeEnd > first + 1;
  if (wholeEnd === first || hasZeroInFront) return -1;
  if (wholeEnd < end) {
    if (isWhole || bytes[wholeEnd] !== POINT || wholeEnd + 1 === end) return -1;
    out[wholeEnd + shift] = POINT;
    if (copyDigits(bytes, wholeEnd + 1, end, out, shift) < end) return -1;
  } else if (isWhole && first > start && bytes[first] === ZERO) return -1;
  return end + shift;
}

/** Copies digits up to another byte. Returns its offset, or `end`. */
function copyDigits(bytes: Uint8Array, from: number, end: number, out: Uint8Array, shift: number): number {
  let at = from;
  for (; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return at;
    out[at + shift] = byte;
  }
  return at;
}

/** Copies any bytes unchanged. */
export function copyBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  const shift = at - start;
  for (let index = start; index < end; index += 1) out[index + shift] = bytes[index] ?? 0;
  return end + shift;
}
