/**
 * Converts times in files to the service's form (SERVICE.md F1.2). A time without a zone is sent without one, unless a
 * zone is chosen for its column.
 */

import type { ColumnReading, DateReading } from '../../shared/column-reading.ts';
import type { ValueRule } from '../../shared/value-ledger.ts';
import { isZone, momentsOf, offsetText, UTC } from '../../shared/zone-time.ts';
import { englishWeekday, type Weekday } from './calendar-names.ts';
import { CLOCK } from './common-dates.ts';
import { dateOrderOf } from './date-order.ts';
import { epochTime, isEpoch, serialReason } from './epoch-times.ts';
import { readNamed, withoutWords } from './named-time.ts';
import { reasonOfPart } from './no-moment.ts';
import { asciiDigits } from './script-digits.ts';
import type { TimeForm, TimeValue } from './time-value.ts';
import { ABBREVIATIONS, UTC_WORDS } from './zone-abbreviations.ts';

type TimeReading = Pick<ColumnReading, 'days' | 'zone' | 'unit'>;
/** `weekday`: the weekday in the text. */
type TextReading = TimeReading & { weekday?: Weekday | null };

const ISO = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${CLOCK}$`);
/** The most common form, which is sent unchanged. */
const PLAIN =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-7]):?[0-5]\d)?)?$/;
const NUMERIC = new RegExp(`^(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4}|\\d{2})${CLOCK}$`);
const COMPACT =
  /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(?:(\d{2})(\.\d{1,9})?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/;
/** Two-digit years up to this one belong to the 2000s, later ones to the 1900s. */
const LAST_SHORT_YEAR = 68;
const DAY_MS = 86_400_000;
/** An offset of at most 18 hours, the limit in ISO 8601 libraries. The largest offset in use is +14:00. */
const OFFSET = /^([+-](?:0\d|1[0-7])):?([0-5]\d)?$|^([+-]18):?(00)?$/;
const two = (value: number): string => String(value).padStart(2, '0');

interface Parts {
  year: number;
  month: number;
  day: number;
  /** Null for a date without a time. */
  hour: number | null;
  minute: number;
  second: number;
  /** The fraction of a second with its point; empty if there is none. */
  fraction: string;
  /** `Z` or `+01:00`; empty if there is none. */
  zone: string;
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

/** Parses a text as a time. Returns a message if it is not a time. */
export function readTime(text: string, reading: TimeReading = {}): TimeValue | string {
  return readText(text, reading);
}

function readText(text: string, reading: TextReading): TimeValue | string {
  const { weekday = null } = reading;
  const plain = weekday === null ? PLAIN.exec(text) : null;
  if (plain !== null && (reading.zone === undefined || plain[1] !== undefined))
    return { form: 'iso', json: `"${text}"`, rules: [], isZoneless: plain[1] === undefined };
  const iso = ISO.exec(text);
  if (iso !== null) return ofParts(text, 'iso', dateOf(iso[1], iso[3], iso[4]), iso.slice(5), reading);
  const numeric = NUMERIC.exec(text);
  if (numeric !== null) return ofNumeric(text, numeric, reading);
  if (weekday === null && isEpoch(text, reading.unit)) return zoned(epochTime(text, reading.unit), reading);
  const compact = COMPACT.exec(text);
  if (compact !== null) {
    const [, year, month, day, hour, minute, second, fraction, zone] = compact;
    const clock = [hour, minute, second, fraction, undefined, zone];
    return ofParts(text, 'compact', dateOf(year, month, day), clock, reading);
  }
  const named = ofWords(text, reading);
  if (named !== null) return named;
  return (
    reasonOfPart(text) ??
    serialReason(text) ??
    'Expected a time such as 2011-02-01 13:45:00, 2/1/11 or seconds since 1970.'
  );
}

/** Spreadsheet days have no zone. */
function zoned(time: TimeValue | string, { zone }: TimeReading): TimeValue | string {
  if (typeof time === 'string' || !time.isZoneless || zone === undefined) return time;
  const read = readTime(String(JSON.parse(time.json)), { zone });
  return typeof read === 'string' ? read : { ...read, rules: [...time.rules, ...read.rules] };
}

const dateOf = (year = '', month = '', day = ''): [number, number, number] => [
  fullYear(year),
  Number(month),
  Number(day),
];

function fullYear(text: string): number {
  const year = Number(text);
  return text.length === 2 ? year + (year <= LAST_SHORT_YEAR ? 2_000 : 1_900) : year;
}

/** Reads dates such as 03/05/2026 and 3.5.26, in which the column decides whether day or month comes first. */
function ofNumeric(text: string, parts: RegExpExecArray, reading: TextReading): TimeValue | string {
  const [, first = '', sign, second = '', year = ''] = parts;
  const order = reading.days ?? (sign === '/' ? 'month-first' : null);
  if (order === null) {
    return 'Expected a date of which the order of day and month is known. Write it as year-month-day, or choose the order for the column.';
  }
  if (order === 'year-first') {
    if (first.length !== 2 || year.length !== 2)
      return 'Expected a date with its year of two digits first, such as 26-01-05. Write it as year-month-day.';
    return ofParts(text, 'iso', dateOf(first, second, year), parts.slice(5), reading);
  }
  const isDayFirst = order === 'day-first';
  const [month, day] = isDayFirst ? [second, first] : [first, second];
  if (Number(month) > 12 && Number(day) <= 12) {
    return isDayFirst
      ? 'Expected day/month/year as in the rest of the column, got month/day/year. Write dates as year-month-day to be sure.'
      : 'Expected month/day/year, got day/month/year. Write dates as year-month-day to be sure.';
  }
  return ofParts(text, isDayFirst ? 'day-first' : 'us', dateOf(year, month, day), parts.slice(5), reading);
}

/** Reads times with words, or with digits of another script. */
function ofWords(text: string, reading: TextReading): TimeValue | string | null {
  const ascii = asciiDigits(text);
  if (ascii !== text) return changed(readText(ascii, reading), 'script-digits');
  const named = readNamed(text);
  if (typeof named === 'string') return named;
  if (named !== null) {
    const { year, month, day, clock, weekday } = named;
    const date = dateOf(year, String(month), day);
    return ofParts(text, 'month-name', date, clock, { ...reading, weekday });
  }
  const plain = withoutWords(text);
  if (plain === null) return null;
  const time = readText(plain.text, { ...reading, weekday: plain.weekday });
  const hasRule = typeof time !== 'string' && time.rules.some((rule) => FORM_RULES.has(rule));
  return hasRule ? time : changed(time, 'time-form');
}

const changed = (time: TimeValue | string, rule: ValueRule): TimeValue | string =>
  typeof time === 'string' ? time : { ...time, rules: [...time.rules, rule] };

const RULE_OF: Readonly<Record<TimeForm, ValueRule>> = {
  iso: 'time-form',
  us: 'month-first',
  'day-first': 'day-first',
  'month-name': 'month-name',
  compact: 'time-form',
  'epoch-s': 'epoch-unit',
  'epoch-ms': 'epoch-unit',
  model: 'time-form',
};
const FORM_RULES: ReadonlySet<ValueRule> = new Set(Object.values(RULE_OF));
/** Forms in which a date without a time is always sent with 00:00:00. */
const HAS_ALWAYS_CLOCK = new Set<TimeForm>(['us']);

function ofParts(
  text: string,
  form: TimeForm,
  [year, month, day]: readonly [number, number, number],
  clock: readonly (string | undefined)[],
  reading: TextReading,
): TimeValue | string {
  if (!isDate(year, month, day)) {
    const order =
      form === 'us' ? 'month/day/year' : form === 'day-first' ? 'day/month/year' : 'year-month-day';
    return `Expected a date that exists in the calendar (${order}).`;
  }
  const { weekday = null } = reading;
  if (weekday !== null) {
    const real = new Date(Date.UTC(2000 + (year % 400), month - 1, day)).getUTCDay();
    if (!weekday.numbers.has(real))
      return `Expected the weekday of its date, ${englishWeekday(real)}, got ${weekday.word}. Check the date, or write it without a weekday.`;
  }
  const [hourText, minuteText, secondText, fraction = '', half, zoneText = ''] = clock;
  const hour = hourText === undefined ? null : hourOf(Number(hourText), half);
  const [minute, second] = [Number(minuteText ?? 0), Number(secondText ?? 0)];
  if (second === 60)
    return 'Expected a time of day up to 23:59:59, got second 60: a leap second. Write the second before or after it.';
  const isMidnight = hour === 24 && minute === 0 && second === 0 && !/[1-9]/.test(fraction);
  if (hour !== null && !isMidnight && !(hour < 24 && minute < 60 && second < 60)) {
    return half === undefined
      ? 'Expected a time of day from 00:00:00 to 23:59:59.'
      : 'Expected a time of day from 1:00 AM to 12:59 PM.';
  }
  const at: Parts = {
    ...{ year, month, day, hour, minute, second },
    fraction: fraction.replace(',', '.'),
    zone: '',
  };
  const dated = isMidnight ? nextDay(at) : at;
  const conflict = zoneConflict(zoneText, dated);
  if (conflict !== null) return conflict;
  const own = zoneOf(zoneText, dated);
  if (own === null) return `Expected a time zone such as Z, +02:00 or Europe/Berlin, got ${zoneText}.`;
  const isZoneless = own.text === '';
  const chosen = isZoneless && reading.zone !== undefined ? zoneOf(reading.zone, dated) : null;
  const isZoned = chosen !== null && chosen.text !== '';
  const zone = isZoned ? chosen : own;
  if (zone.isSkipped)
    return `Expected a time that the clocks of ${isZoned ? reading.zone : zoneText.replaceAll(/[[\]]/g, '')} show, got one that they skip when summer begins. Check whether the time is in another zone, such as UTC.`;
  const needsClock = isZoned || HAS_ALWAYS_CLOCK.has(form);
  const json = JSON.stringify(written(dated, zone.text, needsClock, isPlainIso(text, form)));
  const isSame = json === JSON.stringify(text);
  const rules: ValueRule[] = isZoned ? [] : isSame ? [] : [RULE_OF[form]];
  if (isZoned) {
    if (form !== 'iso') rules.push(RULE_OF[form]);
    rules.push('zone');
  }
  if (zone.isTwice) rules.push('zone-twice');
  return { form, json, rules, isZoneless };
}

/** An ISO text keeps its T, and may have no seconds. */
function isPlainIso(text: string, form: TimeForm): { sign: string; hasSeconds: boolean } {
  const isStrict = form === 'iso' && /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text);
  if (!isStrict) return { sign: ' ', hasSeconds: true };
  return { sign: text[10] ?? ' ', hasSeconds: text[16] === ':' };
}

function written(
  { year, month, day, hour, minute, second, fraction }: Parts,
  zone: string,
  needsClock: boolean,
  { sign, hasSeconds }: { sign: string; hasSeconds: boolean },
): string {
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  if (hour === null && !needsClock) return date;
  const seconds = hasSeconds ? `:${two(second)}${fraction}` : '';
  return `${date}${sign}${two(hour ?? 0)}:${two(minute)}${seconds}${zone}`;
}

function nextDay(at: Parts): Parts {
  const date = new Date(0);
  date.setUTCFullYear(at.year, at.month - 1, at.day + 1);
  return {
    ...at,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: 0,
  };
}

interface Zone {
  /** `Z` or an offset such as `+01:00`; empty if the text has none. */
  text: string;
  /** `isSkipped`: clocks in the zone never show this time. `isTwice`: they show it twice. */
  isSkipped?: boolean;
  isTwice?: boolean;
}

const OFFSET_AND_ZONE = /^([+-]\d{2}):?(\d{2})\s*(?:\[(.+)\]|([A-Z]{3,5}))$/;
/** UTC with an unknown local offset, before a zone name. It does not contradict any zone (RFC 9557, 3.4). */
const UTC_AND_ZONE = /^(?:[Zz]|-00:?00)\s*\[/;

/** The reason if the offset in the text differs from that of the named zone at this time; null if both agree. */
function zoneConflict(text: string, at: Parts): string | null {
  if (UTC_AND_ZONE.test(text)) return null;
  const [, hours, minutes, zone, short = ''] = OFFSET_AND_ZONE.exec(text) ?? [];
  const name = zone ?? (UTC_WORDS.has(short.toLowerCase()) ? UTC : (ABBREVIATIONS[short] ?? ''));
  if (hours === undefined || !isKnownZone(name)) return null;
  const offset = `${hours}:${minutes}`;
  const local = new Date(0);
  local.setUTCFullYear(at.year, at.month - 1, at.day);
  local.setUTCHours(at.hour ?? 0, at.minute, at.second);
  const behindMs = (Number(hours) * 60 + Number(`${hours[0]}${minutes}`)) * 60_000;
  const right = offsetText(local.getTime() - behindMs, name);
  return plainOffset(right) === plainOffset(offset)
    ? null
    : `Expected the offset of ${name} at this time, ${right}, got ${offset}. Correct one of them, or write the time with its offset alone.`;
}

const plainOffset = (offset: string): string => (/^(?:Z|[+-]00:00)$/.test(offset) ? 'Z' : offset);

/** The zone that a text or a person names; null if it is unknown. */
function zoneOf(named: string, at: Parts): Zone | null {
  const name = named
    .replace(/^([Zz]|[+-]\d{2}:?\d{2})\s*(?:\[.*\]|[A-Z]{3,5})$/, '$1')
    .replace(/^(?:GMT|UTC|UT) ?(?=[+-]\d)/i, '')
    .replace(/^([+-])(\d)(?=:|$)/, '$10$2')
    .replaceAll(/[[\]]/g, '');
  if (name === '') return { text: '' };
  if (UTC_WORDS.has(name.toLowerCase())) return { text: 'Z' };
  const offset = OFFSET.exec(name);
  if (offset !== null) {
    const [, hours = offset[3], minutes = offset[4]] = offset;
    return { text: minutes === undefined ? `${hours}:00` : name };
  }
  if (/^[+-]\d/.test(name)) return null;
  const abbreviated = ABBREVIATIONS[name.toUpperCase()];
  if (abbreviated !== undefined) return { text: abbreviated };
  // Other short abbreviations are ambiguous: CST, IST, BST.
  if (name.length <= 4 || !isKnownZone(name)) return null;
  return regionAt(name, at);
}

/** For a date without a time, takes the first moment of the day, even if clocks skip midnight. */
function regionAt(name: string, at: Parts): Zone {
  const date = new Date(0);
  date.setUTCFullYear(at.year, at.month - 1, at.day);
  date.setUTCHours(at.hour ?? 0, at.minute, at.second);
  const moments = momentsOf(date.getTime(), name);
  const [first = date.getTime() - DAY_MS] = moments;
  const text = offsetText(first, name);
  return at.hour === null ? { text } : { text, isSkipped: moments.length === 0, isTwice: moments.length > 1 };
}

const known = new Map<string, boolean>();

/** Cached by name, because each unknown name costs an exception. */
function isKnownZone(name: string): boolean {
  const found = known.get(name);
  if (found !== undefined) return found;
  const isKnown = name === UTC || isZone(name);
  if (known.size < 1_000) known.set(name, isKnown);
  return isKnown;
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.POSITIVE_INFINITY;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** Evidence of a numeric date for the order of day and month in its column; null if the text is not such a date. */
export function dateOrder(text: string): ReturnType<typeof dateOrderOf> | null {
  const numeric = NUMERIC.exec(text) ?? (/^\d{4}-/.test(text) ? null : numericAmongWords(text));
  if (numeric === null) return null;
  return dateOrderOf(Number(numeric[1]), numeric[2] ?? '', Number(numeric[3]));
}

/** Year and day, as written, of a numeric date that may begin with a two-digit year; null for any other text. */
export function yearFirst(
  text: string,
): { year: string; fullYear: number; day: string; sign: string } | null {
  const [, year = '', sign = '', month = '', day = ''] = NUMERIC.exec(text) ?? [];
  if (year.length !== 2 || day.length !== 2 || !isDate(fullYear(year), Number(month), Number(day)))
    return null;
  return { year, fullYear: fullYear(year), day, sign };
}

function numericAmongWords(text: string): RegExpExecArray | null {
  const plain = withoutWords(asciiDigits(text));
  return NUMERIC.exec(plain?.text ?? asciiDigits(text));
}

const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: '\\d{4}',
  y: '\\d{2}',
  m: '(?:0?[1-9]|1[0-2])',
  d: '(?:0?[1-9]|[12]\\d|3[01])',
  H: '(?:[01]?\\d|2[0-3])',
  I: '(?:0?[1-9]|1[0-2])',
  M: '[0-5]?\\d',
  S: '[0-5]?\\d',
  f: '\\d{1,9}',
  p: '[AaPp][Mm]',
  z: '(?:Z|[+-]\\d{2}:?\\d{2})',
};

/** Order of day, month and two-digit year in a model's `event_ts_format`. */
export function formatOrder(format: string | null): DateReading {
  const [day = -1, month = -1, year = -1] = ['%d', '%m', '%y'].map((part) => format?.indexOf(part) ?? -1);
  if (year >= 0 && year < day && year < month) return 'year-first';
  return day >= 0 && day < month ? 'day-first' : 'month-first';
}

/** True if times in a model's `event_ts_format` include their zone. */
export const namesZone = (format: string | null): boolean => format?.includes('%z') === true;

/**
 * A function that checks texts against a model's `event_ts_format` (e.g. `%Y-%m-%d`); null if the format cannot be
 * interpreted.
 */
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
