/** Recognizes UTF-7, in which letters beyond ASCII are base64 between a plus and a hyphen: +AOQ- for ä. Pure. */

const SEEN_BYTES = 64 * 1024;
/**
 * Also takes runs without a hyphen behind them. Otherwise each plus sign in a long run would be tried as a beginning.
 */
const RUN = /\+([A-Za-z0-9+/]+)(-?)/g;
const MIN_SHIFTED = 2;
const [BITS_PER_LETTER, BITS_PER_UNIT] = [6, 16];
/** UTF-7 never shifts letters and digits of ASCII. */
const SHIFTED_TEXT = /^[^\p{C}A-Za-z0-9]+$/u;

/** The text of a shifted part; null if it is none. */
function shiftedText(letters: string): string | null {
  const bits = letters.length * BITS_PER_LETTER;
  const units = Math.floor(bits / BITS_PER_UNIT);
  if (units === 0 || bits % BITS_PER_UNIT >= BITS_PER_LETTER) return null;
  const bytes = Buffer.from(letters, 'base64');
  // The bits that fill the last letter are zero.
  if (bytes.subarray(units * 2).some((byte) => byte !== 0)) return null;
  const again = bytes
    .subarray(0, units * 2)
    .toString('base64')
    .replace(/=+$/, '');
  const text = Buffer.from(bytes.subarray(0, units * 2))
    .swap16()
    .toString('utf16le');
  return again === letters && text.isWellFormed() && SHIFTED_TEXT.test(text) ? text : null;
}

/** True if each part between a plus and a hyphen is one of UTF-7. `bytes`: the beginning of a file in ASCII. */
export function isUtf7(bytes: Buffer): boolean {
  const runs = [...bytes.toString('latin1', 0, SEEN_BYTES).matchAll(RUN)];
  const parts = runs.filter(([, , hyphen]) => hyphen === '-');
  return parts.length >= MIN_SHIFTED && parts.every(([, letters = '']) => shiftedText(letters) !== null);
}
