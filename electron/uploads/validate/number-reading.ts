/**
 * Reads numbers as people and spreadsheets write them, with points, commas, blanks or apostrophes between digits. Pure.
 */
import type { ColumnReading } from '../../shared/column-reading.ts';
import type { ValueRule } from '../../shared/value-ledger.ts';
import { asciiNumber } from './script-digits.ts';

export type Decimal = NonNullable<ColumnReading['decimal']>;

/** Blanks of every width, for use in a character class. */
export const BLANKS = ' \u00a0\u2000-\u200a\u202f\u205f\u3000';
/** Blanks, apostrophes and underscores that people and programs put between thousands. */
export const GAPS = `${BLANKS}'’ʼ´\`_`;
/** Dashes and minus signs other than the hyphen, for use in a character class. */
export const DASHES = '\u2010-\u2015\u2212\ufe63\uff0d';
const SPACES = `[${GAPS}]`;
const LEADING_SIGN = new RegExp(`^([+${DASHES}-])[${BLANKS}]*(?=[\\d.,])`);
const SIGN = '([+-]?)';
/**
 * Pattern of the whole part, decimals and exponent. Groups have three digits each, or two before the last in India, and
 * all have the same separator. Dashes may stand for zero decimals, as in the price 5,-.
 */
const grammar = (group: string, point: string): RegExp =>
  new RegExp(
    `^${SIGN}(\\d+|\\d{1,3}(?:${group}\\d{3})+|\\d{1,2}(?:${group}\\d{2})+${group}\\d{3}|\\d{1,3}(?:${SPACES}\\d{3})+)?(?:${point}(\\d*|[${DASHES}-]{1,2}))?([eE][+-]?\\d+)?$`,
  );
const GRAMMARS: Readonly<Record<Decimal, RegExp>> = {
  point: grammar(',', '\\.'),
  comma: grammar('\\.', ','),
};
/**
 * The number with its sign in JSON notation, directly before the digits. `rules`: `minus-sign` for a minus that was
 * written differently.
 */
export function withPlainSign(text: string): NumberText {
  const [whole = '', sign = ''] = LEADING_SIGN.exec(text) ?? [];
  if (sign === '' || (whole.length === 1 && (sign === '-' || sign === '+'))) return { text, rules: [] };
  const isPlus = sign === '+';
  return { text: `${isPlus ? '+' : '-'}${text.slice(whole.length)}`, rules: isPlus ? [] : ['minus-sign'] };
}

const SEPARATORS = new RegExp(`[.,]|${SPACES}`);
const NOT_DIGITS = /[^\d]/g;

interface NumberText {
  /** The number in JSON notation: decimal point, no separators; sign and zeros are unchanged. */
  text: string;
  rules: ValueRule[];
}

/** Reads a text as a number with this decimal sign; null if it is not a number. */
export function readNumber(written: string, decimal: Decimal): NumberText | null {
  const ascii = asciiNumber(written, decimal);
  const { text, rules } = withPlainSign(ascii);
  const found = GRAMMARS[decimal].exec(text);
  if (found === null) return null;
  const [, sign = '', whole, decimals, exponent = ''] = found;
  const hasDash = decimals !== undefined && /^\D/.test(decimals);
  if ((whole ?? '') === '' && (hasDash || (decimals ?? '') === '')) return null;
  const digits = (whole ?? '').replaceAll(NOT_DIGITS, '');
  if (whole !== undefined && digits.length !== whole.length) {
    // Thousands never follow a leading zero: 0.123 is a number with decimals.
    if (digits.startsWith('0')) return null;
    rules.push('thousands');
  }
  if (ascii !== written) rules.push('script-digits');
  if (hasDash) rules.push('dash-decimals');
  else if (decimals !== undefined && decimal === 'comma') rules.push('decimal-comma');
  const fraction = hasDash || decimals === undefined ? '' : `.${decimals}`;
  return { text: `${sign}${digits}${fraction}${exponent}`, rules };
}

/**
 * True if a text may be a number in a column that is not declared as numbers. A text with an underscore is excluded,
 * because underscores also join parts of ids.
 */
export const looksLikeNumber = (text: string, decimal: Decimal): boolean =>
  !text.includes('_') && readNumber(text, decimal) !== null;

/**
 * Evidence of a text for the decimal sign of its column. `either`: a number with both signs, but a different one.
 * `whole-*`: like `either`, but an integer only with this sign. `none`: no evidence.
 */
export type DecimalSign = Decimal | 'either' | 'whole-point' | 'whole-comma' | 'none';

export function decimalSignOf(text: string): DecimalSign {
  if (!SEPARATORS.test(asciiNumber(text, 'point'))) return 'none';
  const [point, comma] = [readNumber(text, 'point'), readNumber(text, 'comma')];
  if (point === null && comma === null) return 'none';
  if (comma === null) return 'point';
  if (point === null) return 'comma';
  const [one, other] = [Number(point.text), Number(comma.text)];
  if (one === other) return 'none';
  if (Number.isInteger(one) === Number.isInteger(other)) return 'either';
  return Number.isInteger(one) ? 'whole-point' : 'whole-comma';
}
