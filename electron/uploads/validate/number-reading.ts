/** Numbers as people and spreadsheets write them, with points, commas, blanks or apostrophes between digits. Pure. */
import type { ColumnReading } from '../../shared/column-reading.ts';
import type { ValueRule } from '../../shared/value-ledger.ts';
import { asciiNumber } from './script-digits.ts';

export type Decimal = NonNullable<ColumnReading['decimal']>;

/** Blanks of every width; part of a character class. */
export const BLANKS = ' \u00a0\u2000-\u200a\u202f\u205f\u3000';
/** Blanks, apostrophes and underscores, as people and programs put them between thousands. */
export const GAPS = `${BLANKS}'’ʼ´\`_`;
/** Dashes and minus signs, besides the hyphen; part of a character class. */
export const DASHES = '\u2010-\u2015\u2212\ufe63\uff0d';
const SPACES = `[${GAPS}]`;
const LEADING_SIGN = new RegExp(`^([+${DASHES}-])[${BLANKS}]*(?=[\\d.,])`);
const SIGN = '([+-]?)';
/**
 * Whole part, decimals, exponent. Groups have three digits each, or in India two before the last, and the same
 * separator between all. Dashes may stand for decimals that are zero: 5,- is a price.
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
 * The number with its sign as JSON writes it, directly before the digits; `rules`: `minus-sign` for a minus that was
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
  /** In JSON notation: decimal point, no separators; sign and zeros unchanged. */
  text: string;
  rules: ValueRule[];
}

/** The number in a text with this decimal sign; null if it is none. */
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
    // Groups never follow a leading zero: 0.123 is a number with decimals.
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
 * True if a text may be a number in a column that was not declared a column of numbers. Underscores join parts of ids
 * too, so a text with one is a number only in a column of numbers.
 */
export const looksLikeNumber = (text: string, decimal: Decimal): boolean =>
  !text.includes('_') && readNumber(text, decimal) !== null;

/**
 * Evidence of a text about the decimal sign of its column. `either`: a different number in each reading. `whole-*`: the
 * same, but whole in one reading only. `none`: no evidence.
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
