/** Looks up names of months and weekdays, long and short, in the languages of common tables. Pure. */

const LANGUAGES = [
  ...['en-US', 'en-GB', 'de', 'de-AT', 'fr', 'es', 'it', 'pt', 'nl', 'da', 'nb', 'sv', 'fi', 'pl', 'cs'],
  ...['sk', 'hr', 'sl', 'hu', 'ro', 'tr', 'id', 'ru'],
];
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'],
  ...['october', 'november', 'december'],
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SHORT_CHARS = 3;
/** Short forms that are in use but not in `Intl`. */
const OTHER_MONTHS = { sept: 9, mrz: 3, maerz: 3 };
const OTHER_WEEKDAYS = { tues: 2, wednes: 3, thur: 4, thurs: 4 };

type Names = Map<string, Set<number>>;

/** A weekday name, and the numbers it may stand for (0 is Sunday). */
export interface Weekday {
  word: string;
  numbers: ReadonlySet<number>;
}

/** The name in small letters, without dots and accents. */
const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}|\./gu, '')
    .toLowerCase();

function english(names: readonly string[], first: number, others: Readonly<Record<string, number>>): Names {
  const all: Names = new Map();
  for (const [at, name] of names.entries()) {
    all.set(name, new Set([at + first]));
    all.set(name.slice(0, SHORT_CHARS), new Set([at + first]));
  }
  for (const [name, number] of Object.entries(others)) all.set(name, new Set([number]));
  return all;
}
const ENGLISH_MONTHS = english(MONTHS, 1, OTHER_MONTHS);
const ENGLISH_WEEKDAYS = english(WEEKDAYS, 0, OTHER_WEEKDAYS);

/** Months (1 to 12) or weekdays (0, Sunday, to 6) that the name stands for in any language; empty for other words. */
export function monthsOf(name: string): ReadonlySet<number> {
  const key = folded(name);
  return ENGLISH_MONTHS.get(key) ?? foreign().months.get(key) ?? NONE;
}
export function weekdaysOf(name: string): ReadonlySet<number> {
  const key = folded(name);
  return ENGLISH_WEEKDAYS.get(key) ?? foreign().weekdays.get(key) ?? NONE;
}
const NONE: ReadonlySet<number> = new Set();

/** Month (1 to 12) for a word of at least three letters that begins like an English month; null for other words. */
export function englishMonth(word: string): number | null {
  const first = word.slice(0, SHORT_CHARS).toLowerCase();
  const at = first.length < SHORT_CHARS ? -1 : MONTHS.findIndex((month) => month.startsWith(first));
  return at < 0 ? null : at + 1;
}

/** The English name of a weekday; 0 is Sunday. */
export function englishWeekday(number: number): string {
  const name = WEEKDAYS[number] ?? '';
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

let known: { months: Names; weekdays: Names } | null = null;

/** Names in other languages, built when the first name that is not English occurs. */
function foreign(): { months: Names; weekdays: Names } {
  known ??= { months: namesIn('month', 12), weekdays: namesIn('weekday', 7) };
  return known;
}

/** Collects the names in all forms, because some languages inflect a month next to a day. */
function namesIn(part: 'month' | 'weekday', count: number): Names {
  const names: Names = new Map();
  for (const language of LANGUAGES)
    for (const width of ['long', 'short'] as const)
      for (const day of part === 'month' ? (['numeric', undefined] as const) : [undefined]) {
        const format = new Intl.DateTimeFormat(language, { [part]: width, day, timeZone: 'UTC' });
        for (let at = 0; at < count; at += 1) {
          // 1 January 2023 was a Sunday.
          const date = part === 'month' ? Date.UTC(2023, at, 1) : Date.UTC(2023, 0, at + 1);
          const found = format.formatToParts(date).find(({ type }) => type === part)?.value ?? '';
          const key = folded(found);
          if (!/^\p{L}/u.test(key)) continue;
          names.set(key, (names.get(key) ?? new Set()).add(part === 'month' ? at + 1 : at));
        }
      }
  return names;
}
