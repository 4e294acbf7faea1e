/** The unit of a number, derived from its field name. Pure. */
import { doubleOf, isRawNumber } from '../../../electron/shared/exact-json.ts';
import { dollarsText } from '../../../electron/shared/money-text.ts';
import { formatBytes, formatCount, formatDuration, formatNumber } from '../format.ts';

const milliseconds = (value: number): string =>
  value < 1_000 ? `${formatNumber(value)} ms` : formatDuration(value);

const UNITS: readonly { pattern: RegExp; unit: string; write: (value: number) => string }[] = [
  { pattern: /tokens$/, unit: 'tokens', write: (value) => formatCount(value, 'token') },
  { pattern: /(_ms|_millis|milliseconds)$/, unit: 'ms', write: milliseconds },
  {
    pattern: /(_seconds|_secs|latency_in_seconds)$/,
    unit: 's',
    write: (value) => `${formatNumber(value)} s`,
  },
  { pattern: /_bytes$/, unit: 'bytes', write: formatBytes },
  { pattern: /_usd$/, unit: 'USD', write: (value) => dollarsText(value) },
  { pattern: /(_percent|_pct)$/, unit: '%', write: (value) => `${formatNumber(value)} %` },
];
const ofName = (name: string) => {
  const small = name.toLowerCase();
  return UNITS.find(({ pattern }) => pattern.test(small));
};

/** Reads the unit from a field name; null if the name has none. The result is shown beside the raw number. */
export function unitOf(name: string): string | null {
  return ofName(name)?.unit ?? null;
}

/** A number with its unit; null if the name has no unit, or for a whole number beyond 2^53, which keeps its digits. */
export function withUnit(name: string, value: unknown): string | null {
  const number = doubleOf(value);
  if (number === null || !Number.isFinite(number) || (isRawNumber(value) && value.isWhole)) return null;
  return ofName(name)?.write(number) ?? null;
}
