/** Says why a text that is a part of a time, or several times, cannot be sent as a time. Pure. */

const DAY = String.raw`\d{4}-\d{2}-\d{2}`;
const REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /^\d{4}-?W\d{2}(?:-?\d)?$/i,
    'Expected a day, got a week of a year. Write the day on which it starts, such as 2026-01-05.',
  ],
  [/^\d{4}[-/.]\d{1,2}$/, 'Expected a day, got a month alone. Write its first day, such as 2026-01-01.'],
  [
    /^(?:\d{4}[- ]?Q[1-4]|Q[1-4][- /]?\d{4})$/i,
    'Expected a day, got a quarter of a year. Write its first day, such as 2026-01-01.',
  ],
  [/^(?:19|20)\d{2}$/, 'Expected a day, got a year alone. Write its first day, such as 2026-01-01.'],
  [
    /^\d{4}-\d{3}$/,
    'Expected a month and a day, got the number of a day in its year. Write it as year-month-day, such as 2026-01-31.',
  ],
  [
    new RegExp(String.raw`^${DAY}[^/]{0,40}?(?:/| - | to |\.\.)\s*${DAY}[^/]{0,40}$`),
    'Expected one time, got a range of two. Write the one that counts for the row, such as 2026-01-05.',
  ],
  [
    /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?$/i,
    'Expected a day with a time of day, got a time of day alone. Put the date in front, such as 2026-01-05 10:30.',
  ],
  [
    new RegExp(String.raw`^${DAY}[T ]\d{1,2}$`),
    'Expected a time of day with minutes, got an hour alone. Write it such as 2026-01-05 10:00.',
  ],
  [
    /:\d{2}[.,]\d{10,}/,
    'Expected at most nine digits after the second, got more. Write the time in nanoseconds or coarser.',
  ],
];

/** The reason why the text is not a point in time; null for any other text. */
export const reasonOfPart = (text: string): string | null =>
  REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
