/** Finds where a chunk of UTF-8 is cut off within a character. Pure. */

const MAX_UTF8_BYTES = 4;

/** The length of the bytes without an incomplete UTF-8 character at their end. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < MAX_UTF8_BYTES && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? MAX_UTF8_BYTES : byte >= 0xe0 ? 3 : 2;
    return size > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
