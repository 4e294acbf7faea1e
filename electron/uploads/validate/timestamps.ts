/** Times as files write them, and as the service takes them (SERVICE.md F1.2). No zone is ever added. */

export type TimeForm = 'iso' | 'us' | 'epoch-s' | 'epoch-ms' | 'model';

interface TimeValue {
  form: TimeForm;
  /** JSON text of the value that is sent. */
  json: string;
}

const ISO =
  /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})([.,]\d{1,9})?)?\s*(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/;
const US = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?:[ ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp][Mm])?)?$/;
const EPOCH = /^(\d{9,13})(\.\d+)?$/;
const DIGITS = /^\d+$/;
/** Two-digit years up to this one belong to 2000, the others to 1900. */
const LAST_SHORT_YEAR = 68;

const two = (value: number): string => String(value).padStart(2, '0');

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

function isTime(hour: number, minute: number, second: number): boolean {
  return hour < 24 && minute < 60 && second < 60;
}

/** Reads a text as a time; a string answer says why it is none. */
export function readTime(text: string): TimeValue | string {
  const iso = ISO.exec(text);
  if (iso !== null) return readIso(text, iso);
  const us = US.exec(text);
  if (us !== null) return readUs(us);
  const epoch = EPOCH.exec(text);
  if (epoch !== null) return { form: (epoch[1] ?? '').length > 11 ? 'epoch-ms' : 'epoch-s', json: text };
  if (DIGITS.test(text) && text.length >= 16) {
    return 'Expected a time in seconds or milliseconds since 1970, got a longer number (microseconds or nanoseconds).';
  }
  return 'Expected a time such as 2011-02-01 13:45:00, 2/1/11 (month/day/year) or seconds since 1970.';
}

function readIso(text: string, parts: RegExpExecArray): TimeValue | string {
  const [year, month, day] = [Number(parts[1]), Number(parts[3]), Number(parts[4])];
  const [hour, minute, second] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0), Number(parts[7] ?? 0)];
  if (!isDate(year, month, day)) return 'Expected a date that exists in the calendar (year-month-day).';
  if (!isTime(hour, minute, second)) return 'Expected a time of day from 00:00:00 to 23:59:59.';
  const isPlain =
    parts[2] === '-' &&
    !/UTC|z|,|\s{2}|\s[-+Z]/.test(text) &&
    /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:|$)/.test(text);
  if (isPlain) return { form: 'iso', json: JSON.stringify(text) };
  const date = `${parts[1]}-${two(month)}-${two(day)}`;
  if (parts[5] === undefined) return { form: 'iso', json: JSON.stringify(date) };
  const zone = parts[9] === 'UTC' || parts[9] === 'z' ? 'Z' : (parts[9] ?? '');
  const fraction = (parts[8] ?? '').replace(',', '.');
  const time = `${two(hour)}:${two(minute)}:${two(second)}${fraction}`;
  return { form: 'iso', json: JSON.stringify(`${date} ${time}${zone}`) };
}

function readUs(parts: RegExpExecArray): TimeValue | string {
  const short = Number(parts[3]);
  const isShort = (parts[3] ?? '').length === 2;
  const year = isShort ? short + (short <= LAST_SHORT_YEAR ? 2_000 : 1_900) : short;
  const [month, day] = [Number(parts[1]), Number(parts[2])];
  if (month > 12 && day <= 12) {
    return 'Expected month/day/year, got day/month/year. Write dates as year-month-day to be sure.';
  }
  if (!isDate(year, month, day)) return 'Expected a date that exists in the calendar (month/day/year).';
  const hour = hourOf(Number(parts[4] ?? 0), parts[7]);
  const [minute, second] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  if (!isTime(hour, minute, second))
    return 'Expected a time of day from 00:00 to 23:59, or from 1:00 AM to 12:59 PM.';
  const text = `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`;
  return { form: 'us', json: JSON.stringify(text) };
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.POSITIVE_INFINITY;
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: '\\d{4}',
  y: '\\d{2}',
  m: '\\d{1,2}',
  d: '\\d{1,2}',
  H: '\\d{1,2}',
  I: '\\d{1,2}',
  M: '\\d{1,2}',
  S: '\\d{1,2}',
  f: '\\d{1,9}',
  p: '[AaPp][Mm]',
  z: '(?:Z|[+-]\\d{2}:?\\d{2})',
};

/** A check for texts in a model's `event_ts_format` (as `%Y-%m-%d`), or null where it cannot be read as one. */
export function formatCheck(format: string | null): ((text: string) => boolean) | null {
  if (format === null || !format.includes('%')) return null;
  let isKnown = true;
  const source = format
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/%(.)/g, (_whole, letter: string) => {
      const part = DIRECTIVES[letter];
      if (part === undefined) isKnown = false;
      return part ?? '';
    });
  if (!isKnown) return null;
  const pattern = new RegExp(`^${source}$`);
  return (text) => pattern.test(text);
}
