/** Digits and signs of other scripts as ASCII: full-width forms, Arabic-Indic, Devanagari and other digits. Pure. */

const OTHER_SCRIPT = /[\p{Nd}\uff01-\uff0c\uff0e-\uff5e\u066a]/gu;
const ASCII = /^[\0-\u007f]*$/;
const DIGIT = /^\p{Nd}$/u;
/** The code of a full-width form is this much higher than that of its ASCII character. */
const FULL_WIDTH = 0xfee0;
const [FIRST_FULL_WIDTH, LAST_FULL_WIDTH] = [0xff01, 0xff5e];
const ARABIC_PERCENT = '\u066a';
const ARABIC_SEPARATOR = /[\u066b\u066c]/g;
const ARABIC_DECIMAL = '\u066b';
/** Decimal and thousands separator of Arabic digits; part of a character class. */
export const ARABIC_SEPARATORS = '\u066b\u066c';

/** The text with digits, full-width signs and the Arabic percent sign in ASCII; unchanged if it has none. */
export function asciiDigits(text: string): string {
  return ASCII.test(text) ? text : text.replaceAll(OTHER_SCRIPT, asciiOf);
}

/** Converts the separators of Arabic digits too, which are never ambiguous. */
export function asciiNumber(text: string, decimal: 'point' | 'comma'): string {
  if (ASCII.test(text)) return text;
  const [point, group] = decimal === 'point' ? ['.', ','] : [',', '.'];
  return asciiDigits(text).replaceAll(ARABIC_SEPARATOR, (sign) => (sign === ARABIC_DECIMAL ? point : group));
}

function asciiOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (character === ARABIC_PERCENT) return '%';
  if (point >= FIRST_FULL_WIDTH && point <= LAST_FULL_WIDTH) return String.fromCodePoint(point - FULL_WIDTH);
  // Digits are in order, ten for each script or style.
  let zero = point;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((point - zero) % 10);
}
