/** Converts numbers that Excel shows as dates, times of day or durations to texts. Pure. */
import type { NumberKind } from './number-format.ts';

const DAY_MS = 86_400_000;
/** Day 0 of Excel's calendar; day 1 is 1 January 1900. */
const BEFORE_1900 = Date.UTC(1899, 11, 31);
const DAY_ZERO_1904 = Date.UTC(1904, 0, 1);
/** Excel counts 29 February 1900, which did not exist, as day 60. */
const FALSE_LEAP_DAY = 60;
const LAST_DAY = Date.UTC(9999, 11, 31);

interface SerialText {
  text: string;
  /** True for days that Excel shows but no calendar has: day 0 and 29 February 1900. */
  isNoDay?: true;
}

/**
 * ISO 8601 to the millisecond, rounded half up as in Excel, without a zone, because Excel has none. A duration is
 * `H:MM:SS` with any number of hours. Null if a date is out of range: before day 0 or after 9999.
 */
export function serialText(
  serial: number,
  kind: Exclude<NumberKind, 'number'>,
  is1904: boolean,
): SerialText | null {
  const all = Math.floor(serial * DAY_MS + 0.5);
  if (!Number.isSafeInteger(all)) return null;
  if (kind === 'duration') return { text: `${all < 0 ? '-' : ''}${clockText(Math.abs(all))}` };
  if (all < 0) return null;
  const day = Math.floor(all / DAY_MS);
  const ofDay = all - day * DAY_MS;
  // A time without a date stays a time, even if the format adds a date or rounding gives midnight.
  if (serial < 1 && (kind === 'time' || (!is1904 && serial > 0))) return { text: clockText(ofDay) };
  const date = dateText(day, is1904);
  if (date === null) return null;
  const text = kind === 'date' && ofDay === 0 ? date : `${date}T${clockText(ofDay)}`;
  return !is1904 && (day === 0 || day === FALSE_LEAP_DAY) ? { text, isNoDay: true } : { text };
}

function dateText(day: number, is1904: boolean): string | null {
  if (!is1904 && day === 0) return '1900-01-00';
  if (!is1904 && day === FALSE_LEAP_DAY) return '1900-02-29';
  const start = is1904 ? DAY_ZERO_1904 : BEFORE_1900 - (day > FALSE_LEAP_DAY ? DAY_MS : 0);
  const ms = start + day * DAY_MS;
  return ms > LAST_DAY ? null : new Date(ms).toISOString().slice(0, 10);
}

function clockText(ms: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(ms / 1_000);
  const rest = ms % 1_000;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`;
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
