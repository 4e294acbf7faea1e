/**
 * Finds the text that a number format adds to the digits of a number. The text of codes and ids such as `"ID-"0000`,
 * `000-00-0000` and `(###) ###-####` is part of the value; words and currencies are not. Pure.
 */
import { isCurrencyName } from '../../validate/number-marks.ts';

/** A part of a mask: a placeholder for a digit, or a text. */
type Part = { digit: '0' | '#' } | { text: string };

export interface ShownText {
  /**
   * The parts of a code in order; null for a format of ordinary numbers, which has a decimal point, thousands, an
   * exponent, a fraction, or a single digit.
   */
  mask: readonly Part[] | null;
  /** The words and currencies around the number; an empty text if there are none. */
  words: string;
}

export interface MaskedNumber {
  text: string;
  /** True if the format adds text, not only leading zeros. */
  hasText: boolean;
}

/** The parts of one section of a format code. */
export class ShownTextReader {
  readonly #parts: Part[] = [];
  #isPlain = true;
  #isCurrency = false;
  #words = '';

  /** `bracket`: the text in brackets. */
  add(text: string, bracket: string | undefined): void {
    if (bracket !== undefined) this.#bracket(bracket);
    else if (text.startsWith('"')) this.#text(text.replaceAll('"', ''));
    else if (text.startsWith('\\')) this.#text(text.slice(1));
    else if (/^[_*]/.test(text)) return;
    else if (/^[a-z]/i.test(text)) this.#isPlain = false;
    else for (const character of text) this.#character(character);
  }

  /** `$CHF-807`: a currency, which may be a word, and a language. */
  #bracket(inside: string): void {
    const currency = /^\$([^-]*)/.exec(inside)?.[1] ?? '';
    if (currency !== '') this.#isCurrency = true;
    this.#text(currency);
  }

  #character(character: string): void {
    if (character === '0' || character === '#') this.#parts.push({ digit: character });
    else if (/[.,?%/@]/.test(character)) this.#isPlain = false;
    else this.#text(character);
  }

  #text(text: string): void {
    if (text === '') return;
    this.#parts.push({ text });
    if (/\p{Sc}/u.test(text)) this.#isCurrency = true;
    if (/[\p{L}\p{Sc}]/u.test(text)) this.#words = `${this.#words} ${text.trim()}`.trim();
  }

  done(): ShownText {
    const isCode = this.#isPlain && isMask(this.#parts, this.#isCurrency);
    return { mask: isCode ? this.#parts : null, words: this.#words };
  }
}

/** Blanks and apostrophes separate thousands. `.` and `,` do that too, or start the decimals. */
const SEPARATORS = /^[\s\u00a0\u202f'’.,]+$/;
/** A minus sign, or parentheses, which also mark a negative number. */
const SIGNS = /[\s\u00a0\u202f()+\-−–±]/g;
/**
 * Minimum number of leading zeros for a word and a blank before them to be part of a code. With fewer zeros, the word
 * is a unit.
 */
const MIN_CODE_ZEROS = 4;

/** Text before or between digits turns a number into a code, unless it is a currency, a sign, a unit or a separator. */
function isMask(parts: readonly Part[], isCurrency: boolean): boolean {
  const places = parts.flatMap((part, at) => ('digit' in part ? [at] : []));
  const [first, last] = [places[0] ?? 0, places.at(-1) ?? 0];
  const before = textsOf(parts.slice(0, first)).join('');
  const between = textsOf(parts.slice(first, last));
  const zeros = places.filter((at) => isZero(parts[at])).length;
  if (isCurrency || isCurrencyName(before.trim())) return false;
  if (last < parts.length - 1 && before === '' && between.length === 0) return false;
  if (between.length === 0) return zeros > 1 && (before.trim() === '' || isOfCode(before, zeros));
  if (!between.every((text) => SEPARATORS.test(text))) return true;
  if (between.some((text) => /[.,]/.test(text))) return zeros === places.length && isNoNumber(parts);
  return isZero(parts[first]) && isZero(parts[first + 1]);
}

/** True for text in front of digits that makes them a code, e.g. `ID-`. */
function isOfCode(before: string, zeros: number): boolean {
  if (before.replaceAll(SIGNS, '') === '') return false;
  return zeros >= MIN_CODE_ZEROS || !/\p{L}.*\s$/u.test(before);
}

/** True if the digits form at least three groups that are not thousands, e.g. `0000.00.00`. */
function isNoNumber(parts: readonly Part[]): boolean {
  const [, ...groups] = parts
    .map((part) => ('digit' in part ? '0' : ' '))
    .join('')
    .trim()
    .split(/ +/);
  return groups.length > 1 && groups.some((group) => group.length !== 3);
}

const textsOf = (parts: readonly Part[]): string[] =>
  parts.flatMap((part) => ('text' in part ? [part.text] : []));

const isZero = (part: Part | undefined): boolean =>
  part !== undefined && 'digit' in part && part.digit === '0';

/** Fills the digits into the mask. Extra digits go to its first placeholder. Null if there is no mask. */
export function maskedNumber({ mask }: ShownText, digits: string): MaskedNumber | null {
  if (mask === null) return null;
  const places = mask.filter((part) => 'digit' in part).length;
  const padded = digits.padStart(places, ' ');
  let next = 0;
  let text = '';
  for (const part of mask) {
    if ('text' in part) {
      text += part.text;
      continue;
    }
    const end = next === 0 ? padded.length - places + 1 : next + 1;
    const own = padded.slice(next, end);
    text += own === ' ' ? (part.digit === '0' ? '0' : '') : own;
    next = end;
  }
  return { text, hasText: mask.some((part) => 'text' in part) };
}
