/** Compares numbers by all their digits, also beyond the precision of a double. Pure. */
import { isRawNumber, type RawNumber, withoutLastZeros } from './exact-json.ts';

interface Decimal {
  /** -1, 0 or 1. */
  sign: number;
  /** Significant digits, without outer zeros. */
  digits: string;
  /** Power of ten of the point before the first digit: 3 for 123, 0 for 0.12. */
  point: bigint;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?)(\d+))?$/i;

/** Null if the text is not a decimal number. */
function decimalOf(text: string): Decimal | null {
  const found = DECIMAL.exec(text.trim());
  if (found === null) return null;
  const [, sign = '', whole = '', fraction = '', direction = '', exponent = '0'] = found;
  if (whole === '' && fraction === '') return null;
  const all = whole + fraction;
  const zeros = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = withoutLastZeros(all.slice(zeros));
  if (digits === '') return { sign: 0, digits: '', point: 0n };
  const power = direction === '-' ? -BigInt(exponent) : BigInt(exponent);
  return { sign: sign === '-' ? -1 : 1, digits, point: BigInt(whole.length - zeros) + power };
}

/** The number as text with all its digits. */
export const numberDigits = (value: number | RawNumber): string =>
  isRawNumber(value) ? value.digits : String(value);

/** Negative if the first number is less, 0 if both are equal; NaN if one of them is not a decimal number. */
export function compareDecimals(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a === null || b === null) return Number.NaN;
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  const isSame = a.point === b.point;
  const [first, second] = isSame ? [a.digits, b.digits] : [a.point, b.point];
  return first === second ? 0 : a.sign * (first < second ? -1 : 1);
}

/** A text that is equal for numbers of equal value, such as 1.50 and 15e-1; the text itself if it is not a decimal number. */
export function decimalKey(text: string): string {
  const number = decimalOf(text);
  return number === null ? text : `${number.sign}.${number.digits}e${number.point}`;
}

/** Whether a number is a whole multiple of another one, which is not 0. */
export function isMultipleOf(value: string, step: string): boolean {
  const [a, b] = [decimalOf(value), decimalOf(step)];
  if (a === null || b === null || b.sign === 0) return false;
  if (a.sign === 0) return true;
  const powers = lastPlace(a) - lastPlace(b);
  // Neither number ends in a zero, so the first one is not a multiple of ten.
  if (powers < 0n) return false;
  // A number of n digits has fewer than 4n factors of 2 or 5, so that more powers of ten change nothing.
  const enough = BigInt(b.digits.length * 4);
  const factor = 10n ** (powers < enough ? powers : enough);
  return (BigInt(a.digits) * factor) % BigInt(b.digits) === 0n;
}

/** Power of ten of the last significant digit. */
const lastPlace = ({ digits, point }: Decimal): bigint => point - BigInt(digits.length);
