/**
 * Formats values for display. The current time is passed in. The settings for numbers and times are read at each call,
 * so that the display changes with them.
 */

import { followNumbers } from '../../electron/shared/count-text.ts';
import { cutText } from '../../electron/shared/cut-text.ts';
import { isRawNumber, type RawNumber } from '../../electron/shared/exact-json.ts';
import {
  type DateFormat,
  inFormat,
  type NumberFormat,
  ungrouped,
} from '../../electron/shared/value-formats.ts';
import { systemZone } from '../../electron/shared/zone-time.ts';

export interface Formats {
  /** IANA time zone; undefined for the zone of this computer. */
  zone: string | undefined;
  numbers: NumberFormat;
  dates: DateFormat;
  isTwelveHours: boolean;
}

const USUAL: Formats = { zone: undefined, numbers: 'comma', dates: 'day-month', isTwelveHours: false };
let formats: () => Formats = () => USUAL;

/** Sets the source of the formats. If `read` uses a signal, the display changes with it. */
export function followFormats(read: () => Formats): void {
  formats = read;
  followNumbers(() => read().numbers);
}

/** The time zone in which times are shown and entered. */
export function shownZone(): string {
  return formats().zone ?? systemZone();
}

const LOCALE = 'en-GB';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const WHOLE = /^-?[0-9]{1,400}$/;
/** From here on, JavaScript itself uses exponential notation. */
const MAX_WHOLE = 1e21;
const formatters = new Map<string, Intl.DateTimeFormat>();

function dateFormat(
  options: Intl.DateTimeFormatOptions,
  zone = formats().zone,
  locale = LOCALE,
): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options, zone]);
  let found = formatters.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat(locale, {
      ...options,
      ...(zone === undefined ? {} : { timeZone: zone }),
    });
    formatters.set(key, found);
  }
  return found;
}

/**
 * `12,345.6`. Very large and very small numbers use powers of ten, so that nothing is rounded to zero. Whole numbers
 * that may be ids or counts keep all digits; exact numbers always do.
 */
export function formatNumber(value: number | RawNumber): string {
  if (isRawNumber(value))
    return WHOLE.test(value.digits) ? written(grouped.format(BigInt(value.digits))) : value.digits;
  if (!Number.isFinite(value)) return String(value);
  // Without a sign for the zero of a negative fraction.
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < MAX_WHOLE) return written(grouped.format(value));
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return written(value.toExponential(3));
  return written(grouped.format(value));
}

const FIGURE_DIGITS = 4;

/** A rounded number: whole from 1,000 on, otherwise with four digits. The exact number is shown in a tooltip. */
export function formatFigure(value: number): string {
  if (Math.abs(value) >= 10 ** (FIGURE_DIGITS - 1)) return formatNumber(Math.round(value));
  return formatNumber(Number(value.toPrecision(FIGURE_DIGITS)));
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });

/** A rounded number for narrow places, abbreviated from a million on: `14.9M`. */
export function formatShort(value: number): string {
  return Math.abs(value) < 1e6 ? formatFigure(value) : written(short.format(value));
}

/** Converts a number in `en-US` notation to the separators of the settings. */
export function written(text: string): string {
  return inFormat(text, formats().numbers);
}

/** An exact number for a field: with the decimal sign of the settings and without separators. `plainNumber` reads it. */
export function fieldNumber(value: number): string {
  return written(String(value));
}

/** A number typed with the separators of the settings, with a decimal point and without separators. */
export function plainNumber(typed: string): string {
  return ungrouped(typed, formats().numbers);
}

/** `1 row`, `12,345 rows`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/**
 * `None of the 5 spans matches`, `The only span does not match`. `counted`: `5 spans`; `does` and `doesNot`: the rest of
 * the sentence for several things and for one.
 */
export function noneOf(counted: string, does: string, doesNot: string): string {
  return counted.startsWith('1 ')
    ? `The only ${counted.slice(2)} ${doesNot}`
    : `None of the ${counted} ${does}`;
}

/** `812 bytes`, `593 KB`, `12.4 MB` (powers of 1,000). */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return formatCount(bytes, 'byte');
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${formatNumber(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[unit] ?? ''}`;
}

/** A readable duration: `850 ms`, `12 s`, `2 min`, `3 h`, `3 h 20 min`, `4 days`. */
export function formatDuration(ms: number): string {
  const size = Math.max(0, ms);
  if (Math.round(size) < 1_000) return `${Math.round(size)} ms`;
  if (size < 10_000) return `${formatNumber(Math.round(size / 100) / 10)} s`;
  if (size < MINUTE - 500) return `${Math.round(size / 1_000)} s`;
  if (size < HOUR - MINUTE / 2) return `${Math.max(1, Math.round(size / MINUTE))} min`;
  if (size < 10 * HOUR) {
    const minutes = Math.round(size / MINUTE);
    const rest = minutes % 60;
    return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
  }
  if (size < DAY - HOUR / 2) return `${Math.round(size / HOUR)} h`;
  return formatCount(Math.round(size / DAY), 'day');
}

/** Age in one unit: `now`, `3 min`, `3 h`, `2 days`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE) return 'now';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return formatCount(Math.floor(ms / DAY), 'day');
}

/** `14:02`, or `2:02 pm`. */
export function formatClock(ms: number, zone?: string): string {
  if (formats().isTwelveHours)
    return dateFormat({ hour: 'numeric', minute: '2-digit', hour12: true }, zone).format(ms);
  return dateFormat({ hour: '2-digit', minute: '2-digit' }, zone).format(ms);
}

/** `12 Mar`, `Mar 12`, `03-12`; with the year `12 Mar 2026`, `Mar 12, 2026`, `2026-03-12`. */
function writeDay(ms: number, hasYear: boolean, zone: string | undefined): string {
  const { dates } = formats();
  if (dates === 'iso') return formatStamp(ms, zone).slice(hasYear ? 0 : 5, 10);
  const options: Intl.DateTimeFormatOptions = {
    ...{ day: 'numeric', month: 'short' },
    ...(hasYear ? { year: 'numeric' } : {}),
  };
  return dateFormat(options, zone, dates === 'month-day' ? 'en-US' : LOCALE).format(ms);
}

function dayKey(ms: number, zone?: string): string {
  return dateFormat({ year: 'numeric', month: '2-digit', day: '2-digit' }, zone).format(ms);
}

/** A time with as little of the date as necessary: `14:02`, `Tue 14:02`, `12 Mar 14:02`, `12 Mar 2024`. */
export function formatMoment(ms: number, nowMs: number, zone?: string): string {
  const clock = formatClock(ms, zone);
  if (dayKey(ms, zone) === dayKey(nowMs, zone)) return clock;
  const weekday = (ofMs: number) => dateFormat({ weekday: 'short' }, zone).format(ofMs);
  // After a day of 23 hours, the same weekday of the week before can be less than six days ago.
  if (nowMs > ms && nowMs - ms < 6 * DAY && weekday(ms) !== weekday(nowMs)) return `${weekday(ms)} ${clock}`;
  const isSameYear = dayKey(ms, zone).slice(-4) === dayKey(nowMs, zone).slice(-4);
  const day = writeDay(ms, !isSameYear, zone);
  return isSameYear ? `${day} ${clock}` : day;
}

/** `12 Mar`: a date without its year. */
export function formatDayOfYear(ms: number, zone?: string): string {
  return writeDay(ms, false, zone);
}

/** `12 Mar 2026`: a date without the time. */
export function formatDay(ms: number, zone?: string): string {
  return writeDay(ms, true, zone);
}

const STAMP: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
};
const MAX_MINUTES = 5_000;
/** Cache of formatted minutes (`2026-03-12 14:02:`) by zone, as columns of times are redrawn often. */
const minutes = new Map<string, Map<number, string>>();

/** A time in a column where times are compared: `2026-03-12 14:02:33`, with constant width. */
export function formatStamp(ms: number, zone = formats().zone): string {
  const minute = Math.floor(ms / MINUTE);
  let known = minutes.get(zone ?? '');
  if (known === undefined || known.size > MAX_MINUTES) {
    known = new Map();
    minutes.set(zone ?? '', known);
  }
  let start = known.get(minute);
  if (start === undefined) {
    const whole = writeStamp(minute * MINUTE, zone);
    // Some historical zones had offsets with odd seconds, so their minutes do not begin with the minutes of UTC.
    if (!whole.endsWith(':00')) return writeStamp(ms, zone);
    start = whole.slice(0, -2);
    known.set(minute, start);
  }
  return start + String(Math.floor((ms - minute * MINUTE) / 1_000)).padStart(2, '0');
}

function writeStamp(ms: number, zone: string | undefined): string {
  const parts = dateFormat(STAMP, zone).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')}`;
}

/** Full date and time with the zone: `Thursday, 12 March 2026 at 14:02:33 CET`. */
export function formatFull(ms: number, zone?: string): string {
  const { dates, isTwelveHours } = formats();
  const hours = isTwelveHours ? { hour12: true } : {};
  const locale = dates === 'month-day' ? 'en-US' : LOCALE;
  // American English would use a 12-hour clock by default.
  const options: Intl.DateTimeFormatOptions = {
    dateStyle: 'full',
    timeStyle: 'long',
    hourCycle: 'h23',
    ...hours,
  };
  return dateFormat(options, zone, locale).format(ms);
}

/** `Values of all charts` for `values of all charts`. */
export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * `a1b2c3d4…9f0e`: ids are recognized by their start and end. The whole id remains available in the tooltip and when
 * copying.
 */
export function shortenMiddle(text: string, length = 14): string {
  const letters = Array.from(text);
  if (letters.length <= length) return text;
  const end = Math.max(1, Math.floor((length - 1) / 3));
  const start = Math.max(1, length - 1 - end);
  return `${letters.slice(0, start).join('')}…${letters.slice(-end).join('')}`;
}

/** Any JSON value on one line, for a cell. Serialization stops after `length` characters. */
export function formatJsonLine(value: unknown, length = 300): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return cutText(value, length);
  const text = JSON.stringify(value) ?? '';
  return cutText(text, length);
}
