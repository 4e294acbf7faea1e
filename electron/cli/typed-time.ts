/** The only parser of points in time that are typed on the command line. Pure, except for the zone of this process. */
import { AppError } from '../shared/errors.ts';
import { type Civil, civilAt, isZone, momentOf, systemZone, UTC, utcMs } from '../shared/zone-time.ts';

interface TypedTime {
  ms: number;
  /** No zone was typed, so the zone of the settings or of this computer applies. */
  isLocal: boolean;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MAX_MS = 100 * 366 * 86_400_000;
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
/** A day or one of the words above, with an optional time of day and an optional zone. */
const DAY_CLOCK_ZONE =
  /^(?:(\d{4})-(\d{2})-(\d{2})|([a-z]+))(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?(?: ?(Z|[+-]\d{2}:?\d{2})| ([A-Z][\w+/-]*))?$/i;
const CLOCK = /^(\d{1,2}):(\d{2})$/;
/** A time in this form is sent as it was typed. */
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
export const TIME_EXAMPLES = '2026-05-01, "2026-05-01 02:00", 2026-05-01T02:00:00Z, yesterday, "today 02:00"';

/** Milliseconds of `7d`, `12h`, `30m`, `2w`; null for anything else. */
export function readLength(typed: string): number | null {
  const [, count = '', unit = ''] = /^(\d+)([smhdw])$/.exec(typed.trim()) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  return count !== '' && ms > 0 && ms <= MAX_MS ? ms : null;
}

/**
 * How to interpret a time of day without a date (as the next or the last one), and a length of time (before or after
 * now).
 */
interface Reading {
  clock: (hour: number, minute: number) => number;
  lengthSign: 1 | -1;
}

/** Null if the text is not a time. */
export function readTime(typed: string, nowMs: number, { clock, lengthSign }: Reading): TypedTime | null {
  const text = typed.trim();
  if (text === 'now') return { ms: nowMs, isLocal: false };
  const length = readLength(text);
  if (length !== null) return { ms: nowMs + lengthSign * length, isLocal: false };
  const [, hour, minute] = (CLOCK.exec(text) ?? []).map(Number);
  if (hour !== undefined && minute !== undefined)
    return hour > 23 || minute > 59 ? null : { ms: clock(hour, minute), isLocal: true };
  return readDay(text, nowMs);
}

/** Reads a point of a range: a time of day without a date is today's, and a length of time is before now. */
export function readPoint(typed: string, nowMs: number): TypedTime | null {
  const today = new Date(nowMs);
  const clock = (hour: number, minute: number) => new Date(today).setHours(hour, minute, 0, 0);
  return readTime(typed, nowMs, { clock, lengthSign: -1 });
}

function readDay(text: string, nowMs: number): TypedTime | null {
  const parts = DAY_CLOCK_ZONE.exec(text);
  if (parts === null) return null;
  const [, year, month, day, word = '', hour = '0', minute = '0', second = '0', fraction = '', ...zones] =
    parts;
  const [offset, zoneName] = zones;
  if (zoneName !== undefined && !isZone(zoneName)) return null;
  if (offset !== undefined && !isOffset(offset)) return null;
  const zone = zoneName ?? systemZone();
  const today = offset === undefined ? civilAt(nowMs, zone) : civilAt(nowMs + offsetMs(offset), UTC);
  const civil = {
    ...(year === undefined
      ? dayOfWord(word, today)
      : { year: Number(year), month: Number(month) - 1, day: Number(day) }),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  if (!isReal(civil)) return null;
  const ofSecondMs = Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (offset !== undefined) return { ms: wallMs(civil) - offsetMs(offset) + ofSecondMs, isLocal: false };
  return { ms: momentOf(civil, zone) + ofSecondMs, isLocal: zoneName === undefined };
}

interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/** The day of a word, counted from `today` in the zone that was typed; of an unknown word, a day that does not exist. */
function dayOfWord(word: string, today: Civil): Pick<Civil, 'year' | 'month' | 'day'> {
  const shift = Object.hasOwn(DAYS, word.toLowerCase()) ? DAYS[word.toLowerCase()] : undefined;
  const at = new Date(utcMs(today.year, today.month, today.day + (shift ?? Number.NaN)));
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), day: at.getUTCDate() };
}

const wallMs = ({ year, month, day, hour, minute, second }: WallTime): number =>
  utcMs(year, month, day, hour, minute, second);

/** Whether the date and the time exist. */
function isReal(civil: WallTime): boolean {
  const at = new Date(wallMs(civil));
  return (
    at.getUTCMonth() === civil.month &&
    at.getUTCDate() === civil.day &&
    civil.hour < 24 &&
    civil.minute < 60 &&
    civil.second < 60
  );
}

/** Whether an offset such as `+02:00` can be one of a zone, which is less than a day. */
const isOffset = (offset: string): boolean =>
  offset.toUpperCase() === 'Z' || (Number(offset.slice(1, 3)) < 24 && Number(offset.slice(-2)) < 60);

function offsetMs(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Reads a point of a range. Throws INVALID_ARGUMENT with examples. */
export function pointOf(option: string, typed: string, nowMs: number): TypedTime {
  const found = readPoint(typed, nowMs);
  if (found !== null) return found;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${option} expects a time such as ${TIME_EXAMPLES} or 7d (before now), got ${typed}.`,
  );
}

/** The fraction of a second in a typed time, such as `.5`; empty if there is none. Whole seconds would widen a range. */
export function fractionIn(typed: string): string {
  const [, digits = ''] = /:\d{2}\.(\d*?)0*(?!\d)/.exec(typed) ?? [];
  return digits === '' ? '' : `.${digits}`;
}

/** A time such as `2026-05-01T00:00:00Z`. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The text that is sent; a time with date, time of day and zone is sent as it was typed. */
export const sentTime = (typed: string, { ms }: TypedTime): string =>
  ZONED.test(typed) ? typed : timeText(ms).replace('Z', `${fractionIn(typed)}Z`);
