/** Points and lengths of time as they are typed and printed on the command line, in local time. */
import { AppError } from '../shared/errors.ts';
import { numberText } from './human-text.ts';
import { readTime } from './typed-time.ts';

/** Possible lengths of time by which clocks are set back at the end of summer time. */
const SET_BACK_MS = [1_800_000, 3_600_000];
/**
 * Parses a start: `02:00` is the next time that clocks show it, `2026-05-01 02:00` is a local time, an ISO time with a
 * zone is that moment, and `2h` is in two hours. `option`: name of the option for messages. Throws INVALID_ARGUMENT for
 * anything else, and for times in the past.
 */
export function parseStartTime(text: string, nowMs: number, option = '--start-at'): number {
  const clock = (hour: number, minute: number) => nextClock(hour, minute, nowMs);
  const found = readTime(text, nowMs, { clock, lengthSign: 1 });
  if (found === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${option} expects a time such as 02:00, "tomorrow 02:00", "2026-05-01 02:00", 2026-05-01T02:00:00Z or 2h (from now), got ${text}.`,
    );
  }
  const atMs = found.ms;
  if (atMs > nowMs) return atMs;
  throw new AppError('INVALID_ARGUMENT', `${option} expects a time in the future; ${text} has passed.`);
}

function nextClock(hour: number, minute: number, nowMs: number): number {
  const at = new Date(nowMs);
  at.setHours(hour, minute, 0, 0);
  // In the night in which clocks are set back, an hour occurs twice; the next occurrence is used.
  const shown = SET_BACK_MS.map((byMs) => at.getTime() + byMs).filter((ms) => isShown(ms, hour, minute));
  const next = [at.getTime(), ...shown].find((ms) => ms > nowMs);
  if (next !== undefined) return next;
  at.setDate(at.getDate() + 1);
  // The hour is set again, because a change of the clocks may have moved it.
  at.setHours(hour, minute, 0, 0);
  return at.getTime();
}

function isShown(ms: number, hour: number, minute: number): boolean {
  const at = new Date(ms);
  return at.getHours() === hour && at.getMinutes() === minute;
}

/** A limit in words, e.g. `30 per day`, `10 per s`, `5 per 2 min`. */
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
