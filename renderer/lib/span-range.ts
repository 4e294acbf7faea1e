/** Time ranges of span queries: presets, typed times in the display time zone, and their texts. Pure. */
import { civilAt, momentOf } from '../../electron/shared/zone-time.ts';
import { formatClock, formatDay, formatDayOfYear, formatMoment, formatStamp, shownZone } from './format.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const RANGE_PRESETS = [
  { id: '1h', title: 'Last hour', lengthMs: HOUR },
  { id: '24h', title: 'Last 24 hours', lengthMs: DAY },
  { id: '7d', title: 'Last 7 days', lengthMs: 7 * DAY },
  { id: '30d', title: 'Last 30 days', lengthMs: 30 * DAY },
  { id: 'today', title: 'Today', daysAgo: 0 },
  { id: 'yesterday', title: 'Yesterday', daysAgo: 1 },
] as const;
export type RangeId = (typeof RANGE_PRESETS)[number]['id'] | 'custom';
export const DEFAULT_PRESET: RangeId = '7d';

/**
 * The start is inclusive, the end exclusive (SERVICE.md F2.1). The times of a preset are fixed when it is requested, so
 * that its response can be cached.
 */
export interface SpanRange {
  id: RangeId;
  startMs: number;
  endMs: number;
}

const rowOf = (id: RangeId) => RANGE_PRESETS.find((preset) => preset.id === id);
/** Number of days before today; null if the range is not a single day. */
const daysAgoOf = (id: RangeId): number | null => {
  const row = rowOf(id);
  return row !== undefined && 'daysAgo' in row ? row.daysAgo : null;
};
function lengthOf(id: RangeId): number {
  const row = rowOf(id);
  return row !== undefined && 'lengthMs' in row ? row.lengthMs : 7 * DAY;
}

/**
 * The preset range up to now; it ends at the next full minute, so that two views within a minute use the same
 * query.
 */
export function presetRange(id: RangeId, nowMs: number): SpanRange {
  return rangeUpTo(id, nowMs);
}

/** A range of the preset's length up to the given time, for spans older than the preset range. */
export function rangeUpTo(id: RangeId, momentMs: number): SpanRange {
  const daysAgo = daysAgoOf(id);
  if (daysAgo !== null) return { id, ...dayRange(daysAgo, momentMs) };
  const endMs = nextMinute(momentMs);
  return { id, startMs: endMs - lengthOf(id), endMs };
}

const nextMinute = (ms: number): number => Math.floor(ms / MINUTE) * MINUTE + MINUTE;

/**
 * Seven days in the display time zone up to the end of today. The range is the same all day, and begins at the midnight
 * that its date is shown for.
 */
export function weekOfDays(nowMs: number): Pick<SpanRange, 'startMs' | 'endMs'> {
  return { startMs: midnight(nowMs, -6), endMs: midnight(nowMs, 1) };
}

/** Midnight that begins the day `days` days after today, in the display time zone. */
function midnight(nowMs: number, days: number): number {
  const { year, month, day } = civilAt(nowMs, shownZone());
  return momentOf({ year, month, day: day + days, hour: 0, minute: 0, second: 0 }, shownZone());
}

/** The day `daysAgo` days before today, in the display time zone. Today ends at the next full minute. */
function dayRange(daysAgo: number, nowMs: number): Pick<SpanRange, 'startMs' | 'endMs'> {
  const endMs = daysAgo === 0 ? nextMinute(nowMs) : midnight(nowMs, 1 - daysAgo);
  return { startMs: midnight(nowMs, -daysAgo), endMs };
}

/** A range that consists of one moment, to be widened. */
export const momentRange = (ms: number): SpanRange => ({ id: 'custom', startMs: ms, endMs: ms });

/**
 * Range for a whole trace or session: the shown range, extended to a day before and after the span it was opened from.
 */
export function rangeAround(range: SpanRange, spanMs: number | null): SpanRange {
  if (spanMs === null) return { ...range, id: 'custom' };
  return {
    id: 'custom',
    startMs: Math.min(range.startMs, spanMs - DAY),
    endMs: Math.max(range.endMs, spanMs + DAY),
  };
}

/** Range in which to search a span that is known only by its id: it started before the item made from it. */
export function rangeBefore(madeMs: number): SpanRange {
  return { id: 'custom', startMs: madeMs - 90 * DAY, endMs: madeMs + DAY };
}

export function rangeToParams({ id, startMs, endMs }: SpanRange): Record<string, string> {
  return { range: id, start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
}

/** The range in the parameters of a tab; null if there is none. */
export function rangeOfParams(params: Readonly<Record<string, string>>): SpanRange | null {
  const [startMs, endMs] = [Date.parse(params['start'] ?? ''), Date.parse(params['end'] ?? '')];
  if (Number.isNaN(startMs) || Number.isNaN(endMs) || endMs <= startMs) return null;
  return { id: presetOf(params['range']) ?? 'custom', startMs, endMs };
}

/** The preset with this id; null for an unknown id. */
export function presetOf(id: string | null | undefined): Exclude<RangeId, 'custom'> | null {
  return RANGE_PRESETS.find((preset) => preset.id === id)?.id ?? null;
}

const TYPED = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * Milliseconds of a time typed in the display time zone: `2026-03-12`, `2026-03-12 14:02`, `2026-03-12
 * 14:02:33`.
 */
export function parseLocal(text: string): number | null {
  const found = TYPED.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const ms = momentOf({ year, month: month - 1, day, hour, minute, second }, shownZone());
  // A date such as 31 February becomes 3 March, so the result differs from the input.
  const date = civilAt(ms, shownZone());
  const isSame = date.month === month - 1 && date.day === day && hour < 24 && minute < 60;
  return isSame && second < 60 ? ms : null;
}

/** The time in the format that `parseLocal` reads. Seconds are omitted if they are zero. */
export function formatLocal(ms: number): string {
  const stamp = formatStamp(ms);
  return stamp.endsWith(':00') ? stamp.slice(0, -3) : stamp;
}

/** The reason why these two typed times are not a valid range, or null. */
export function rangeProblem(start: string, end: string): string | null {
  const [startMs, endMs] = [parseLocal(start), parseLocal(end)];
  if (startMs === null || endMs === null) return 'Expected a date and time like 2026-03-12 14:00.';
  return endMs <= startMs ? 'The end must be later than the start.' : null;
}

/** `12 Mar 14:02 – 19 Mar 14:02`; `10:00 – 14:02` if both are today. */
export function describeInterval({ startMs, endMs }: SpanRange, nowMs: number): string {
  const start = moment(startMs, nowMs);
  // After a start with a date, an end without one would be read as a time on the same date.
  const isOfDate = formatDay(endMs) === formatDay(nowMs) && formatDay(startMs) !== formatDay(nowMs);
  return `${start} – ${isOfDate ? 'today ' : ''}${moment(endMs, nowMs)}`;
}

/**
 * The days of a range, for a place without room for its times: `12 – 14 Mar`, `30 Mar – 2 Apr`. Within one day, the times:
 * `12 Mar 09:20 – 10:40`.
 */
export function describeDays({ startMs, endMs }: SpanRange, nowMs: number): string {
  // The end is exclusive, so a range up to midnight ends on the day before.
  const lastMs = endMs - 1;
  const isThisYear = [startMs, lastMs].every((ms) => yearOf(ms) === yearOf(nowMs));
  const dayOf = (ms: number) => (isThisYear ? formatDayOfYear(ms) : formatDay(ms));
  if (formatDay(startMs) !== formatDay(lastMs)) {
    const [from, to] = [dayOf(startMs), dayOf(lastMs)];
    const { day, month = '' } = DAY_FIRST.exec(from)?.groups ?? {};
    // A month that is the same is written once.
    return `${day !== undefined && to.endsWith(month) ? day : from} – ${to}`;
  }
  const times = `${formatClock(startMs)} – ${formatClock(endMs)}`;
  return formatDay(startMs) === formatDay(nowMs) ? times : `${dayOf(startMs)} ${times}`;
}

const DAY_FIRST = /^(?<day>\d+)(?<month> \D.*)$/u;
const yearOf = (ms: number): number => civilAt(ms, shownZone()).year;

/** `formatMoment` omits the time for other years; here the time is needed. */
function moment(ms: number, nowMs: number): string {
  const text = formatMoment(ms, nowMs);
  return text === formatDay(ms) ? `${text} ${formatClock(ms)}` : text;
}

/** `Last 7 days`; the interval if the range is no preset, or is a day that is no longer today or yesterday. */
export function describeRange(range: SpanRange, nowMs: number): string {
  const isOver = daysAgoOf(range.id) !== null && presetRange(range.id, nowMs).startMs !== range.startMs;
  return (isOver ? undefined : rowOf(range.id)?.title) ?? describeInterval(range, nowMs);
}

/**
 * Whether refreshing would move a preset range: the current time is past its end, or past the day of a single-day
 * preset.
 */
export function isBehind(range: SpanRange, nowMs: number): boolean {
  if (range.id === 'custom') return false;
  const isWholeDay = (daysAgoOf(range.id) ?? 0) > 0;
  return isWholeDay ? presetRange(range.id, nowMs).endMs > range.endMs : nowMs >= range.endMs;
}

/** The display time zone at this time: `CET`, `GMT+5:30`. */
export function zoneName(ms: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: shownZone(),
    timeZoneName: 'short',
  }).formatToParts(ms);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
}
