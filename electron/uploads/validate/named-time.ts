/**
 * Reads times that contain words, with their parts in any order: RFC 2822, `date`, ctime, JavaScript, logs of web
 * servers, and handwritten forms. Pure.
 */
import { englishMonth, monthsOf, type Weekday, weekdaysOf } from './calendar-names.ts';
import { type NamedTime, readCommon } from './common-dates.ts';
import { isZoneAbbreviation } from './zone-abbreviations.ts';

const CLOCK =
  /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})([.,]\d{1,9})?)?(?:\s*([AaPp]\.?[Mm]\b\.?))?(?:\s*(Z\b|(?:(?:GMT|UTC|UT) ?)?[+-]\d{1,2}(?::?\d{2})?(?!\d)(?:\s*\[[\w/+-]+\])?|\[?[A-Za-z]{2,}(?:_[A-Za-z_]+)?(?:[/-][A-Za-z_]+)*\]?))?/;
const GAP = /^(?:[\s,/.-]+|T(?=\d))/;
/** A sign or separator before the first part or after the last one. */
const CUT_OFF = /^[^\s\p{L}\d]|[-/,]$/u;
/** The colon between the date and the time in logs of web servers. */
const COLON = /^:(?=\d{1,2}:)/;
/** The second part of weekdays in Portuguese. */
const WORD = /^\p{L}{2,15}(?:-feira)?\.?/u;
const YEAR = /^\d{4}(?!\d)/;
const DAY = /^(\d{1,2})(?:st|nd|rd|th|er|\u00ba|\u00aa)?(?!\d)/i;
/**
 * The name of a zone in parentheses, after a time of day with a zone or offset. Any other text in parentheses is not
 * part of a time.
 */
const COMMENT =
  /(?<=:\d{2}(?:[.,]\d+)?\s*(?:[AaPp]\.?[Mm]\.?\s*)?(?:Z|(?:GMT|UTC|UT) ?(?:[+-]\d{1,2}(?::?\d{2})?)?|[+-]\d{2}(?::?\d{2})?|[A-Z]{1,4}T|MSK|[A-Za-z]+\/[A-Za-z_/]+))\s*\([^()]*\)$/;
/** Text allowed between a day and a four-digit year. Any other sign or word may mean a range. */
const JOINS_YEAR = /^(?:[\s,]+|\s+(?:de|del|of)\s+)$/i;
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
  /** The kinds of parts in the order in which they occur. */
  parts: Part[];
}
interface Part {
  kind: 'clock' | 'month' | 'weekday' | 'year' | 'day';
  from: number;
  to: number;
}
/** Reads a part at the beginning of `rest`. Returns its number of characters, or 0 if it is not there. */
type Step = (rest: string, found: Found) => number;

const NONE: ReadonlySet<number> = new Set();

const takeClock: Step = (rest, found) => {
  const time = found.clock === undefined ? clockOf(rest) : null;
  if (time !== null) found.clock = time.parts;
  return time?.length ?? 0;
};
const takeName =
  (part: 'month' | 'weekday', numbersOf: (word: string) => ReadonlySet<number>): Step =>
  (rest, found) => {
    const word = found[part] === undefined ? (WORD.exec(rest)?.[0] ?? '') : '';
    const numbers = word === '' ? NONE : numbersOf(word);
    if (numbers.size === 0) return 0;
    found[part] = { word, numbers };
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
const STEPS: readonly (readonly [Part['kind'] | null, Step])[] = [
  ...([
    ['clock', takeClock],
    ['month', takeName('month', monthsOf)],
    ['weekday', takeName('weekday', weekdaysOf)],
  ] as const),
  ...([
    [null, takeFiller],
    ['year', takeYear],
    ['day', takeDay],
  ] as const),
];

/** The parts of a time with a month name. Null if the text is not such a time; a message if the month is unknown. */
export function readNamed(given: string): NamedTime | string | null {
  if (!/\p{L}{3}/u.test(given)) return null;
  const text = given.length > MAX_CHARS ? given : given.replace(COMMENT, '');
  const common = readCommon(text);
  if (common !== null && !isPartOfDate(common.clock.at(-1) ?? '')) return common;
  const found = given.length > MAX_CHARS || CUT_OFF.test(given) ? null : partsOf(text);
  if (found === null) return null;
  const { month, weekday = null, clock = [], days } = found;
  const [day] = days;
  const year = yearOf(found, text);
  if (month === undefined || day === undefined || year === null) return null;
  const [number, other] = month.numbers;
  if (number === undefined) return null;
  if (other !== undefined)
    return `Expected a month, got “${month.word}”, which is a different one in several languages. Write the date as year-month-day.`;
  return { year, month: number, day, clock, weekday };
}

/** Null if the text contains anything that is not part of a time. */
function partsOf(text: string): Found | null {
  const found: Found = { days: [], parts: [] };
  let at = 0;
  const skip = (pattern: RegExp): void => {
    at += pattern.exec(text.slice(at))?.[0].length ?? 0;
  };
  while (at < text.length) {
    skip(GAP);
    if (found.clock === undefined && found.year !== undefined) skip(COLON);
    const rest = text.slice(at);
    let length = 0;
    for (const [kind, step] of STEPS) {
      length = step(rest, found);
      if (length > 0 && kind !== null) found.parts.push({ kind, from: at, to: at + length });
      if (length > 0) break;
    }
    if (length === 0 && rest !== '') return null;
    at += length;
  }
  return found;
}

/**
 * The year, which must have four digits, or two in the order day, month, year with an English month and a time of day.
 * Other numbers next to a month are ranges of days, versions or sizes. Null if there is no such year.
 */
function yearOf({ year, month, days, parts }: Found, text: string): string | null {
  const [, short] = days;
  if (year !== undefined) {
    const at = parts.findIndex(({ kind }, index) => isNumber(kind) && isNumber(parts[index + 1]?.kind));
    const between = at < 0 ? ' ' : text.slice(parts[at]?.to, parts[at + 1]?.from);
    return short === undefined && JOINS_YEAR.test(between) ? year : null;
  }
  const at = parts.findIndex(
    ({ kind }, index) =>
      kind === 'day' && parts[index + 1]?.kind === 'month' && parts[index + 2]?.kind === 'day',
  );
  const last = parts[at + 2];
  if (at < 0 || last === undefined || month === undefined || short === undefined) return null;
  const isTwoDigits = /^\d{2}$/.test(text.slice(last.from, last.to));
  const isEnglish = month.numbers.size === 1 && month.numbers.has(englishMonth(month.word) ?? 0);
  return isTwoDigits && isEnglish && /\d:\d{2}/.test(text) ? short : null;
}

const isNumber = (kind: Part['kind'] | undefined): boolean => kind === 'day' || kind === 'year';

/** A word after a time of day is its zone, unless it is a month or a weekday. */
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
  !isZoneAbbreviation(word) &&
  (FILLERS.has(word.toLowerCase()) || monthsOf(word).size > 0 || weekdaysOf(word).size > 0);

const WEEKDAY_FIRST = /^(\p{L}{2,15})\.?,?\s+(?=\d)/u;
const CLOCK_FIRST =
  /^(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\s*[AaPp]\.?[Mm]\b\.?)?),?\s+(\d{1,4}[-./]\d{1,2}[-./]\d{1,4})$/;
const UNITS_OF_DATE = /^(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]\s*/u;
const UNITS_OF_TIME = /(\d{1,2})\s*[時时시点]\s*(\d{1,2})\s*[分분](?:\s*(\d{1,2})\s*[秒초])?$/u;

const KOREAN_DATE = /^(\d{4})\. ?(\d{1,2})\. ?(\d{1,2})(?:\. |\.?$)/;
/** Words for AM and PM: after a time of day in Spanish and Greek, before it in Chinese, Japanese and Korean. */
const HALF_BEHIND = /(?<=\d)\s*(?:([ap])\.\sm\.|(π|μ)\.μ\.)$/iu;
const HALF_BEFORE = /(?<=\s)(上午|午前|오전|下午|午後|오후)\s*(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)$/u;
const MORNINGS: ReadonlySet<string> = new Set(['上午', '午前', '오전', 'a', 'π']);
const halfOf = (word: string): string => (MORNINGS.has(word.toLowerCase()) ? 'AM' : 'PM');

/** A time of digits without the words around it, in the order date, time, zone; null if there is none. */
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
    .replace(KOREAN_DATE, '$1-$2-$3 ')
    .replace(HALF_BEHIND, (_all, latin?: string, greek?: string) => ` ${halfOf(latin ?? greek ?? '')}`)
    .replace(HALF_BEFORE, (_all, half: string, clock: string) => `${clock} ${halfOf(half)}`)
    .replace(/^(\d{1,4}[-./]\d{1,2}[-./]\d{1,4}),? (?:at|um) /i, '$1 ')
    .replace(CLOCK_FIRST, '$2 $1')
    .trim();
  return text === given ? null : { text, weekday: first === undefined ? null : { word, numbers } };
}
