/** Times in messages of main and the command line, as people read them. Pure but for what a person has chosen. */
import type { DateFormat } from './value-formats.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
let dates: DateFormat = 'day-month';
let isTwelveHours = false;

/** From now on dates and times of day in sentences of this process are written so: as a person has set it. */
export function writeTimesAs(format: DateFormat, hasTwelveHours: boolean): void {
  dates = format;
  isTwelveHours = hasTwelveHours;
}

const two = (value: number) => String(value).padStart(2, '0');

/** `2026-05-01 02:00` in local time: in columns, and as times are typed. */
export function localTimeText(ms: number): string {
  const at = new Date(ms);
  return `${isoDay(at)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** `1 May 2026 02:00` in local time: in sentences, in the format that was chosen; with seconds where they tell. */
export function momentText(ms: number, hasSeconds = false): string {
  const at = new Date(ms);
  const rest = `:${two(at.getMinutes())}${hasSeconds ? `:${two(at.getSeconds())}` : ''}`;
  const hour = at.getHours();
  const clock = isTwelveHours
    ? `${hour % 12 || 12}${rest} ${hour < 12 ? 'am' : 'pm'}`
    : `${two(hour)}${rest}`;
  return `${dayText(ms)} ${clock}`;
}

/** `1 May 2026`, `May 1, 2026`, `2026-05-01`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  if (dates === 'iso') return isoDay(at);
  const month = MONTHS[at.getMonth()] ?? '';
  const [day, year] = [at.getDate(), at.getFullYear()];
  return dates === 'month-day' ? `${month} ${day}, ${year}` : `${day} ${month} ${year}`;
}

function isoDay(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
