/**
 * Converts moments to wall-clock time in a zone and back. Pure; a zone is an IANA name, e.g. `Europe/Berlin` or `UTC`.
 */
import { doubleOf } from './exact-json.ts';

export const UTC = 'UTC';
const UTC_NAMES = new Set(['UTC', 'GMT', 'Etc/UTC', 'Etc/GMT', 'Z']);
const DAY_MS = 86_400_000;

/** The wall clock at a moment. Months and weekdays count from 0; weekday 0 is Sunday. */
export interface Civil {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  weekday: number;
}

/** First and last supported moment: years of one to four digits. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_214_400_000;

/** Whether every clock can show the moment; a number from outside may have any value. */
export function isMoment(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;
const WITH_ZONE = /(?:z|[+-]\d{2}(?::?\d{2})?)$/i;
const HOURS_ALONE = /[+-]\d{2}$/;
/** Every month has this many days. */
const DAYS_OF_EACH_MONTH = 28;

/**
 * Milliseconds of an ISO text; null if it is invalid. A time without a zone is in UTC, as at the service, whatever the
 * zone of this computer.
 */
export function isoTime(given: string): number | null {
  const text = given.trim();
  if (!ISO_DATE.test(text) || !isDay(text)) return null;
  const rest = text.slice(10);
  const hasZone = WITH_ZONE.test(rest);
  // A day without a time is already in UTC. Date.parse does not read offsets such as +02 in all places.
  const minutes = hasZone && HOURS_ALONE.test(rest) && rest.includes(':') ? ':00' : '';
  const ms = Date.parse(hasZone || rest === '' ? `${text}${minutes}` : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** Whether the month has the day with which an ISO text begins; Date.parse would read 30 February as 2 March. */
function isDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= DAYS_OF_EACH_MONTH) return true;
  return new Date(utcMs(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, day)).getUTCDate() === day;
}

/** Like `Date.UTC`, which would interpret years below 100 as years of the 20th century. Months count from 0. */
export function utcMs(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.setUTCHours(hour, minute, second);
}

/**
 * Milliseconds of a time from the service: ISO text, or an epoch number in seconds, milliseconds, microseconds or
 * nanoseconds, distinguished by size. Null if it is invalid, or if no clock can show it.
 */
export function parseTime(value: unknown): number | null {
  const number = doubleOf(value);
  if (number !== null) {
    if (!Number.isFinite(number)) return null;
    const ms = epochMs(number);
    return isMoment(ms) ? ms : null;
  }
  return typeof value === 'string' ? isoTime(value) : null;
}

function epochMs(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return value * 1_000;
  // Values below 1e14 are milliseconds until the year 5138; those below 1e18 are microseconds until the year 33658.
  return size < 1e14 ? value : size < 1e18 ? value / 1_000 : value / 1_000_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let found = formats.get(zone);
  if (found === undefined) {
    found = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
    formats.set(zone, found);
  }
  return found;
}

/** Whether this system knows the zone. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The zone of this computer. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || UTC;
}

/** A usable zone: the given one, or UTC if it is invalid. */
export function usableZone(zone: string | null | undefined): string {
  return zone !== null && zone !== undefined && zone !== '' && isZone(zone) ? zone : UTC;
}

/** Offset of the zone's clocks from UTC at a moment, in milliseconds; positive if they are ahead. */
function zoneOffset(ms: number, zone: string): number {
  if (UTC_NAMES.has(zone)) return 0;
  const parts: Record<string, number> = {};
  let isBeforeChrist = false;
  for (const { type, value } of formatOf(zone).formatToParts(ms)) {
    if (type === 'era') isBeforeChrist = value.startsWith('B');
    else if (type !== 'literal') parts[type] = Number(value);
  }
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const wallMs = utcMs(isBeforeChrist ? 1 - year : year, month - 1, day, hour, minute, second);
  return wallMs - Math.floor(ms / 1_000) * 1_000;
}

/** The wall clock of the zone at a moment. */
export function civilAt(ms: number, zone: string): Civil {
  const date = new Date(ms + zoneOffset(ms, zone));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
  };
}

/**
 * The moment at which the zone's clocks show this time. Fields may overflow (day 32, hour 24). If the clocks show it
 * twice, the first moment is returned; if they skip it, the time is moved later by the length of the gap.
 */
export function momentOf(at: Pick<Civil, 'year' | 'month' | 'day'> & Partial<Civil>, zone: string): number {
  const wall = utcMs(at.year, at.month, at.day, at.hour, at.minute, at.second);
  const [first] = momentsOf(wall, zone);
  return first ?? wall - zoneOffset(wall - DAY_MS, zone);
}

/**
 * The moments, in order, at which the zone's clocks show the same as UTC at `wallMs`, a whole second: none if they skip
 * that time, two if they show it twice.
 */
export function momentsOf(wallMs: number, zone: string): number[] {
  if (UTC_NAMES.has(zone)) return [wallMs];
  const offsets = new Set([zoneOffset(wallMs - DAY_MS, zone), zoneOffset(wallMs + DAY_MS, zone)]);
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((ms) => ms + zoneOffset(ms, zone) === wallMs)
    .toSorted((one, other) => one - other);
}

/** The moment at which the zone's clocks show the same as UTC at `wallMs`; milliseconds are kept. */
export function momentAt(wallMs: number, zone: string): number {
  const fraction = ((wallMs % 1_000) + 1_000) % 1_000;
  return momentOf(civilAt(wallMs - fraction, UTC), zone) + fraction;
}

/** Example: `+02:00`. */
export function offsetText(ms: number, zone: string): string {
  const minutes = Math.round(zoneOffset(ms, zone) / 60_000);
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Time for readers outside the application, e.g. `2026-03-12T14:00:00+01:00`. */
export function isoWithOffset(ms: number, zone: string): string {
  const wall = new Date(Math.floor(ms / 1_000) * 1_000 + zoneOffset(ms, zone)).toISOString();
  const fraction = ms % 1_000 === 0 ? '' : `.${String(((ms % 1_000) + 1_000) % 1_000).padStart(3, '0')}`;
  return `${wall.slice(0, wall.indexOf('.'))}${fraction}${offsetText(ms, zone)}`;
}

/** Display name of the zone: `UTC`, or its name without `Etc/` and underscores. */
export function zoneName(zone: string): string {
  return UTC_NAMES.has(zone) ? UTC : zone.replaceAll('_', ' ');
}
