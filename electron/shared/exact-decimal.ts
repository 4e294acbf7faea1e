/** Compares numbers by all their digits, also beyond the precision of a double. Pure. */
import { isRawNumber, type RawNumber } from './exact-json.ts';

interface Decimal {
  /** -1, 0 or 1. */
  sign: number;
  /** Significant digits, without outer zeros. */
  digits: string;
  /** Power of ten of the point before the first digit: 3 for 123, 0 for 0.12. */
  point: number;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?$/i;
/** Maximum number of digits between two numbers that are divided. Beyond it doubles are used. */
const MAX_DIGITS = 2_000;

/** Null if the text is not a decimal number. */
function decimalOf(text: string): Decimal | null {
  const found = DECIMAL.exec(text.trim());
  if (found === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  if (whole === '' && fraction === '') return null;
  const all = whole + fraction;
  const zeros = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(zeros).replace(/0+$/, '');
  if (digits === '') return { sign: 0, digits: '', point: 0 };
  return { sign: sign === '-' ? -1 : 1, digits, point: whole.length - zeros + Number(exponent) };
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

/** Whether a number is a whole multiple of another one, which is not 0. */
export function isMultipleOf(value: string, step: string): boolean {
  const [a, b] = [decimalOf(value), decimalOf(step)];
  if (a === null || b === null || b.sign === 0) return false;
  if (a.sign === 0) return true;
  const [lastOfValue, lastOfStep] = [a.point - a.digits.length, b.point - b.digits.length];
  const last = Math.min(lastOfValue, lastOfStep);
  if (Math.max(a.point, b.point) - last > MAX_DIGITS) return Number(value) % Number(step) === 0;
  const whole = (digits: string, at: number) => BigInt(digits) * 10n ** BigInt(at - last);
  return whole(a.digits, lastOfValue) % whole(b.digits, lastOfStep) === 0n;
}
