/**
 * The text that a number format adds to the digits of a number: the text of codes and ids such as `"ID-"0000`, `000-00-0000`
 * and `(###) ###-####`, which belongs to the value, and words and currencies, which do not. Pure.
 */

/** In order: placeholders of digits, `0` or `#`, and texts. */
type Part = { digit: '0' | '#' } | { text: string };

export interface ShownText {
  /** Null for a format of a number as such: with a decimal point, thousands, an exponent, a fraction, or one digit. */
  mask: readonly Part[] | null;
  /** Texts with letters or currencies; empty if there are none. */
  words: string;
}

export interface MaskedNumber {
  text: string;
  /** True if it has more than zeros in front. */
  hasText: boolean;
}

/** The parts of one section of a format code. */
export class ShownTextReader {
  readonly #parts: Part[] = [];
  #isPlain = true;
  #words = '';

  /** `bracket`: the text in brackets. */
  add(text: string, bracket: string | undefined): void {
    if (bracket !== undefined) this.#text(/^\$([^-]*)/.exec(bracket)?.[1] ?? '');
    else if (text.startsWith('"')) this.#text(text.replaceAll('"', ''));
    else if (text.startsWith('\\')) this.#text(text.slice(1));
    else if (/^[_*]/.test(text)) return;
    else if (/^[a-z]/i.test(text)) this.#isPlain = false;
    else for (const character of text) this.#character(character);
  }

  #character(character: string): void {
    if (character === '0' || character === '#') this.#parts.push({ digit: character });
    else if (/[.,?%/@]/.test(character)) this.#isPlain = false;
    else this.#text(character);
  }

  #text(text: string): void {
    if (text === '') return;
    this.#parts.push({ text });
    if (/[\p{L}\p{Sc}]/u.test(text)) this.#words = `${this.#words} ${text.trim()}`.trim();
  }

  done(): ShownText {
    return { mask: this.#isPlain && isMask(this.#parts) ? this.#parts : null, words: this.#words };
  }
}

/** Texts before or between digits make a code of a number, unless they are a currency or separate its thousands. */
function isMask(parts: readonly Part[]): boolean {
  const places = parts.flatMap((part, at) => ('digit' in part ? [at] : []));
  const [first, last] = [places[0] ?? 0, places.at(-1) ?? 0];
  const texts = parts.slice(0, last).flatMap((part) => ('text' in part ? [part.text] : []));
  const between = parts.slice(first, last).flatMap((part) => ('text' in part ? [part.text] : []));
  const zeros = parts.filter((part) => 'digit' in part && part.digit === '0').length;
  if (texts.some((text) => /\p{Sc}/u.test(text))) return false;
  if (last < parts.length - 1 && texts.length === 0) return false;
  if (between.length > 0) {
    const isOfBlanks = between.every((text) => /^[\s\u00a0\u202f'’]+$/.test(text));
    const beginsWithZeros = [first, first + 1].every((at) => isZero(parts[at]));
    return !isOfBlanks || beginsWithZeros;
  }
  return zeros > 1;
}

const isZero = (part: Part | undefined): boolean =>
  part !== undefined && 'digit' in part && part.digit === '0';

/** The digits in the places of the mask; further ones stand in its first place. Null without a mask. */
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
