/** Amounts of money in words, in the window and on the command line. Pure. */
import { written } from './count-text.ts';

/** Decimals of amounts of at least one dollar. */
const CENTS = 2;
/** Digits of smaller amounts, because a call may cost a fraction of a cent. */
const SMALL_DIGITS = 4;
/** Smaller and larger amounts use powers of ten. */
const MIN_PLAIN = 1e-9;
const MAX_PLAIN = 1e15;
const MAX_DECIMALS = 12;

/**
 * `$1,234.56`, `$0.0004`, `-$12.00`: cents from one dollar on, and four digits below, so that no cost looks like
 * nothing. `least`: minimum number of decimals to keep.
 */
export function dollarsText(value: number, least = CENTS): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return String(value);
  const sign = value < 0 ? '-' : '';
  if (size !== 0 && (size < MIN_PLAIN || size >= MAX_PLAIN))
    return `${sign}$${written(size.toExponential(SMALL_DIGITS - 1).replace(/\.?0+e/, 'e'))}`;
  const needed = size === 0 || size >= 1 ? CENTS : SMALL_DIGITS - 1 - Math.floor(Math.log10(size));
  const [whole = '0', decimals = ''] = size.toFixed(Math.max(least, needed)).split('.');
  const kept = decimals.replace(/0+$/, '').padEnd(CENTS, '0');
  return `${sign}$${written(`${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}.${kept}`)}`;
}

/** `$0.0004 to $0.0005`; different amounts get as many decimals as they need to look different. */
export function dollarsRange(low: number, high: number): string {
  let least = CENTS;
  const text = (value: number) => dollarsText(value, least);
  while (low !== high && text(low) === text(high) && least < MAX_DECIMALS) least += 1;
  return `${text(low)} to ${text(high)}`;
}
