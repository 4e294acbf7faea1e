/** Reads dates with the name of a month in the two most common orders: 27-Nov-26 and Nov 27, 2026. Pure. */
import { englishMonth, monthsOf, type Weekday, weekdaysOf } from './calendar-names.ts';

/** A time of day after a date: hour, minute, second, fraction, half of the day, zone. */
export const CLOCK =
  '(?:[Tt ,]\\s*(\\d{1,2})[:.](\\d{2})(?:[:.](\\d{2})([.,]\\d{1,9})?)?(?:\\s*([AaPp]\\.?[Mm]\\b\\.?))?(?:\\s*([Zz](?:\\s*\\[[\\w/+-]+\\])?|(?:GMT|UTC|UT) ?[+-]\\d{1,2}(?::?\\d{2})?|\\[?[A-Za-z]{2,}(?:_[A-Za-z_]+)?(?:[/-][A-Za-z_]+)*\\]?|[+-]\\d{2}(?::?\\d{2})?(?:\\s*\\[[\\w/+-]+\\]|\\s+[A-Z]{3,5})?))?\\s*)?';
const FIRST_WORD = '^(?:([A-Za-z]{3,9}),? +)?';
const DAY_MONTH_YEAR = new RegExp(
  `${FIRST_WORD}(\\d{1,2})[ .-]+([A-Za-z]{3,9})[ .,-]+(\\d{4}|\\d{2})${CLOCK}$`,
);
const MONTH_DAY_YEAR = new RegExp(`${FIRST_WORD}([A-Za-z]{3,9})[ .-]+(\\d{1,2})[ ,.-]+(\\d{4})${CLOCK}$`);

export interface NamedTime {
  year: string;
  /** 1 to 12. */
  month: number;
  day: string;
  /** Hour, minute, second, fraction with its sign, AM or PM, zone. */
  clock: (string | undefined)[];
  /** The weekday in the text, or null. */
  weekday: Weekday | null;
}

/**
 * The parts of a date with a month name; null for other texts. The first three letters of the English name are enough,
 * because months are often misspelled, unless the word is another month in some language. A first word is skipped if it
 * is not a weekday.
 */
export function readCommon(text: string): NamedTime | null {
  const dayFirst = DAY_MONTH_YEAR.exec(text);
  const found = dayFirst ?? MONTH_DAY_YEAR.exec(text);
  if (found === null) return null;
  const [, first = '', one = '', other = '', year = '', ...clock] = found;
  const [day, word] = dayFirst === null ? [other, one] : [one, other];
  const month = englishMonth(word);
  if (month === null) return null;
  const named = monthsOf(word);
  if (named.size > 0 && !named.has(month)) return null;
  const numbers = weekdaysOf(first);
  return { year, month, day, clock, weekday: numbers.size === 0 ? null : { word: first, numbers } };
}
