/** Base64 (RFC 4648, section 4) without the functions of a platform: it is needed in the window and in the main process. */

export const BASE64_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Text of bytes, 0 to 255 each, with padding. */
export function toBase64(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.slice(at, at + 3);
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    const letter = (shift: number) => BASE64_LETTERS.charAt((group >> shift) & 63);
    text += letter(18) + letter(12);
    text += second === undefined ? '=' : letter(6);
    text += third === undefined ? '=' : letter(0);
  }
  return text;
}
