/**
 * Reads times with words, in any order of their parts: RFC 2822, `date`, ctime, JavaScript, logs of web servers, and
 * people. Pure.
 */
import { monthsOf, weekdaysOf } from './calendar-names.ts';

interface NamedTime {
  year: string;
  /** 1 to 12. */
  month: number;
  day: string;
  /** Hour, minute, second, fraction with its sign, half of the day, zone. */
  clock: (string | undefined)[];
}

/** A word that says what the weekday is, and the numbers that it may stand for: 0 for Sunday. */
export interface Weekday {
  word: string;
  numbers: ReadonlySet<number>;
}

const CLOCK =
  /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})([.,]\d{1,9})?)?(?:\s*([AaPp]\.?[Mm]\b\.?))?(?:\s*(Z\b|(?:(?:GMT|UTC|UT) ?)?[+-]\d{1,2}(?::?\d{2})?(?!\d)(?:\s*\[[\w/+-]+\])?|\[?[A-Za-z]{2,}(?:[/_-][A-Za-z_]+)*\]?))?/;
const GAP = /^(?:[\s,/.-]+|T(?=\d))/;
/** A sign or separator before the first part or behind the last one. */
const CUT_OFF = /^[^\s\p{L}\d]|[-/,]$/u;
/** Between a date and its time in logs of web servers. */
const COLON = /^:(?=\d{1,2}:)/;
/** Weekdays in Portuguese have two parts. */
const WORD = /^\p{L}{2,15}(?:-feira)?\.?/u;
const YEAR = /^\d{4}(?!\d)/;
const DAY = /^(\d{1,2})(?:st|nd|rd|th|er|\u00ba|\u00aa)?(?!\d)/i;
/** Behind a zone: its name. */
const COMMENT = /\s*\([^()]*\)$/;
const FILLERS: ReadonlySet<string> = new Set(
  'at,the,of,um,uhr,den,de,del,le,la,las,el,a,à,às,alle,ore,om,kl,klo,o,r,г,в'.split(','),
);
const MAX_CHARS = 120;

interface Found {
  year?: string;
  month?: { word: string; numbers: ReadonlySet<number> };
  weekday?: Weekday;
  days: string[];
  clock?: (string | undefined)[];
}
/** Takes a part at the beginning of the rest if it is one; returns the number of its characters, otherwise 0. */
type Step = (rest: string, found: Found) => number;

const NONE: ReadonlySet<number> = new Set();

const takeClock: Step = (rest, found) => {
  const time = found.clock === undefined ? clockOf(rest) : null;
  if (time !== null) found.clock = time.parts;
  return time?.length ?? 0;
};
const takeMonth: Step = (rest, found) => {
  const word = found.month === undefined ? (WORD.exec(rest)?.[0] ?? '') : '';
  const numbers = word === '' ? NONE : monthsOf(word);
  if (numbers.size === 0) return 0;
  found.month = { word, numbers };
  return word.length;
};
const takeWeekday: Step = (rest, found) => {
  const word = found.weekday === undefined ? (WORD.exec(rest)?.[0] ?? '') : '';
  const numbers = word === '' ? NONE : weekdaysOf(word);
  if (numbers.size === 0) return 0;
  found.weekday = { word, numbers };
  return word.length;
};
const takeFiller: Step = (rest) => {
  const word = /^\p{L}+/u.exec(rest)?.[0] ?? '';
  return FILLERS.has(word.toLowerCase()) ? word.length : 0;
};
const takeYear: Step = (rest, found) => {
  const year = found.year === undefined ? YEAR.exec(rest)?.[0] : undefined;
  if (year !== undefined) found.year = year;
  return year?.length ?? 0;
};
const takeDay: Step = (rest, found) => {
  const [whole, day] = (found.days.length < 2 ? DAY.exec(rest) : null) ?? [];
  if (day !== undefined) found.days.push(day);
  return whole?.length ?? 0;
};
const STEPS = [takeClock, takeMonth, takeWeekday, takeFiller, takeYear, takeDay];

/**
 * The parts of a time whose month is a word; null if it is none; a text says why the month is not known. `weekday` is
 * null if none is named.
 */
export function readNamed(given: string): { time: NamedTime; weekday: Weekday | null } | string | null {
  if (given.length > MAX_CHARS || !/\p{L}{3}/u.test(given) || CUT_OFF.test(given)) return null;
  const found: Found = { days: [] };
  let rest = given.replace(COMMENT, '');
  while (rest !== '') {
    rest = rest.replace(GAP, '');
    if (found.clock === undefined && found.year !== undefined) rest = rest.replace(COLON, '');
    let length = 0;
    for (const step of STEPS) if (length === 0) length = step(rest, found);
    if (length === 0 && rest !== '') return null;
    rest = rest.slice(length);
  }
  // A year of two digits stands behind the day and the month.
  const { year, month, weekday = null, clock = [] } = found;
  const [day, short] = found.days;
  if (month === undefined || day === undefined || (short === undefined) === (year === undefined)) return null;
  const [number, other] = month.numbers;
  if (number === undefined) return null;
  if (other !== undefined)
    return `Expected a month, got “${month.word}”, which is a different one in several languages. Write the date as year-month-day.`;
  return { time: { year: year ?? short ?? '', month: number, day, clock }, weekday };
}

/** A word behind a time is its zone, unless it is a month or a weekday. */
function clockOf(text: string): { parts: (string | undefined)[]; length: number } | null {
  const found = CLOCK.exec(text);
  if (found === null) return null;
  const [whole, hour, minute, second, fraction, half, zone] = found;
  const isZone = zone !== undefined && !isPartOfDate(zone);
  const all = isZone || zone === undefined ? whole : whole.slice(0, -zone.length);
  return { parts: [hour, minute, second, fraction, half, isZone ? zone : undefined], length: all.length };
}

const isPartOfDate = (word: string): boolean =>
  /^[A-Za-z]+$/.test(word) &&
  (FILLERS.has(word.toLowerCase()) || monthsOf(word).size > 0 || weekdaysOf(word).size > 0);

const WEEKDAY_FIRST = /^(\p{L}{2,15})\.?,?\s+(?=\d)/u;
const CLOCK_FIRST =
  /^(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\s*[AaPp]\.?[Mm]\b\.?)?),?\s+(\d{1,4}[-./]\d{1,2}[-./]\d{1,4})$/;
const UNITS_OF_DATE = /^(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]\s*/u;
const UNITS_OF_TIME = /(\d{1,2})\s*[時时시点]\s*(\d{1,2})\s*[分분](?:\s*(\d{1,2})\s*[秒초])?$/u;

/** A time of digits without the words around it, in the order date, time, zone; null if it has none. */
export function withoutWords(given: string): { text: string; weekday: Weekday | null } | null {
  if (given.length > MAX_CHARS) return null;
  const [first, word = ''] = WEEKDAY_FIRST.exec(given) ?? [];
  const numbers = first === undefined ? NONE : weekdaysOf(word);
  if (first !== undefined && numbers.size === 0) return null;
  const text = given
    .slice(first?.length ?? 0)
    .replace(COMMENT, '')
    .replace(UNITS_OF_DATE, (_all, year, month, day) => `${year}-${month}-${day} `)
    .replace(
      UNITS_OF_TIME,
      (_all, hour, minute, second = '00') => `${hour}:${minute.padStart(2, '0')}:${second.padStart(2, '0')}`,
    )
    .replace(/^(\d{1,4}[-./]\d{1,2}[-./]\d{1,4}),? (?:at|um) /i, '$1 ')
    .replace(CLOCK_FIRST, '$2 $1')
    .trim();
  return text === given ? null : { text, weekday: first === undefined ? null : { word, numbers } };
}
