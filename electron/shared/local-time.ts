/** Formats times for messages of main and the command line. Pure, except for the chosen format. */
import type { DateFormat } from './value-formats.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
interface TimeFormats {
  format: DateFormat;
  hasTwelveHours: boolean;
}

let chosen: () => TimeFormats = () => ({ format: 'day-month', hasTwelveHours: false });

/** Sets the format of dates and times in this thread's sentences, from a person's setting. */
export function writeTimesAs(format: DateFormat, hasTwelveHours: boolean): void {
  chosen = () => ({ format, hasTwelveHours });
}

/** Like `writeTimesAs`, but reads the setting for each time. */
export function followTimes(read: () => TimeFormats): void {
  chosen = read;
}

const two = (value: number) => String(value).padStart(2, '0');

/** Example: `2026-05-01 02:00`, in local time. The form for columns and for typing. */
export function localTimeText(ms: number): string {
  const at = new Date(ms);
  return `${isoDay(at)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Example: `1 May 2026 02:00`, in local time and the chosen format, for sentences; seconds are included on request. */
export function momentText(ms: number, hasSeconds = false): string {
  const at = new Date(ms);
  const rest = `:${two(at.getMinutes())}${hasSeconds ? `:${two(at.getSeconds())}` : ''}`;
  const hour = at.getHours();
  const clock = chosen().hasTwelveHours
    ? `${hour % 12 || 12}${rest} ${hour < 12 ? 'am' : 'pm'}`
    : `${two(hour)}${rest}`;
  return `${dayText(ms)} ${clock}`;
}

/** Examples: `1 May 2026`, `May 1, 2026`, `2026-05-01`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  const { format: dates } = chosen();
  if (dates === 'iso') return isoDay(at);
  const month = MONTHS[at.getMonth()] ?? '';
  const [day, year] = [at.getDate(), at.getFullYear()];
  return dates === 'month-day' ? `${month} ${day}, ${year}` : `${day} ${month} ${year}`;
}

function isoDay(at: Date): string {
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
