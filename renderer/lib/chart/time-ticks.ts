/**
 * Positions and texts of the marks on a time axis: round times of the wall clock, also on days with 23 or 25 hours.
 * Pure.
 */
import { type Civil, civilAt, momentOf, utcMs } from '../../../electron/shared/zone-time.ts';
import { formatClock, formatDayOfYear } from '../format.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'month' | 'year';

interface TickStep {
  unit: Unit;
  count: number;
}

const LENGTH: Readonly<Record<Unit, number>> = {
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  month: 30.44 * DAY,
  year: 365.25 * DAY,
};

const STEPS: readonly TickStep[] = [
  ...[1, 5, 15, 30].map((count): TickStep => ({ unit: 'second', count })),
  ...[1, 5, 15, 30].map((count): TickStep => ({ unit: 'minute', count })),
  ...[1, 3, 6, 12].map((count): TickStep => ({ unit: 'hour', count })),
  ...[1, 2, 7, 14].map((count): TickStep => ({ unit: 'day', count })),
  ...[1, 2, 3, 6].map((count): TickStep => ({ unit: 'month', count })),
  ...[1, 2, 5, 10, 20, 50, 100].map((count): TickStep => ({ unit: 'year', count })),
];
const LONGEST: TickStep = { unit: 'year', count: 1_000 };
/** Wall clocks change by multiples of 15 minutes, so a round quarter of an hour is round in every zone. */
const QUARTER = 15 * MINUTE;

/** The shortest step that gives at most `most` marks in the range. */
function chooseStep(spanMs: number, most: number): TickStep {
  const fits = ({ unit, count }: TickStep) => spanMs / (LENGTH[unit] * count) <= Math.max(1, most);
  return STEPS.find(fits) ?? LONGEST;
}

/** Days since 1 January 1970 on the wall clock. */
function dayNumber({ year, month, day }: Civil): number {
  return Math.floor(utcMs(year, month, day) / DAY);
}

/** Marks at most an hour apart: every time whose wall clock is a multiple of the step. */
function shortTicks(startMs: number, endMs: number, step: TickStep, zone: string): number[] {
  const length = LENGTH[step.unit] * step.count;
  const grain = Math.min(length, QUARTER);
  const ticks: number[] = [];
  for (let ms = Math.ceil(startMs / grain) * grain; ms <= endMs; ms += grain) {
    const { hour, minute, second } = civilAt(ms, zone);
    if (((hour * 60 + minute) * 60 + second) % (length / SECOND) === 0) ticks.push(ms);
  }
  return ticks;
}

/** Marks at some hours of each day. */
function hourTicks(startMs: number, endMs: number, step: TickStep, zone: string): number[] {
  const first = civilAt(startMs, zone);
  const ticks: number[] = [];
  for (let day = first.day; ; day += 1) {
    for (let hour = 0; hour < 24; hour += step.count) {
      const ms = momentOf({ ...first, day, hour, minute: 0, second: 0 }, zone);
      if (ms > endMs) return ticks;
      // If the clock skips an hour, the next one replaces it; the hours of a skipped day are replaced by those of the
      // next day.
      if (ms >= startMs && ms > (ticks.at(-1) ?? Number.NEGATIVE_INFINITY)) ticks.push(ms);
    }
  }
}

/** The wall-clock date of the `index`-th mark at or after the one before `first`. */
function dateOf(first: Civil, step: TickStep, index: number): Pick<Civil, 'year' | 'month' | 'day'> {
  const { count } = step;
  if (step.unit === 'year')
    return { year: Math.floor(first.year / count) * count + index * count, month: 0, day: 1 };
  if (step.unit === 'month') {
    return { year: first.year, month: Math.floor(first.month / count) * count + index * count, day: 1 };
  }
  // Weeks begin on Monday; 1 January 1970 was a Thursday.
  const shift = count % 7 === 0 ? 3 : 0;
  const number = Math.floor((dayNumber(first) + shift) / count) * count - shift + index * count;
  return { year: 1970, month: 0, day: 1 + number };
}

function dateTicks(startMs: number, endMs: number, step: TickStep, zone: string): number[] {
  const first = civilAt(startMs, zone);
  const ticks: number[] = [];
  for (let index = 0; ; index += 1) {
    const ms = momentOf(dateOf(first, step, index), zone);
    if (ms > endMs || Number.isNaN(ms)) return ticks;
    // If the zone skips a date, the next one replaces it.
    if (ms >= startMs && ms !== ticks.at(-1)) ticks.push(ms);
  }
}

interface TimeTicks {
  step: TickStep;
  /** Times of the marks, ascending. */
  ticks: number[];
}

/** Marks of an axis from `startMs` to `endMs` with at most `most` marks. */
export function timeTicks(startMs: number, endMs: number, zone: string, most: number): TimeTicks {
  const step = chooseStep(endMs - startMs, most);
  if (!(endMs > startMs)) return { step, ticks: [startMs] };
  const isShort =
    step.unit === 'second' || step.unit === 'minute' || (step.unit === 'hour' && step.count === 1);
  if (isShort) return { step, ticks: shortTicks(startMs, endMs, step, zone) };
  const make = step.unit === 'hour' ? hourTicks : dateTicks;
  return { step, ticks: make(startMs, endMs, step, zone) };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function write(ms: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([zone, options]);
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    formats.set(key, format);
  }
  return format.format(ms);
}

const clock = { hour: '2-digit', minute: '2-digit' } as const;

/** The two lines of a mark: the unit of the step, and the larger unit that contains it. */
function linesOf(ms: number, unit: Unit, zone: string): [string, string] {
  const year = write(ms, zone, { year: 'numeric' });
  switch (unit) {
    case 'second':
      return [write(ms, zone, { ...clock, second: '2-digit' }), formatDayOfYear(ms, zone)];
    case 'minute':
    case 'hour':
      return [formatClock(ms, zone), formatDayOfYear(ms, zone)];
    case 'day':
      return [formatDayOfYear(ms, zone), year];
    case 'month':
      return [write(ms, zone, { month: 'short' }), year];
    case 'year':
      return [year, ''];
  }
}

/**
 * Texts of the marks, one or two lines each: the second line is shown only if it differs from the previous
 * one.
 */
export function tickTexts({ step, ticks }: TimeTicks, zone: string): string[][] {
  let before = '';
  return ticks.map((ms) => {
    const [line, context] = linesOf(ms, step.unit, zone);
    const isNew = context !== '' && context !== before;
    before = context;
    return isNew ? [line, context] : [line];
  });
}

function isMidnight(ms: number, zone: string): boolean {
  const { hour, minute, second } = civilAt(ms, zone);
  return hour === 0 && minute === 0 && second === 0;
}

/**
 * Texts of the marks on one line: a new date is shown alone at midnight, otherwise before the time. No text occurs
 * twice in a row.
 */
export function tickLines({ step, ticks }: TimeTicks, zone: string): string[] {
  const isClock = ['second', 'minute', 'hour'].includes(step.unit);
  let before = '';
  return ticks.map((ms, at) => {
    const [line, context] = linesOf(ms, step.unit, zone);
    const isNew = context !== '' && context !== before;
    before = context;
    if (!isNew) return line;
    if (isClock) return isMidnight(ms, zone) ? context : `${context} ${line}`;
    return at > 0 || step.unit === 'month' ? `${line} ${context}` : line;
  });
}

/** The exact time for a tooltip or a table: `Thu 12 Mar 2026, 14:00:05`; without the clock if `isDay`. */
export function momentText(ms: number, zone: string, isDay = false): string {
  const day = write(ms, zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).replace(
    ',',
    '',
  );
  if (isDay) return day;
  const hasSeconds = ms % MINUTE !== 0;
  return `${day}, ${write(ms, zone, hasSeconds ? { ...clock, second: '2-digit' } : clock)}`;
}

/** Maximum number of times that are checked, because each check converts a time zone. */
const MAX_ASKED = 60;

/** Whether every time is a midnight in the zone, so that the clock can be omitted. */
export function areDays(times: readonly number[], zone: string): boolean {
  const step = Math.max(1, Math.floor(times.length / MAX_ASKED));
  return (
    times.length > 0 &&
    times.every((ms, index) => {
      if (index % step !== 0 && index !== times.length - 1) return true;
      const { hour, minute, second } = civilAt(ms, zone);
      return hour === 0 && minute === 0 && second === 0 && ms % SECOND === 0;
    })
  );
}
