/** Parses the three date forms of RFC 9110 (section 5.6.7) and ISO 8601 with a zone, without the Date object. */
import { elementAt } from '../element-at.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const IMF = /^[a-z]{3}, (\d{1,2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:gmt|utc|\+0000)$/;
const RFC850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) (?:gmt|utc)$/;
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;
const ISO = /^(\d{4})-(\d{2})-(\d{2})t(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:z|([+-])(\d{2}):?(\d{2}))$/;

type Clock = readonly [hour: number, minute: number, second: number];

/** Days from 1970-01-01 to a civil date (proleptic Gregorian). */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function epochMs(year: number, month: number, day: number, [hour, minute, second]: Clock): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  // A second of 60 is a leap second.
  if (hour > 23 || minute > 59 || second > 60) return null;
  return (daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000;
}

/** Hour, minute and second, from the groups of a match from `first` on. */
const clockOf = (match: RegExpExecArray, first: number): Clock => [
  Number(match[first]),
  Number(match[first + 1]),
  Number(match[first + 2]),
];
const monthNumber = (match: RegExpExecArray, group: number) => MONTHS.indexOf(elementAt(match, group)) + 1;

/** Milliseconds since 1970, or null if the text is not a date. Two-digit years are 1970 to 2069. */
export function parseHttpDate(text: string): number | null {
  const lower = text.trim().toLowerCase();
  const imf = IMF.exec(lower);
  if (imf !== null) {
    return epochMs(Number(imf[3]), monthNumber(imf, 2), Number(imf[1]), clockOf(imf, 4));
  }
  const old = RFC850.exec(lower);
  if (old !== null) {
    const year = Number(old[3]);
    return epochMs(year + (year < 70 ? 2_000 : 1_900), monthNumber(old, 2), Number(old[1]), clockOf(old, 4));
  }
  const asctime = ASCTIME.exec(lower);
  if (asctime !== null) {
    return epochMs(Number(asctime[6]), monthNumber(asctime, 1), Number(asctime[2]), clockOf(asctime, 3));
  }
  const iso = ISO.exec(lower);
  if (iso === null) return null;
  const localMs = epochMs(Number(iso[1]), Number(iso[2]), Number(iso[3]), clockOf(iso, 4));
  if (localMs === null || iso[7] === undefined) return localMs;
  const aheadMs = (Number(iso[8]) * 60 + Number(iso[9])) * 60_000;
  return iso[7] === '+' ? localMs - aheadMs : localMs + aheadMs;
}
