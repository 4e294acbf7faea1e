/** Points and lengths of time as typed and printed on the command line. Local time. */
import { AppError } from '../shared/errors.ts';
import { numberText } from './human-text.ts';

const CLOCK = /^(\d{1,2}):(\d{2})$/;
const DAY_AND_CLOCK = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?$/;
/** Possible amounts by which clocks are set back at the end of summer time. */
const SET_BACK_MS = [1_800_000, 3_600_000];
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * `02:00` is the next time a wall clock shows it, `2026-05-01 02:00` that local time, and an ISO time with a zone that
 * instant. `option`: its name in messages. Throws INVALID_ARGUMENT for anything else and for times in the past.
 */
export function parseStartTime(text: string, nowMs: number, option = '--start-at'): number {
  const atMs = readClock(text, nowMs) ?? readDay(text) ?? readZoned(text);
  if (atMs === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${option} expects a time such as 02:00, "2026-05-01 02:00" or 2026-05-01T02:00:00Z, got ${text}.`,
    );
  }
  if (atMs > nowMs) return atMs;
  throw new AppError('INVALID_ARGUMENT', `${option} expects a time in the future; ${text} has passed.`);
}

function readClock(text: string, nowMs: number): number | null {
  const [, hour, minute] = (CLOCK.exec(text) ?? []).map(Number);
  if (hour === undefined || minute === undefined || hour > 23 || minute > 59) return null;
  const at = new Date(nowMs);
  at.setHours(hour, minute, 0, 0);
  // In the night in which clocks are set back, an hour occurs twice.
  const shown = SET_BACK_MS.map((byMs) => at.getTime() + byMs).filter((ms) => isShown(ms, hour, minute));
  const next = [at.getTime(), ...shown].find((ms) => ms > nowMs);
  if (next !== undefined) return next;
  at.setDate(at.getDate() + 1);
  // If a clock change moved the time, the wall clock time counts.
  at.setHours(hour, minute, 0, 0);
  return at.getTime();
}

function isShown(ms: number, hour: number, minute: number): boolean {
  const at = new Date(ms);
  return at.getHours() === hour && at.getMinutes() === minute;
}

function readDay(text: string): number | null {
  const parts = (DAY_AND_CLOCK.exec(text) ?? []).slice(1).map((part) => Number(part ?? 0));
  const [year, month, day, hour, minute, second] = parts;
  if (year === undefined || month === undefined || day === undefined) return null;
  const at = new Date(year, month - 1, day, hour, minute, second);
  const isReal =
    at.getMonth() === month - 1 && at.getDate() === day && (hour ?? 0) < 24 && (minute ?? 0) < 60;
  return isReal && (second ?? 0) < 60 ? at.getTime() : null;
}

function readZoned(text: string): number | null {
  const atMs = WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

/** `30 per day`, `10 per s`, `5 per 2 min`. */
export function limitText({ count, lengthMs }: { count: number; lengthMs: number }): string {
  const units: [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ];
  const [unitMs, unit] = units.find(([ms]) => lengthMs % ms === 0) ?? [1, 'ms'];
  return `${numberText(count)} per ${lengthMs === unitMs ? '' : `${lengthMs / unitMs} `}${unit}`;
}
