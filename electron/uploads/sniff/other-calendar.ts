/** Finds dates whose years are those of another calendar, such as 1404 in Iran and 2569 in Thailand. Pure. */
import { excerptOf } from '../readers/row-source.ts';
import { asciiDigits } from '../validate/script-digits.ts';

/** Years from the 20th century on, in the counting of these calendars. Both ends are included. */
const CALENDARS: readonly { name: string; from: number; to: number }[] = [
  { name: 'Persian or Islamic', from: 1300, to: 1499 },
  { name: 'Thai', from: 2443, to: 2643 },
  { name: 'Hebrew', from: 5660, to: 5860 },
];
/** A date in digits, with or without a time of day, and with the year first or last. */
const DATE = /^(?:(\d{4})[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}))(?!\d)/;

/** A note if all values are dates of such years; null otherwise. */
export function calendarNote(
  column: string,
  values: readonly { text: string; line: number }[],
): string | null {
  const filled = values.filter(({ text }) => text.trim() !== '');
  const years = filled.map(({ text }) => yearOf(text.trim()));
  const [first] = filled;
  const found = CALENDARS.find(({ from, to }) =>
    years.every((year) => year !== null && year >= from && year <= to),
  );
  if (found === undefined || first === undefined) return null;
  return `Column “${excerptOf(column)}” has years that may be those of the ${found.name} calendar, first “${excerptOf(first.text.trim())}” in line ${first.line}. They are sent as they are, as years of the usual calendar: convert the dates in the file if they are not.`;
}

function yearOf(text: string): number | null {
  const [, first, last] = DATE.exec(asciiDigits(text)) ?? [];
  const year = first ?? last;
  return year === undefined ? null : Number(year);
}
