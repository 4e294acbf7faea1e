/**
 * Converts digits and signs of other scripts to ASCII: full-width forms, Arabic-Indic, Devanagari and other digits.
 * Pure.
 */

const OTHER_SCRIPT = /[\p{Nd}\uff01-\uff0c\uff0e-\uff5e\u066a]/gu;
const ASCII = /^[\0-\u007f]*$/;
const DIGIT = /^\p{Nd}$/u;
/** Difference between the code of a full-width form and that of its ASCII character. */
const FULL_WIDTH = 0xfee0;
const [FIRST_FULL_WIDTH, LAST_FULL_WIDTH] = [0xff01, 0xff5e];
const ARABIC_PERCENT = '\u066a';
const ARABIC_SEPARATOR = /[\u066b\u066c]/g;
const ARABIC_DECIMAL = '\u066b';
const ARABIC_THOUSANDS = '\u066c';
/** Decimal and thousands separators for Arabic digits, for use in a character class. */
export const ARABIC_SEPARATORS = '\u066b\u066c';

export const hasArabicSeparator = (text: string): boolean =>
  text.includes(ARABIC_DECIMAL) || text.includes(ARABIC_THOUSANDS);

/** Converts digits, full-width signs and the Arabic percent sign to ASCII. Returns the same text if it has none. */
export function asciiDigits(text: string): string {
  return ASCII.test(text) ? text : text.replaceAll(OTHER_SCRIPT, asciiOf);
}

/** Also converts the separators of Arabic digits, which are never ambiguous. */
export function asciiNumber(text: string, decimal: 'point' | 'comma'): string {
  if (ASCII.test(text)) return text;
  const [point, group] = decimal === 'point' ? ['.', ','] : [',', '.'];
  return asciiDigits(text).replaceAll(ARABIC_SEPARATOR, (sign) => (sign === ARABIC_DECIMAL ? point : group));
}

function asciiOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (character === ARABIC_PERCENT) return '%';
  if (point >= FIRST_FULL_WIDTH && point <= LAST_FULL_WIDTH) return String.fromCodePoint(point - FULL_WIDTH);
  // The digits of a script have consecutive codes, so the code of zero is found by counting down.
  let zero = point;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((point - zero) % 10);
}
