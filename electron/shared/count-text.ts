/** Formats counts for messages of main. */
import { inFormat, type NumberFormat } from './value-formats.ts';

/** Created with the first number: help and most commands write none, and creation takes some milliseconds. */
let numbers: Intl.NumberFormat | null = null;
let small: Intl.NumberFormat | null = null;
const SMALL_DIGITS = 3;
/** Smaller numbers use powers of ten. */
const MIN_PLAIN = 1e-9;
let chosen: () => NumberFormat = () => 'comma';

/** Sets the number format of this thread, from a person's setting. */
export function writeNumbersAs(format: NumberFormat): void {
  chosen = () => format;
}

/** Like `writeNumbersAs`, but reads the setting for each number. */
export function followNumbers(read: () => NumberFormat): void {
  chosen = read;
}

/** The result of `write` with numbers in this format, whatever was chosen: files must not depend on a setting. */
export function inNumbers<T>(format: NumberFormat, write: () => T): T {
  const before = chosen;
  chosen = () => format;
  try {
    return write();
  } finally {
    chosen = before;
  }
}

/** Example: `12,345`. */
export function numberText(value: number): string {
  return written(Number.isSafeInteger(value) ? grouped(value) : withPoint(value));
}

/** Converts a number in `en-US` notation to the chosen format. */
export function written(text: string): string {
  return inFormat(text, chosen());
}

/** Without `Intl`, whose first use blocks the process for 13 ms; counts are integers. */
const grouped = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** A fraction keeps three digits, so that no small number becomes 0. */
function withPoint(value: number): string {
  const size = Math.abs(value);
  if (size < MIN_PLAIN) return Number(value.toPrecision(SMALL_DIGITS)).toExponential();
  numbers ??= new Intl.NumberFormat('en-US');
  if (size >= 1 || !Number.isFinite(value)) return numbers.format(value);
  small ??= new Intl.NumberFormat('en-US', { maximumSignificantDigits: SMALL_DIGITS });
  return small.format(value);
}

/** Examples: `1 row`, `12,345 rows`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Text of how far a time range extends beyond another: `1 h`, `7 days`. */
export function rangeText(ms: number): string {
  const days = ms / DAY_MS;
  if (days < 1) return `${ms / HOUR_MS} h`;
  return days === 1 ? '1 day' : `${days} days`;
}

/** A noun with its article, e.g. `a project`, `an application`, `a user`. */
export const withArticle = (noun: string): string =>
  `${/^(?:[aeio]|u(?!se|ni))/i.test(noun) ? 'an' : 'a'} ${noun}`;
